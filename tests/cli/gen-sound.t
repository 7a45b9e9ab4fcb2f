#!/usr/bin/env bash
# 200 random programs with two compilers and their sanitizers: no complaint, and the line that the interpreter computed.
. "$(dirname "$0")/lib.sh"
try=$(dirname "$0")/../support/try-program
undefined='-O0 -w -fsanitize=undefined,address -fno-sanitize-recover=all'

# sound NAME "SEEDS" "GEN OPTIONS" COMPILER...
sound() {
    local name=$1 seeds=$2 options=$3; shift 3
    # shellcheck disable=SC2086
    out=$(printf '%s\n' $seeds | xargs -P "$(nproc)" -I{} "$try" "$culprit" "$tmp" {} "$options" "$@" | grep -v '^ok')
    same "$name" "$out" ""
}

if ! command -v clang-14 >/dev/null; then skip "soundness" "no clang-14 here"; done_testing; exit; fi
gcc=gcc-12; command -v $gcc >/dev/null || gcc=gcc
sound "C, gcc and its sanitizers" "$(seq 1 80)" "--size 5000 --single" "$gcc -std=c99 -w -O2" "$gcc -std=c99 $undefined"
sound "C, clang and its sanitizers" "$(seq 81 150)" "--size 5000 --single" "clang-14 -std=c99 -w -O2" "clang-14 -std=c99 $undefined"
sound "C, MemorySanitizer" "$(seq 151 180)" "--size 5000" "clang-14 -std=c11 -w -O1 -fsanitize=memory"
sound "C without policies" "$(seq 181 190)" "--size 5000 --single --no-policies" "clang-14 -std=c99 $undefined" "$gcc -w -O3"
if command -v g++-12 >/dev/null; then
    sound "C++11" "$(seq 191 195)" "--size 5000 --single --std c++11" "g++-12 -std=c++11 $undefined"
    sound "C++20" "$(seq 196 200)" "--size 5000 --single --std c++20" "clang++-14 -std=c++20 $undefined"
else skip "C++" "no g++-12 here"; fi
sound "vector extensions" "$(seq 201 206)" "--size 5000 --single --enable vectors" "$gcc -std=gnu99 -w -O2" "clang-14 -std=gnu99 $undefined"
done_testing
