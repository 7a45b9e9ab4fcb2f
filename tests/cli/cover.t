#!/usr/bin/env bash
# culprit cover on tcc and pcc, built for both providers from the distribution's sources: what ran agrees with gcov and
# from provider to provider, repeats exactly, and survives crashes.
. "$(dirname "$0")/lib.sh"
export CULPRIT_SUBJECTS=${CULPRIT_TEST_SUBJECTS:-$tmp/subjects}

cat > "$tmp/a.c" <<'C'
int f(int a, int b) { int s = 0; for (int i = 0; i < a; i++) { if (i & 1) s += b; else s ^= i << 2; } return s; }
struct s { char c; double d; } g = { 'x', 2.5 };
int main(void) { return f(10, 3) + (int)g.d; }
C

for compiler in tcc pcc; do
    for provider in sancov gcov; do
        name=$compiler; [ $provider = gcov ] && name+=-gcov
        run "$culprit" subject build $compiler --provider $provider
        if grep -q 'could not be fetched' "$CULPRIT_SUBJECTS/$name/build.log" 2>/dev/null; then
            skip "build $name" "the distribution's archive is out of reach"
            continue 2
        fi
        status_is "build $name" 0
        has "$name says how it was made" "$out" "recipe: $compiler"
        for time in first again; do
            run "$culprit" cover --subject $name -- -c "$tmp/a.c" -o "$tmp/a.o"
            echo "$out" > "$tmp/$name.$time"
        done
        status_is "cover with $name" 0
        same "$name covers the same twice" "$(cksum < "$tmp/$name.again")" "$(cksum < "$tmp/$name.first")"
        "$culprit" cover -q --subject $name --functions -- -c "$tmp/a.c" -o "$tmp/a.o" | sed 's/:[0-9]* / /' | sort > "$tmp/$name.functions"
    done

    # Functions that one provider sees and the other does not: at most a few small ones, whose lines the optimisers of
    # the two builds merged into others.
    both=$(comm -12 "$tmp/$compiler.functions" "$tmp/$compiler-gcov.functions" | wc -l)
    apart=$(comm -3 "$tmp/$compiler.functions" "$tmp/$compiler-gcov.functions" | wc -l)
    [ "$both" -gt 200 ] && [ $((apart * 12)) -lt "$both" ] && pass "$compiler: both providers see the same functions" ||
        fail "$compiler: both providers see the same functions" "$both in both, $apart in one" \
             "$(comm -3 "$tmp/$compiler.functions" "$tmp/$compiler-gcov.functions")"

    # gcov itself, on the same run: it may miss lines that ran (docs/coverage.md), never the other way round.
    root=$CULPRIT_SUBJECTS/$compiler-gcov
    mapfile -t cc < <(jq -r '.cc[]' "$root/subject.json")
    rm -rf "$tmp/counts"
    GCOV_PREFIX=$tmp/counts setarch -R "${cc[@]}" -c "$tmp/a.c" -o "$tmp/a.o"
    (cd "$tmp/counts" && find . -name '*.gcda') | while read -r file; do
        cp "/${file%.gcda}.gcno" "$tmp/counts/${file%/*}"
        (cd "$(dirname "/$file")" && gcov --json-format --stdout "$tmp/counts/$file" 2>/dev/null)
    done | jq -r --arg root "$root/build/" '.current_working_directory as $dir | .files[] | .file as $file | .lines[] | select(.count > 0)
        | "\(if $file | startswith("/") then $file else $dir + "/" + $file end):\(.line_number)" | ltrimstr($root)' |
        sed -E ':again; s,[^/]+/\.\./,,; t again' | sort -u > "$tmp/theirs"
    cut -d' ' -f1 "$tmp/$compiler-gcov.first" | sort -u > "$tmp/ours"
    missed=$(comm -23 "$tmp/theirs" "$tmp/ours" | wc -l) more=$(comm -13 "$tmp/theirs" "$tmp/ours" | wc -l)
    [ "$(wc -l < "$tmp/theirs")" -gt 1000 ] && pass "$compiler: gcov tells lines" || fail "$compiler: gcov tells lines"
    [ "$missed" = 0 ] && pass "$compiler: every line that gcov saw running" || fail "$compiler: every line that gcov saw running" "$(comm -23 "$tmp/theirs" "$tmp/ours" | head)"
    [ $((more * 100)) -lt "$(wc -l < "$tmp/ours")" ] && pass "$compiler: less than a percent of lines that gcov drops" ||
        fail "$compiler: less than a percent of lines that gcov drops" "$more: $(comm -13 "$tmp/theirs" "$tmp/ours" | head)"

    # A compiler out of memory still tells; with gcov a killed one cannot, and culprit says so.
    run "$culprit" cover --subject $compiler --memory 3MiB -- -c "$tmp/a.c" -o "$tmp/a.o"
    status_is "$compiler out of memory: coverage is delivered" 0
