#!/usr/bin/env bash
# Triage of real bugs of the installed GCC and LLVM, from the bug set where it is there.
. "$(dirname "$0")/lib.sh"
bugs=${CULPRIT_BUGS:-../shared/bugs}

run "$culprit" triage; status_is "no bug given" 2
run "$culprit" triage "$tmp"; status_is "a directory without bugs is a failure" 3

triage() { # BUG COMPILER: $json is its triage
    if [ ! -d "$bugs/$1" ]; then skip "triage of $1" "no bug set at $bugs"; return 1; fi
    if ! command -v "$2" >/dev/null; then skip "triage of $1" "no $2 here"; return 1; fi
    run "$culprit" triage --dry-run --no-versions --json "$bugs/$1"; json=$(jq '.[0]' <<<"$out")
    status_is "triage of $1" 0
}
guilty() { jq -r ".guilty.$1" <<<"$json"; }

if triage gcc11-pr106421 gcc-11; then
    same "a crash: the pass that GCC names" "$(guilty pass)" rtl-cprop
    same "a crash: the flag" "$(guilty flag)" -fgcse
fi
if triage gcc11-pr103037 gcc-11; then
    same "wrong code: the pass" "$(guilty pass)" tree-pre
    check "passing configurations are recorded" test "$(jq '.passing | length' <<<"$json")" -gt 5
fi
if triage llvm14-opt-instcombine-pr56424 opt-14; then
    same "opt: the pass" "$(guilty pass)" InstCombinePass
fi

if [ -d "$bugs/gcc11-pr106421" ] && command -v gcc-11 >/dev/null; then
    cp -r "$bugs/gcc11-pr106421" "$tmp/one"; cp -r "$bugs/gcc11-pr106421" "$tmp/two"; rm -f "$tmp"/.out
    chmod -R u+w "$tmp/one" "$tmp/two"
    mkdir "$tmp/set"; mv "$tmp/one" "$tmp/two" "$tmp/set"
    run "$culprit" triage --no-versions "$tmp/set"
    has "duplicates form one cluster" "$out" "2 bugs in 1 clusters"
    same "bug.json has the pass" "$(jq -r .triage.guilty.pass "$tmp/set/one/bug.json")" rtl-cprop
    same "what bug.json had stays" "$(jq -r .truth_match "$tmp/set/one/bug.json")" exact
fi
done_testing
