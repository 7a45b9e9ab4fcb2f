/* One of everything that can be mutated, and what must not be. */
extern int printf(const char *, ...);
extern void abort(void);

#define LIMIT 10
#define TWICE(x) ((x) * 2)

typedef struct pair {
    int first : 5;
    unsigned second;
} pair;

static const int primes[4] = {2, 3, 5, 7};
volatile int seed = 3;
unsigned long long total, *cursor = &total;
static short small = -4;

static int step(int value, const int *restrict table, int count) {
    int sum = 0;
    for (int i = 0; i < count; i++) {
        if (value & 1)
            sum += table[i] << 1;
        else
            sum -= table[i] >> 1;
        value = value / 2 + i % 3;
    }
    switch (sum) {
    case 1: return -sum;
    case 2: sum ^= 5; break;
    default: break;
    }
    return sum ? ~sum : !value;
}

static double scale(double x) {
    double y = x * 0.5;
    while (y > 8.0)
        y -= 1.5;
    return -y;
}

int main(void) {
    pair p = {1, 2u};
    int a = seed, b = TWICE(a) + LIMIT;
    do {
        a--;
        p.second = p.second | (unsigned)b;
        if (a == 2 && p.first != 0)
            goto done;
    } while (a > 0 || b < 0);
    *cursor += (unsigned long long)step(a, primes, 4);
done:
    small = (short)(small + scale(4.5));
    if (total != 0x7fULL && total > 100)
        abort();
    printf("%d %d %llu %d\n", a, b, total, small);
    return 0;
}
