# What GCC's tests ask for, as DejaGnu's comments in them say it, for tools/collect-gcc-bugs on x86-64 GNU/Linux.
#
#   awk -v root=DIR/ -v logs=FILE -f tests.awk DIR/gcc/testsuite/…/a.c …
#
# FILE has lines "PR test -", which the testsuite's ChangeLog gives. One line a test, fields separated by the character 31: name, PR ("pr123"), compile or run, language standard of C++ tests
# ("17"), options, and if the test is not to be tried the reason.
#
# Selectors such as `{ target { { i?86-*-* x86_64-*-* } && { ! ia32 } } }` are evaluated with three values: 1, 0 and -1, where
# -1 is a name that this reader does not know. Names of instruction sets are true: options turn them on, and where the
# processor lacks one, the later compiler's program fails too and the test is not kept.

BEGIN {
    n = split("lp64 int128 int32 int32plus int8 ptr32plus ptr_eq_long size32plus size20plus longlong64 alloca c99_runtime double64 " \
              "double64plus large_double large_long_double long_double_64bit float32 float64 float32x float64x float128 float128_runtime " \
              "float64_runtime float32_runtime float32x_runtime float64x_runtime __float128 base_quadfloat_support dfp dfprt dfp_runtime pthread " \
              "label_values trampolines untyped_assembly indirect_jumps nonlocal_goto fpic pie shared static stdint_types wchar tls tls_runtime " \
              "tls_native sync_int_long sync_char_short sync_int_128 sync_long_long cas_int cas_char hosted inf inff exceptions " \
              "exceptions_enabled ifunc alias named_sections fopenmp fenv fenv_exceptions store_merge le x86 nonpic natural_alignment_32 " \
              "natural_alignment_64 section_anchors stack_check split_stack maybe_x32 signal string_merging mmap stdlib_h automatic_stack_alignment " \
              "global_constructor static_libgfortran rdynamic keeps_null_pointer_checks logical_op_short_circuit tail_call indirect_calls " \
              "function_sections freorder hard_float masm_intel fstack_protector sized_deallocation rtti concepts coroutines no_fsanitize_address " \
              "fsanitize_undefined fsanitize_address pcc_bitfield_type_matters builtin_eh_return strndup stpcpy mempcpy unwrapped asm_goto_with_outputs analyzer bswap", words, " ")
    for (i = 1; i <= n; i++) known[words[i]] = 1
    n = split("ia32 ilp32 llp64 int16 int32minus be default_packed short_enums x32 no_alignment_constraints size16 size24plus keep_null_pointer_checks dummy_wcsftime newlib uclibc " \
              "sse5 vxworks_kernel rtems freestanding nvptx offload_device offload_nvptx arm32 arm_neon arm_neon_ok aarch64_sve aarch64_tiny c++98_only", words, " ")
    for (i = 1; i <= n; i++) known[words[i]] = 0
    while ((getline line < logs) > 0) { split(line, words, " "); logged[words[2]] = words[1] }
    FS = "\n"; SEP = "\037"
}

