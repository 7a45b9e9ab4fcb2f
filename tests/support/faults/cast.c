int printf(const char *, ...);
int level = 9;
int adjust(int x) {
    int offset = (signed char)200;
    if (x > 10)
        return x + offset;
    return x - offset;
}
int main(void) {
    int sum = 0, i;
    for (i = 0; i < 4; i++)
        sum += adjust(level + i) * (i + 1);
    printf("%d\n", sum);
    return 0;
}
