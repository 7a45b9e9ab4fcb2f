# What the llvm-N recipes share: opt, llc and a shared libLLVM with all passes, for X86 only, with assertions, from
# Debian's llvm-toolchain-N source package. The instrumented part is the library; the tools are thin. ninja resumes
# inside each stage.
stages='fetch configure library tools collect'

fetch() { fetch_source "llvm-toolchain-$version"; }

# configure_llvm OPTION…: the table generator only writes tables, so the installed one of the same version serves.
configure_llvm() {
    local tables=/usr/lib/llvm-$version/bin/llvm-tblgen
    need_programs "$C" "$CXX" cmake ninja python3 "$tables"
    rm -rf build; mkdir build
    cmake -S source/llvm -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DLLVM_TABLEGEN="$tables" \
        -DCMAKE_C_COMPILER="$C" -DCMAKE_CXX_COMPILER="$CXX" \
        -DCMAKE_C_FLAGS="-w $COVER_CFLAGS" -DCMAKE_CXX_FLAGS="-w $COVER_CFLAGS" \
        -DCMAKE_SHARED_LINKER_FLAGS="$COVER_LDFLAGS" -DCMAKE_EXE_LINKER_FLAGS="$COVER_LDFLAGS" \
        -DCMAKE_C_FLAGS_RELEASE=-O1 -DCMAKE_CXX_FLAGS_RELEASE=-O1 -DLLVM_ENABLE_ASSERTIONS=ON \
        -DLLVM_TARGETS_TO_BUILD=X86 -DLLVM_ENABLE_PROJECTS= -DLLVM_INCLUDE_TESTS=OFF -DLLVM_INCLUDE_BENCHMARKS=OFF \
        -DLLVM_INCLUDE_EXAMPLES=OFF -DLLVM_INCLUDE_DOCS=OFF -DLLVM_ENABLE_ZLIB=OFF -DLLVM_ENABLE_ZSTD=OFF \
        -DLLVM_ENABLE_LIBXML2=OFF -DLLVM_ENABLE_TERMINFO=OFF "$@"
}

# One link at a time, for memory.
configure() { configure_llvm -DLLVM_BUILD_LLVM_DYLIB=ON -DLLVM_LINK_LLVM_DYLIB=ON -DLLVM_PARALLEL_LINK_JOBS=1; }

library() { ninja -C build -j"$jobs" LLVM; }
tools() { ninja -C build -j"$jobs" opt llc; }

# Programs and library stay; object files go. gcov's notes stay where they are.
collect() {
    mkdir -p bin lib
    cp build/bin/opt build/bin/llc bin
    cp -P build/lib/libLLVM*.so* lib
    drop_objects
}
drop_objects() { [ "$provider" = gcov ] || find build \( -name '*.o' -o -name '*.a' \) -delete; }

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
