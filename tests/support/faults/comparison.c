int printf(const char *, ...);
int main(void) { printf("%d\n", -2042538882 <= 4292870144U % -130824255); return 0; }
