/* Conditions as they occur in compilers' tests: comparisons, masks, truncations, overflow checks, countdowns. Programs of
 * the ingredient pool are parsed, never run; what counts is the shape of the conditions and the types in them. */
int a, b, c;
unsigned u, v;
long l, m;
unsigned long ul;
short s;
unsigned short us;
char ch;
signed char sc;
unsigned char uc;
long long ll;
double d, e;
float f;
int *p, *q;
char *str;
int arr[8];

void branches(int i, int j, unsigned k) {
    if (a)
        a++;
    if (!a)
        a--;
    if (a && b)
        c = 1;
    if (a || !b)
        c = 2;
    if (a == b)
        c = 3;
    if (a != b)
        c = 4;
    if (i < j)
        c = 5;
    if (i <= j + 1)
        c = 6;
    if (i > -j)
        c = 7;
    if ((a ^ b) < 0)
        c = 8;
    if ((long)(a - a) < 1)
        c = 9;
    if ((a & 1) == 0)
        c = 10;
    if ((k & (k - 1)) == 0)
        c = 11;
    if (u > v)
        c = 12;
    if (u - v > u)
        c = 13;
    if ((unsigned)a < 10u)
        c = 14;
    if ((unsigned char)a == uc)
        c = 15;
    if ((short)(a * 3) > s)
        c = 16;
    if (l < a)
        c = 17;
    if ((int)l == l)
        c = 18;
    if (l >> 63)
        c = 19;
    if (ul >> 32)
        c = 20;
    if (us << 1 > 100)
        c = 21;
    if ((sc | uc) != 0)
        c = 22;
    if (~a == b)
        c = 23;
    if (-a > b)
        c = 24;
    if (ch >= 'a' && ch <= 'z')
        c = 25;
    if (a ? b : c)
        c = 26;
    if ((a > b) ^ (b > c))
        c = 27;
    if (a == b && b == c)
        c = 28;
    if (a < b || (b < c && c < a))
        c = 29;
    if (d < e)
        c = 30;
    if (d != d)
        c = 31;
    if (f > 0.5f)
        c = 32;
    if ((int)d == a)
        c = 33;
    if (p)
        c = 34;
    if (p == q)
        c = 35;
    if (p && *p)
        c = 36;
    if (arr[1] > arr[2])
        c = 37;
    if (ll == -1)
        c = 38;
    if ((ll & 0xff) == 0x80)
        c = 39;
    if (!(a & b))
        c = 40;
    if (!!a == !!b)
        c = 41;
    if ((a | 1) & 1)
        c = 42;
    if (a / 2 == b)
        c = 43;
    if ((a & 7) > 3)
        c = 44;
    if (u % 8 == 5)
        c = 45;
    if (a * a >= 0)
        c = 46;
    if (a + 1 > a)
        c = 47;
    if ((a = b))
        c = 48;
    if (a++ < b)
        c = 49;
    if (--i)
        c = 50;
    c = a ? b : c;
    c = u > 3 ? a : b;
    c = l <= m ? i : j;
}

void loops(int i, int n, unsigned k) {
    while (a--)
        b++;
    while (a)
        a = b;
    while (a < 5)
        a++;
    while (i < n)
        i++;
    while (i++ < n)
        b++;
    while (--n > 0)
        b++;
    while (n-- && i)
        b++;
    while (k >>= 1)
        b++;
    while (k &= k - 1)
        b++;
    while (u > 0)
        u--;
    while (u != v)
        u++;
    while ((uc = uc + 1))
        b++;
    while (s < 10)
        s++;
    while (l > m)
        l--;
    while (l && a)
        l = 0;
    while (a && b)
        a = b - 1;
    while (a != b)
        a = b;
    while (!a)
        a++;
    while ((a & 1) == 0)
        a++;
    while (a < b && b < c)
        a++;
    while (a > 0 || b > 0)
        a = b = 0;
    while (d > 1.0)
        d = d / 2;
    while (p != q)
        p = q;
    while (str && *str)
        str++;
    while (arr[0] < 3)
        arr[0]++;
    while (0 < a)
        a = -a;
    do
        a--;
    while (a > 0);
    do
        b++;
    while (b < c);
    do
        u -= 1;
    while (u);
    do
        l /= 2;
    while (l != 0 && l != -1);
    for (i = 0; i < 10; i++)
        b++;
    for (i = 0; i != n; ++i)
        b++;
    for (i = n; i >= 0; i--)
        b++;
    for (; a <= 3; a++)
        b++;
    for (u = 0; u < 8; u += 2)
        b++;
    for (l = 1; l * l <= n; l++)
        b++;
}
