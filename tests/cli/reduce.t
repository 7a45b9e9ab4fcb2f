#!/usr/bin/env bash
# Reduction with compilers that go wrong on purpose, and temptations to slip into undefined behaviour.
. "$(dirname "$0")/lib.sh"
badcc=$BUILD/tests/support/badcc

cat >"$tmp/wrong.c" <<'C'
#include <stdio.h>
struct point { int x, y; long unused; };
static unsigned table[4] = { 1, 2, 3, 4 };
static int add(int a, int b) { return a + b; } /* no part of it */
static int TRIGGER(int value, int unused) {
    int i, sum = 0;
    for (i = 0; i < 3; i++)
        sum = add(sum, value << table[i]);
    if (sum > 1000) { sum -= 7; } else { sum += unused * 0; }
    return sum;
}
int main(void) {
    struct point p = { 3, 4, 5 };
    volatile int keep = p.x;
    printf("%d %d\n", TRIGGER(keep, p.y), add(1, 2));
    return 0;
}
C
run "$culprit" reduce "$tmp/wrong.c" --cc "$badcc --bad=miscompile" --fail -O2 --pass -O0 -o "$tmp/wrong.small.c"
status_is "wrong code reduces" 0
has "the trigger stays" "$out" "TRIGGER"
has "the shift stays" "$out" "<<"
lacks "what does not matter goes" "$out" "struct"
check "it is small" test "$(wc -c <"$tmp/wrong.small.c")" -lt 110
check "it is free of undefined behaviour" "$culprit" check "$tmp/wrong.small.c"

run "$culprit" reduce "$tmp/wrong.c" --cc "$badcc --bad=ice" --fail "-O2 -c" --pass "-O0 -c" -o "$tmp/ice.c"
status_is "a crash reduces" 0
run "$culprit" reduce "$tmp/wrong.c" --cc "$badcc --bad=ice" --fail "-O2 -c" --pass "-O0 -c" -j1 -o "$tmp/again.c"
same "one worker gives the same program" "$(cat "$tmp/again.c")" "$(cat "$tmp/ice.c")"
check "to the trigger and little else" test "$(wc -w <"$tmp/ice.c")" -le 4

run "$culprit" reduce "$tmp/wrong.c" --cc "$badcc --bad=ice" --fail "-O2 -c" --pass "-O0 -c" --test "$tmp/ice.c"
status_is "--test: the same bug" 0
echo 'int main(void) { return 0; }' >"$tmp/other.c"
run "$culprit" reduce "$tmp/wrong.c" --cc "$badcc --bad=ice" --fail "-O2 -c" --pass "-O0 -c" --test "$tmp/other.c"
status_is "--test: not the same bug" 1

# This program keeps "failing" when a step makes it undefined: by a read of an uninitialised variable or past the end of
# the array, an overflow, a missing return. The guards must refuse such steps.
cat >"$tmp/tempt.c" <<'C'
int printf(const char *, ...);
int a[3] = {1, 2, 3};
int TRIGGER(int x) { int y = 2; if (x < 3) y = a[x] << x; return x > 9 ? y : y * 3; }
int main(void) { printf("%d", TRIGGER(2)); return 0; }
C
run "$culprit" reduce "$tmp/tempt.c" --cc "$badcc --bad=miscompile" --fail -O2 --pass -O0 -o "$tmp/tempt.small.c"
status_is "a tempting program reduces" 0
check "without slipping into undefined behaviour" "$culprit" check "$tmp/tempt.small.c"

# A bug that shows only where two files are compiled apart: TRIGGER and its caller must not meet.
mkdir -p "$tmp/apart"
cat >"$tmp/apart/lib.h" <<'C'
int TRIGGER(int value);
int unused(int value);
C
cat >"$tmp/apart/lib.c" <<'C'
#include "lib.h"
static int TWICE = 2;
int TRIGGER(int value) { return value << TWICE; }
int unused(int value) { return value + 1; }
C
cat >"$tmp/apart/main.c" <<'C'
#include "lib.h"
int printf(const char *, ...);
static long TWICE(int x) { return x; }
int main(void) { int a = unused(1); printf("%d\n", TRIGGER((int)TWICE(a + 1))); return 0; }
C
jq -n --arg cc "$badcc" '{id: "apart", compiler: "badcc", version: "1", kind: "wrong-code", run: true,
    fail_cmd: [$cc, "--bad=miscompile", "-O2", "main.c", "lib.c", "-o", "a.out"], pass_cmd: [$cc, "-O0", "main.c", "lib.c", "-o", "a.out"]}' >"$tmp/apart/bug.json"
