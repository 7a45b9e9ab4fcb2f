int printf(const char *, ...);
struct pair { int a, b; };
int values[5] = {4, 17 % 5, 7, 8};
struct pair pairs[2] = {{1, 2}, {3, 4}};
int add(int x, int y) { return x + y; }
int main(void) {
    int sum = 0;
    for (int i = 0; i < 5; i++)
        sum = add(sum, values[i]);
    sum += pairs[0].a * pairs[1].b;
    printf("%d\n", sum);
    return 0;
}
