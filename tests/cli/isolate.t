#!/usr/bin/env bash
# Isolation end to end: bugs of tcc and pcc that hunts found, faults put into their sources at known places
# (tests/support/faults), every method, every limit, every bad input.
. "$(dirname "$0")/lib.sh"
faults=$(cd "$(dirname "$0")/../support/faults" && pwd)

run "$culprit" isolate; status_is "no bug given" 2
run "$culprit" isolate --method guess; status_is "no such method" 2; has "it is named before the missing bug" "$err" '"guess"'
run "$culprit" isolate "$tmp" --subject nowhere; status_is "no such subject" 3
has "it says what to do about the subject" "$err" "subject"
run "$culprit" isolate --list-rules; status_is "rules are listed" 0
check "there are more than a hundred rules" test "$(wc -l <<<"$out")" -gt 100
same "rules as JSON: the operators are RecBi's ten" \
    "$("$culprit" isolate --list-rules --json | jq '[.[].operator] | unique | length')" 10

# --- Bugs with known answers in tcc and pcc: hunted ones, and faults put into a tree that takes all in turn ---
for subject in tcc pcc; do
    "$culprit" subject build $subject >"$tmp/build.log" 2>&1 && continue
    skip "isolation with $subject" "the subject cannot be built: $(tail -n 1 "$tmp/build.log")"; done_testing; exit
done
subjects=$(dirname "$("$culprit" subject info tcc --json | jq -r .dir)")
export CULPRIT_SUBJECTS=$tmp/subjects
mkdir -p "$CULPRIT_SUBJECTS"; ln -s "$subjects/tcc" "$subjects/pcc" "$CULPRIT_SUBJECTS/"

