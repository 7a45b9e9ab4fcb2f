#!/usr/bin/env bash
# culprit bench hunts: campaigns side by side, with bugs that one side alone finds, and the tests over repeats.
. "$(dirname "$0")/lib.sh"
cd "$tmp" || exit 1

for word in ONE TWO; do
    printf '#!/bin/sh\nfor word; do case $word in *.c) grep -q %s "$word" && { echo "internal compiler error: in %s, at g.c:1" >&2; exit 4; } ;; esac; done\nexec tcc "$@"\n' $word $word >icc-$word
    chmod +x icc-$word
done
for i in 1 2 3; do
    "$culprit" hunt a$i --cc "$tmp/icc-ONE" --cc tcc --generator 'echo "/* ONE */ int main(void) { return 0; }" >a.c; : >expected' --seed $i --count 4 -j1 -q >/dev/null
    "$culprit" hunt b$i --cc "$tmp/icc-TWO" --cc "$tmp/icc-ONE" --cc tcc --generator 'echo "/* ONE TWO */ int main(void) { return 0; }" >a.c; : >expected' --seed $i --count 4 -j1 -q >/dev/null
done
run "$culprit" bench hunts a1 b1 --json; status_is "two campaigns are compared" 0
same "by their distinct bugs" "$(jq -c '[.first[0].bugs, .second[0].bugs, (.both | length), (.only_first | length), (.only_second | length)]' <<<"$out")" '[1,2,1,0,1]'
has "the one that one side alone found is named" "$(jq -r '.only_second[0]' <<<"$out")" TWO
same "every find has its time" "$(jq -c '.second[0] as $r | [.second[0].finds[] | .cpu_hours <= $r.cpu_hours and .hours <= $r.hours] | all' <<<"$out")" true
run "$culprit" bench hunts a1 a2 a3 --versus b1 --versus b2 --versus b3 --json
# Which side is ahead by CPU time is a matter of milliseconds here; test_evaluate_statistics.c has the figures.
same "repeats are tested" "$(jq -c '[.by_cpu.test, (.by_cpu.p > 0 and .by_cpu.p <= 1), (.by_cpu.a12 >= 0 and .by_cpu.a12 <= 1), (.first | length), (.second | length)]' <<<"$out")" '["mann-whitney",true,true,3,3]'
same "with every repeat's bugs" "$(jq -c '[[.first[].bugs], [.second[].bugs]]' <<<"$out")" '[[1,1,1],[2,2,2]]'
run "$culprit" bench hunts a1 a2 a3 --versus b1 --versus b2 --versus b3
has "in words for people" "$out" "Mann-Whitney"; has "with the effect" "$out" "A12"; has "and who found what" "$out" "found by the second side only: 1"
run "$culprit" bench hunts a1; status_is "one campaign is not enough" 2
run "$culprit" bench hunts a1 a2 a3; status_is "three without sides are too many" 2
run "$culprit" bench hunts a1 nowhere; status_is "no campaign there" 3; has "it says which" "$err" nowhere
done_testing
