int printf(const char *, ...);
int start = 3;
int next(int state) {
    switch (state) {
    case 0: return 4;
    case 1: return 7;
    case 2: return 9;
    case 3: return 6;
    case 4: return 1;
    case 5: return 11;
    case 6: return 2;
    case 7: return 10;
    case 8: return 5;
    case 9: return 8;
    case 10: return 0;
    }
    return state - 1;
}
int main(void) {
    int trace = 0, state = start;
    for (int i = 0; i < 8; i++) {
        state = next(state);
        trace = trace * 12 + state;
    }
    printf("%d\n", trace);
    return 0;
}