make_subject() { # tcc|pcc FILE SED: the subject "faulty"
    local sound=$subjects/$1 tree=$tmp/trees/$1 subject=$CULPRIT_SUBJECTS/faulty file
    [ -d "$tree" ] || { mkdir -p "$tmp/trees"; cp -R "$sound/build" "$tree"; find "$tree" -name '*.o' -delete; }
    sed "$3" "$sound/build/$2" > "$tree/$2"; cmp -s "$sound/build/$2" "$tree/$2" && return 1
    rm -rf "$subject"; mkdir -p "$subject/bin"
    if [ "$1" = tcc ]; then
        make -s -C "$tree" LDFLAGS="-no-pie -Wl,--build-id $sound/sancov.o" tcc && cp "$tree/tcc" "$subject/bin" || return
    else
        cp "$sound"/bin/* "$subject/bin"; make -s -C "$tree/cc/ccom" && cp "$tree/cc/ccom/ccom" "$subject/bin" || return
    fi
    cp "$sound/build/$2" "$tree/$2"
    jq --arg sound "$sound" --arg tree "$tree" --arg bin "$subject/bin" '
        def moved: sub($sound + "/(build|bin)/"; $bin + "/");
        .name = "faulty" | .source_root = $tree | .cc |= map(moved) | .modules |= map(moved)' \
        "$sound/subject.json" > "$subject/subject.json"
}
make_bug() { # NAME COMPILER REFERENCE KIND FILE FUNCTION
    mkdir -p "$tmp/bugs/$1"; cp "$faults/$1.c" "$tmp/bugs/$1/fail.c"
    local run=true; [ "$4" = crash ] && run=false
    jq -n --arg id "$1" --arg cc "$2" --arg ref "$3" --arg kind "$4" --argjson run $run --arg file "$5" --arg function "$6" \
        '{id: $id, compiler: $cc, kind: $kind, run: $run, expected: "",
          fail_cmd: [$cc, "-w", "fail.c", "-o", "a.out"], pass_cmd: [$ref, "-w", "fail.c", "-o", "a.out"],
          files: [$file], functions: [$function], truth_match: "exact"}' > "$tmp/bugs/$1/bug.json"
}
isolate() { run "$culprit" isolate "$tmp/bugs/$1" --subject "$subject" --seed 1 -j2 --json "${@:2}"; }
good=0 total=0
count_rank() { # METHOD NAME FUNCTION: of the result in $out
    local rank; rank=$(jq --arg f "$3" '[.functions[] | select(.function == $f).rank][0] // 999' <<<"$out")
    total=$((total + 1))
    [ "$rank" -le 5 ] && good=$((good + 1)) || echo "# $1 on $2: $3 has rank $rank"
}

while IFS='|' read -r subject name file function; do
    case $subject in tcc) other=pcc;; *) other=tcc;; esac # quick, and right about this program
    make_bug "$name" "$subject" $other wrong-code "$file" "$function"
    isolate "$name" --mutants 120 --guards none
    status_is "the hunted bug $name is isolated" 0
    check "its file is among the first five" test "$(jq --arg f "$file" '[.files[] | select(.file == $f).rank][0] // 999' <<<"$out")" -le 5
    [ -z "$function" ] || count_rank fusion "$name" "$function"
done < "$faults/hunted"

compiler=
while IFS='|' read -r compiler name file function kind change; do
    if ! make_subject "$compiler" "$file" "$change" >"$tmp/make.log" 2>&1; then
        fail "the fault $name is built" "$(tail -n 5 "$tmp/make.log")"; continue
    fi
    subject=faulty
    make_bug "$name" "$compiler" "$compiler" "$kind" "$file" "$function"
    isolate "$name" --mutants 120 --guards none
    status_is "fusion finishes on $name" 0; count_rank fusion "$name" "$function"
    case $name in division) other=diwi;; crash) other=recbi;; *) continue;; esac
    isolate "$name" --method $other --mutants 50
    status_is "$other finishes on $name" 0; count_rank $other "$name" "$function"
    [ $name = crash ] && { cp -R "$CULPRIT_SUBJECTS/faulty" "$CULPRIT_SUBJECTS/last"; sed -i "s/faulty/last/g" "$CULPRIT_SUBJECTS/last/subject.json"; }
done < "$faults/list"
echo "# the guilty function is among the first 5 in $good of $total"
check "the guilty function ranks in the top 5 for most" test $((2 * good)) -gt "$total"

# --- Every method, on the fault that crashes ---
subject=last
cp -R "$tmp/bugs/crash" "$tmp/bugs/last"
for method in diwi-rand recbi-mh recbi-rand recbi-filter dev rand sbfl synth; do
    isolate last --method $method --mutants 15
    status_is "$method runs end to end" 0
    check "$method ranks files" test "$(jq '.files | length' <<<"$out")" -gt 3
done

# --- Developers' tests: those that pass are witnesses, each in its own way ---
mkdir -p "$tmp/suite/compile"
echo 'int main(void) { return 0; }' >"$tmp/suite/runs.c"
echo 'int main(void) { return 3; }' >"$tmp/suite/fails.c"
echo '/* { dg-do run } */ int f(void); int main(void) { return f(); }' >"$tmp/suite/unlinked.c"
echo '/* { dg-do compile } */ int f(void); int main(void) { return f(); }' >"$tmp/suite/compiled.c"
echo 'int x = 7;' >"$tmp/suite/compile/object.c"
echo 'int x = y; /* { dg-error "undeclared" } */' >"$tmp/suite/refused.c"
echo 'int x = y;' >"$tmp/suite/compile/wrong.c"
isolate last --method dev --pool "$tmp/suite"
same "a developers' test is a witness if it passes" \
    "$(jq -r '[.all_witnesses[].change | sub(".*/"; "")] | sort | join(" ")' <<<"$out")" "compiled.c object.c refused.c runs.c"

isolate last --mutants 15
same "the default method says what speaks against a file" \
    "$(jq '.files[0].evidence | has("ordinary") and has("failing")' <<<"$out")" true

check "and in words" jq -e '.files[0].reasons | length > 0' <<<"$out"
run "$culprit" isolate "$tmp/bugs/last" --subject last --mutants 15 --seed 1 --explain
has "--explain prints them" "$out" "   - all "

# --- Sources of a version without the bug: all functions but one are the same ---
IFS='|' read -r compiler name file function kind change < <(grep '|crash|' "$faults/list")
cp -R "$subjects/tcc/build" "$tmp/good"; sed -i "$change" "$tmp/good/$file"
subject=tcc; isolate nested --mutants 15 --guards none --good-source "$tmp/good"; subject=last
check "what has changed since is suspected first" \
    test "$(jq --arg f "$function" '[.functions[] | select(.function == $f).rank][0] // 999' <<<"$out")" -le 3
check "what has not is cleared" jq -e '[.files[].evidence.unchanged] | min < 0.5' <<<"$out"
run "$culprit" isolate "$tmp/bugs/last" --subject last --good-source "$tmp/nowhere"
status_is "sources that are not there" 3; has "are named" "$err" "$tmp/nowhere"

# --- Limits and repeatability ---
isolate last --method recbi --mutants 30
same "every witness has its operator" "$(jq '.statistics.witnesses as $n | [([.all_witnesses[] | select(.operator and .rule)] | length == $n), (.operators | add == $n), $n > 0] | all' <<<"$out")" true
first=$(jq 'del(.statistics)' <<<"$out")
isolate last --method recbi --mutants 30
same "the same seed and one worker give the same result" "$(jq 'del(.statistics)' <<<"$out")" "$first"
same "--mutants stops it" "$(jq -r .statistics.stopped_by <<<"$out")" mutants
isolate last --mutants 30 --record "$tmp/last.rec"
run "$culprit" rank "$tmp/last.rec" --json; status_is "a recording is ranked" 0
same "its ranking is the isolation's" "$(jq -c '[.files[].file]' <<<"$out")" "$(jq -c '[.files[].file]' "$tmp/bugs/last/suspects.json")"
run "$culprit" rank "$tmp/last.rec" --first 5; status_is "of its first programs too" 0; has "in a table" "$out" "Suspicious files"
run "$culprit" rank "$tmp/last.rec" "$tmp/last.rec"; has "several recordings: how rankings converge" "$out" "programs"
head -c 3000 "$tmp/last.rec" >"$tmp/cut.rec"; run "$culprit" rank "$tmp/cut.rec"; status_is "a damaged recording" 3; has "it says so" "$err" "damaged"
run "$culprit" rank "$tmp/bugs/last/bug.json"; status_is "no recording" 3; has "it says how to make one" "$err" "--record"

isolate last --method diwi --witnesses 2 --time 60s
same "--witnesses stops it" "$(jq -r '[.statistics.stopped_by, (.statistics.witnesses >= 2)] | join(" ")' <<<"$out")" "witnesses true"
isolate last --method rand --stable 20 --mutants 400
same "--stable stops any method" "$(jq -r '[.statistics.stopped_by, (.statistics.tested < 400)] | join(" ")' <<<"$out")" \
    "a ranking that moves no more true"
run "$culprit" isolate "$tmp/bugs/last" --subject last --time 2s -j2 -o "$tmp/suspects.json"
status_is "--time stops it" 0
has "the table has the file" "$out" tccgen.c
check "-o writes JSON" jq -e .files "$tmp/suspects.json"
same "with the ranks on the way, one for each snapshot" \
    "$(jq -c '[.history.witnesses[-1] == .statistics.witnesses, (.history.files[0].ranks | length) == (.history.witnesses | length),
        .history.files[0].ranks[-1] == .files[0].rank]' "$tmp/suspects.json")" '[true,true,true]'
