/* Thirty lines in the manner of reduced bug reports: globals, few types, nested loops, an oracle at the end. */
int a, b = 2, c;
unsigned char d;
short e[3];
static long f;

int g(int h) {
    int i = 0;
    for (; i < 3; i++) {
        e[i] = (short)(h + i);
        if (e[i] > b)
            f ^= e[i];
        for (c = 0; c <= 1; c++)
            d += (unsigned char)(c | b);
    }
    return i;
}

int main() {
    a = g(b);
    while (a--) {
        if (a & 1)
            continue;
        b = b * a - 1;
    }
    if (f != 7)
        __builtin_printf("%ld\n", f);
    if (d != 15)
        __builtin_abort();
    return 0;
}
