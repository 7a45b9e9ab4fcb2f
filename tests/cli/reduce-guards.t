#!/usr/bin/env bash
# Temptations: for each kind of undefined behaviour a compiler whose bug needs something that is shorter with it. The
# shorter program would do as far as the compiler is concerned; the guards must refuse it, and reduction must not slip.
. "$(dirname "$0")/lib.sh"
command -v tcc >/dev/null && base=tcc || base=gcc # tcc is ten times as quick
badcc="$BUILD/tests/support/badcc --as=$base"
print='int printf(const char *, ...);'

# takes_bait NEEDS: the two programs made of the slip differ.
takes_bait() {
    (cd "$tmp" && $badcc --bad=miscompile $1 -w -O2 slip.c -o bad && $badcc -w -O0 slip.c -o good && [ "$(./bad)" != "$(./good)" ])
}

# tempt KIND NEEDS SLIP PROGRAM: SLIP is a shorter program with undefined behaviour.
tempt() {
    local kind=$1 bug=("$tmp/$1.c" --cc "$badcc --bad=miscompile $2" --fail -O2 --pass -O0)
    echo "$print $3" >"$tmp/slip.c"; echo "$print $4" >"$tmp/$kind.c"
    check "$kind: the compiler takes the bait" takes_bait "$2"
    run "$culprit" reduce "${bug[@]}" --test "$tmp/slip.c"; status_is "$kind: the guards do not" 1
    run "$culprit" reduce "${bug[@]}" -o "$tmp/small.c"; status_is "$kind: it reduces" 0
    check "$kind: to a program without undefined behaviour" "$culprit" check "$tmp/small.c"
}

tempt uninitialised '--needs=+UNSET[0]' \
    'int main(void) { int UNSET[1]; printf("%d", (1 << 1) + UNSET[0]); }' \
    'int main(void) { int UNSET[1] = {3}; printf("%d", (1 << 1) + UNSET[0]); }'
tempt out-of-bounds '--needs=ARRAY[I] --needs==3;' \
    'int ARRAY[1], I = 3; int main(void) { printf("%d", (1 << 1) + ARRAY[I]); }' \
    'int ARRAY[4], I = 3; int main(void) { printf("%d", (1 << 1) + ARRAY[I]); }'
tempt overflow '--needs=BIG*BIG --needs==70000;' \
    'int BIG = 70000; int main(void) { printf("%d", (1 << 1) + (BIG * BIG > 3)); }' \
    'long BIG = 70000; int main(void) { printf("%d", (1 << 1) + (BIG * BIG > 3)); }'
tempt missing-return '--needs=+RETURNS(' \
    'int RETURNS(void) {} int main(void) { printf("%d", (1 << 1) + RETURNS() * 0); }' \
    'int RETURNS(void) { return 0; } int main(void) { printf("%d", (1 << 1) + RETURNS()); }'
tempt shift '--needs=<<BY --needs==40;' \
    'int BY = 40; int main(void) { printf("%d", (1 << BY) > 2); }' \
    'int BY = 40; int main(void) { printf("%d", (1L << BY) > 2); }'
tempt null-dereference '--needs=&P->m' \
    'struct S { int k, m; } *P; int main(void) { printf("%d", (1 << 1) + (&P->m == 0)); }' \
    'struct S { int k, m; } s, *P = &s; int main(void) { printf("%d", (1 << 1) + (&P->m == 0)); }'
tempt use-after-scope '--needs=+*P --needs=SET();' \
    'int *P; void SET(void) { int k = 7; P = &k; } int main(void) { SET(); printf("%d", (1 << 1) + *P); }' \
    'int *P; void SET(void) { static int k = 7; P = &k; } int main(void) { SET(); printf("%d", (1 << 1) + *P); }'
badcc="$BUILD/tests/support/badcc" # tcc divides even where nobody wants the quotient, and dies of it
tempt division-by-zero --needs=5/D \
    'int D; int main(void) { 5 / D; printf("%d", 1 << 1); }' \
    'int D = 3; int main(void) { 5 / D; printf("%d", 1 << 1); }'
done_testing
