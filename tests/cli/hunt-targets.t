#!/usr/bin/env bash
# Campaigns in C++, and with cross compilers and an emulator: real compilers, and wrappers of them that are wrong on purpose.
. "$(dirname "$0")/lib.sh"
cd "$tmp" || exit 1

# A generator of tiny programs; each has the construct that the wrong compilers stumble over.
cat >gen <<'EOS'
#!/bin/sh
case $CULPRIT_LANGUAGE in c++) name=test.cpp include='<cstdio>' ;; *) name=test.c include='<stdio.h>' ;; esac
cat >$name <<EOC
#include $include
int main() { int x = $CULPRIT_SEED; printf("%d\n", x + 1); return 0; }
EOC
echo $((CULPRIT_SEED + 1)) >expected
EOS
# wrong NAME COMPILER: miscompiles at -O3, by another program with the same text but for one sign.
wrong() {
    cat >"$1" <<EOS
#!/bin/sh
source= level=0 i=0
for word; do case \$word in *.c|*.cpp) source=\$word ;; -O*) level=\${word#-O} ;; esac; done
[ "\$level" = 3 ] && [ -n "\$source" ] && grep -q 'x + 1' "\$source" || exec $2 "\$@"
copy="\${TMPDIR:-/tmp}/\$\$-\${source##*/}"
sed 's/x + 1/x - 1/' "\$source" >"\$copy"
for word; do shift; [ "\$word" = "\$source" ] && word=\$copy; set -- "\$@" "\$word"; done
$2 "\$@"; status=\$?; rm -f "\$copy"; exit \$status
EOS
    chmod +x "$1"
}
chmod +x gen
hunt() { run timeout 300 "$culprit" hunt "$@" --seed 5 -j 2; }
bugs() { "$culprit" bugs "$1" --json | jq -r '.bugs[] | "\(.kind) \(.oracle)"'; }

# check_bug DIR COMPILER: the one bug of a campaign, by all that replays it.
check_bug() {
    local bug; bug=$(echo "$1"/bugs/*)
    check "$1: repro.sh succeeds" sh "$bug/repro.sh"
    CC=$2 sh "$bug/repro.sh"; same "$1: and fails with $2" $? 1
    run "$culprit" replay "$bug"; status_is "$1: replay reproduces it" 1
    run "$culprit" replay "$bug" --cc "$2"; status_is "$1: and not with $2" 0
    has "$1: the report shows the output" "$(cat "$bug/report.md")" "Expected output"
}

# --- C++ ---
hunt own-cxx --std c++17 --cc "g++-12 -O2" --cc "clang++-14 -O1" --size 2K --count 2
status_is "a hunt in C++ finds nothing in 2 programs" 0
same "which ran" "$(sqlite3 own-cxx/campaign.db "SELECT count(*) FROM verdict WHERE verdict = 'ok'")" 4
hunt no-link --lang c++ --cc "gcc-12 -O2" --count 1
status_is "a C driver is refused" 3; has "and the right one named" "$err" "use g++-12"
wrong wrong-g++ g++-12
hunt cxx --lang c++ --cc "g++-12 -O0" --cc "$tmp/wrong-g++ -O3" --generator "$tmp/gen" --count 1
same "wrong C++ code is found" "$status $(bugs cxx)" "1 wrong-code expected value"
check_bug cxx g++-12

# --- Cross compilers ---
cross=aarch64-linux-gnu-gcc emulator="qemu-aarch64 -L /usr/aarch64-linux-gnu"
if command -v $cross >/dev/null && command -v qemu-aarch64 >/dev/null; then
    hunt own-arm --cc "$cross -O2" --cc "gcc-12 -O2" --run "$emulator" --size 2K --count 2
    status_is "a hunt over two machines finds nothing in 2 programs" 0
    same "which ran on both" "$(sqlite3 own-arm/campaign.db "SELECT count(*) FROM verdict WHERE verdict = 'ok' AND run_us > 0")" 4
    wrong wrong-arm-gcc $cross
    hunt arm --cc "$cross -O0" --cc "$tmp/wrong-arm-gcc -O3" --run "$emulator" --generator "$tmp/gen" --count 1
    same "wrong code for another machine is found" "$status $(bugs arm)" "1 wrong-code expected value"
    same "with the emulator in its bug.json" "$(jq -c '.run_cmd' arm/bugs/*/bug.json)" '["qemu-aarch64","-L","/usr/aarch64-linux-gnu","./a.out"]'
    check_bug arm $cross
    hunt no-run --cc "$cross -O0" --count 1
    status_is "a cross compiler needs an emulator" 3; has "which the message says" "$err" "--run"
    hunt char --cc "$cross -O0" --cc "gcc-12 -O0" --run "$emulator" --generator "$tmp/gen" --count 1
    status_is "another generator's programs may depend on char" 3; has "which the message says" "$err" "-fsigned-char"
else
    skip "cross compilers" "needs $cross and qemu-aarch64"
fi
hunt mistyped --cc "gcc-12 -fnonsense" --count 1
status_is "a mistyped option is no bug" 2; has "the compiler's complaint is quoted" "$err" "-fnonsense"
done_testing