check "and the source around the suspects" jq -e '.excerpts[0].lines | map(select(.score == null | not)) | length > 0' "$tmp/suspects.json"
run "$culprit" isolate "$tmp/bugs/last" --subject last --method diwi --witnesses 2 --time 2m
has "witnesses are shown as diffs" "$out" "+++ passing"
"$culprit" isolate "$tmp/bugs/last" --subject last --time 10m >"$tmp/.out" 2>"$tmp/.err" </dev/null & pid=$!
for _ in $(seq 300); do grep -q programs "$tmp/.err" && break; sleep 0.2; done
kill -TERM $pid 2>/dev/null; status=0; wait $pid || status=$?; out=$(cat "$tmp/.out") err=$(cat "$tmp/.err")
status_is "a signal ends it with the ranking so far" 0
has "the ranking after a signal" "$out" "Suspicious files"
# --- RecBi's parameters ---
isolate last --method recbi --mutants 30 --alpha 0 --horizon 2
same "by similarity alone every passing mutant is accepted" "$(jq -c '[.statistics.witnesses == .statistics.passes, .alpha, .horizon]' <<<"$out")" '[true,0,2]'
isolate last --method recbi --mutants 30 --alpha 1
check "by diversity alone there is a first one, and more" test "$(jq '.statistics.witnesses' <<<"$out")" -gt 1
check "DiWi's diversity is reported" test "$(jq '.statistics | .least_distance > 0 and .least_distance <= .diversity' <<<"$out")" = true
run "$culprit" isolate "$tmp/bugs/last" --subject last --alpha 1.5; status_is "a weight beyond 1" 2; has "is refused" "$err" "between 0 and 1"
isolate last --mutants 15 --formula d2; status_is "another formula" 0
run "$culprit" isolate "$tmp/bugs/last" --subject last --mutants 15 --annotate tccgen.c
has "annotated source" "$out" "gen_opic_sdiv"

