#!/usr/bin/env bash
# Bugs of opt: their passes, their C programs, their modules. All failures here are real ones of LLVM 14.
. "$(dirname "$0")/lib.sh"
for tool in opt-14 clang-14; do
    command -v $tool >/dev/null || { skip "bugs of opt" "no $tool here"; done_testing; exit 0; }
done
instructions() { grep -cE '^  [a-z%]' "$1"; }
json() { python3 -c 'import json, sys; v = json.load(open(sys.argv[1]))
for k in sys.argv[2:]: v = v[k]
print(v)' "$@"; }

# make_bug DIR KIND PASSES [CODEGEN]: of DIR/test.c
make_bug() {
    local codegen=
    [ $# -lt 4 ] || codegen="\"codegen_cmd\": [\"clang-14\", \"-O0\", \"out.bc\", \"-o\", \"a.out\"], \"run\": $4,"
    cat >"$1/bug.json" <<JSON
{"id": "$(basename "$1")", "compiler": "opt-14", "version": "14.0.6", "kind": "$2", $codegen
 "front_cmd": ["clang-14", "-w", "-O0", "-Xclang", "-disable-O0-optnone", "-emit-llvm", "-c", "test.c", "-o", "test.bc"],
 "fail_cmd": ["opt-14", "-passes=$3", "test.bc", "-o", "out.bc"],
 "pass_cmd": ["opt-14", "-passes=verify", "test.bc", "-o", "out.bc"]}
JSON
}

noise() { # COUNT SEED: that many harmless passes
    awk -v n="$1" -v seed="$2" 'BEGIN { srand(seed); split("function(sroa) function(dce) globaldce function(early-cse) function(simplifycfg<bonus-inst-threshold=2;keep-loops>) function(loop(loop-rotate)) globalopt function(gvn) function(adce) strip-dead-prototypes", p, " ")
        for (i = 0; i < n; i++) printf "%s%s", i ? "," : "", p[int(rand() * 10) + 1] }'
}

# --- a crash of chr, which does without any special code, in the middle of a long sequence
mkdir "$tmp/chr"
cat >"$tmp/chr/test.c" <<'C'
int table[8];
static int add(int a, int b) { return a + b; }
int main(void) {
    for (int i = 0; i < 8; i++)
        table[i] = add(i, table[i]);
    return table[3];
}
C
make_bug "$tmp/chr" crash "$(noise 17 1),function(chr),$(noise 12 2)"
run "$culprit" reduce "$tmp/chr"
status_is "a crash of opt reduces" 0
has "one pass of thirty is needed" "$err" "passes needed: 1 of 30"
has "the command has that pass alone" "$err" "'-passes=function(chr)' reduced.ll"
check "a module is left" test -s "$tmp/chr/reduced.ll"
check "of one instruction" test "$(instructions "$tmp/chr/reduced.ll")" = 1
check "with the C program beside it" test -s "$tmp/chr/reduced.c"
check "the script shows the bug with the module" sh "$tmp/chr/repro-reduced.sh"
same "bug.json says how many passes there were" "$(json "$tmp/chr/bug.json" reduced passes_before)" 30
has "and what makes a module of the program" "$(json "$tmp/chr/bug.json" reduced source_cmd)" "'reduced.c'"
run "$culprit" triage "$tmp/chr"
has "triage names pass and crash" "$out" "opt-14: crash: chr: Segmentation fault"

# --- other LLVMs: each with its own front end; one that lacks a pass has no say
mkdir "$tmp/versions"
cp "$tmp/chr/test.c" "$tmp/versions"
make_bug "$tmp/versions" crash "function(lowerswitch,chr)"
if command -v opt-16 >/dev/null && command -v clang-16 >/dev/null && command -v opt-19 >/dev/null && command -v clang-19 >/dev/null; then
    run "$culprit" triage "$tmp/versions" --json
    version() { jq -r --arg c "$1" '.[0].installed_versions[] | select(.compiler == $c) | .outcome' <<<"$out"; }
    same "LLVM 16 crashes in the same way" "$(version opt-16)" fails
    same "LLVM 19 has no lowerswitch" "$(version opt-19)" not-applicable
    same "its own is not tried again" "$(version opt-14)" ""
    has "bug.json has them" "$(jq -r ".versions[].command" "$tmp/versions/bug.json")" "opt-19 '-passes=function(lowerswitch,chr)'"
    run "$culprit" triage "$tmp/versions"
    same "no version is tried twice" "$(jq '[.versions[] | select(.command | startswith("opt-19 "))] | length' "$tmp/versions/bug.json")" 1
    jq 'del(.versions) | .fail_cmd[1] = "-passes=function(chr)"' "$tmp/versions/bug.json" >"$tmp/bug.json"
    mv "$tmp/bug.json" "$tmp/versions/bug.json"
    run "$culprit" triage "$tmp/versions" --dry-run --json
    same "chr itself is mended in LLVM 19" "$(version opt-19)" passes
else
    skip "other LLVMs" "opt and clang 16 and 19 are not installed"
fi

# --- a wrong result of attributor-cgscc: the C program, which has guards, is where it ends
mkdir "$tmp/wrong"
cat >"$tmp/wrong/test.c" <<'C'
int printf(const char *, ...);
static int total = -1;
void step(void) { total = (total >> 1) & 1; }
void twice(void) {
    step();
    step();
}
int main(void) {
    twice();
    printf("%X\n", total);
    return 0;
}
C
make_bug "$tmp/wrong" wrong-code "function(dce),mergefunc,function(adce),cgscc(attributor-cgscc),strip-dead-prototypes,globaldce" true
run "$culprit" reduce "$tmp/wrong" --time 6s --json
status_is "a wrong result of opt reduces" 0
has "to one pass" "$out" '-passes=cgscc(attributor-cgscc)'
check "without a module, which nothing would guard" test ! -e "$tmp/wrong/reduced.ll"
check "the C program still shows it" sh "$tmp/wrong/repro-reduced.sh"

# --- a module that cannot be linked, which LLVM's process does not see: opt itself is asked
mkdir "$tmp/link"
cp "$tmp/chr/test.c" "$tmp/link"
make_bug "$tmp/link" codegen "function(dce),internalize,function(adce),globaldce,function(sroa)" false
run "$culprit" reduce "$tmp/link" --time 8s
status_is "a module that does not link reduces" 0
has "to the pass that hides main" "$err" "fails: opt-14 -passes=internalize"

# --- a module of a hundred functions, one of which crashes instcombine (a shift by more than the width, masked) once its
# variable is gone
{
    for i in $(seq 100); do
        printf 'define i32 @part%d(i32 %%a, i32* %%p) {\n  %%x = add i32 %%a, %d\n  %%y = load i32, i32* %%p\n  %%c = icmp ult i32 %%x, %%y\n' "$i" "$i"
        printf '  br i1 %%c, label %%yes, label %%no\nyes:\n  store i32 %%x, i32* %%p\n  br label %%no\nno:\n  %%r = phi i32 [ %%x, %%yes ], [ %%y, %%0 ]\n  ret i32 %%r\n}\n'
    done
    printf 'define i64 @needle(i1 %%c, i32 %%a) {\n  %%n = alloca i32\n  store i32 -2, i32* %%n\n  br i1 %%c, label %%then, label %%end\nthen:\n  %%b = load i32, i32* %%n\n  %%s = ashr i32 %%a, %%b\n  %%w = sext i32 %%s to i64\n  br label %%end\n'
    printf 'end:\n  %%v = phi i64 [ %%w, %%then ], [ 0, %%0 ]\n  %%m = and i64 %%v, -81\n  ret i64 %%m\n}\n'
} >"$tmp/many.ll"
fails=(--cc opt-14 --fail "-passes=globalopt,function(sroa),function(instcombine),globaldce -disable-output" --pass "-passes=verify -disable-output")
run "$culprit" reduce "$tmp/many.ll" "${fails[@]}"
status_is "a large module reduces" 0
check "beside the file" test -s "$tmp/many.reduced.ll"
check "to few instructions" test "$(instructions "$tmp/many.reduced.ll")" -le 8
check "of one function" test "$(grep -c '^define' "$tmp/many.reduced.ll")" = 1
has "with two passes of four" "$err" "passes needed: 2 of 4"
has "the first of which the small module does not need" "$err" "'-passes=function(instcombine)'"

run "$culprit" reduce "$tmp/many.ll" "${fails[@]}" --time 1ms -o "$tmp/early.ll"
status_is "no time at all" 0
has "is said" "$err" "stopped early"
check "and leaves a module that still fails" test -s "$tmp/early.ll"
"$culprit" reduce -q "$tmp/many.ll" "${fails[@]}" -o "$tmp/interrupted.ll" >/dev/null 2>&1 &
pid=$!
sleep 0.7
kill -TERM $pid
check "an interrupt ends it with what it has" wait $pid
check "which is a module" grep -q '^define' "$tmp/interrupted.ll"

# --- without a libLLVM beside it opt's own processes do
mkdir -p "$tmp/alone/bin" && cp "$(readlink -f "$(command -v opt-14)")" "$tmp/alone/bin/opt-14"
run "$culprit" reduce "$tmp/many.ll" --cc "$tmp/alone/bin/opt-14" "${fails[@]:2}" -o "$tmp/alone.ll"
status_is "the passes reduce without a libLLVM" 0
has "by opt itself" "$err" "passes needed: 2 of 4"
has "and the module stays, for a reason" "$err" "has no libLLVM beside it"

# --- a whole default pipeline is taken apart: memcpyopt of LLVM 16 crashes on a copy of unknown size
if command -v opt-16 >/dev/null; then
    printf 'define void @f(ptr %%to) {\n  %%a = alloca <vscale x 2 x i32>\n  %%v = load i64, ptr %%a\n  store i64 %%v, ptr %%to\n  ret void\n}\n' >"$tmp/default.ll"
    if opt-16 -passes='default<O2>' -disable-output "$tmp/default.ll" >/dev/null 2>&1; then
        skip "default<O2>" "this opt-16 does not crash"
    else
        run "$culprit" reduce "$tmp/default.ll" --cc opt-16 --fail "-passes=default<O2> -disable-output" --pass "-passes=verify -disable-output"
        has "default<O2> is one pass in the end" "$err" "'-passes=function(memcpyopt)'"
    fi
else
    skip "default<O2>" "no opt-16 here"
fi

# --- a module with a wrong result has no guards
cat >"$tmp/good.ll" <<'IR'
@.f = private constant [4 x i8] c"%d\0A\00"
define i32 @main() {
  ret i32 0
}
IR
mkdir "$tmp/module" && cp "$tmp/good.ll" "$tmp/module/fail.ll"
cat >"$tmp/module/bug.json" <<'JSON'
{"id": "module", "compiler": "opt-14", "version": "14.0.6", "kind": "wrong-code", "run": true,
 "fail_cmd": ["opt-14", "-passes=globaldce", "fail.ll", "-o", "out.bc"],
 "pass_cmd": ["opt-14", "-passes=verify", "fail.ll", "-o", "out.bc"], "run_cmd": ["lli-14", "out.bc"]}
JSON
run "$culprit" reduce "$tmp/module"
status_is "a wrong result of a module is refused" 3
has "with the reason" "$err" "nothing guards a module"

# --- wrong inputs
echo "this is no module" >"$tmp/no.ll"
run "$culprit" reduce "$tmp/no.ll" "${fails[@]}"
check "what is no module is an error" test "$status" != 0
run "$culprit" reduce "$tmp/many.ll" --cc opt-14 --fail "-passes=no-such-pass -disable-output" --pass "-passes=verify -disable-output"
check "and so is a pass that there is not" test "$status" != 0
run "$culprit" reduce "$tmp/many.ll" --cc opt-14 --fail "-passes=globaldce -disable-output" --pass "-passes=verify -disable-output"
check "and a module that does not fail" test "$status" != 0

# --- known bugs
bugs=${CULPRIT_BUGS:-../shared/bugs}
for name in loopdeletion-pr56266 ipsccp-landingpad; do
    if [ ! -d "$bugs/llvm14-opt-$name" ]; then
        skip "$name" "no bug set in $bugs; set CULPRIT_BUGS"
        continue
    fi
    cp -r "$bugs/llvm14-opt-$name" "$tmp/$name" && chmod -R u+w "$tmp/$name"
    command -v opt-15 >/dev/null || { skip "$name" "no opt-15 here"; continue; }
    run "$culprit" reduce "$tmp/$name"
    status_is "$name reduces" 0
    check "$name: the script shows it" sh "$tmp/$name/repro-reduced.sh"
done
done_testing
