int printf(const char *, ...);
int depth = 6;
int fib(int n) {
    if (n < 2)
        return n;
    return fib(n - 1) + fib(n - 2);
}
int main(void) {
    int i, sum = 0;
    for (i = 0; i < 3; i++)
        sum += fib(depth + i) ^ i;
    printf("%d\n", sum);
    return 0;
}
