#!/usr/bin/env bash
# culprit replay: hand-made bugs that reproduce and that do not; the directory stays as it is.
. "$(dirname "$0")/lib.sh"
cd "$tmp" || exit 1

# bug NAME KIND FAIL PASS: a bug directory around test/a.c.
bug() {
    mkdir -p "$1/test"; cp a.c "$1/test/"
    jq -n --arg id "$1" --arg kind "$2" --arg fail "$3" --arg pass "$4" '{id: $id, compiler: "gcc", version: "1", kind: $kind,
        fail_cmd: ($fail | split(" ")), pass_cmd: ($pass | split(" ")), run: ($kind == "wrong-code")}' >"$1/bug.json"
}
printf '#include <stdio.h>\nint main(void) { puts(X); return 0; }\n' >a.c
bug real wrong-code 'gcc -DX="1" test/a.c -o a.out' 'gcc -DX="2" test/a.c -o a.out'
bug fixed wrong-code 'gcc -DX="1" test/a.c -o a.out' 'gcc -DX="1" test/a.c -o a.out'
bug refused rejects-valid 'gcc -DX=( test/a.c -o a.out' 'gcc -DX="1" test/a.c -o a.out'
before=$(find real -type f | sort | xargs cksum)

run "$culprit" replay real; status_is "one that reproduces" 1; has "says so" "$out" "real: wrong-code reproduces"
run "$culprit" replay fixed; status_is "one that does not" 0; has "says so too" "$out" "does not reproduce"
run "$culprit" replay refused; status_is "a rejection reproduces" 1
run "$culprit" replay fixed real; status_is "one of several is enough" 1
run "$culprit" replay . --json; same "all below a directory, as JSON" "$(jq -c '[.[] | .reproduces]' <<<"$out")" '[false,true,true]'
same "nothing is written into the bug" "$(find real -type f | sort | xargs cksum)" "$before"
mkdir outside; cp a.c secret.c; cp -r real outside/climbs; sed -i 's|test/a.c|../secret.c|g' outside/climbs/bug.json; cp secret.c outside/
for command in replay reduce triage "isolate --subject stock:gcc-12"; do
    run "$culprit" $command outside/climbs; status_is "$command refuses a test outside the bug's directory" 3
    has "with a sentence" "$err" "names ../secret.c, which lies outside its directory"
done
run "$culprit" replay nowhere; status_is "a missing directory is an error" 3
run "$culprit" replay; status_is "no bug is a usage error" 2
done_testing