run "$culprit" reduce "$tmp/apart"; status_is "files that cannot be merged are reduced apart" 0
check "each has its own file" test -s "$tmp/apart/reduced/main.c" -a -s "$tmp/apart/reduced/lib.c"
lacks "what neither needs goes" "$(cat "$tmp"/apart/reduced/*.c)" unused
same "bug.json has the command" "$(jq -r '.reduced.fail_cmd[3]' "$tmp/apart/bug.json")" reduced/main.c

# A bug's directory: a reduction that was stopped goes on where it was, and the report shows what is left.
mkdir -p "$tmp/bug"; cp "$tmp/wrong.c" "$tmp/bug/fail.c"; echo before >"$tmp/bug/report.md"
jq -n --arg cc "$badcc" '{id: "stopped", compiler: "badcc", version: "1", kind: "wrong-code", run: true,
    fail_cmd: [$cc, "--bad=miscompile", "-O2", "fail.c", "-o", "a.out"], pass_cmd: [$cc, "-O0", "fail.c", "-o", "a.out"]}' >"$tmp/bug/bug.json"
reduced() { jq -c ".reduced | $1" "$tmp/bug/bug.json"; }
run "$culprit" reduce "$tmp/bug" --time 1ms; status_is "no time at all" 0
same "is said in bug.json" "$(reduced '[.stopped, .tokens_before, .bytes_before > .tokens]')" '[true,175,true]'
echo 'int main(void) { return 0; }' >"$tmp/bug/fail.c" # what goes on does not look at it
run "$culprit" reduce "$tmp/bug"; status_is "the next one goes on" 0
same "and counts from the start" "$(reduced '[.stopped, .tokens_before]')" '[false,175]'
check "to a small program" test "$(reduced .tokens)" -lt 40
check "repro-reduced.sh succeeds" sh "$tmp/bug/repro-reduced.sh"
has "bug.json has its output" "$(cat "$tmp/bug/report.md")" "$(jq -r .reduced.actual "$tmp/bug/bug.json")"
lacks "and the report not that of the original" "$(cat "$tmp/bug/report.md")" "before"

# C as people write it, and dead code that compilers warn of.
cat >"$tmp/strict.c" <<'C'
#include <stdio.h>
static int helper(int a) { if (0) a = a / 0; return a; }
int TRIGGER(int a) { return helper(a) + 1; }
int main(void) { printf("%d\n", TRIGGER(1) << 1); return 0; }
C
run "$culprit" reduce "$tmp/strict.c" --cc "$badcc --bad=ice" --fail "-O2 -c" --pass "-O0 -c" -o "$tmp/strict.small.c"
status_is "a crash with a warning in dead code reduces" 0
check "without implicit int or declarations" gcc -std=c99 -pedantic-errors -Werror=implicit -c "$tmp/strict.small.c" -o /dev/null
run "$culprit" reduce "$tmp/strict.c" --cc "$badcc --bad=miscompile" --fail -O2 --pass -O0 -o "$tmp/dead.c" --time 1s
status_is "wrong code with a warning in dead code is not refused" 0

# The same test for other reducers.
run "$culprit" reduce "$tmp/strict.c" --cc "$badcc --bad=ice" --fail "-O2 -c" --pass "-O0 -c" --export "$tmp/export"
status_is "--export" 0
in_export() { (cd "$tmp/export" && ./test.sh); }
check "the script accepts the program" in_export
cp "$tmp/strict.small.c" "$tmp/export/reduced.c"; check "and what came of it" in_export
cp "$tmp/other.c" "$tmp/export/reduced.c"
if in_export; then fail "and refuses others"; else pass "and refuses others"; fi
echo 'TRIGGER() { return 0; }' >"$tmp/export/reduced.c"
if in_export; then fail "and implicit int"; else pass "and implicit int"; fi
for tool in cvise creduce; do
    if ! command -v $tool >/dev/null; then skip "--with $tool" "it is not installed"; continue; fi
    run "$culprit" reduce "$tmp/strict.c" --cc "$badcc --bad=ice" --fail "-O2 -c" --pass "-O0 -c" --with $tool -j1 --time 60s -o "$tmp/$tool.c"
    status_is "--with $tool" 0
    check "it makes the program small" test "$(wc -w <"$tmp/$tool.c")" -le 12
done


