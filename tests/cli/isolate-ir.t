#!/usr/bin/env bash
# culprit isolate on LLVM IR: mutants of IR, the passes of opt, and programs of a pool, with the installed opt as it is.
. "$(dirname "$0")/lib.sh"
export CULPRIT_SUBJECTS=$tmp/subjects
cd "$tmp" || exit 1

# instcombine of LLVM 14 crashes on a shift by a negative number, where demanded bits decide.
cat >fail.ll <<'EOT'
define i64 @shift(i32 %n, i1 %c) {
start:
  br i1 %c, label %negative, label %done
negative:
  %s = ashr i32 %n, -5
  %w = sext i32 %s to i64
  br label %done
done:
  %v = phi i64 [ 7, %start ], [ %w, %negative ]
  %m = and i64 %v, -33
  ret i64 %m
}
EOT
mkdir pool
printf 'define i32 @f(i32 %%x) {\n  %%y = mul i32 %%x, 6\n  ret i32 %%y\n}\n' >pool/one.ll
printf 'define i1 @f(i8 %%x) {\n  %%y = icmp eq i8 %%x, 6\n  ret i1 %%y\n}\n' >pool/two.ll
isolate() { run "$culprit" isolate -q fail.ll --fail -passes=instcombine --subject stock:opt-14 -j2 --seed 1 "$@"; }
kinds() { jq -r '[.witnesses[].kind] | unique | join(" ")' <<<"$out"; }

isolate --mutants 60 --json
status_is "a crash of opt is isolated" 0
same "mutants tell most" "$(kinds)" mutants
has "they are edits of IR" "$(jq -r '.witnesses[].change' <<<"$out")" "becomes"
same "some mutants fail" "$(jq '.statistics.fails > 0' <<<"$out")" true
same "few are invalid" "$(jq '.statistics.invalid < 15' <<<"$out")" true
isolate --mutants 1 --json
same "a pass that is left out is a witness, one step away" "$(kinds)" steps
has "and named" "$(jq -r '.witnesses[].change' <<<"$out")" "-opt-bisect-limit=0"
blocks=$(jq .statistics.failing_statements <<<"$out")
isolate --mutants 1 --json --subject stock-functions:opt-14
same "opt is traced block by block, and by functions on request" "$(jq "2 * .statistics.failing_statements < $blocks and .statistics.failing_statements > 1000" <<<"$out")" true
isolate --method dev --pool pool --json
same "so are other programs" "$(kinds)" ordinary
same "all of the pool" "$(jq .statistics.passes <<<"$out")" 2
isolate --method recbi --mutants 30
status_is "the papers' methods take mutants of IR too" 0
isolate --method dev
status_is "a method of programs alone needs some" 3
has "and says so" "$err" "give LLVM's tests with --pool"
isolate --pool "$tmp/subjects"
has "a pool of other programs is refused" "$err" "has no .ll files"
run "$culprit" isolate fail.ll --fail -passes=instcombine --subject stock:tcc
has "a compiler without opt cannot stand in" "$err" "has no opt for fail.ll"
# A mistyped pass is refused for every module, at once.
run "$culprit" isolate fail.ll --fail -passes=nonsense --subject stock:opt-14; status_is "a mistyped pass" 2
has "opt's complaint is quoted" "$err" "unknown pass name 'nonsense'"
# A bug of passes that was found in C: the module that the front end makes is what is varied.
mkdir -p found/test; echo 'int main(void) { return 0; }' >found/test/program.c
jq -n '{id: "found", kind: "crash", front_cmd: ["clang-14", "-O0", "-Xclang", "-disable-O0-optnone", "-emit-llvm", "-c", "test/program.c", "-o", "test.bc"],
        fail_cmd: ["opt-14", "-passes=function(chr)", "test.bc", "-o", "out.bc"], pass_cmd: ["opt-14", "-passes=verify", "test.bc", "-o", "out.bc"]}' >found/bug.json
run "$culprit" isolate -q found --subject stock:opt-14 --mutants 5 --seed 1 -o found.json; status_is "a crash of opt on a C program is isolated" 0
check "on its module, whose mutants still crash" jq -e '.statistics.fails > 0 and (.functions | length) > 0' found.json
# Where only the subject shows the bug, as one with assertions may, triage asks the subject: here the bug's own opt verifies and no more.
mkdir elsewhere bin; cp fail.ll elsewhere
printf '#!/bin/sh\nexec opt-14 -passes=verify -S fail.ll -o /dev/null\n' >bin/opt-98; chmod +x bin/opt-98; PATH=$tmp/bin:$PATH
jq -n '{id: "elsewhere", kind: "crash", fail_cmd: ["opt-98", "-passes=instcombine", "-S", "fail.ll", "-o", "/dev/null"]}' >elsewhere/bug.json
run "$culprit" isolate -q elsewhere --subject stock:opt-14 --mutants 2 --seed 1 -o elsewhere.json --record elsewhere.rec
check "triage names the pass by the subject" grep -aq '"named", 1, "llvm/lib/Transforms/InstCombine' elsewhere.rec
done_testing
