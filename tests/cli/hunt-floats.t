#!/usr/bin/env bash
# Campaigns of programs with floating point: our own generator's switches, and the tolerance of a generator command.
. "$(dirname "$0")/lib.sh"
cd "$tmp" || exit 1

# --- Every switch of gen ---
run "$culprit" hunt own --cc "gcc -O0" --cc "tcc" --enable floats --disable loops --single --no-policies --size 3000 --seed 4 --count 6
status_is "a hunt with floats, a single file and no policies finds nothing to blame" 0
run "$culprit" hunt own --disable goto --count 1; status_is "switches of a campaign stay" 3; has "with the reason" "$err" "has the switches"
run "$culprit" hunt own --count 1; status_is "without them it goes on" 0
run "$culprit" hunt none --cc tcc --enable flots --count 1; status_is "an unknown feature" 2; has "is named" "$err" "'flots'"
run "$culprit" hunt none --cc tcc --policies --no-policies --count 1; status_is "contradicting switches" 2
run "$culprit" hunt none --cc tcc --generator true --single --count 1; status_is "switches of another generator" 3; has "are refused" "$err" "culprit's own"

# A generator that foretells nothing, and compilers that make its float a little larger, and much larger.
cat >gen <<'EOS'
#!/bin/sh
cat >test.c <<'EOC'
#include <stdio.h>
int main(void) { printf("42\nreal_1 %.9f\nreal_2 0.75\n", 0.6 * SCALE); return 0; }
EOC
echo 0.01 >tolerance
EOS
chmod +x gen
for by in 1.0001 1.5; do
    printf '#!/bin/sh\nexec gcc -DSCALE=%s "$@"\n' "$by" >"cc-$by"; chmod +x "cc-$by"
done
run "$culprit" hunt close --generator "$tmp/gen" --cc "gcc -DSCALE=1.0" --cc "$tmp/cc-1.0001" --seed 0 --count 2
status_is "values within the tolerance of a generator command agree" 0
run "$culprit" hunt far --generator "$tmp/gen" --cc "gcc -DSCALE=1.0" --cc "$tmp/cc-1.0001" --cc "$tmp/cc-1.5" --seed 0 --count 2
status_is "values beyond it do not" 1
same "and one compiler is to blame" "$("$culprit" bugs far --json | jq -c '[.bugs[] | [.kind, .compiler]]')" '[["wrong-code","cc-1.5"]]'
bug=$(echo far/bugs/*-0)
same "the bug knows its tolerance" "$(jq .tolerance "$bug/bug.json")" 0.01
check "repro.sh shows it" sh "$bug/repro.sh"
CC="$tmp/cc-1.0001" sh "$bug/repro.sh"; same "but not for a compiler within the tolerance" $? 1
run "$culprit" replay "$bug" --cc "$tmp/cc-1.0001"; status_is "as replay says" 0
done_testing
