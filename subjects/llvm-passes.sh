# What the llvm-N-passes recipes share: the quick way to an instrumented LLVM optimiser. Only the code that optimises
# (IR, Analysis, Transforms, Passes) is compiled, with assertions; the rest comes from the static libraries of the
# installed llvm-N-dev, which is the same source. LLVM allows that mixture: with checks that change data structures
# forced off, code with and without assertions fits together. A fifth of the files of the whole library; for
# the back end there is llvm-N.
. "$recipes/llvm.sh"
stages='fetch configure compile link'
installed=/usr/lib/llvm-$version

configure() {
    need_programs "$installed/bin/llvm-config"
    configure_llvm -DLLVM_ABI_BREAKING_CHECKS=FORCE_OFF
}

# objects FOLDERS: those that opt is made of, from these folders of the source.
objects() { ninja -C build -t inputs bin/opt | grep -E "^($1)/CMakeFiles/.*\.o$"; }
passes='lib/IR|lib/Analysis|lib/Passes|lib/Transforms/[A-Za-z]+'
tool='tools/opt'

compile() { objects "$passes|$tool" | xargs ninja -C build -j"$jobs"; }

# A library with our objects and, whole, the installed archives that they do not replace; opt on top of it. Functions bind
# inside the library, so a call costs no more than in a program.
link() {
    local config=$installed/bin/llvm-config ours rest
    ours=$(objects "$passes" | sed 's,.*CMakeFiles/\(LLVM[^.]*\)\.dir/.*,-l\1,' | sort -u)
    rest=$("$config" --link-static --libs x86 passes irreader bitwriter | tr ' ' '\n' | grep -vxF "$ours")
    mkdir -p bin lib
    objects "$passes" | sed "s,^,$dir/build/," > objects
    # shellcheck disable=SC2046,SC2086
    "$CXX" -shared -o "lib/libLLVM-$version.so" @objects $COVER_LDFLAGS -Wl,-Bsymbolic-functions,--no-undefined \
        -L"$installed/lib" -Wl,--whole-archive $rest -Wl,--no-whole-archive $("$config" --link-static --system-libs)
    # shellcheck disable=SC2046,SC2086
    "$CXX" -o bin/opt $(objects "$tool" | sed 's,^,build/,') $COVER_LDFLAGS \
        -Llib "-lLLVM-$version" -Wl,-rpath,"$dir/lib"
    bin/opt --version
    rm objects
    drop_objects
}

describe() {
    made version "$("$installed/bin/llvm-config" --version)"
    made opt "$dir/bin/opt"
    made llc "$installed/bin/llc"
    made libllvm "$dir/lib/libLLVM-$version.so"
    made modules "$dir/lib/libLLVM-$version.so" "$dir/bin/opt"
    made source "$dir/source"
    made build "$dir/build"
}
