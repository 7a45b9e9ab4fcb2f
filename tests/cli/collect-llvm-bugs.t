#!/usr/bin/env bash
# tools/collect-llvm-bugs on a made-up tree of tests, with an opt that dies of a word.
. "$(dirname "$0")/lib.sh"
tools=$(cd "$(dirname "$0")/../../tools" && pwd)
opt=$(command -v opt-14) || { skip "collecting crashes of opt" "no opt-14 here"; done_testing; exit; }
cd "$tmp" || exit 1
mkdir bin; export PATH=$tmp/bin:$PATH CULPRIT=$culprit
printf '#!/bin/sh\nfor word; do case $word in *.ll) grep -q CRASHES "$word" && { echo "PLEASE submit a bug report to x" >&2; echo "Stack dump:" >&2; kill -ABRT $$; } ;; esac; done\nexec %s "$@"\n' "$opt" >bin/opt-98
printf '#!/bin/sh\nexec %s "$@"\n' "$opt" >bin/opt-99; chmod +x bin/*
mkdir -p tree/llvm/test/Transforms/{GVN,LICM/AArch64}
body='define i32 @f(i32 %a) { ret i32 %a }'
put() { printf '%s\n' "${@:2}" "$body" >"tree/llvm/test/Transforms/$1"; }
put GVN/dies.ll '; RUN: opt < %s -passes=gvn -S | FileCheck %s' '; CRASHES'
put GVN/sound.ll '; RUN: opt < %s -passes=gvn -S | FileCheck %s'
put GVN/twice.ll '; RUN: opt < %s -passes=gvn -S' '; RUN: opt < %s -passes=licm -S' '; CRASHES'
put GVN/asserts.ll '; REQUIRES: asserts' '; RUN: opt < %s -passes=gvn -S' '; CRASHES'
put LICM/AArch64/other.ll '; RUN: opt < %s -passes=licm -S' '; CRASHES'
run "$tools/collect-llvm-bugs" 98 99 tree set; status_is "a set is made" 0
same "of what crashes the old one alone" "$(ls -d set/*/)" "set/llvm98-GVN-dies/"
same "with its options" "$(jq -c .fail_cmd set/llvm98-GVN-dies/bug.json)" '["opt-98","-passes=gvn","fail.ll","-S","-o","/dev/null"]'
run "$culprit" replay set -q; status_is "it reproduces" 1
same "every other test has its reason" "$(cut -f2 set/rejected.tsv)" "needs a special build
does not crash opt-98
has 2 commands
for another target"
run "$tools/collect-llvm-bugs" 98 99 . set; status_is "no tests there" 3; has "it says what to give" "$err" "source tree"
done_testing
