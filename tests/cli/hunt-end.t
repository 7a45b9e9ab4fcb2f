#!/usr/bin/env bash
# What a hunt shows at its end: the smallest program, its command, the report, what to type next; and the minute of make hunt.
. "$(dirname "$0")/lib.sh"
minute=$PWD/tools/hunt-a-minute
cd "$tmp" || exit 1

cat >gen <<'EOS'
#!/bin/sh
printf '#include <stdio.h>\nint unused[%d];\nint main(void) { int x = 41; printf("%%d\\n", x + 1); return 0; }\n' \
    $((CULPRIT_SEED % 9 + 1)) >test.c
echo 42 >expected
EOS
# The only compilers of the machine: gcc, and one that gets the sum of those programs wrong, and the output of our own.
mkdir bin; for name in bash sh sed grep gcc as ld; do ln -s "$(command -v $name)" bin/; done
cat >bin/tcc <<'EOS'
#!/bin/sh
for word; do
    shift
    case $word in
    -v | --version | -dumpversion) echo "tcc version 0.9.99 (x86_64 Linux)"; exit ;;
    *.c) if grep -qE '\<x \+ 1|%llu' "$word"; then
            sed 's/x + 1/x - 1/; s/%llu/9%llu/' "$word" >"wrong-${word##*/}"
            set -- "$@" "-I${word%/*}"; word=wrong-${word##*/}
        fi ;;
    esac
    set -- "$@" "$word"
done
exec gcc "$@"
EOS
chmod +x gen bin/tcc

run "$culprit" hunt plain --generator "$tmp/gen" --cc "$tmp/bin/tcc" --seed 1 --count 1; status_is "a bug of a campaign's only compiler" 1
bug=plain/bugs/$(ls plain/bugs | head -n 1)
has "the end says what is wrong" "$out" "the compiled program gives a wrong result"
has "where the report is" "$out" "report   $bug/report.md"
has "and what to type next" "$out" "next     $culprit reduce $bug"
lacks "a program that is not reduced is not shown" "$out" "int main"
check "another compiler vouches" test "$(jq '.pass_cmd | length' "$bug/bug.json")" -gt 0
run "$culprit" replay "$bug"; has "so that the bug can be replayed" "$out" "wrong-code reproduces"

run "$culprit" hunt plain --count 1 --reduce; status_is "resumed with --reduce" 1
small=$(jq -r 'select(.reduced) | .id' plain/bugs/*/bug.json | head -n 1)
check "the bugs are reduced" test -n "$small"
has "the program is shown" "$out" "reduced.c:"
has "with its text" "$out" "x + 1"
has "with the command" "$out" "compile  $tmp/bin/tcc"
check "and both results" grep -qE "^prints   -?[0-9]+ instead of [0-9]+" <<<"$out"
has "next is to run it again" "$out" "next     $culprit replay plain/bugs/"
check "what it names is there" test -s "$(awk '$1 == "report" { print $2 }' <<<"$out")"

run "$culprit" hunt fine --generator "$tmp/gen" --cc "gcc -O0" --seed 1 --count 2; status_is "no bug" 0
lacks "nothing is shown then" "$out" "next "

# --- Installed compilers ---
run env PATH="$tmp/bin" "$culprit" hunt both --generator "$tmp/gen" --cc installed --cc "gcc -Os" --seed 1 --count 1
has "--cc installed finds them" "$("$culprit" bugs both --json | jq -r '.bugs[].command')" tcc
has "beside those named" "$(sqlite3 both/campaign.db "SELECT value FROM setting WHERE name = 'compilers'")" "gcc -Os"

# --- The minute of make hunt, in six seconds ---
run /usr/bin/env HUNT_SECONDS=6 PATH="$tmp/bin" bash "$minute" "$culprit" minute; status_is "make hunt" 0
has "says what it does" "$out" "2 seconds with tcc"
has "and ends with what to type" "$out" "next     $culprit "
run /usr/bin/env HUNT_SECONDS=3 PATH="$tmp/bin" bash "$minute" "$culprit" minute; status_is "again in the same directory" 0
has "it goes on" "$err" "resuming the hunt in minute"
has "and shows its bugs" "$out" "next     $culprit "
rm bin/tcc; run /usr/bin/env HUNT_SECONDS=2 PATH="$tmp/bin" bash "$minute" "$culprit" without; status_is "without tcc" 0
lacks "it is not spoken of" "$out" tcc
has "the time belongs to the others" "$err" "of 1 compiler,"
done_testing
