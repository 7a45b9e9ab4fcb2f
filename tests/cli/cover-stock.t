#!/usr/bin/env bash
# culprit cover --subject stock:CC: installed compilers, traced as they are.
. "$(dirname "$0")/lib.sh"
export CULPRIT_SUBJECTS=$tmp/subjects CULPRIT_BIN=$culprit

cd "$tmp" || exit 1
cat >x.c <<'EOC'
int f(int x) { int s = 0; for (int i = 0; i < x; i++) s += i * x; return s; }
int main(void) { return f(3) == 9 ? 0 : 1; }
EOC
has_compiler() { command -v "$1" >/dev/null; }

# --- A hundred programs: the traced compiler writes the same bytes as the untraced one ---
mkdir -p programs
for seed in $(seq 130); do # seeds that do not fit the size may fail
    "$culprit" gen -q --seed "$seed" --size 2000 --single -o "programs/$seed" >/dev/null 2>&1
done
find programs -name '*.c' | sort | head -n 100 >list
compare_one() { # SUBJECT FLAGS FILE: prints the file where something differs
    out=$(mktemp -p . out.XXXXXX)
    include=-I$(dirname "$3")
    said=$("${1#*:}" $2 "$include" -w -c "$3" -o "$out.plain" 2>&1); plain=$?
    "$CULPRIT_BIN" cover --subject "$1" -- $2 "$include" -w -c "$3" -o "$out.traced" >/dev/null 2>"$out.log" || echo "$3: no coverage"
    grep -q "; the compiler ended with status $plain\$" "$out.log" || echo "$3: exit status $plain untraced, but: $(cat "$out.log"); $said"
    if [ -e "$out.plain" ]; then cmp "$out.plain" "$out.traced"; fi
    rm -f "$out" "$out".*
}
export -f compare_one
compare_all() { # SUBJECT FLAGS COUNT
    local cc=${1#*:}
    has_compiler "$cc" || { skip "$1 $2: same output" "$cc is not installed"; return; }
    "$culprit" cover -q --subject "$1" -- -c x.c -o x.o >/dev/null 2>&1 # prepares it once
    run bash -c 'head -n "$1" list | xargs -P2 -I{} bash -c "compare_one \"$2\" \"$3\" {}"' _ "$3" "$1" "$2"
    same "$1 $2: the same bytes on $3 programs" "$out$err" ""
}
same "there are a hundred programs" "$(wc -l <list)" 100
compare_all stock:tcc "" 100
compare_all stock:gcc-12 -O2 100
compare_all stock:clang-14 -O1 100
compare_all stock-blocks:gcc-12 -O3 10

# --- What it prints ---
run "$culprit" cover --json --subject stock:gcc-12 -- -O2 -c x.c -o x.o
status_is "stock:gcc-12" 0
same "thousands of functions ran" "$(jq '.functions_covered > 2000' <<<"$out")" true
same "the parser is among them" "$(jq '[.covered[].function] | index("c_parse_file") != null' <<<"$out")" true
same "the Fortran front end is not" "$(jq '[.covered[].function] | index("gfc_parse_file") == null' <<<"$out")" true
first=$(jq -c .covered <<<"$out")
run "$culprit" cover --json --subject stock:gcc-12 -- -O2 -c x.c -o x.o
[ "$(jq -c .covered <<<"$out")" = "$first" ] && pass "a second run covers the same" || fail "a second run covers the same"
echo 'int x = ;' >bad.c
run "$culprit" cover --json --subject stock:gcc-12 -- -c bad.c -o bad.o
same "a rejected program is covered too" "$(jq '.exit_code == 1 and .functions_covered > 500' <<<"$out")" true
run "$culprit" cover --json --subject stock:gcc-12 -- -O2 -S -x c - -o /dev/null
same "an empty program runs fewer functions" "$(jq '.exit_code' <<<"$out")" 0

if has_compiler llc-14; then
    printf 'define i32 @f(i32 %%x) {\n  %%y = mul i32 %%x, 6\n  ret i32 %%y\n}\n' >x.ll
    run "$culprit" cover --json --subject stock:llc-14 -- x.ll -o traced.s
    llc-14 x.ll -o plain.s
    same "llc is covered" "$(jq '.exit_code == 0 and .functions_covered > 1000' <<<"$out")" true
    same "and writes the same" "$(cmp plain.s traced.s 2>&1)" ""
else
    skip "llc is covered" "llc-14 is not installed"
    skip "and writes the same" "llc-14 is not installed"
fi

# --- Source files by name: an index of the source tree ---
mkdir -p tree/lib && cat >tree/lib/area.c <<'EOC'
#include <stdio.h>
static int __attribute__((noinline)) twice(int x) { return x + x; }
int __attribute__((noinline)) area(int a, int b) { return twice(a) * b; }
EOC
cat >tree/main.c <<'EOC'
int area(int, int);
int unused(int x) { return x - 1; }
int main(int argc, char **argv) { (void)argv; return argc > 5 ? unused(argc) : area(argc, 2) > 100; }
EOC
if has_compiler ctags; then
    gcc -O1 -o small tree/main.c tree/lib/area.c
    run "$culprit" cover --json --subject "stock:$tmp/small" --source tree -- run
    place() { jq -r ".covered[] | select(.function == \"$1\") | \"\(.file):\(.line) \(.confidence)\"" <<<"$out"; }
    same "a global function is found by name" "$(place area)" "lib/area.c:3 95"
    same "a static one by .symtab" "$(place twice)" "lib/area.c:2 98"
    same "what did not run is not there" "$(place unused)" ""
    gcc -O2 -s -o stripped tree/main.c tree/lib/area.c
    run "$culprit" cover --json --subject "stock:$tmp/stripped" --source tree -- run
    same "stripped: functions are unknown rather than guessed" "$(jq '[.covered[] | select(.kind != "unknown")] | length' <<<"$out")" 0
    # Static functions of a stripped program: one says where it stands, one stands in a table that its file refers to.
    mkdir -p told && {
        echo 'void __attribute__((noipa)) complain(const char *file, int line, const char *function) { (void)file, (void)line, (void)function; }'
        for i in $(seq 30); do
            echo "int known$i(int x) { if (x == $i) complain(\"../../src/\" __FILE__, __LINE__, __func__); return x + $i; }"
        done
    } >told/one.c
    cat >told/two.c <<'EOC'
void complain(const char *, int, const char *);
static int __attribute__((noinline)) in_table(int x) { return x * 7; }
static int __attribute__((noinline)) asserts(int x) {
    if (x < 0)
        complain("../../src/" __FILE__, __LINE__, __func__);
    return x ^ 5;
}
static int (*const table[])(int) = {in_table, in_table};
int make(int x) { return table[x & 1](x); }
int other(int x) { return asserts(x) + 1; }
EOC
    cat >told/main.c <<'EOC'
int known1(int), make(int), other(int);
int main(int argc, char **argv) { (void)argv; return known1(argc) + make(argc) + other(argc) > 1000; }
EOC
    (cd told && gcc -O1 -fno-toplevel-reorder -rdynamic -s -o ../texts one.c two.c main.c)
    run "$culprit" cover --json --subject "stock:$tmp/texts" --source told -- run
    same "stripped: a static function is named by its assertion" "$(place asserts)" "two.c:3 95"
    same "one in a table is of the file that refers to it" \
        "$(jq -r '.covered[] | select(.function | startswith("texts+")) | .file' <<<"$out" | sort | uniq -c | tr -s ' ')" " 1 two.c"
else
    skip "files by name" "universal-ctags is not installed"
fi

# --- What cannot be traced says why ---
gcc -static -o static -x c - <<<'int main(void) { return 0; }'
run "$culprit" cover --subject "stock:$tmp/static" -- x.c
status_is "a static program" 3; has "it says why" "$err" "linked statically"
printf '#!/bin/sh\nexec tcc "$@"\n' >script; chmod +x script
run "$culprit" cover --subject "stock:$tmp/script" -- x.c
status_is "a script" 3; has "it says to name the compiler" "$err" "name the compiler itself"
run "$culprit" cover --subject stock:no-such-compiler -- x.c
status_is "a missing compiler" 3; has "it is named" "$err" "no-such-compiler"
run "$culprit" cover --subject stock:gcc-12 -- --version
status_is "a driver that starts no compiler" 3; has "it says so" "$err" "never started"

# --- A handler that returns to the instruction that failed, in the middle of what a detour displaced ---
gcc -O1 -o again -x c - <<'EOC'
#define _GNU_SOURCE
#include <signal.h>
#include <ucontext.h>
static int answer = 42;
static void handle(int number, siginfo_t *info, void *context) {
    (void)number, (void)info;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RDI] = (greg_t)&answer;
}
int fetch(const int *from);
__asm__(".type fetch, @function\nfetch: .cfi_startproc\n xorl %eax, %eax\n addl (%rdi), %eax\n leal 0(%rax), %eax\n ret\n .cfi_endproc\n.size fetch, .-fetch");
int main(void) {
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, 0);
    return fetch(0);
}
EOC
for kind in stock stock-blocks; do
    run "$culprit" cover --json --subject "$kind:$tmp/again" -- run
    same "$kind: it goes on where it failed" "$(jq .exit_code <<<"$out")" 42
done

# --- A compiler that dies still delivers ---
{ echo '#define A0 ;'; for i in $(seq 40); do echo "#define A$i A$((i - 1)) A$((i - 1))"; done; echo 'int x; A40'; } >endless.c
run "$culprit" cover --json --subject stock:gcc-12 --time 1s -- -fsyntax-only endless.c
same "killed at its time limit" "$(jq '.limit == "time" and .functions_covered > 500' <<<"$out")" true
run "$culprit" cover --json --subject stock:gcc-12 --memory 300MiB --time 60s -- -fsyntax-only endless.c
same "out of memory" "$(jq '(.limit == "memory" or .exit_code != 0) and .functions_covered > 500' <<<"$out")" true
done_testing
