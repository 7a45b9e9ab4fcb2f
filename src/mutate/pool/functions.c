/* Self-contained functions and calls of them, in the shapes that optimisers care about: arithmetic, loops that end,
 * recursion turned into loops, reductions, bit tricks, narrow types, static state. */
int i, j;
unsigned u;
long l;
double d;

static int add(int x, int y) { return (int)((unsigned)x + (unsigned)y); }

static unsigned rotate(unsigned x, int by) { return x << (by & 31) | x >> (-by & 31); }

static int clamp(int x) { return x < -128 ? -128 : x > 127 ? 127 : x; }

static int sign(int x) { return (x > 0) - (x < 0); }

static unsigned popcount(unsigned x) {
    unsigned n = 0;
    for (; x; x &= x - 1)
        n++;
    return n;
}

static int sum_squares(int n) {
    int sum = 0;
    n &= 31;
    for (int k = 0; k < n; k++)
        sum += k * k;
    return sum;
}

static unsigned gcd(unsigned a, unsigned b) {
    while (b) {
        unsigned t = a % b;
        a = b;
        b = t;
    }
    return a;
}

static int collatz(int n) {
    int steps = 0;
    unsigned x = (unsigned)n & 0xff;
    while (x > 1 && steps < 200) {
        x = x & 1 ? 3 * x + 1 : x / 2;
        steps++;
    }
    return steps;
}

static unsigned state = 12345;
static unsigned next_random(void) {
    state = state * 1103515245u + 12345u;
    return state >> 16;
}

static int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
static int lookup(int k) { return table[k & 7]; }

static void bump(int k) { table[k & 7] = (int)((unsigned)table[k & 7] + 1u); }

static long count;
static void tally(int x) {
    if (x > 0)
        count++;
    else
        count--;
}

static int dot(void) {
    int a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8}, sum = 0;
    for (int k = 0; k < 4; k++)
        sum += a[k] * b[k];
    return sum;
}

static unsigned char narrow(int x) {
    unsigned char c = (unsigned char)x;
    c = (unsigned char)(c * 7 + 3);
    return c;
}

static long widen(short x) {
    long y = x;
    return y * 65536 + x;
}

static double average(double x, double y) { return (x + y) / 2; }

static float horner(float x) {
    float y = 0;
    for (int k = 0; k < 5; k++)
        y = y * x + (float)k;
    return y;
}

static int classify(int x) {
    switch (x & 7) {
    case 0: return 10;
    case 1:
    case 2: return 20;
    case 5: return x > 0;
    default: return -1;
    }
}

static volatile int sink;
static void touch(int x) { sink = x; }

static int nested(int n) {
    int hits = 0;
    for (int a = 0; a < 6; a++)
        for (int b = a; b < 6; b++)
            if ((a ^ b) == (n & 7))
                hits++;
    return hits;
}

static unsigned long long mix(unsigned long long x) {
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdULL;
    x ^= x >> 33;
    return x;
}

static int early(int x, int y) {
    if (x == y)
        goto out;
    if (x < y)
        return 1;
    y = 2;
out:
    return y & 3;
}

static int is_power(unsigned x) { return __builtin_popcount(x) == 1; }

void calls(void) {
    i = add(i, 1) + add(i, j);
    u = rotate(u, 5);
    i = clamp(i + j);
    j = sign(i - j);
    u = popcount(u) + gcd(u, 12);
    i = sum_squares(j) + collatz(27) + nested(i);
    u = next_random();
    i = lookup(i);
    bump(j);
    tally(i < j);
    touch(i);
    i = dot() + classify(i);
    l = widen((short)i);
    d = average(d, 1.5);
    i = early(i, j);
}
