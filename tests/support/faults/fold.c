int printf(const char *, ...);
int base = 4;
int hash(int x) {
    int key = 0x55 ^ 0x0f;
    return x * 3 + key;
}
int main(void) {
    int sum = 0, i;
    for (i = 0; i < 4; i++)
        sum = sum * 5 + hash(base + i);
    printf("%d\n", sum);
    return 0;
}
