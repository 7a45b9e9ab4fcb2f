#!/usr/bin/env bash
# Campaigns with real compilers, with compilers that misbehave on purpose, and with machines that do.
. "$(dirname "$0")/lib.sh"
cd "$tmp" || exit 1

# --- A generator of tiny programs: every third one has the construct that bad compilers stumble over. ---
cat >gen <<'EOS'
#!/bin/sh
trigger=; [ $((CULPRIT_SEED % 3)) = 0 ] && trigger='/* TRIGGER */'
cat >test.c <<EOC
#include <stdio.h>
int main(void) { int x = $((CULPRIT_SEED % 1000)); $trigger printf("%d\n", x + 1); return 0; }
EOC
echo $((CULPRIT_SEED % 1000 + 1)) >expected
EOS
chmod +x gen

# bad NAME 'SHELL CODE': a compiler that is gcc except for programs with the construct at -O3, where the code runs first.
# A misbehaving one ends by itself; the others go on as gcc, with the source in $source and -o in $out.
bad() {
    cat >"bad-$1" <<EOS
#!/bin/sh
source= out=a.out level=0 last=
for word; do
    case \$word in *.c) source=\$word ;; -O*) level=\${word#-O} ;; esac
    [ "\$last" = -o ] && out=\$word
    last=\$word
done
if [ "\$level" = 3 ] && [ -n "\$source" ] && grep -q TRIGGER "\$source"; then
    $2
fi
exec gcc "\$@"
EOS
    chmod +x "bad-$1"
}
bad crash   'echo "$source: internal compiler error: in fold_it, at fold.c:77" >&2; exit 4'
bad pcc     'echo "$source, line 3: compiler error: Cannot generate code" >&2; exit 1'
bad signal  'kill -SEGV $$'
bad wrong   'sed "s/x + 1/x - 1/" "$source" | gcc -x c -w -c - -o wrong.o; case " $* " in *" -c "*) mv wrong.o "$out" ;; *) gcc wrong.o -o "$out" ;; esac; exit'
bad hang    'sleep 1000'
bad memory  'exec tail /dev/zero'
bad reject  'echo "$source:2: error: I do not like '"'"'x'"'"'" >&2; exit 1'
bad garbage 'yes garbage | head -c 5000 >"$out"; exit 0'
bad empty   'exit 0'
bad litter  '(setsid sleep 7531 >/dev/null 2>&1 &); sleep 7531 & echo x >"${TMPDIR:-/tmp}/litter"; echo x >left-over.s'
bad flaky   'echo x >>'"$tmp"'/turns; [ $(($(wc -l <'"$tmp"'/turns) % 2)) = 1 ] && exit 1'

# kinds DIR: the kinds of its bugs.
kinds() { "$culprit" bugs "$1" --json | jq -r '[.bugs[].kind] | unique | join(" ")'; }
tests() { "$culprit" bugs "$1" --json | jq .tests; }
hunt() { run timeout 120 "$culprit" hunt "$@" --generator "$tmp/gen" --seed 0 -j 2; }

# --- Each misbehaviour gets its verdict ---
verdict() { # NAME EXPECTED [OPTIONS]
    local name=$1 expected=$2; shift 2
    hunt "v-$name" --cc "gcc -O0" --cc "$tmp/bad-$name -O0" --cc "$tmp/bad-$name -O3" --count 4 "$@"
    same "a compiler with the vice \"$name\" is: $expected" "$(kinds "v-$name") status $status" "$expected"
}
verdict crash   "crash status 1"
verdict pcc     "crash status 1"
verdict signal  "crash status 1"
verdict wrong   "wrong-code status 1"
verdict hang    "hang status 1" --compile-time 2s
verdict memory  "out-of-memory status 1" --memory 300MiB
verdict reject  "rejects-valid status 1"
verdict garbage "rejects-valid status 1"
verdict empty   "rejects-valid status 1"
verdict litter  " status 0"
verdict flaky   "flaky status 0"
same "nothing is left running" "$(pgrep -f 'sleep 7531' | wc -l)" 0
same "two hits of one reason are one bug" "$("$culprit" bugs v-crash --json | jq -c '.bugs | map([.hits, .signature != ""])')" '[[2,true]]'
same "the oracle is named" "$("$culprit" bugs v-wrong --json | jq -r '.bugs[0].oracle')" "expected value"

