int printf(const char *, ...);
long big = 5000000000;
int half(long x) {
    double d = x;
    return d / 2 > 1000000000 ? 1 : 2;
}
int main(void) {
    int sum = 0, i;
    for (i = 0; i < 3; i++)
        sum = sum * 10 + half(big + i);
    printf("%d\n", sum);
    return 0;
}
