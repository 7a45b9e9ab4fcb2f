int printf(const char *, ...);
unsigned ring[4] = {3, 9, 14, 27};
unsigned slot(unsigned key) {
    unsigned s = key % 8;
    return s * 2 + key / 3;
}
int main(void) {
    unsigned sum = 0;
    int i;
    for (i = 0; i < 4; i++)
        sum = sum * 7 + slot(ring[i]);
    printf("%u\n", sum);
    return 0;
}
