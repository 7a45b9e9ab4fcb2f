#!/usr/bin/env bash
# The isolation benchmark on a compiler that breaks on purpose, with made-up answers: counting, skipping, resuming.
. "$(dirname "$0")/lib.sh"

run "$culprit" bench; status_is "no bugs given" 2; has "it says what else there is" "$err" "--journal"
run "$culprit" bench "$tmp"; status_is "no subject given" 2
run "$culprit" bench --method guess; status_is "no such method" 2; has "it is named before missing bugs" "$err" '"guess"'
run "$culprit" bench "$tmp" --subject nowhere --method diwi; status_is "no bugs there" 3

# A subject whose compiler "crashes" on a word: a script around the sound tcc, so that there is something to isolate.
if ! "$culprit" subject build tcc >"$tmp/build.log" 2>&1; then
    skip "benchmark with tcc" "the subject cannot be built: $(tail -n 1 "$tmp/build.log")"; done_testing; exit
fi
sound=$("$culprit" subject info tcc --json | jq -r .dir)
tree=$tmp/subjects/brittle; mkdir -p "$tmp/subjects"; cp -R "$sound/build" "$tree"
printf '#!/bin/sh\n%s "$@" || exit\ngrep -q "%% 5" fail.c && { echo "fail.c: internal compiler error: in f, at g.c:1" >&2; exit 1; }\nexit 0\n' \
    "$sound/build/tcc -B/usr/lib/x86_64-linux-gnu/tcc" > "$tree/cc"; chmod +x "$tree/cc"
jq --arg cc "$tree/cc" '.name = "brittle" | .cc = [$cc]' "$sound/subject.json" > "$tree/subject.json"
export CULPRIT_SUBJECTS=$tmp/subjects

make_bug() { # NAME FILES PROGRAM
    mkdir -p "$tmp/bugs/$1"; echo "$3" > "$tmp/bugs/$1/fail.c"
    jq -n --arg id "$1" --argjson files "$2" '{id: $id, compiler: "tcc", version: "0.9.27", kind: "crash", run: false,
        expected: "", fail_cmd: ["tcc", "-c", "fail.c", "-o", "a.o"], pass_cmd: ["tcc", "-c", "fail.c", "-o", "a.o"],
        files: $files, functions: ["gen_opic"]}' > "$tmp/bugs/$1/bug.json"
}
program='int f(int x) { int y = 17 % 5; return x + y * 3; }'
make_bug known '["tccgen.c"]' "$program"
make_bug absent '["no-such-file.c"]' "$program"
make_bug header '["tcc.h"]' "$program"
make_bug sound '["tccgen.c"]' 'int f(void) { return 3; }'

bench() { run "$culprit" bench "$tmp/bugs" --subject brittle --method diwi --mutants 25 --time 60s -j1 "$@"; }
bench --json --journal "$tmp/journal"; status_is "a benchmark runs" 0
same "measured bugs" "$(jq .bugs <<<"$out")" 2
same "skipped bugs and reasons" "$(jq -r '[.skipped[].bug] | join(" ")' <<<"$out")" "header sound"
has "the reason is kept" "$(jq -r .skipped[1].reason <<<"$out")" "does not fail"
files=$(jq '.methods[0].files' <<<"$out")
check "the known answer is found" test "$(jq .top20 <<<"$files")" -ge 1
same "a missing file counts behind all covered ones" \
    "$(jq 'select(.bug == "absent") | .files[0] == .covered_files + 1' "$tmp/journal")" true
# 17 % 5, x + y * 3: not a million programs can be made of that.
run "$culprit" bench "$tmp/bugs/known" --subject brittle --method diwi --mutants 1000000 --time 60s -j1 --json
same "a search with nothing left to try is counted" "$(jq -c '.methods[0] | [.runs, .runs_exhausted]' <<<"$out")" '[1,1]'
for method in diwi diwi-rand; do
    run "$culprit" bench "$tmp/bugs/known" --subject brittle --method $method --mutants 300 --copies -j1 --json --journal "$tmp/copies"
done
same "with copies it goes on" "$(jq -c '[.tested, .options]' "$tmp/copies" | sort -u)" '[300,"--time 60s --mutants 300 --copies -j1"]'
same "the random variant takes copies of witnesses, DiWi does not" \
    "$(jq -sc 'map({(.method): .least_distance}) | add | [."diwi" > 0, ."diwi-rand" < ."diwi" / 10]' "$tmp/copies")" '[true,true]'
