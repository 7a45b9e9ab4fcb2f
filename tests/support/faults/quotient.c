int printf(const char *, ...);
int a = -1;
int main(void) { printf("%d\n", (unsigned)(a / 32) != 0); return 0; }
