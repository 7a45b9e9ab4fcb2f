#!/usr/bin/env bash
# Isolation end to end: the Tiny C compiler with faults put into its source at known places (tests/support/faults), every
# method, every limit, every bad input.
. "$(dirname "$0")/lib.sh"
faults=$(cd "$(dirname "$0")/../support/faults" && pwd)

run "$culprit" isolate; status_is "no bug given" 2
run "$culprit" isolate "$tmp" --subject nowhere; status_is "no such subject" 3
has "it says what to do about the subject" "$err" "subject"
run "$culprit" isolate --list-rules; status_is "rules are listed" 0
check "there are more than a hundred rules" test "$(wc -l <<<"$out")" -gt 100
same "rules as JSON: the operators are RecBi's ten" \
    "$("$culprit" isolate --list-rules --json | jq '[.[].operator] | unique | length')" 10

# --- Subjects: tcc as it is, and one for each fault ---
if ! "$culprit" subject build tcc >"$tmp/build.log" 2>&1; then
    skip "isolation with tcc" "the subject cannot be built: $(tail -n 1 "$tmp/build.log")"; done_testing; exit
fi
sound=$("$culprit" subject info tcc --json | jq -r .dir)
export CULPRIT_SUBJECTS=$tmp/subjects

# One tree takes all faults in turn, so that only the changed file is compiled again.
tree=$CULPRIT_SUBJECTS/faulty
mkdir -p "$CULPRIT_SUBJECTS"; cp -R "$sound/build" "$tree"
make_subject() { # FILE SED
    local file
    for file in "$tree"/*.c; do cmp -s "$sound/build/${file##*/}" "$file" || cp "$sound/build/${file##*/}" "$file"; done
    sed -i "$2" "$tree/$1"
    ! cmp -s "$sound/build/$1" "$tree/$1" &&
        make -s -C "$tree" LDFLAGS="-no-pie -Wl,--build-id $sound/sancov.o" tcc &&
        "$culprit" subject add "$tree" --provider sancov --source "$tree" --cc "$tree/tcc -B/usr/lib/x86_64-linux-gnu/tcc"
}
make_bug() { # NAME KIND
    mkdir -p "$tmp/bugs/$1"; cp "$faults/$1.c" "$tmp/bugs/$1/fail.c"
    local run=true; [ "$2" = crash ] && run=false
    jq -n --arg id "$1" --arg kind "$2" --argjson run $run --arg file "$3" --arg function "$4" \
        '{id: $id, compiler: "tcc", version: "0.9.27", kind: $kind, run: $run, expected: "",
          fail_cmd: ["tcc", "fail.c", "-o", "a.out"], pass_cmd: ["tcc", "fail.c", "-o", "a.out"],
          files: [$file], functions: [$function], truth_match: "exact"}' > "$tmp/bugs/$1/bug.json"
}
function_rank() { jq --arg f "$1" '[.functions[] | select(.function == $f).rank][0] // 999' <<<"$out"; }

isolate() { run "$culprit" isolate "$tmp/bugs/$1" --subject faulty --seed 1 -j1 --json "${@:2}"; }

good=0 total=0
while IFS='|' read -r name file function kind change; do
    if ! make_subject "$file" "$change" >"$tmp/make.log" 2>&1; then
        fail "the fault $name is built" "$(tail -n 5 "$tmp/make.log")"; continue
    fi
    make_bug "$name" "$kind" "$file" "$function"
    case $name in division|crash) other=diwi;; *) other=recbi;; esac # a paper's method for each fault
    for method in $other fusion; do
        isolate "$name" --method $method --mutants 50
        status_is "$method finishes on $name" 0
        rank=$(function_rank "$function"); total=$((total + 1))
        [ "$rank" -le 5 ] && good=$((good + 1)) || echo "# $method on $name: $function has rank $rank"
    done
done < "$faults/list"
echo "# the guilty function is among the first 5 in $good of $total"
check "the guilty function ranks in the top 5 for most" test $((2 * good)) -gt "$total"

