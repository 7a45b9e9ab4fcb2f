int printf(const char *, ...);
int a, b[] = {0, 1};
void c(void) { b[1] = 0 && ((a ? 0 : 0) && 0); }
int main(void) { c(); printf("%d\n", b[1]); return 0; }