# --- Bad input: one sentence that says what to do ---
cp -R "$tmp/bugs/last" "$tmp/bugs/sound"; echo 'int main(void) { return 0; }' > "$tmp/bugs/sound/fail.c"
run "$culprit" isolate "$tmp/bugs/sound" --subject last
status_is "a program that does not fail" 3; has "it says so" "$err" "does not fail"
cp -R "$tmp/bugs/last" "$tmp/bugs/both"
jq --arg cc "$CULPRIT_SUBJECTS/last/bin/tcc" '.pass_cmd[0] = $cc' "$tmp/bugs/last/bug.json" > "$tmp/bugs/both/bug.json"
run "$culprit" isolate "$tmp/bugs/both" --subject last
status_is "a program that fails at the reference too" 3; has "it says so" "$err" "reference"
cp -R "$tmp/bugs/last" "$tmp/bugs/noise"; echo '%%% {' > "$tmp/bugs/noise/fail.c"
run "$culprit" isolate "$tmp/bugs/noise" --subject last
status_is "no program at all" 3; has "it says that the compiler rejects it" "$err" "is rejected"
cp -R "$tmp/bugs/nested" "$tmp/bugs/flaky"
echo 'int printf(const char *, ...); int getpid(void); int main(void) { printf("%d\n", getpid()); return 0; }' > "$tmp/bugs/flaky/fail.c"
run "$culprit" isolate "$tmp/bugs/flaky" --subject tcc
status_is "a program that fails only sometimes" 3; has "it says so" "$err" "only sometimes"
mkdir "$CULPRIT_SUBJECTS/plain"
jq --arg tcc "$(command -v tcc)" --arg dir "$CULPRIT_SUBJECTS/plain" '.name = "plain" | .cc = [$tcc] | .modules = [$tcc]' \
    "$CULPRIT_SUBJECTS/last/subject.json" > "$CULPRIT_SUBJECTS/plain/subject.json"
run "$culprit" isolate "$tmp/bugs/last" --subject plain
status_is "an uninstrumented compiler" 3; has "it says what to do" "$err" "-fsanitize-coverage"
done_testing