done

if [ -e "$CULPRIT_SUBJECTS/tcc-gcov/subject.json" ]; then
    mkfifo "$tmp/never"
    run "$culprit" cover --subject tcc --time 1s -- -c "$tmp/never" -o "$tmp/a.o"
    has "killed: sancov delivers" "$out" "tcc.c"
    has "and says that the limit struck" "$err" "limit of time"
    run "$culprit" cover --subject tcc-gcov --time 1s -- -c "$tmp/never" -o "$tmp/a.o"
    status_is "killed: gcov cannot" 3
    has "and says why" "$err" "only when a program exits by itself"
fi
# --- Unions ---
mkdir "$tmp/inputs"
echo 'int f(int x) { return x + 1; }' >"$tmp/inputs/a.c"
echo 'double f(double x) { switch ((int)x) { case 1: return 2; default: return x * 3; } }' >"$tmp/inputs/b.c"
echo 'int f(' >"$tmp/inputs/wrong.c"
union() { run "$culprit" cover --subject tcc --json "$@" -- -c -o out.o; }
if [ -d "$CULPRIT_SUBJECTS/tcc" ]; then
    union --union "$tmp/inputs/a.c" --save "$tmp/a"; status_is "a union of one" 0; a=$out
    "$culprit" cover --subject tcc --json -- -c "$tmp/inputs/a.c" -o "$tmp/out.o" >"$tmp/one"
    same "covers what the input covers" "$(jq -c '[.lines_covered, .functions_covered]' <<<"$a")" "$(jq -c '[.units_covered, .functions_covered]' "$tmp/one")"
    union --union "$tmp/inputs/b.c" --save "$tmp/b"; b=$out
    union --union "$tmp/inputs"; status_is "a union of a folder" 0; all=$out
    same "has all inputs, and says who was refused" "$(jq -c '[.inputs, .refused]' <<<"$all")" '[3,1]'
    check "covers more than each" test "$(jq .lines_covered <<<"$all")" -gt "$(jq .lines_covered <<<"$b")"
    check "edges too" test "$(jq .edges_covered <<<"$all")" -gt "$(jq .edges_covered <<<"$b")"
    same "folders add up" "$(jq '([.folders[].lines] | add) == .lines and ([.folders[].edges_covered] | add) == .edges_covered' <<<"$all")" true
    union --union "$tmp/inputs/b.c" --union "$tmp/inputs/wrong.c" --add "$tmp/a"
    same "saved ones can be added" "$(jq -c '[.inputs, .lines_covered, .edges_covered]' <<<"$out")" "$(jq -c '[.inputs, .lines_covered, .edges_covered]' <<<"$all")"
    union --add "$tmp/a" --add "$tmp/b"; status_is "also without an input" 0
    union --add "$tmp/inputs/a.c"; status_is "what is no saved union" 3; has "is refused" "$err" "--save"
    union --union "$tmp/nowhere"; status_is "a path that is not there" 3
    run "$culprit" cover --subject tcc --union "$tmp/inputs" -- -c -o out.o; has "the table has the sum" "$out" "all "
fi
done_testing
