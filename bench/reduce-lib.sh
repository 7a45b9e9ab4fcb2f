# For bench-reduce and find-reduce-cases: how a case's program is made.
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
