#!/usr/bin/env bash
# tools/collect-gcc-bugs on two made-up versions of GCC: tests, ChangeLogs, what is kept and why the rest is not.
. "$(dirname "$0")/lib.sh"
tools=$(cd "$(dirname "$0")/../../tools" && pwd)
command -v xz >/dev/null || { skip "collecting bugs" "no xz here"; done_testing; exit; }
cd "$tmp" || exit 1

# gcc-98 dies of CRASHES, and miscompiles WRONG when it optimises; gcc-99 does neither.
mkdir bin; export PATH=$tmp/bin:$PATH
cat >bin/gcc-98 <<'EOS'
#!/bin/sh
case $1 in -dumpfullversion) echo 98.0; exit ;; esac
level=; for word; do case $word in -O0) ;; -O*) level=-DWRONG ;; esac; done
[ -n "$level" ] && grep -q CRASHES fail.[cC] && { echo "fail.c: internal compiler error: in f, at g.c:1" >&2; exit 4; }
exec gcc-12 $level "$@"
EOS
printf '#!/bin/sh\nexec gcc-12 "$@"\n' >bin/gcc-99; sed 's/gcc-12/g++-12/' bin/gcc-98 >bin/g++-98; sed 's/gcc-12/g++-12/' bin/gcc-99 >bin/g++-99; chmod +x bin/*

put() { mkdir -p "$(dirname "$1")"; cat >"$1"; }
for v in 98 99; do
    echo 'int f;' | put gcc-$v/gcc/tree-a.c; echo 'int g;' | put gcc-$v/gcc/tree.h; echo | put gcc-$v/gcc/c/ChangeLog
    echo 'int main(void) { return 0; }' | put gcc-$v/gcc/testsuite/gcc.dg/pr1.c
done
mkdir -p gcc-98/gcc; mv gcc-99/gcc/tree-a.c gcc-99/gcc/tree-a.cc
printf '2020-01-01  A  <a@b>\n\n\tPR c/7\n\t* tree-a.c (old_fix): Old.\n' | put gcc-98/gcc/ChangeLog
{ cat <<'EOS'
2021-02-02  A  <a@b>

	PR tree-optimization/100
	PR c/101
	* tree-a.cc (first_fix, second_fix): Do it
	(or not).
	(third_fix): New.
	* tree.h: Adjust.
	* brand-new.cc: New file.

2021-02-01  A  <a@b>

	PR c/102
	* tree.h (only_header): Change.

EOS
cat gcc-98/gcc/ChangeLog; } | put gcc-99/gcc/ChangeLog
dg=gcc-99/gcc/testsuite/gcc.dg
echo '/* { dg-do compile } */ /* { dg-options "-O2" } */ int CRASHES;' | put $dg/pr100.c
printf '/* PR c/101 */\n#ifdef WRONG\nint main(void) { __builtin_abort(); }\n#else\nint main(void) { return 0; }\n#endif\n' | put gcc-99/gcc/testsuite/gcc.c-torture/execute/wrong.c
echo '/* { dg-options "-O2" } */ int CRASHES;' | put $dg/pr102.c
echo '/* { dg-options "-O2" } */ int CRASHES;' | put $dg/pr7.c
echo '/* { dg-options "-O2" } */ int sound;' | put $dg/pr103.c
echo 'int nameless;' | put $dg/nameless.c
echo '/* { dg-do run { target arm*-*-* } } */ int x;' | put $dg/pr104.c
echo '/* { dg-require-effective-target strange_need } */ int x;' | put $dg/pr105.c
# Options by target, a header of the testsuite, a report that only the testsuite's log names, C++.
echo '/* { dg-additional-options "-O2" { target { { i?86-*-* x86_64-*-* } && { ! ia32 } } } } */ int CRASHES;' | put $dg/pr100-by-target.c
echo '/* { dg-additional-options "-O2" { target arm*-*-* ia32 } } */ int CRASHES;' | put $dg/pr100-not-ours.c
echo 'int CRASHES;' | put $dg/header.h
printf '/* { dg-options "-O2" } */\n#include "header.h"\n' | put $dg/pr100-header.c
echo '/* { dg-options "-O2" } */ int CRASHES;' | put $dg/logged.c
printf '2021-02-02  A  <a@b>\n\n\tPR c/100\n\t* gcc.dg/other.c: New test.\n\t* gcc.dg/logged.c: Likewise.\n\t* gcc.dg/nameless.c: Adjust.\n' | put gcc-99/gcc/testsuite/ChangeLog
echo '// { dg-do compile { target c++20 } } { dg-options "-O2" }
struct CRASHES { };' | put gcc-99/gcc/testsuite/g++.dg/pr101.C
for v in 98 99; do mkdir -p sources/gcc-$v; tar -cJf sources/gcc-$v/gcc-$v.tar.xz gcc-$v; done

export GCC_SOURCES=$tmp/sources CULPRIT=$culprit
run "$tools/collect-gcc-bugs" 98 99 set; status_is "a set is made" 0
same "of the tests that fail with the old one alone" "$(ls set)" "INDEX.tsv
gcc98-pr100
gcc98-pr100-by-target
gcc98-pr100-header
gcc98-pr100-logged
gcc98-pr101-wrong
gxx98-pr101
rejected.tsv"
same "C++ by its own compiler, at the standard it asks for" "$(jq -c '[.compiler, .fail_cmd[0:3]]' set/gxx98-pr101/bug.json)" '["g++-98",["g++-98","-w","-std=gnu++20"]]'
has "the testsuite's headers stand in the test" "$(cat set/gcc98-pr100-header/fail.c)" "int CRASHES;"
same "a crash, with its options" "$(jq -c '[.kind, .fail_cmd[0], (.fail_cmd | index("-O2") != null), .pass_cmd[0]]' set/gcc98-pr100/bug.json)" '["crash","gcc-98",true,"gcc-98"]'
same "and the answer, as paths of the old tree" "$(jq -c '[.files, .functions, .files_absent_in_this_version]' set/gcc98-pr100/bug.json)" \
    '[["gcc/tree-a.c","gcc/tree.h"],["first_fix","second_fix","third_fix"],["gcc/brand-new.cc"]]'
same "wrong code at the level that shows it" "$(jq -c '[.kind, .run, (.fail_cmd | index("-O1") != null)]' set/gcc98-pr101-wrong/bug.json)" '["wrong-code",true,true]'
run "$culprit" replay set -q; status_is "the bugs reproduce" 1
reason() { awk -F'\t' -v name="$1" '$1 ~ name "$" { print $2 }' set/rejected.tsv; }
has "a fix that changed headers only is rejected" "$(reason pr102.c)" "headers only"
has "one whose log the old version has too" "$(reason pr7.c)" "names no source file"
has "a test that does not fail" "$(reason pr103.c)" "does not fail"
has "options for other targets are not taken" "$(reason pr100-not-ours.c)" "does not fail"
has "one without a report" "$(reason nameless.c)" "no PR"
has "one for another target" "$(reason pr104.c)" "another target"; has "or with needs" "$(reason pr105.c)" "needs strange_need"
lines=$(wc -l <set/rejected.tsv)
run "$tools/collect-gcc-bugs" 98 99 set; same "a second call tries nothing again" "$(wc -l <set/rejected.tsv) $(ls -d set/g*98-* | wc -l)" "$lines 6"
run "$tools/collect-gcc-bugs" 98 97 set; status_is "a compiler that is missing" 3; has "is named with the remedy" "$err" "tools/setup"
done_testing
