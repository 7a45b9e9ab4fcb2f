int printf(const char *, ...);
unsigned limit = 3000000000u;
int list[3] = {5, 9, 2};
int count(unsigned from) {
    int n = 0, i;
    for (i = 0; i < 3; i++)
        if (from + list[i] < limit)
            n += list[i];
    return n;
}
int main(void) {
    printf("%d %d\n", count(7), count(2999999993u));
    return 0;
}
