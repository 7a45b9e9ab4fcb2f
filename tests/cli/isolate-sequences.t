#!/usr/bin/env bash
# culprit isolate --method locseq: bug-free pass sequences, by the fork server and by processes of opt.
#
# The fork server wants an instrumented libLLVM, which takes an hour to build. Here a small library stands before the real
# LLVM 14: it is instrumented, has "passes" of its own with a bug of their order, and hands every pipeline on to LLVM.
. "$(dirname "$0")/lib.sh"
real=${CULPRIT_SUBJECTS:-${XDG_CACHE_HOME:-$HOME/.cache}/culprit/subjects}/llvm-19-passes
real_bug=$(realpath -m "${CULPRIT_BUGS:-../shared/bugs}/llvm19-opt-lsr-pr76504")

# --- The instrumented LLVM 19, where it was built ---
if ! [ -e "$real/subject.json" ]; then
    skip "locseq on the instrumented LLVM 19" "there is no subject llvm-19-passes"
elif ! [ -e "$real_bug/bug.json" ]; then
    skip "locseq on the instrumented LLVM 19" "there is no bug set; set CULPRIT_BUGS"
else
    run "$culprit" isolate "$real_bug" --subject "$real" --method locseq --mutants 150 --seed 1 -q --json -o "$tmp/real.json"
    status_is "locseq on the instrumented LLVM 19" 0
    lacks "by the fork server" "$err" "process of opt"
    same "bug-free sequences are found" "$(jq '.statistics.passes > 50' <<<"$out")" true
    same "the guilty file is among the first three" \
        "$(jq '[.files[:3][].file] | any(. == "llvm/lib/Transforms/Scalar/LoopStrengthReduce.cpp")' <<<"$out")" true
fi

# --- A small library before LLVM 14 ---
export CULPRIT_SUBJECTS=$tmp/subjects XDG_CACHE_HOME=$tmp/cache
cd "$tmp" || exit 1
llvm=/usr/lib/llvm-14

mkdir toy
# gvn relies on what adce leaves; licm before it, with no adce between, breaks that. The fault is in toy/licm.c, the
# assertion in toy/gvn.c.
cat >toy/toy.h <<'EOT'
extern int dirty;
void run_sroa(void); void run_licm(void); void run_gvn(void); void run_adce(void); void run_others(int n); void report(void);
EOT
printf '#include "toy.h"\nvoid run_sroa(void) {\n    dirty |= 1;\n}\n' >toy/sroa.c
cat >toy/licm.c <<'EOT'
#include "toy.h"
void run_licm(void) {
    if (!(dirty & 2))
        dirty |= 4;
    else
        dirty |= 8;
}
EOT
cat >toy/gvn.c <<'EOT'
#include <assert.h>
#include "toy.h"
void run_gvn(void) {
    dirty |= 16;
    assert(!(dirty & 4) && "the cache is stale");
    dirty &= ~1;
}
EOT
printf '#include "toy.h"\nvoid run_adce(void) {\n    dirty = 2;\n}\n' >toy/adce.c
printf '#include "toy.h"\nvoid run_others(int n) {\n    for (; n > 0; n--)\n        dirty |= 32;\n}\n' >toy/others.c
cat >toy/run.c <<'EOT'
#include <dlfcn.h>
#include <string.h>
#include "toy.h"
int dirty;
typedef void *(*Run)(void *, const char *, void *, void *);
void *LLVMRunPasses(void *module, const char *passes, void *machine, void *options) {
    for (const char *at = passes; *at; at++) {
        if (at > passes && at[-1] != '(' && at[-1] != ',') continue;
        if (!strncmp(at, "sroa", 4)) run_sroa();
        else if (!strncmp(at, "licm", 4)) run_licm();
        else if (!strncmp(at, "gvn", 3)) run_gvn();
        else if (!strncmp(at, "adce", 4)) run_adce();
        else run_others(1);
    }
    Run real = (Run)dlsym(RTLD_NEXT, "LLVMRunPasses");
    return real(module, passes, machine, options);
}
EOT
# An opt on that library for modules and passes; whatever else one asks of opt, the real one answers.
cat >toy/opt.c <<'EOT'
#include <stdio.h>
#include <string.h>
#include <unistd.h>
void *LLVMContextCreate(void), *LLVMCreatePassBuilderOptions(void), *LLVMRunPasses(void *, const char *, void *, void *);
int LLVMCreateMemoryBufferWithContentsOfFile(const char *, void **, char **), LLVMParseIRInContext(void *, void *, void **, char **);
int LLVMVerifyModule(void *, int, char **);
int main(int argc, char **argv) {
    const char *passes = NULL, *path = NULL;
    void *buffer, *module; char *message;
    for (int i = 1; i < argc; i++) {
        if (!strncmp(argv[i], "-passes=", 8)) passes = argv[i] + 8;
        else if (argv[i][0] != '-') path = argv[i];
        else if (strcmp(argv[i], "-disable-output")) { path = NULL; break; }
    }
    if (!passes || !path || strstr(path, "program")) { argv[0] = "opt-14"; execvp(argv[0], argv); return 127; }
    if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message) ||
        LLVMParseIRInContext(LLVMContextCreate(), buffer, &module, &message) || LLVMVerifyModule(module, 2, &message))
        return fprintf(stderr, "opt: %s\n", message), 1;
    return LLVMRunPasses(module, passes, 0, LLVMCreatePassBuilderOptions()) != 0;
}
EOT
build_toy() {
    local flags="-g1 -O0 -fPIC -fsanitize-coverage=inline-bool-flag,pc-table -fno-sanitize-link-runtime"
    local source
    for source in sroa licm gvn adce others run; do
        clang-14 -w $flags -D_GNU_SOURCE -c "$tmp/toy/$source.c" -o "$source.o" || return 1
    done
    clang-14 -shared -o libtoy.so sroa.o licm.o gvn.o adce.o others.o run.o "$BUILD/lib/culprit/sancov.o" \
        -Wl,--build-id,--no-as-needed "$llvm/lib/libLLVM-14.so.1" -Wl,-rpath,"$llvm/lib" &&
        clang-14 -w -o opt toy/opt.c -Wl,--build-id,-rpath,"$tmp" "$tmp/libtoy.so" "$llvm/lib/libLLVM-14.so.1" -Wl,-rpath,"$llvm/lib"
}
cat >fail.ll <<'EOT'
define i32 @f(i32 %n) {
  %x = add i32 %n, 1
  ret i32 %x
}
EOT
locseq() { run "$culprit" isolate -q fail.ll --fail "-passes=$passes" --subject toy --method locseq --seed 1 "$@"; }
passes='function(sroa),function(loop-mssa(licm)),function(gvn)'