lines=$(wc -l < "$tmp/journal")
bench --json --journal "$tmp/journal"
same "a finished benchmark is not run again" "$(wc -l < "$tmp/journal")" "$lines"
same "and says the same" "$(jq -c '.methods[0].files' <<<"$out")" "$(jq -c . <<<"$files")"
mkdir "$tmp/empty"
dev() { run "$culprit" bench "$tmp/bugs" --subject brittle --method dev --mutants 5 --journal "$tmp/failing" --json "$@"
    jq -c '[.bugs, .methods[0].runs_failed, [.skipped[].bug]]' <<<"$out"; }
same "a run that fails, not for the bug's sake, is no skipped bug" "$(dev --pool "$tmp/empty")" '[0,2,["header","sound"]]'
same "and is tried again" "$(dev)" '[2,0,["header","sound"]]'
bench --journal "$tmp/journal"
lacks "the papers' figures are not those of tcc" "$out" "paper"
jq '.name = "gcc-brittle" | .cc[0] |= sub("/cc$"; "/gcc")' "$tree/subject.json" >"$tmp/gcc.json"
cp -R "$tree" "$tmp/subjects/gcc-brittle"; cp "$tmp/gcc.json" "$tmp/subjects/gcc-brittle/subject.json"; cp "$tree/cc" "$tree/gcc"
run "$culprit" bench "$tmp/bugs/known" --subject gcc-brittle --method diwi --method dev --mutants 5 -j1
has "GCC's stand below a GCC" "$out" "DiWi's paper, GCC"
has "DiWi's dev row too" "$(grep 'DiWi.s paper, GCC' <<<"$out" | tail -1)" "17.29"
lacks "but not LLVM's" "$out" "paper, LLVM"

# Two methods, two repeats: spread, tests between methods and against baselines, a table for spreadsheets.
make_bug pr5-known '["tccgen.c"]' "$program"; make_bug pr5-again '["tccgen.c"]' "$program"; make_bug pr6-other '["tccgen.c", "tccpp.c"]' "$program"
jq '.triage = {guilty: {pass: "GVNPass"}}' "$tmp/bugs/pr6-other/bug.json" > "$tmp/x" && mv "$tmp/x" "$tmp/bugs/pr6-other/bug.json"
bench --json --method dev --repeat 2 --journal "$tmp/two" --csv "$tmp/runs.csv"; status_is "two methods, two repeats" 0
same "every repeat has its figures" "$(jq -c '[.methods[].repeats | length]' <<<"$out")" "[2,2]"
same "methods are compared with each other and with the baselines" \
    "$(jq -c '[.comparisons[] | [.a, .b]]' <<<"$out")" '[["diwi","dev"],["diwi","static prior"],["diwi","pass'"'"'s file"],["dev","static prior"],["dev","pass'"'"'s file"]]'
same "on the bugs that both have" "$(jq -c '[.comparisons[].pairs]' <<<"$out")" "[5,5,1,5,1]"
check "with a probability" jq -e '[.comparisons[].p] | all(. > 0 and . <= 1)' <<<"$out"
# tccgen.c has the votes of pr5 (once, whatever number of bugs it has) and of bug `known`, so that it comes first for pr6.
same "the prior leaves the bug's own report out" "$(jq -c '.baselines[0] | [.baseline, .files.bugs, .files.top1]' <<<"$out")" '["static prior",5,4]'
same "a pass is asked for its file where triage names one" "$(jq -c '.baselines[1].files | [.bugs, .top1]' <<<"$out")" "[1,0]"
same "one line for each run, and its head" "$(wc -l < "$tmp/runs.csv") $(head -n 1 "$tmp/runs.csv" | cut -d, -f1-4)" "25 bug,method,seed,first_rank"
bench --method dev --repeat 2 --journal "$tmp/two"; has "the table says so in words" "$out" "Wilcoxon"; has "with the spread" "$out" "diwi, 2 repeats"
has "and the baselines" "$out" "static prior (baseline)"
run "$culprit" report "$tmp/two" -o "$tmp/two.html"; status_is "a journal becomes a page" 0
same "with Top-n, box plots and a row a bug" "$(grep -oE 'Share of bugs|Similarity|Diversity|<th scope="row"' "$tmp/two.html" | sort | uniq -c | awk '{ $1 = ($1 > 0); print }' | tr '\n' ';')" \
    '1 <th scope="row";1 Diversity;1 Share of bugs;1 Similarity;'

