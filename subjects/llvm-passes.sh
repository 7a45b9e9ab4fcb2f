# What the llvm-N-passes recipes share: the quick way to an instrumented LLVM. Only the code that optimises (IR, Analysis,
# Transforms, Passes) is compiled, with assertions; the rest comes from the static libraries of the installed
# llvm-N-dev, which is the same source. LLVM allows that mixture: with checks that change data structures
# forced off, code with and without assertions fits together. A fifth of the files of the whole library; for
# the back end there is llvm-N.
#
# The result is a library of the name and versions that the installed one has: the installed clang, opt and llc run on it.
. "$recipes/llvm.sh"
stages='fetch configure compile link'
installed=/usr/lib/llvm-$version

configure() {
    need_programs "$installed/bin/llvm-config"
    configure_llvm -DLLVM_ABI_BREAKING_CHECKS=FORCE_OFF
}

# The objects of those folders, of all that opt is made of.
objects() {
    ninja -C build -t inputs bin/opt |
        grep -E '^lib/(IR|Analysis|Passes|Transforms/[A-Za-z]+)/CMakeFiles/.*\.o$'
}

compile() { objects | xargs ninja -C build -j"$jobs"; }

# Functions bind inside the library, so a call costs no more than in a program.
link() {
    local config=$installed/bin/llvm-config ours rest
    ours=$(objects | sed 's,.*CMakeFiles/\(LLVM[^.]*\)\.dir/.*,-l\1,' | sort -u)
    rest=$("$config" --link-static --libs all | tr ' ' '\n' | grep -vxF "$ours")
    mkdir -p bin lib
    objects | sed "s,^,$dir/build/," > objects
    echo "$(library_version) { global: *; };" > versions
    without_polly > polly.cpp
    # shellcheck disable=SC2046,SC2086
    "$CXX" -shared -fPIC -o "lib/$(library_name)" -Wl,-soname,"$(library_name)" -Wl,--version-script=versions \
        polly.cpp $("$config" --cxxflags) @objects $COVER_LDFLAGS -Wl,-Bsymbolic-functions,--no-undefined \
        -L"$installed/lib" -Wl,--whole-archive $rest -Wl,--no-whole-archive $("$config" --link-static --system-libs)
    for tool in clang opt llc; do stand_in "$tool" > "bin/$tool"; chmod +x "bin/$tool"; "bin/$tool" --version; done
    rm objects versions polly.cpp
    drop_objects
}

# The name under which the installed programs load the library, and the version that they ask of its symbols.
library_version() { readelf -V "$installed/bin/opt" | sed -n 's/.*(\(LLVM_[0-9.]*\)).*/\1/p' | sort -u; }
library_name() { readelf -d "$installed/bin/opt" | sed -n 's/.*NEEDED.*\[\(libLLVM[^]]*\)\].*/\1/p'; }

# The distribution's library has Polly in it, which no static library offers; nothing runs it unless asked to.
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