if ! [ -e "$llvm/lib/libLLVM-14.so.1" ] || ! command -v opt-14 clang-14 >/dev/null; then
    skip "locseq" "LLVM 14 is not installed"
elif ! build_toy >build.log 2>&1; then
    fail "the library before LLVM is built" "$(cat build.log)"
else
    mkdir -p subjects/toy
    jq -n --arg d "$tmp" '{name: "toy", provider: "sancov", version: "14.0.6", source_root: $d, build_root: $d,
        opt: [$d + "/opt"], libllvm: ($d + "/libtoy.so"), modules: [$d + "/libtoy.so"]}' >subjects/toy/subject.json
    isolate="$culprit isolate fail.ll --fail '-passes=$passes' --subject toy --method locseq --mutants 1"
    run env TERM=xterm script -qec "$isolate" /dev/null
    has "the first run shows on a terminal that it asks LLVM for its passes" "$out" "trying the passes of $tmp/opt"
    locseq --mutants 200 -j2 --json
    status_is "a sequence bug is isolated" 0
    same "all sequences are tested" "$(jq '.statistics.tested' <<<"$out")" 200
    same "by the fork server: only its passes are suspects" \
        "$(jq -r '[.files[].file | select(test("opt.c"))] | length' <<<"$out")" 0
    same "some show the bug, some do not" "$(jq '.statistics.fails > 20 and .statistics.passes > 20' <<<"$out")" true
    same "the kind of evidence" "$(jq -r '[.witnesses[].kind] | unique | join(" ")' <<<"$out")" sequences
    has "witnesses keep the passes of the failing sequence" "$(jq -r '.witnesses[0].change' <<<"$out")" "licm"
    same "what follows the crash in the guilty order tells" "$(jq -r '.files[0].file' <<<"$out")" toy/licm.c
    first=$(jq -c '[.files[] | [.file, .score]]' <<<"$out")
    locseq --mutants 200 -j1 --json
    same "the same with one worker" "$(jq -c '[.files[] | [.file, .score]]' <<<"$out")" "$first"
    locseq --mutants 60 -j2
    has "people get a table" "$out" "sequences"
    has "and the sequences" "$out" "function(loop-mssa(licm))"
    locseq --mutants 60 --fitness paper --json
    same "the paper's fitness" "$(jq -r .fitness <<<"$out")" paper
    for variant in locseq-r locseq-wc locseq-rwc; do
        locseq --method $variant --mutants 60 --json
        same "$variant finds bug-free sequences" "$(jq '.statistics.passes > 5' <<<"$out")" true
    done
    # instsimplify has no part in it, nor has sroa: the failing sequence is minimised.
    passes='function(sroa),function(loop-mssa(licm)),function(instsimplify),function(gvn)'
    locseq --mutants 60 --json
    same "the minimal sequence" "$(jq -r .lean_options <<<"$out")" "-passes=function(loop-mssa(licm)),function(gvn)"
    passes='default<O2>' && locseq --mutants 5
    [ "$status" != 0 ] && pass "a level of optimisation is no sequence" || fail "a level of optimisation is no sequence" "$out"
fi
run "$culprit" isolate fail.ll --fail '-passes=gvn' --subject stock:opt-14 --fitness best
status_is "an unknown fitness" 2
done_testing
