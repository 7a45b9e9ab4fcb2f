# For bench-reduce and find-reduce-cases: how a case's program is made, and what a compiler does with it.
culprit=$PWD/${BUILD:-build}/culprit
includes=-I/usr/include/csmith libraries=-lm

# make_program GENERATOR OPTIONS SEED DIR: DIR/fail.c
make_program() {
    case $1 in
    csmith) (cd "$4" && timeout 30 csmith --seed "$3" $2 -o fail.c) >/dev/null 2>&1 ;;
    culprit) rm -rf "$4/program" && "$culprit" gen -q --single --seed "$3" $2 -o "$4/program" >/dev/null && cp "$4"/program/*.c "$4/fail.c" ;;
    esac
}
checksum() { grep -v '^ \* *Options\|^ \* Generat' "$1" | sha256sum | cut -c1-12; }

# fits DIR: its fail.c is small enough, and gcc's program of it ends well; DIR/expected is what that prints.
fits() {
    [ "$(stat -c %s "$1/fail.c")" -le 30000 ] &&
        (cd "$1" && timeout 30 gcc -w $includes fail.c -o good $libraries && timeout 5 ./good >expected) >/dev/null 2>&1
}

# outcome DIR COMPILER: what the compiler does with its fail.c, nothing where that is right.
outcome() {
    local status
    (cd "$1" && timeout 30 $2 $includes fail.c -o bad $libraries) >"$1/messages" 2>&1; status=$?
    if [ $status -ge 124 ] || grep -qE 'internal compiler error|compiler error|Segmentation|core dumped' "$1/messages"; then echo crash
    elif [ $status != 0 ]; then echo rejects-valid
    else (cd "$1" && timeout 5 ./bad) >"$1/out" 2>/dev/null || { echo wrong-code; return; }
        cmp -s "$1/out" "$1/expected" || echo wrong-code
    fi
}
