int printf(const char *, ...);
int codes[4] = {1, 7, 2, 9};
int cost(int code) {
    int c = 100;
    switch (code) {
    case 1: c = 5; break;
    case 2: c = 8; break;
    default: c = 20 + code; break;
    }
    return c;
}
int main(void) {
    int sum = 0, i;
    for (i = 0; i < 4; i++)
        sum += cost(codes[i]);
    printf("%d\n", sum);
    return 0;
}
