int printf(const char *, ...);
int weight = 3;
int price(int count) {
    double discount = 7.5 - 2.25;
    if (count > weight)
        return count * 10 - (int)discount;
    return count * 10;
}
int main(void) {
    int total = 0;
    for (int i = 0; i < 6; i++)
        total += price(i) ^ i;
    printf("%d\n", total);
    return 0;
}
