int printf(const char *, ...);
int a = 2, b = 3, c = 5;
int one(int x) { return x + 1; }
int nest(int x, int y) {
    return (x + y) * ((x - y) + (one(x) - (y * one(y) + one(x * y))));
}
int main(void) {
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum += nest(a + i, b) - c;
    printf("%d\n", sum);
    return 0;
}
