#!/usr/bin/env bash
# culprit bugs: campaigns, bug sets, nothing at all.
. "$(dirname "$0")/lib.sh"
cd "$tmp" || exit 1

cat >icc <<'EOS'
#!/bin/sh
for word; do case $word in *.c) grep -q TRIGGER "$word" && { echo "internal compiler error: in f, at g.c:1" >&2; exit 4; } ;; esac; done
exec tcc "$@"
EOS
chmod +x icc
generator='echo "/* TRIGGER */ int main(void) { return 0; }" >a.c; : >expected'
"$culprit" hunt out --cc "$tmp/icc" --cc tcc --generator "$generator" --seed 7 --count 3 -j1 -q >/dev/null; same "three crashes" $? 1

run "$culprit" bugs out; status_is "a campaign is listed" 0
has "with its bug" "$out" "icc-crash-7"; has "its hits" "$out" "   3  crash"; has "its reason" "$out" "in f at g.c:1"
has "and its tests" "$out" "1 bug in 3 tests"
run "$culprit" bugs out --json
same "as JSON" "$(jq -c '[.tests, .bugs[0].hits, .bugs[0].kind, .bugs[0].directory]' <<<"$out")" '[3,3,"crash","icc-crash-7"]'
run "$culprit" bugs out --costs; status_is "its costs are listed" 0; has "by step" "$out" "compilation"; has "in all" "$out" "in 3 tests"
run "$culprit" bugs out --costs --json
same "for each configuration" "$(jq -c '[.costs[] | [.tool, .step]] | [.[0], .[1][1], .[2], length]' <<<"$out" | sed "s,$tmp/,,")" '[["generator","generation"],"compilation",["icc","execution"],5]'
same "and they are all there is" "$(jq '([.costs[].cpu_us] | add) == .cpu_us and ([.costs[].percent] | add | . > 99.99 and . < 100.01)' <<<"$out")" true
run "$culprit" bugs out/bugs --costs; status_is "a bug set has no costs" 3
run "$culprit" bugs out/bugs; status_is "bug directories are listed" 0; has "by name" "$out" "icc-crash-9"
run "$culprit" bugs out/bugs --json; same "as JSON too" "$(jq length <<<"$out")" 3
mkdir empty; run "$culprit" bugs empty; status_is "an empty directory is an error" 3; has "which says what to give" "$err" "culprit hunt"
run "$culprit" bugs nowhere; status_is "no directory is an error" 3
done_testing
