# What the llvm-N recipes share: opt, llc and a shared libLLVM with all passes, for X86 only, with assertions, from
# Debian's llvm-toolchain-N source package. The instrumented part is the library; the tools are thin.
#
# Stages: the table generator first (not instrumented: it only writes tables and would take twice as long), then the
# library, then the tools. ninja resumes inside each.
stages='fetch configure tables library tools collect'

fetch() { fetch_source "llvm-toolchain-$version"; }

configure() {
    need_programs "$C" "$CXX" cmake ninja python3
    rm -rf build native; mkdir build native
    local options=(-G Ninja -DCMAKE_BUILD_TYPE=Release -DLLVM_TARGETS_TO_BUILD=X86 -DLLVM_ENABLE_PROJECTS=
        -DLLVM_INCLUDE_TESTS=OFF -DLLVM_INCLUDE_BENCHMARKS=OFF -DLLVM_INCLUDE_EXAMPLES=OFF -DLLVM_INCLUDE_DOCS=OFF
        -DLLVM_ENABLE_ZLIB=OFF -DLLVM_ENABLE_ZSTD=OFF -DLLVM_ENABLE_LIBXML2=OFF -DLLVM_ENABLE_TERMINFO=OFF)
    cmake -S source/llvm -B native "${options[@]}"
    # Assertions as in the versions that bugs are reported against; one compilation links at a time, for memory.
    cmake -S source/llvm -B build "${options[@]}" -DCMAKE_C_COMPILER="$C" -DCMAKE_CXX_COMPILER="$CXX" \
        -DCMAKE_C_FLAGS="-w $COVER_CFLAGS" -DCMAKE_CXX_FLAGS="-w $COVER_CFLAGS" \
        -DCMAKE_C_FLAGS_RELEASE=-O1 -DCMAKE_CXX_FLAGS_RELEASE=-O1 -DLLVM_ENABLE_ASSERTIONS=ON \
        -DCMAKE_SHARED_LINKER_FLAGS="$COVER_LDFLAGS" -DCMAKE_EXE_LINKER_FLAGS="$COVER_LDFLAGS" \
        -DLLVM_BUILD_LLVM_DYLIB=ON -DLLVM_LINK_LLVM_DYLIB=ON -DLLVM_PARALLEL_LINK_JOBS=1 \
        -DLLVM_TABLEGEN="$dir/native/bin/llvm-tblgen"
}

tables() { ninja -C native -j"$jobs" llvm-tblgen; }
library() { ninja -C build -j"$jobs" LLVM; }
tools() { ninja -C build -j"$jobs" opt llc; }

# Programs and library stay; object files go. gcov's notes stay where they are.
collect() {
    mkdir -p bin lib
    cp build/bin/opt build/bin/llc bin
    cp -P build/lib/libLLVM*.so* lib
    [ "$provider" = gcov ] || find build native \( -name '*.o' -o -name '*.a' \) -delete
}

describe() {
    local library
    library=$(readlink -f lib/libLLVM*.so | head -n 1)
    made version "$(bin/opt --version | sed -n 's/.*LLVM version \([0-9.]*\).*/\1/p')"
    made opt "$dir/bin/opt"
    made llc "$dir/bin/llc"
    made libllvm "$library"
    made modules "$library" "$dir/bin/opt" "$dir/bin/llc"
    made source "$dir/source"
    made build "$dir/build"
}
