#!/usr/bin/env bash
# A campaign that reduces, triages and isolates: the Tiny C compiler with a fault at a known place, and its subject.
. "$(dirname "$0")/lib.sh"
cd "$tmp" || exit 1

run "$culprit" hunt out --cc tcc --isolate nowhere --count 1
status_is "an unknown subject is an error before anything is hunted" 3
check "and leaves no campaign" test ! -e out/campaign.db

if ! "$culprit" subject build tcc >build.log 2>&1; then
    skip "isolation with tcc" "the subject cannot be built: $(tail -n 1 build.log)"; done_testing; exit
fi
sound=$("$culprit" subject info tcc --json | jq -r .dir)
export CULPRIT_SUBJECTS=$tmp/subjects
tree=$CULPRIT_SUBJECTS/faulty
mkdir -p "$CULPRIT_SUBJECTS" && cp -R "$sound/build" "$tree"
sed -i "s/case '^': l1 ^= l2; break;/case '^': abort();/" "$tree/tccgen.c"
make -s -C "$tree" LDFLAGS="-no-pie -Wl,--build-id $sound/sancov.o" tcc >make.log 2>&1 &&
    "$culprit" subject add "$tree" --provider sancov --source "$tree" --cc "$tree/tcc -B/usr/lib/x86_64-linux-gnu/tcc" >>make.log 2>&1
same "the fault is built" "$?" 0

# Every program has the construct that kills it.
cat >gen <<'EOS'
#!/bin/sh
cat >a.c <<EOC
int twice(int x) { int sum = 0; for (int i = 0; i < 2; i++) sum += x; return sum; }
int main(void) { int seed = $CULPRIT_SEED; if (twice(seed) > 1000) seed -= 5; return (seed - seed) + (6 ^ 6); }
EOC
EOS
chmod +x gen; generator=$tmp/gen
run timeout 600 "$culprit" hunt out --cc "$tree/tcc -B/usr/lib/x86_64-linux-gnu/tcc" --cc "gcc -O0" --generator "$generator" \
    --seed 1 --count 4 -j 2 --reduce --triage --isolate faulty
status_is "the fault is found" 1
run "$culprit" bugs out --json
same "once" "$(jq -c '.bugs | map([.kind, .hits, .directories])' <<<"$out")" '[["crash",4,4]]'
has "with a fingerprint" "$(jq -r '.bugs[0].fingerprint' <<<"$out")" "tcc: crash"
has "with suspects" "$(jq -c '.bugs[0].suspects' <<<"$out")" tccgen.c
same "the first two directories are reduced and isolated" "$(ls out/bugs/*/reduced.c | wc -l) $(ls out/bugs/*/suspects.json | wc -l)" "2 2"
bug=$(dirname "$(ls out/bugs/*/suspects.json | head -n 1)")
has "the report names the suspects" "$(cat "$bug/report.md")" tccgen.c
has "bug.json too" "$(jq -c .suspects "$bug/bug.json")" tccgen.c
run "$culprit" bugs out; has "and the list of bugs" "$out" "suspect"

# A subject of another compiler says so once.
run timeout 600 "$culprit" hunt other --cc "$tree/tcc -B/usr/lib/x86_64-linux-gnu/tcc" --cc "gcc -O0" --generator "$generator" \
    --seed 1 --count 2 -j 1 --isolate stock:gcc-12
status_is "bugs of other compilers are kept" 1
same "and not isolated, which is told once" "$(grep -c 'are not isolated: the subject' <<<"$err")" 1
done_testing
