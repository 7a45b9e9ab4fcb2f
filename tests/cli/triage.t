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
if triage llvm14-opt-gvn-gh66484 opt-14; then
    same "opt: the pass" "$(guilty pass)" GVNPass
fi

if triage llvm19-opt-gvnsink-pr138345 opt-19; then
    same "opt: the pass behind which its own checks fail" "$(guilty damaged_by)" GVNSinkPass
fi

# Debug counters need an LLVM built with assertions, which distributions do not ship: a stand-in with the options and the
# output of LLVM's DebugCounter.cpp, whose pass 4 fails at the seventh visit. Both notations.
stand_in() { # VERSION KIND DIES
    mkdir -p "$tmp/llvm$1"; cat >"$tmp/llvm$1/opt-$1" <<SH
#!/bin/bash
pass=9 visits=2000000000 counting= print=
list() { [ ! \$print ] || [ ! \$counting ] || printf 'Counters and values:\\ndce-one  : {0,0,-1}\\ngvn-visit  : {20,0,5}\\n' >&2; }
for word; do case \$word in
    --version) echo "LLVM version $1.0.0"; echo "  Optimized build with assertions."; exit ;;
    -help-hidden) printf '  -debug-counter   - list\\n    =dce-one    -   Controls\\n    =gvn-visit  -   Controls\\n  --other\\n'; exit ;;
    -opt-bisect-limit=-1) for i in 1 2 3 4 5; do echo "BISECT: running pass (\$i) P\$i on f" >&2; done ;;
    -opt-bisect-limit=*) pass=\${word#*=} ;;
    -debug-counter=gvn-visit-skip=0,gvn-visit-count=*) visits=\${word##*=} counting=yes ;;
    -debug-counter=gvn-visit=0-*) visits=\$((\${word##*-} + 1)) counting=yes ;;
    -debug-counter=gvn-visit=*) visits=0 counting=yes ;;
    -debug-counter=*) counting=yes ;;
    -print-debug-counter) print=yes ;;
esac; done
if [ \$pass -ge 4 ] && [ \$visits -ge 7 ]; then $3; fi
list
SH
    chmod +x "$tmp/llvm$1/opt-$1"
    mkdir -p "$tmp/counted$1"; echo "define void @f() { ret void }" >"$tmp/counted$1/t.ll"
    jq -n --arg opt "$tmp/llvm$1/opt-$1" --arg id "counted$1" --arg kind "$2" '{$id, $kind, compiler: "opt", version: "1", run: false,
        fail_cmd: [$opt, "-passes=gvn", "t.ll"], pass_cmd: [$opt, "-opt-bisect-limit=0", "t.ll"]}' >"$tmp/counted$1/bug.json"
    run "$culprit" triage --dry-run --no-versions --json "$tmp/counted$1"; json=$(jq '.[0]' <<<"$out")
    same "LLVM $1: pass, counter, transformation" "$(guilty pass) $(guilty number) $(guilty counter) $(guilty transformation)" "P4 4 gvn-visit 7"
}
stand_in 14 crash 'echo "UNREACHABLE executed at GVN.cpp:9!" >&2; kill -ABRT $$' # before it lists anything
stand_in 19 rejects-valid 'list; echo "error: no" >&2; exit 1'

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
