# What the llvm-N recipes share: an instrumented libLLVM with assertions, on which the installed clang, opt and llc run.
#
# Only $folders of LLVM's lib/, a regular expression, are compiled, from Debian's llvm-toolchain-N source package. The
# rest comes from the static libraries of the installed llvm-N-dev, which is the same source. LLVM allows that mixture
# above its code generators: with checks that change data structures forced off, code with and without
# assertions fits together. Code generators are compiled all or none. The library has the name, the symbol versions and
# all components of the installed one. ninja resumes inside the stage `compile`.
stages='fetch configure compile link'
installed=/usr/lib/llvm-$version
passes='IR|Analysis|Passes|Transforms/[A-Za-z]+'
code_generators='CodeGen(/[A-Za-z]+)?|Target/X86(/[A-Za-z]+)?'

fetch() { fetch_source "llvm-toolchain-$version"; }

# The table generator only writes tables, so the installed one serves. LLVM_BUILD_LLVM_DYLIB makes visible what the
# installed programs call in the back end.
configure() {
    local tables=$installed/bin/llvm-tblgen
    need_programs "$C" "$CXX" cmake ninja python3 readelf ldd "$tables" "$installed/bin/clang" "$installed/bin/llvm-config"
    rm -rf build; mkdir build
    cmake -S source/llvm -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DLLVM_TABLEGEN="$tables" \
        -DCMAKE_C_COMPILER="$C" -DCMAKE_CXX_COMPILER="$CXX" \
        -DCMAKE_C_FLAGS="-w $COVER_CFLAGS" -DCMAKE_CXX_FLAGS="-w -DLLVM_BUILD_LLVM_DYLIB $COVER_CFLAGS" \
        -DCMAKE_C_FLAGS_RELEASE=-O1 -DCMAKE_CXX_FLAGS_RELEASE=-O1 -DCMAKE_EXE_LINKER_FLAGS="$COVER_LDFLAGS" \
        -DLLVM_ENABLE_ASSERTIONS=ON -DLLVM_ABI_BREAKING_CHECKS=FORCE_OFF \
        -DLLVM_ENABLE_RTTI="$("$installed/bin/llvm-config" --has-rtti)" \
        -DLLVM_TARGETS_TO_BUILD=X86 -DLLVM_ENABLE_PROJECTS= -DLLVM_INCLUDE_TESTS=OFF -DLLVM_INCLUDE_BENCHMARKS=OFF \
        -DLLVM_INCLUDE_EXAMPLES=OFF -DLLVM_INCLUDE_DOCS=OFF -DLLVM_ENABLE_ZLIB=OFF -DLLVM_ENABLE_ZSTD=OFF \
        -DLLVM_ENABLE_LIBXML2=OFF -DLLVM_ENABLE_TERMINFO=OFF
}

objects() { ninja -C build -t inputs bin/opt bin/llc | grep -E "^lib/($folders)/CMakeFiles/.*\.o$"; }

compile() { objects | xargs ninja -C build -j"$jobs"; }

# Functions bind inside the library, so a call costs no more than in a program.
link() {
    local config=$installed/bin/llvm-config ours rest
    ours=$(objects | sed 's,.*CMakeFiles/\(LLVM[^.]*\)\.dir/.*,-l\1,' | sort -u)
    rest=$("$config" --link-static --libs all | tr ' ' '\n' | grep -vE '^-l(Polly|LLVMTableGen)' | grep -vxF -e "$ours")
    mkdir -p bin lib
    objects | sed "s,^,$dir/build/," > objects
    echo "$(library_version) { global: *; };" > versions
    without_polly > polly.cpp
    # shellcheck disable=SC2046,SC2086
    "$CXX" -shared -fPIC -o "lib/$(library_name)" -Wl,-soname,"$(library_name)" -Wl,--version-script=versions \
        polly.cpp $("$config" --cxxflags) @objects $COVER_LDFLAGS -Wl,-Bsymbolic-functions,--no-undefined \
        -L"$installed/lib" -Wl,--whole-archive $rest -Wl,--no-whole-archive $(needed_libraries)
    for tool in clang opt llc; do stand_in "$tool" > "bin/$tool"; chmod +x "bin/$tool"; "bin/$tool" --version; done
    rm objects versions polly.cpp
    [ "$provider" = gcov ] || find build \( -name '*.o' -o -name '*.a' \) -delete
}

# The name under which the installed programs load the library, the version that they ask of its symbols, and what it
# is linked with.
needed() { readelf -d "$1" | sed -n "s/.*NEEDED.*\[\($2[^]]*\)\].*/\1/p"; }
library_name() { needed "$installed/bin/opt" libLLVM; }
needed_libraries() { needed "$(ldd "$installed/bin/opt" | awk '/libLLVM/ { print $3 }')" lib | sed 's/^/-l:/'; }
library_version() { readelf -V "$installed/bin/opt" | sed -n 's/.*(\(LLVM_[0-9.]*\)).*/\1/p' | sort -u; }

# The installed library has Polly in it, of which there is no static one; nothing runs it unless asked to.
without_polly() {
    echo '#include "llvm/Passes/PassPlugin.h"'
    echo 'llvm::PassPluginLibraryInfo getPollyPluginInfo() {'
    echo '    return {LLVM_PLUGIN_API_VERSION, "Polly", "absent", [](llvm::PassBuilder &) {}};'
    echo '}'
}

# stand_in TOOL: the installed program on our library.
stand_in() {
    echo '#!/bin/sh'
    echo "LD_LIBRARY_PATH=$dir/lib exec $installed/bin/$1 \"\$@\""
}

describe() {
    made version "$("$installed/bin/llvm-config" --version)"
    made cc "$dir/bin/clang"
    made opt "$dir/bin/opt"
    made llc "$dir/bin/llc"
    made libllvm "$dir/lib/$(library_name)"
    made modules "$dir/lib/$(library_name)"
    made source "$dir/source"
    made build "$dir/build"
}
