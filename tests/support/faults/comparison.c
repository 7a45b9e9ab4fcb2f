int printf(const char *, ...);
int pick(int x) {
    int small = -3 < 2;
    if (small)
        return x + 1;
    return x - 1;
}
int main(void) {
    int total = 0;
    for (int i = 0; i < 5; i++)
        total += pick(i) ^ i;
    printf("%d\n", total);
    return 0;
}
