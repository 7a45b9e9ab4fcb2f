# What the gcc-N recipes share: cc1 of Debian's gcc-N-source package, configured as Debian configures its own wherever
# that can change the code it generates, so that bugs reproduce; C only, no bootstrap, no LTO, no plugins.
stages='unpack configure compile collect'
shipped=/usr/src/gcc-$version

unpack() {
    need_programs tar xz patch
    [ -d "$shipped" ] || fail "$shipped is absent: install the package gcc-$version-source"
    rm -rf source unpacking; mkdir unpacking
    tar -C unpacking -xf "$shipped"/gcc-*.tar.xz
    mv unpacking/gcc-* source; rmdir unpacking
    # Of Debian's patches, those that reach cc1: the updates from the release branch, where Debian applies them, and
    # the one that makes up for the manuals that its tarball lacks (rule s-tm-texi).
    for name in $(sed -n 's/^[[:space:]]*\(git-updates\|gcc-gfdl-build\)\([[:space:]]*\\\)\{0,1\}$/\1/p' "$shipped/debian/rules.patch"); do
        echo "patch $name"
        patch -s -p2 -d source < "$shipped/patches/$name.diff"
    done
}

configure() {
    need_programs "$C" "$CXX" make "gcc-$version"
    rm -rf build; mkdir build; cd build
    local flags="$COVER_CFLAGS -fno-PIE -w" # gcov counts lines exactly only where nothing was optimised
    [ "$provider" = sancov ] && flags+=" -O1 -fbracket-depth=1024"
    CC=$C CXX=$CXX CFLAGS=$flags CXXFLAGS=$flags LDFLAGS="-no-pie $COVER_LDFLAGS" MAKEINFO=true \
    "$dir/source/configure" --build=x86_64-linux-gnu --host=x86_64-linux-gnu --target=x86_64-linux-gnu \
        --prefix=/usr --libexecdir=/usr/lib --libdir=/usr/lib --with-gcc-major-version-only \
        --enable-languages=c --disable-bootstrap --enable-checking=release --disable-werror \
        --disable-lto --disable-plugin --disable-nls --disable-multilib --with-system-zlib \
        --enable-multiarch --enable-default-pie --enable-cet --with-arch-32=i686 --with-abi=m64 --with-tune=generic \
        --enable-gnu-unique-object --enable-linker-build-id --enable-threads=posix --enable-clocale=gnu
}

compile() { make -C build -j"$jobs" all-gcc TARGET-gcc=cc1 MAKEINFO=true; }

# The programs and what describes them stay; object files go, but not the generated sources that coverage refers to.
collect() {
    mkdir -p bin
    cp build/gcc/cc1 bin/cc1
    [ "$provider" = gcov ] || find build \( -name '*.o' -o -name '*.a' -o -name cc1 \) -delete
}

describe() {
    made version "$(cat source/gcc/BASE-VER)"
    made cc "gcc-$version" "-B$dir/bin/"
    made modules "$dir/bin/cc1"
    made source "$dir/source"
    made build "$dir/build"
}
