int printf(const char *, ...);
unsigned flags = 5;
unsigned mix(unsigned x) {
    unsigned bit = 1 << 9;
    if (x & bit)
        return x - 3;
    return x + bit;
}
int main(void) {
    unsigned hash = 17;
    for (int i = 0; i < 6; i++)
        hash = hash * 31 + mix(flags + i);
    printf("%u\n", hash);
    return 0;
}