# --- What a bug leaves ---
bug=$(echo v-wrong/bugs/*-0)
for file in bug.json test/test.c repro.sh Makefile report.md outputs/expected.txt outputs/actual.txt; do
    check "a bug has $file" test -s "$bug/$file"
done
for vice in wrong crash pcc reject; do
    bug=$(echo v-$vice/bugs/*-0)
    check "repro.sh succeeds while the bug of $vice reproduces" sh "$bug/repro.sh"
    CC=gcc sh "$bug/repro.sh"; same "and fails with a good compiler" $? 1
    CC=no-such-compiler sh "$bug/repro.sh" 2>/dev/null; same "and cannot tell without one" $? 125
    check "make repro" make -s -C "$bug" repro
    run "$culprit" replay "$bug"; status_is "replay: $vice reproduces" 1
    run "$culprit" replay "$bug" --cc gcc; status_is "replay: $vice does not with gcc" 0
done
has "the report shows the assertion" "$(cat v-crash/bugs/*-0/report.md)" "in fold_it, at fold.c:77"
has "the report shows the command" "$(cat v-crash/bugs/*-0/report.md)" "bad-crash -O3"
has "the report lists who passes" "$(cat v-crash/bugs/*-0/report.md)" "| gcc -O0 |"
mkdir reduced && sed 's/int x = 0/int x = 5/' v-wrong/bugs/*-0/test/test.c >reduced/test.c
(cd reduced && sh "$tmp"/v-wrong/bugs/*-0/repro.sh); same "repro.sh judges the variant in the working directory" $? 0
sed -i 's/TRIGGER//' reduced/test.c
(cd reduced && sh "$tmp"/v-wrong/bugs/*-0/repro.sh); same "and a harmless one" $? 1

# --- Work on bugs in the background ---
hunt steps --cc "gcc -O0" --cc "$tmp/bad-crash -O3" --count 1 --reduce --triage
check "--reduce leaves a smaller program" test -s steps/bugs/*-0/reduced.c
has "which the report shows" "$(cat steps/bugs/*-0/report.md)" "TRIGGER"
has "with its own command" "$(cat steps/bugs/*-0/report.md)" "reduced.c -o a.out"
sh steps/bugs/*-0/repro-reduced.sh; same "and its own script" $? 0
CC=gcc sh steps/bugs/*-0/repro-reduced.sh; same "which fails with a good compiler" $? 1
has "--triage leaves a fingerprint" "$(jq -r .triage.fingerprint steps/bugs/*-0/bug.json)" "fold_it"
same "nothing is left undone" "$(find steps -name .undone | wc -l)" 0

# --- Work that was stopped: what is done stays as it is, what was cut goes on ---
bug=$(echo steps/bugs/*-0)
state() { stat -c '%n %i %y' "$bug"/reduced.c; jq -c '[.reduced, .triage, .versions, (.passing | length)]' "$bug/bug.json"; }
before=$(state); rm "$bug/repro-reduced.sh"; touch "$bug/.undone" # as a kill after the last step leaves it
hunt steps --count 1 --reduce --triage
same "a resumed hunt reduces and triages nothing again" "$(state)" "$before"
check "but writes what was missing" test -s "$bug/repro-reduced.sh"
same "and is done with it" "$(find steps -name .undone | wc -l)" 0
{ cat "$bug/reduced.c"; echo 'int not_needed;'; } >larger && mv larger "$bug/reduced.c"
jq '.reduced.stopped = true | .reduced.tokens_before = 1234' "$bug/bug.json" >larger && mv larger "$bug/bug.json"
echo 'int main(void) { return 0; }' >"$bug/test/test.c" # what goes on does not look at it
touch "$bug/.undone"
hunt steps --count 1 --reduce --triage
same "a reduction that was cut goes on" "$(jq -c '[.reduced.stopped, .reduced.tokens_before]' "$bug/bug.json")" "[false,1234]"
lacks "to its end" "$(cat "$bug/reduced.c")" not_needed

# --- Duplicates ---
hunt few --cc "gcc -O0" --cc "$tmp/bad-crash -O3" --count 12 --duplicates-per-bug 2
same "hits go on, directories stop" "$("$culprit" bugs few --json | jq -c '.bugs | map([.hits, .directories])') $(ls few/bugs | wc -l)" "[[4,2]] 2"

# --- Resuming ---
hunt few --count 3
status_is "a campaign is resumed with its own compilers" 1; has "and says so" "$err" "resuming"
same "tests add up" "$(tests few)" 15
hunt few --new; status_is "--new refuses it" 3; has "and says why" "$err" "holds a campaign already"
run "$culprit" hunt few --generator csmith --count 1; status_is "another generator is refused" 3; has "and explained" "$err" "each of its seeds"
printf '#!/bin/sh\nexec gcc "$@"\n' >mycc; chmod +x mycc
run "$culprit" hunt relative --cc ./mycc --count 1 --size 2K; status_is "a compiler by a relative path" 0
run "$culprit" hunt new1 --cc no-such-cc --count 1; status_is "an unknown compiler is an error" 3; has "which names it" "$err" "no-such-cc"
run "$culprit" hunt new2 --cc gcc --generator false --count 100; status_is "a generator that fails is an error" 3; has "which says how" "$err" "made no program"

# --- Two at once, interrupts ---
"$culprit" hunt long --cc "gcc -O0" --generator "$tmp/gen" --seed 0 -q >/dev/null 2>&1 & first=$!
for _ in $(seq 100); do [ -e long/campaign.db ] && [ "$(tests long 2>/dev/null || echo 0)" -gt 0 ] && break; sleep 0.1; done
hunt long; status_is "a campaign in use is refused" 3; has "with the owner's number" "$err" "process $first"
kill -INT $first; wait $first; same "the first interrupt ends it in peace" $? 0
same "nothing is claimed any more" "$(sqlite3 long/campaign.db 'SELECT count(*) FROM claim WHERE session IS NOT NULL')" 0
"$culprit" hunt slow --cc "$tmp/bad-hang -O3" --generator "$tmp/gen" --seed 0 -q >/dev/null 2>&1 & first=$!
sleep 2; kill -INT $first; sleep 0.3; kill -INT $first
for _ in $(seq 50); do kill -0 $first 2>/dev/null || break; sleep 0.1; done
check "the second interrupt ends it at once" eval "! kill -0 $first 2>/dev/null"; wait $first

# --- An end in time ---
run timeout 60 "$culprit" hunt cut --cc "$tmp/bad-hang -O3" --generator "$tmp/gen" --seed 0 -j 1 --time 1s --json
status_is "a hanging compiler does not hold up the end" 0
same "its test is cut off, not recorded" "$(jq -c '[.cut, .tests]' <<<"$out")" "[1,0]"
hunt cut --compile-time 2s --count 1; same "and runs again when resumed" "$(kinds cut) $(tests cut)" "hang 1"

# --- Generators that fail ---
cp -r "$(dirname "$culprit")/lib/culprit" runtime && mv runtime/generate runtime/good
printf '#!/bin/sh\nfor seed; do :; done\n[ $((seed %% 3)) = 1 ] && kill -SEGV $$\nexec %s/runtime/good "$@"\n' "$tmp" >runtime/generate
chmod +x runtime/generate
own() { run env CULPRIT_RUNTIME="$tmp/runtime" "$culprit" hunt own --cc tcc --size 2K --seed 0 -j 2 "$@"; }
refused() { "$culprit" bugs "$1" --json | jq -r '.bugs[] | "\(.compiler) \(.kind) \(.hits) \(.signature)"'; }
own --count 6
has "a crash of our own generator is told" "$err" "no program for seed 1: \`culprit gen\` was ended by signal 11"
same "and the campaign goes on" "$(tests own)" 6
own --count 3
same "also when it is resumed" "$(tests own): $(refused own | cut -d' ' -f1-3)" "9: generator no-program 3"
for case in "sleep 100|ran into the limit of time" "kill -9 \$\$|was ended by signal 9" "echo ouch >&2; exit 3|ended with status 3: ouch" \
    "mkdir a.c|wrote no source file" "head -c 100M /dev/zero >a.c|file size"; do
    rm -rf bad-gen
    run "$culprit" hunt bad-gen --cc tcc --generator "${case%|*}" --count 1 --compile-time 2s
    has "a generator that does \"${case%|*}\" is at fault" "$status $(refused bad-gen)" "${case#*|}"
done
run "$culprit" hunt garbage --cc "gcc -O0" --cc tcc --generator 'head -c 3000 /dev/urandom >a.c' --count 2
same "garbage is no compiler's bug" "$status $(kinds garbage)" "0 "

# --- Trouble with the machine ---
cp bad-crash gone-cc
"$culprit" hunt gone --cc "$tmp/gone-cc -O0" --generator "$tmp/gen" --seed 0 -q >/dev/null 2>gone.err & first=$!
for _ in $(seq 100); do [ -e gone/campaign.db ] && [ "$(tests gone 2>/dev/null || echo 0)" -gt 0 ] && break; sleep 0.1; done
rm gone-cc; wait $first; same "a deleted compiler stops the campaign" $? 3
has "with a clear message" "$(cat gone.err)" "gone-cc"
same "and an intact store" "$(sqlite3 gone/campaign.db 'PRAGMA integrity_check')" ok

mounts() { [ "$(id -u)" = 0 ] && mkdir -p m && mount -t tmpfs -o size=1m tmpfs m 2>/dev/null; }
if mounts; then
    hunt m/full --cc "gcc -O0" --count 3
    head -c 2M /dev/zero >m/filler 2>/dev/null
    hunt m/full --count 500; status_is "a full disk stops the campaign" 3
    has "with a clear message" "$err" "full"
    rm m/filler
    hunt m/full --count 2; status_is "and it goes on when there is room again" 0
    same "with each seed once" "$(sqlite3 m/full/campaign.db 'SELECT count(*) = max(number) + 1 FROM test')" 1
    mount -o remount,ro m
    hunt m/full --count 2; status_is "a read-only directory is an error" 3; has "which says so" "$err" "cannot write in m/full"
    run "$culprit" bugs m/full; status_is "but its bugs can be listed" 0
    umount m
else
    skip "full and read-only disks" "needs root and mount"
fi
mkdir scratch
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=5m tmpfs scratch 2>/dev/null; then
    run env CULPRIT_SCRATCH="$tmp/scratch" "$culprit" hunt tight --cc "$tmp/bad-reject -O3" --generator "$tmp/gen" --seed 0 --count 1
    status_is "no room for scratch files is an error, not a bug" 3; has "which names the place" "$err" "CULPRIT_SCRATCH"
    umount scratch
else
    skip "a full scratch directory" "needs root and mount"
fi
done_testing
