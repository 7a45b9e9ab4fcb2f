int printf(const char *, ...);
unsigned flags = 3000000000u;
long expand(unsigned x) {
    long wide = x << 2;
    return wide + 1;
}
int main(void) {
    long sum = 0;
    int i;
    for (i = 0; i < 3; i++)
        sum += expand(flags + i) - i;
    printf("%ld\n", sum);
    return 0;
}