# C++ is for other tools.
cat >"$tmp/strict.cpp" <<'C'
#include <cstdio>
namespace n { template <class T> T twice(T a) { return a + a; } }
struct TRIGGER { int value; TRIGGER(int v) : value(v) {} };
int main() { TRIGGER t(1); std::printf("%d\n", n::twice(t.value)); return 0; }
C
cxx=("$tmp/strict.cpp" --cc "$badcc --bad=ice" --fail "-O2 -c" --pass "-O0 -c")
run "$culprit" reduce "${cxx[@]}"; status_is "C++ needs another tool" 3; has "which the message names" "$err" "--with cvise"
if command -v cvise >/dev/null; then
    run "$culprit" reduce "${cxx[@]}" --with cvise -j1 --time 60s -o "$tmp/cxx.cpp"; status_is "--with cvise: C++" 0
    check "it makes the program small" test "$(wc -w <"$tmp/cxx.cpp")" -le 12
else skip "--with cvise: C++" "it is not installed"; fi

run "$culprit" reduce "$tmp/other.c" --cc gcc --fail -O2 --pass -O0; status_is "a program that does not fail" 3
has "says so" "$err" "does not show a bug"
run "$culprit" reduce "$tmp/wrong.c"; has "a file needs its options" "$err" "--fail"
run "$culprit" reduce "$tmp/absent"; status_is "an absent file" 3
run "$culprit" reduce --guards valgrind; status_is "an unknown guard" 2; has "is named before the missing file" "$err" "valgrind"

# Mistyped options are no bug, however much the compiler rejects; a bug that needs nothing but its options is one.
echo 'int main(void) { return 0; } // a comment of C99' >"$tmp/comment.c"
mistyped() { # COMPILER FLAGS COMPLAINT
    if ! command -v "$1" >/dev/null; then skip "$1 $2: mistyped options" "no $1 here"; return; fi
    run "$culprit" reduce "$tmp/comment.c" --cc "$1" --fail "$2" -o "$tmp/mistyped.c"
    status_is "$1 $2: mistyped options" 2; has "the compiler's complaint is quoted" "$err" "$3"
    check "and nothing is reduced" test ! -e "$tmp/mistyped.c"
}
mistyped gcc -Onsense "argument to '-O' should be"
mistyped gcc "-O2 -fnonsense" "unrecognized command-line option '-fnonsense'"
mistyped gcc "-O2 -lnonsense" "cannot find -lnonsense"
mistyped clang-14 "-O2 -fnonsense" "unknown argument: '-fnonsense'"
run "$culprit" reduce "$tmp/comment.c" --cc gcc --fail -O2 --pass -fnonsense; has "mistyped passing options" "$err" "the reference fails"
run "$culprit" reduce "$tmp/comment.c" --cc gcc --fail "-std=c89 -pedantic-errors" --pass -std=c99 -o "$tmp/comment.small.c"
status_is "what is refused for the file alone is a bug" 0; has "it stays a program" "$(cat "$tmp/comment.small.c")" "main"
echo 'int g; // a comment of C99' >"$tmp/unit.c"
run "$culprit" reduce "$tmp/unit.c" --cc gcc --fail "-c -std=c89 -pedantic-errors" --pass "-c -std=c99" -o "$tmp/unit.small.c"
has "a unit without main keeps a declaration" "$(cat "$tmp/unit.small.c")" "int"
# Refusals are about valid programs: an index far outside is no better than none.
cat >"$tmp/range.c" <<'C'
int a[4], i = 812155100;
int main(void) { int t = i / 812155100; return a[t - 1 + 812155100 - i]; }
C
printf '#!/bin/sh\nfor word; do case $word in *.c) grep -q "a\\[.*812155100" "$word" && { echo "$word:1: error: relocation" >&2; exit 1; } ;; esac; done\nexec gcc "$@"\n' >"$tmp/rangecc"; chmod +x "$tmp/rangecc"
run "$culprit" reduce "$tmp/range.c" --cc "$tmp/rangecc" --fail -O1 --pass "gcc -O0" -o "$tmp/range.small.c"; status_is "a refusal" 0
run "$culprit" check --guards warnings,ubsan,asan "$tmp/range.small.c"; status_is "ends with a valid program" 0
printf '#!/bin/sh\ncase " $* " in *" -O2 "*) echo "internal compiler error: in f, at g.c:1" >&2; exit 1;; esac\nexec gcc "$@"\n' >"$tmp/icecc"
chmod +x "$tmp/icecc"
run "$culprit" reduce "$tmp/comment.c" --cc "$tmp/icecc" --fail -O2 -o "$tmp/ice.c"; status_is "options that crash on every program are a bug" 0
done_testing
