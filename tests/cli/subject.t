#!/usr/bin/env bash
# culprit subject: recipes, builds that go on after an interrupt, registered builds.
. "$(dirname "$0")/lib.sh"
export CULPRIT_SUBJECTS=$tmp/subjects

run "$culprit" subject list
status_is "list without subjects" 0
has "list shows recipes" "$out" "gcc-11"
run "$culprit" subject list --json
same "list --json names the state" "$(jq -r '.[] | select(.name == "tcc") | .state' <<<"$out")" recipe

run "$culprit" subject build nonsense
status_is "an unknown recipe fails" 3
has "and says where recipes are listed" "$err" "culprit subject list"
run "$culprit" subject info nothing
status_is "an unknown subject fails" 3
has "and says what else there is" "$err" "stock:nothing"
run "$culprit" subject add "$tmp"
status_is "add wants a provider" 2
run "$culprit" subject add "$tmp" --provider gcov
status_is "add wants a command" 2
run "$culprit" subject add "$tmp" --provider sancov --cc x
status_is "add refuses a directory without instrumented programs" 3
has "and says how to make them" "$err" "-fsanitize-coverage"
run "$culprit" subject bake tcc
status_is "an unknown verb is a usage error" 2

# A recipe of our own: too large for any disk, then one that is interrupted and goes on.
mkdir -p "$tmp/runtime/subjects"
cp -R "$BUILD/lib/culprit/." "$tmp/runtime"
recipe() { printf 'about="test"\ndisk=%s\nmemory=1MiB\nstages="first second"\n%s\n' "$1" "$2" > "$tmp/runtime/subjects/mine"; }
build() { CULPRIT_RUNTIME=$tmp/runtime run "$culprit" subject build mine "$@"; }
recipe 9000TiB 'first() { :; }; second() { :; }'
build
status_is "too little disk is noticed first" 3
has "and said with numbers" "$err" "of disk"
[ -e "$CULPRIT_SUBJECTS/mine/source" ] && fail "nothing was started" || pass "nothing was started"

recipe 1MiB 'first() { echo one >> count; }; second() { touch reached; sleep 60; }'
CULPRIT_RUNTIME=$tmp/runtime "$culprit" subject build mine >"$tmp/log" 2>&1 &
pid=$!
for _ in $(seq 300); do [ -e "$CULPRIT_SUBJECTS/mine/reached" ] && break; sleep 0.1; done
kill -INT $pid; wait $pid; status=$?
same "an interrupt ends the build" "$status" 130
has "and says how to go on" "$(cat "$tmp/log")" "the same command goes on"
recipe 1MiB 'first() { echo one >> count; }; second() { exit 1; }'
build
has "a failed stage is named" "$err" '"second" failed'
has "with its log" "$err" "build.log"
recipe 1MiB 'first() { :; }; second() { false; touch behind; }'
build
has "a command that fails ends its stage" "$err" '"second" failed'
[ -e "$CULPRIT_SUBJECTS/mine/behind" ] && fail "nothing behind it runs" || pass "nothing behind it runs"
same "finished stages are not repeated" "$(wc -l < "$CULPRIT_SUBJECTS/mine/count" | tr -d ' ')" 1

# A gcov build that the user has.
if command -v gcc >/dev/null; then
    mkdir "$tmp/mycc"
    printf 'int unused(void) { return 1; }\nint main(int c, char **v) {\n  if (c > 2)\n    return 3;\n  return v[0] == 0;\n}\n' > "$tmp/mycc/cc.c"
    (cd "$tmp/mycc" && gcc --coverage -g -c cc.c && gcc --coverage cc.o -o cc)
    run "$culprit" subject add "$tmp/mycc" --provider gcov --cc "$tmp/mycc/cc" --name mine
    status_is "add a gcov build" 0
    has "its functions are counted" "$out" "functions  2"
    run "$culprit" subject info mine --json
    same "info --json" "$(jq -r '"\(.provider) \(.files) \(.units)"' <<<"$out")" "gcov 1 5"
    run "$culprit" cover --subject mine -- a
    same "cover prints what ran" "$out" $'cc.c:2 main\ncc.c:3 main\ncc.c:5 main'
    has "with a summary" "$err" "; the compiler ended with status 0"
    run "$culprit" cover --subject mine --json -- a b
    same "cover --json" "$(jq -c '[.exit_code, .units_covered, [.covered[].line]]' <<<"$out")" "[3,3,[2,3,4]]"
    run "$culprit" cover --subject mine --functions -- a
    same "cover --functions" "$out" "cc.c:2 main"
    run "$culprit" cover -- a
    status_is "cover without a subject is a usage error" 2
fi
# Programs other than compilers, and their versions.
if command -v clang-14 opt-14 >/dev/null; then
    mkdir "$tmp/myopt"
    echo 'int main(void) { return 0; }' > "$tmp/myopt/x.c"
    clang-14 -g -fsanitize-coverage=inline-bool-flag,pc-table -fno-sanitize-link-runtime -Wl,--build-id \
        "$tmp/myopt/x.c" "$BUILD/lib/culprit/sancov.o" -o "$tmp/myopt/x"
    run "$culprit" subject add "$tmp/myopt" --provider sancov --cc opt-14 --name myopt
    status_is "add an opt" 0
    same "it is called as opt, and its version is known" \
        "$(jq -r '"\(.opt[0]) \(.version) \(.cc)"' "$CULPRIT_SUBJECTS/myopt/subject.json")" "opt-14 14.0.6 null"
    run "$culprit" subject add "$tmp/myopt" --provider sancov --cc '' --name myopt
    status_is "an empty command is a usage error" 2
fi
done_testing