# --- Every method, on the last fault ---
cp -R "$tmp/bugs/crash" "$tmp/bugs/last"
for method in diwi-rand recbi-mh recbi-rand recbi-filter dev rand sbfl synth; do
    isolate last --method $method --mutants 15
    status_is "$method runs end to end" 0
    check "$method ranks files" test "$(jq '.files | length' <<<"$out")" -gt 3
done

isolate last --mutants 15
same "the default method says what speaks against a file" \
    "$(jq '.files[0].evidence | has("ordinary") and has("failing")' <<<"$out")" true

# --- Limits and repeatability ---
isolate last --method recbi --mutants 30; first=$(jq 'del(.statistics)' <<<"$out")
isolate last --method recbi --mutants 30
same "the same seed and one worker give the same result" "$(jq 'del(.statistics)' <<<"$out")" "$first"
same "--mutants stops it" "$(jq -r .statistics.stopped_by <<<"$out")" mutants
isolate last --method diwi --witnesses 2 --time 60s
same "--witnesses stops it" "$(jq -r '[.statistics.stopped_by, (.statistics.witnesses >= 2)] | join(" ")' <<<"$out")" "witnesses true"
run "$culprit" isolate "$tmp/bugs/last" --subject faulty --time 2s -j2 -o "$tmp/suspects.json"
status_is "--time stops it" 0
has "the table has the file" "$out" tccgen.c
check "-o writes JSON" jq -e .files "$tmp/suspects.json"
run "$culprit" isolate "$tmp/bugs/last" --subject faulty --method diwi --witnesses 2 --time 2m
has "witnesses are shown as diffs" "$out" "+++ passing"
"$culprit" isolate "$tmp/bugs/last" --subject faulty --time 10m >"$tmp/.out" 2>"$tmp/.err" </dev/null & pid=$!
for _ in $(seq 300); do grep -q programs "$tmp/.err" && break; sleep 0.2; done
kill -TERM $pid 2>/dev/null; status=0; wait $pid || status=$?; out=$(cat "$tmp/.out") err=$(cat "$tmp/.err")
status_is "a signal ends it with the ranking so far" 0
has "the ranking after a signal" "$out" "Suspicious files"
isolate last --mutants 15 --formula d2; status_is "another formula" 0
run "$culprit" isolate "$tmp/bugs/last" --subject faulty --mutants 15 --annotate tccgen.c
has "annotated source" "$out" "gen_opic_sdiv"

# --- Bad input: one sentence that says what to do ---
cp -R "$tmp/bugs/last" "$tmp/bugs/sound"; echo 'int main(void) { return 0; }' > "$tmp/bugs/sound/fail.c"
run "$culprit" isolate "$tmp/bugs/sound" --subject faulty
status_is "a program that does not fail" 3; has "it says so" "$err" "does not fail"
cp -R "$tmp/bugs/last" "$tmp/bugs/both"
jq --arg cc "$tree/tcc" '.pass_cmd[0] = $cc' "$tmp/bugs/last/bug.json" > "$tmp/bugs/both/bug.json"
run "$culprit" isolate "$tmp/bugs/both" --subject faulty
status_is "a program that fails at the reference too" 3; has "it says so" "$err" "reference"
cp -R "$tmp/bugs/last" "$tmp/bugs/noise"; echo '%%% {' > "$tmp/bugs/noise/fail.c"
run "$culprit" isolate "$tmp/bugs/noise" --subject faulty; status_is "no program at all" 3
mkdir "$CULPRIT_SUBJECTS/plain"
jq --arg tcc "$(command -v tcc)" --arg dir "$CULPRIT_SUBJECTS/plain" '.name = "plain" | .cc = [$tcc] | .modules = [$tcc]' \
    "$tree/subject.json" > "$CULPRIT_SUBJECTS/plain/subject.json"
run "$culprit" isolate "$tmp/bugs/last" --subject plain
status_is "an uninstrumented compiler" 3
done_testing
