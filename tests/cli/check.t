#!/usr/bin/env bash
# culprit check: answers of the guards, exit statuses, JSON.
. "$(dirname "$0")/lib.sh"

cat >"$tmp/good.c" <<'C'
#include <stdio.h>
int main(void) { printf("%d\n", 42); return 0; }
C
cat >"$tmp/bad.c" <<'C'
int main(void) { volatile int x = 2147483647; x += 1; return 0; }
C
mkdir "$tmp/several"
echo 'int f(void); int main(void) { return f(); }' >"$tmp/several/main.c"
echo 'int f(void) { return 0; }' >"$tmp/several/f.c"
echo 'int main() { int *p = new int(0); delete p; return *p & 0; }' >"$tmp/bad.cc"

run "$culprit" check --guards warnings,agreement,ubsan,asan,msan "$tmp/good.c"
status_is "a sound program" 0; has "its guards are listed" "$out" "msan"; lacks "none complains" "$out" complains
run "$culprit" check --guards ubsan "$tmp/bad.c"
status_is "undefined behaviour" 1; has "it is quoted" "$out" "signed integer overflow"
run "$culprit" check --guards agreement "$tmp/several"; status_is "a directory is one program" 0
run "$culprit" check --guards asan "$tmp/bad.cc"; status_is "C++ is checked" 1; has "and explained" "$out" "heap-use-after-free"
run "$culprit" check --json --guards warnings,ubsan "$tmp/good.c" "$tmp/bad.c"; status_is "--json of two files" 1
same "it is one value" "$(echo "$out" | jq -c '[.[] | .clean]')" '[true,false]'
same "it has the answers" "$(echo "$out" | jq -r '.[1].guards[] | select(.guard == "ubsan") | .answer')" complains
same "guards left out were not run" "$(echo "$out" | jq -r '.[0].guards[] | select(.guard == "asan") | .answer')" "not run"
same "nothing else is printed" "$err" ""

run "$culprit" check; status_is "no file is a usage error" 2
run "$culprit" check --guards valgrind; has "an unknown guard is named before a missing file" "$err" "valgrind"
run "$culprit" check --guards valgrind "$tmp/good.c"; status_is "an unknown guard is a usage error" 2
has "the guards are named" "$err" "frama-c"
for flag in -fnonsense -std=c77 -march=nonsense -DX=1\ -mnonsense -D; do
    run "$culprit" check --guards warnings --flags "$flag" "$tmp/good.c"; status_is "options that no compiler knows are a failure" 3
    has "they are named" "$err" "takes the options"; has "exactly" "$err" "$flag"; same "and nothing is called clean" "$out" ""
done
echo '#define ANSWER 42' >"$tmp/answer.h"
run "$culprit" check --guards warnings --flags "-include $tmp/answer.h -std=c17" "$tmp/good.c"; status_is "a file to include is none of them" 0
run "$culprit" check --guards warnings --flags '-fno-tree-vrp -O2 -I. -lm' "$tmp/good.c"; status_is "those of one compiler will do" 0
run "$culprit" check "$tmp/absent.c"; status_is "an absent file is a failure" 3; has "it is named" "$err" "absent.c"
done_testing