# The journal alone: on another machine, where neither bugs nor subject are.
figures() { jq -c '[.bugs, .methods, .skipped, (.comparisons | map(select(.b == "dev")))]' <<<"$1"; }
bench --json --method dev --repeat 2 --journal "$tmp/two"; whole=$(figures "$out")
run "$culprit" bench --journal "$tmp/two" --json; status_is "a journal has its table" 0
same "which is the same" "$(figures "$(jq '.tables[0] | .skipped |= map(select(.bug != "header"))' <<<"$out")")" \
    "$(jq -c '.[2] |= map(select(.bug != "header"))' <<<"$whole")"
same "with the terms that it was measured on" "$(jq -r '.tables[0].terms' <<<"$out")" "--subject brittle --time 60s --mutants 25 -j1"
has "by whom, when, at which load" "$(jq -r '.tables[0].source' <<<"$out")" "runs of culprit 0."
run "$culprit" bench "$tmp/bugs/known" --subject brittle --method diwi --mutants 5 -j1 --journal "$tmp/two" --note 1a2b3c4
run "$culprit" bench --journal "$tmp/two" --json
same "runs of other limits are others" "$(jq -c '[.tables[] | [.terms, .bugs]]' <<<"$out")" \
    '[["--subject brittle --time 60s --mutants 25 -j1",5],["--subject brittle --time 60s --mutants 5 -j1",1]]'
has "a note is kept" "$(jq -r '.tables[1].source' <<<"$out")" "(1a2b3c4)"
run "$culprit" bench --journal "$tmp/two" --method dev; lacks "methods can be chosen" "$out" diwi
has "and tables without them are left out" "$out" "--mutants 25"; lacks "all of them" "$out" "--mutants 5 "
run "$culprit" bench --journal "$tmp/two" --method recbi; status_is "a method that it has no run of" 3; has "it says so" "$err" "no run of these methods"
same "rounds come one after the other: all methods, then bugs, then seeds" \
    "$(jq -r 'select(.bug == "known" or .bug == "pr6-other") | "\(.seed) \(.bug) \(.method)"' "$tmp/two" | head -n 8 | tr '\n' ';')" \
    "1 known diwi;1 known dev;1 pr6-other diwi;1 pr6-other dev;2 known diwi;2 known dev;2 pr6-other diwi;2 pr6-other dev;"
jq -c 'select(.options | contains("25")) | select(.seed == 1) | select(.bug != "known" or .method != "dev")' "$tmp/two" >"$tmp/part"
run "$culprit" bench --journal "$tmp/part" --json
same "what some methods lack is left out for all" "$(jq -c '.tables[0] | [.bugs, .incomplete, [.methods[].files.bugs]]' <<<"$out")" '[4,1,[4,4]]'
{ cat "$tmp/part"; jq -c 'select(.method == "dev" and .bug == "known") | .method = "sbfl"' "$tmp/two"; } >"$tmp/few"
run "$culprit" bench --journal "$tmp/few" --json
same "a method with few runs does not keep the others' out" "$(jq -c '.tables[0] | [.bugs, [.methods[].method], .left_out]' <<<"$out")" '[4,["diwi","dev"],"sbfl (2)"]'
run "$culprit" bench --journal "$tmp/nothing"; status_is "no journal there" 3; has "it says which" "$err" nothing

# A ranking without files is no measurement: a subject that knows none is refused, a row without any is not counted.
printf '{"bug":"known","method":"diwi","seed":1,"subject":"brittle","options":"--time 60s -j1","files":[1.0,1.0],"covered_files":0}\n' > "$tmp/hollow"
run "$culprit" bench "$tmp/bugs/known" --subject brittle --method diwi --journal "$tmp/hollow" --json -j1
same "a ranking without files is not counted" "$(jq -c '[.bugs, .skipped[0].reason]' <<<"$out")" '[0,"its ranking has no files"]'
run "$culprit" bench "$tmp/bugs/known" --subject stock:tcc --method diwi --mutants 1 --time 20s
status_is "a subject that knows no files is refused" 3; has "and it says what to give" "$err" "--source"
done_testing