# --- Selectors ---
function truth(word,   pattern) {
    if (word ~ /-/ && word ~ /\*|^x86_64-|linux/) { # a glob of targets' names
        pattern = word; gsub(/[.+]/, "\\\\&", pattern); gsub(/\*/, ".*", pattern); gsub(/\?/, ".", pattern)
        return "x86_64-pc-linux-gnu" ~ "^" pattern "$" || "x86_64-unknown-linux-gnu" ~ "^" pattern "$"
    }
    if (word ~ /^c\+\+[0-9][0-9ab](_down|_only)?$/) return standard(substr(word, 4))
    if (word in known) return known[word]
    if (word ~ /^(avx|sse|ssse|fma|bmi|xop|aes|sha|gfni|amx|vaes|vpclmul|mmx|adx|rtm|f16c|lzcnt|movbe|popcnt|pclmul|cet|kl|widekl|serialize|hreset|tsxldtrk|uintr|avx512|ms_hook)[a-z0-9_]*$/ || word ~ /^vect_/) return 1
    unknown = word
    return -1
}
# A test may say for which standards of C++ it is: the first of them is taken, else that of its folder, else 17, the default of both.
function standard(text,   year) {
    year = substr(text, 1, 2); sub(/2a/, "20", year); sub(/2b/, "23", year)
    if (std == "" || text ~ /_only/) std = year
    return 1
}
function next_token() {
    sub(/^[ \t]+/, "", rest_of)
    if (rest_of == "") return ""
    if (match(rest_of, /^(&&|\|\||[!{}])/) || match(rest_of, /^[^ \t{}!&|]+/)) return substr(rest_of, 1, RLENGTH)
    return substr(rest_of, 1, 1)
}
function advance(   token) { token = next_token(); rest_of = substr(rest_of, length(token) + 1); return token }
function term(   token, value) {
    token = advance()
    if (token == "!") { value = term(); return value < 0 ? -1 : !value }
    if (token == "{") { value = either(); advance(); return value }
    return truth(token)
}
function both(   value, other) {
    value = term()
    while (next_token() == "&&") { advance(); other = term(); value = value == 0 || other == 0 ? 0 : (value < 0 || other < 0 ? -1 : 1) }
    return value
}
function either(   value, other, token) { # a list is an "or", too
    value = both()
    while ((token = next_token()) != "" && token != "}" && token != "xfail") {
        if (token == "||") advance()
        other = both(); value = value == 1 || other == 1 ? 1 : (value < 0 || other < 0 ? -1 : 0)
    }
    return value
}
function selector(text) { # "{ target … }", "target …" or nothing
    sub(/^[ \t]*\{?[ \t]*/, "", text)
    if (text !~ /^target/) return 1
    sub(/^target[ \t]*/, "", text); rest_of = text
    return either()
}

# --- Directives: `{ dg-name "words" { target … } }` ---
# The text up to the closing brace.
function balanced(text,   i, depth, c) {
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        if (c == "{") depth++
        if (c == "}" && --depth < 0) return substr(text, 1, i - 1)
    }
    return ""
}
# Cuts the first word off `line_rest` and returns it without its quotes or braces.
function argument(   word) {
    sub(/^[ \t]+/, "", line_rest)
    if (match(line_rest, /^"([^"\\]|\\.)*"/)) { word = substr(line_rest, 2, RLENGTH - 2); line_rest = substr(line_rest, RLENGTH + 1); return word }
    if (substr(line_rest, 1, 1) == "{") {
        word = balanced(substr(line_rest, 2)); line_rest = substr(line_rest, length(word) + 3); gsub(/^[ \t]+|[ \t]+$/, "", word); return word }
    match(line_rest, /^[^ \t]*/); word = substr(line_rest, 1, RLENGTH); line_rest = substr(line_rest, RLENGTH + 1)
    return word
}
function reject(why) { if (reason == "") reason = why }
function demand(value) { # of the target
    if (value == 0) reject("is for another target")
    if (value < 0) reject("needs " unknown " of its target")
}
function directive(name,   word, value) {
    if (name == "do") {
        word = argument(); demand(selector(line_rest))
        if (word == "run" || word == "compile" || word == "assemble") action = word == "run" ? "run" : "compile"
        else reject("is only preprocessed or linked")
    } else if (name == "options" || name == "additional-options") {
        word = argument(); value = selector(line_rest)
        if (value == 1 && name == "options") options = word
        else if (value == 1) more = more " " word
    } else if (name == "require-effective-target") { rest_of = argument(); demand(either())
    } else if (name == "error") { argument(); argument(); if (selector(argument()) != 0) reject("expects an error")
    } else if (name ~ /^(lto|module)-/ || name == "additional-sources") reject("is made of several files")
    else if (name == "shouldfail") reject("expects its program to fail")
}

function finish() {
    if (name == "") return
    if (pr == "") pr = logged[name]
    if (pr == "") reject("names no PR")
    options = options " " more
    gsub(/-fdump-[^ ]*|-save-temps[^ ]*|\\/, "", options); gsub(/[ \t]+/, " ", options); gsub(/^ | $/, "", options)
    if (options ~ /-flto/) reject("needs link-time optimisation")
    if (options ~ /-fcompare-debug|-fplugin|-fprofile-use|-E( |$)/) reject("needs more than a compilation")
    if (options ~ /["$\[]/) reject("has options that only DejaGnu can read")
    if (options ~ /-std=/) std = ""
    else if (name ~ /\.C$/ && std == "") std = name ~ /\/(coroutines|concepts|cpp2a)\// ? "20" : (name ~ /\/cpp23\// ? "23" : "17")
    print name SEP pr SEP action SEP std SEP options SEP reason
    name = ""
}

FNR == 1 {
    finish()
    name = substr(FILENAME, length(root) + 1)
    reason = options = more = std = pr = ""
    action = name ~ /c-torture\/execute\/|gcc\.dg\/vect\// ? "run" : "compile"
    base = name; sub(/.*\//, "", base)
    if (match(base, /^pr[0-9]+/)) pr = substr(base, 1, RLENGTH)
}
pr == "" && match($0, /PR [a-z0-9+-]+\/[0-9]+/) { pr = substr($0, RSTART, RLENGTH); sub(/.*\//, "pr", pr) }
{
    text = $0
    while (match(text, /\{[ \t]*dg-[a-z-]+/)) {
        word = substr(text, RSTART, RLENGTH); sub(/.*dg-/, "", word)
        line_rest = balanced(substr(text, RSTART + RLENGTH))
        text = substr(text, RSTART + RLENGTH)
        directive(word)
    }
}
END { finish() }
