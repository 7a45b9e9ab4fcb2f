#!/usr/bin/env bash
# culprit gen: what it writes, that it repeats exactly, and that its errors leave nothing behind.
. "$(dirname "$0")/lib.sh"
cd "$tmp" || exit

run "$culprit" gen --seed 7 --size 5000 -o a; status_is "a program" 0
same "it names the files" "$out" "$(printf 'a/init.h\na/func.c\na/driver.c')"
same "the directory has them and the expected line" "$(ls a | tr '\n' ' ')" "driver.c expected func.c init.h "
has "the first comment has version, seed and options" "$(head -n 1 a/func.c)" "gen --seed 7 --lang c --std c99 --size 5000"
"$culprit" gen --seed 7 --size 5000 -o b >/dev/null
check "the same seed gives the same bytes" diff -r a b
"$culprit" gen --seed 8 --size 5000 -o c >/dev/null
check "another seed does not" test "$(cat a/func.c)" != "$(cat c/func.c)"
check "it compiles" gcc -w -std=c99 a/func.c a/driver.c -o a.out
same "and prints what is expected" "$(./a.out)" "$(cat a/expected)"

run "$culprit" gen --seed 7 --size 5000 --single -o s; same "--single gives one file" "$out" "s/program.c"
same "with the same result" "$(cat s/expected)" "$(cat a/expected)"
run "$culprit" gen --seed 7 --std c++14 --size 5000 -o x; has "--std c++14 is C++" "$out" "x/driver.cpp"
run "$culprit" gen --seed 7 --lang c++ --size 5000 -o y; has "--lang c++ starts at c++11" "$(head -n 1 y/init.h)" "--std c++11"
run "$culprit" gen --seed 7 --size 40K --disable loops --disable goto --no-policies -o l
lacks "--disable loops" "$(cat l/func.c l/init.h)" "while ("
lacks "--disable goto" "$(cat l/func.c l/init.h)" "goto label"
has "the comment has what differs from the defaults" "$(head -n 1 l/init.h)" "--no-policies --disable loops --disable goto"
run "$culprit" gen --seed 7 --size 5000 -o j --json
same "--json: size" "$(jq .bytes <<<"$out")" "$(cat j/*.[ch] | wc -c)"
same "--json: expected line" "$(jq -r .expected <<<"$out")" "$(cat j/expected)"

run "$culprit" gen --seed 7 --count 3 --size 5000 -o many; status_is "--count" 0
same "gives each program a directory, named by its seed" "$(ls many | tr '\n' ' ')" "7 8 9 "
check "and the bytes that its seed gives alone" diff -r a many/7
check "also after others" diff -r c many/8
same "it names all files" "$(wc -l <<<"$out") $(head -n 1 <<<"$out")" "9 many/7/init.h"
run "$culprit" gen --seed 8 --count 2 --size 5000 -o many; status_is "programs that are there are not replaced" 3; has "and named" "$err" "many/8 has files"
run "$culprit" gen --seed 20 --count 2 --size 5000 -o list --json
same "--count --json is a list" "$(jq -c '[.[] | [.seed, .dir]]' <<<"$out")" '[[20,"list/20"],[21,"list/21"]]'

run "$culprit" gen; status_is "no directory is a usage error" 2
# What is given is looked at before what is missing.
run "$culprit" gen --seed abc; status_is "a seed that is no number" 2; has "is named, not the missing directory" "$err" "--seed: 'abc'"
run "$culprit" gen --disable lops; has "and so is an unknown feature" "$err" "'lops'"
run "$culprit" gen --lang c --std c89; has "and an unknown standard" "$err" "'c89'"
run "$culprit" gen --std c89 -o n; status_is "an unknown standard" 2; has "is explained" "$err" "c99 to c17"
run "$culprit" gen --lang c --std c++11 -o n; status_is "contradicting options" 2; has "are explained" "$err" "is not one of C"
run "$culprit" gen --disable lops -o n; status_is "an unknown feature" 2; has "is named" "$err" "'lops'"
run "$culprit" gen --model lp63 -o n; status_is "an unknown data model" 2
run "$culprit" gen --seed 1 -o a; status_is "a directory with files is refused" 3; has "with a reason" "$err" "has files in it already"
mkdir empty; run "$culprit" gen --seed 1 -o empty; status_is "an empty directory is fine" 0
mkdir dot; run "$culprit" gen --seed 1 -o dot/.; status_is "a directory that cannot be replaced" 3; has "comes with advice" "$err" "give a new directory"
run "$culprit" gen --seed 1 -o ""; status_is "an empty name" 2
run "$culprit" gen --seed 1 --size 1T -o n; status_is "a size beyond all limits" 2; has "comes with the limit" "$err" "64 MiB"
run "$culprit" gen --seed 1 --size 0 -o least; check "--size 0 is the smallest program" test "$(cat least/*.[ch] | wc -c)" -lt 6000
touch file; run "$culprit" gen --seed 1 -o file; status_is "a file in the way" 3
run "$culprit" gen --seed 1 -o file/below; status_is "a file as parent" 3
run "$culprit" gen --seed 1 -o /proc/nowhere; status_is "a place that cannot be written" 3
run bash -c 'trap "" XFSZ; ulimit -f 2; exec "$0" gen --seed 1 -o full' "$culprit"
status_is "no room for a file" 3; has "is one clear error" "$err" "cannot write"
same "nothing of all that is left behind" "$(ls -d n* full* file.* dot.* a.* 2>/dev/null | tr '\n' ' ')" "a.out "
done_testing
