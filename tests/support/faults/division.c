int printf(const char *, ...);
int table[4] = {3, 1, 4, 1};
int scale(int x) {
    int offset = -7 / 2;
    return x * 2 + offset;
}
int main(void) {
    int i, sum = 0;
    for (i = 0; i < 4; i++)
        sum += scale(table[i]);
    printf("%d\n", sum);
    return 0;
}
