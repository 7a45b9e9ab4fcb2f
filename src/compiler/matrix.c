/* The columns of the test matrix: configurations given by the user, or the compilers that are installed. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "compiler/execute.h"
#include "compiler/identify.h"
#include "proc/scratch.h"

/* --- Which compilers are installed --- */

typedef struct Found {
    char *name;
    char *real; /* resolved path: one program under several names is tested once */
    CompilerFamily family;
    double version;
} Found;

typedef Vec(Found) FoundList;

static void found_release(FoundList *list) {
    for (size_t i = 0; i < list->len; i++) {
        free(list->items[i].name);
        free(list->items[i].real);
    }
    vec_release(list);
}

/* Keeps the name that says most: gcc-12 rather than gcc. */
static void found_add(FoundList *list, const char *dir, const char *name, Language language) {
    CompilerName parts;
    if (!compiler_parse_name(name, &parts) || parts.language != language || parts.stem != name)
        return;
    CLEANUP(mem_freep) char *path = path_of(dir, name);
    CLEANUP(mem_freep) char *real = realpath(path, NULL);
    if (!real || compiler_family_of_name(real) != parts.family)
        return; /* a cache or wrapper that stands behind many names (ccache) is none of the compilers */
    double version = *parts.version ? strtod(parts.version + 1, NULL) : 0;
    for (size_t i = 0; i < list->len; i++) {
        Found *known_already = &list->items[i];
        if (strcmp(known_already->name, name) == 0)
            return; /* an earlier directory of PATH wins */
        if (strcmp(known_already->real, real) == 0) {
            if (strlen(name) > strlen(known_already->name)) {
                free(known_already->name);
                known_already->name = mem_strdup(name);
                known_already->version = version;
            }
            return;
        }
    }
    vec_push(list, (Found){mem_strdup(name), mem_strdup(real), parts.family, version});
}

static int compare_found(const void *a, const void *b) {
    const Found *x = a, *y = b;
    if (x->family != y->family)
        return (int)x->family - (int)y->family;
    return (x->version > y->version) - (x->version < y->version);
}

void compiler_discover(Language language, StrList *ret_names) {
    CLEANUP(found_release) FoundList list = {0};
    CLEANUP(strlist_release) StrList dirs = {0};
    const char *path = getenv("PATH");
    strlist_split(&dirs, path ? path : "/usr/local/bin:/usr/bin:/bin", ':');
    for (size_t i = 0; i < dirs.len; i++) {
        CLEANUP(strlist_release) StrList names = {0};
        if (!dir_list(dirs.items[i], &names, NULL))
            continue;
        for (size_t k = 0; k < names.len; k++)
            found_add(&list, dirs.items[i], names.items[k], language);
    }
    if (list.len > 0)
        qsort(list.items, list.len, sizeof *list.items, compare_found);
    for (size_t i = 0; i < list.len; i++)
        strlist_add(ret_names, list.items[i].name);
}

bool compiler_cxx_name(const char *c_name, Str *ret_name) {
    CompilerName name;
    if (!compiler_parse_name(c_name, &name) || name.language != LANGUAGE_C)
        return false;
    const char *stem = compiler_stem(name.family, LANGUAGE_CXX);
    if (!stem)
        return false;
    str_append_n(ret_name, c_name, (size_t)(name.stem - c_name));
    str_append(ret_name, stem);
    str_append(ret_name, name.version);
    return true;
}

/* -O0 is the reference that most bugs spare. Of the others, two that differ most: for GCC -O3 adds the vectoriser and
 * loop passes to -O2; for clang -O3 hardly differs from -O2, while -O1 runs a shorter pipeline that leaves later passes
 * other code. The YARPGen paper (section 3.4) tests the lowest and the highest level of every compiler. */
const char *const *compiler_default_levels(CompilerFamily family) {
    static const char *const gcc[] = {"-O0", "-O2", "-O3", NULL};
    static const char *const clang[] = {"-O0", "-O1", "-O3", NULL};
    static const char *const pcc[] = {"-O0", "-O", NULL};
    static const char *const other[] = {"", NULL};
    switch (family) {
    case FAMILY_GCC: return gcc;
    case FAMILY_CLANG: return clang;
    case FAMILY_PCC: return pcc;
    default: return other;
    }
}

/* --- The matrix --- */

/* Options that change what a compiler is: its target, its parts, its data model. Prefixes. Those that only choose
 * instructions (-march, -mavx2) are ordinary flags: such a configuration still has the compiler's -O0 for a reference. */
static bool defines_compiler(const char *option) {
    static const char *const prefixes[] = {
        "-m16",      "-m32",      "-m64",          "-mx32",           "-mabi",         "-mbig",
        "-mlittle",  "-mlong",    "-mfloat-abi",   "--target",        "-target",       "-B",
        "--sysroot", "-isysroot", "-fsigned-char", "-funsigned-char", "-fshort-enums", "--gcc-toolchain",
    };
    return str_starts_any(option, prefixes, ARRAY_LEN(prefixes));
}

static bool takes_next_word(const char *option) {
    static const char *const options[] = {"-target", "-B", "-isysroot", "--sysroot", "-mllvm"};
    return str_is_any(option, options, ARRAY_LEN(options));
}

static bool lists_equal(const StrList *a, const StrList *b) {
    if (a->len != b->len)
        return false;
    for (size_t i = 0; i < a->len; i++) {
        if (strcmp(a->items[i], b->items[i]) != 0)
            return false;
    }
    return true;
}

/* The compiler of that command, asked for its facts where it is new. */
static bool matrix_compiler(Matrix *matrix, Runner *runner, Language language, const StrList *command,
                            const Compiler **ret_compiler, Error *err) {
    for (size_t i = 0; i < matrix->compilers.len; i++) {
        Compiler *compiler = matrix->compilers.items[i];
        if (compiler->language == language && lists_equal(&compiler->command, command)) {
            *ret_compiler = compiler;
            return true;
        }
    }
    Compiler *compiler;
    if (!compiler_probe(runner, command, language, &compiler, err))
        return false;
    vec_push(&matrix->compilers, compiler);
    *ret_compiler = compiler;
    return true;
}

/* Options that the compiler refuses for a trivial program are mistyped, and no bug. That it dies of them is one. */
static bool check_flags(Runner *runner, const Config *config, Error *err) {
    CLEANUP(scratch_release) Scratch scratch = {0};
    CLEANUP(proc_result_release) ProcResult result = {0};
    CLEANUP(strlist_release) StrList command = {0};
    if (config->flags.len == 0)
        return true;
    if (!scratch_new(&scratch, err))
        return false;
    const char *name = config->compiler->language == LANGUAGE_CXX ? "trivial.cc" : "trivial.c";
    CLEANUP(mem_freep) char *source = path_of(scratch.path, name);
    config_command(config, &command);
    strlist_add(&command, "-c");
    strlist_add(&command, name);
    if (!file_write_text(source, "int main(void) { return 0; }\n", err) ||
        !compiler_run(runner, scratch.path, &command, NULL, &result, err))
        return false;
    if (verdict_of_compile(&result) != VERDICT_REJECTS_VALID)
        return true;
    const char *complaint = compiler_messages(&result);
    return error_usage(err, "\"%s\" refuses even a trivial program; mend its options: %.*s", config->name,
                       (int)strcspn(complaint, "\n"), complaint);
}

bool matrix_add(Matrix *matrix, Runner *runner, Language language, const char *command, Error *err) {
    CLEANUP(strlist_release) StrList words = {0}, defining = {0}, flags = {0};
    if (!compiler_read_command(command, &words, err))
        return error_context(err, "cannot read the compiler command \"%s\"", command);
    for (size_t i = 0; i < words.len; i++) {
        StrList *to = i == 0 || defines_compiler(words.items[i]) ? &defining : &flags;
        strlist_add(to, words.items[i]);
        if (i > 0 && takes_next_word(words.items[i]) && i + 1 < words.len)
            strlist_add(to, words.items[++i]);
    }
    CLEANUP(str_release) Str cxx_name = {0};
    if (language == LANGUAGE_CXX && compiler_cxx_name(defining.items[0], &cxx_name))
        return error_set(err, "%s compiles C++ but does not link it: use %s", defining.items[0], str_text(&cxx_name));
    Config config = {0};
    if (!matrix_compiler(matrix, runner, language, &defining, &config.compiler, err))
        return false;
    strlist_add_all(&config.flags, &flags);
    config.name = strlist_join_shell(&words);
    if (!check_flags(runner, &config, err)) {
        strlist_release(&config.flags);
        free(config.name);
        return false;
    }
    vec_push(&matrix->configs, config);
    return true;
}

static bool has_config(const Matrix *matrix, const char *name) {
    for (size_t i = 0; i < matrix->configs.len; i++)
        if (str_equal(matrix->configs.items[i].name, name))
            return true;
    return false;
}

bool matrix_discover(Matrix *matrix, Runner *runner, Language language, Error *err) {
    CLEANUP(strlist_release) StrList names = {0};
    compiler_discover(language, &names);
    for (size_t i = 0; i < names.len; i++) {
        CLEANUP(strlist_release) StrList command = {0};
        const Compiler *compiler;
        strlist_add(&command, names.items[i]);
        if (!matrix_compiler(matrix, runner, language, &command, &compiler, NULL))
            continue; /* installed in part; the others will do */
        for (const char *const *level = compiler_default_levels(compiler->family); *level; level++) {
            CLEANUP(str_release) Str line = {0};
            str_printf(&line, "%s%s%s", names.items[i], **level ? " " : "", *level);
            if (!has_config(matrix, str_text(&line)) && !matrix_add(matrix, runner, language, str_text(&line), err))
                return false;
        }
    }
    if (matrix->configs.len == 0)
        return error_set(err, "no compiler found along PATH; install gcc, clang, tcc or pcc, or name one with --cc");
    return true;
}

void matrix_release(Matrix *matrix) {
    for (size_t i = 0; i < matrix->configs.len; i++) {
        strlist_release(&matrix->configs.items[i].flags);
        free(matrix->configs.items[i].name);
    }
    for (size_t i = 0; i < matrix->compilers.len; i++)
        compiler_free(matrix->compilers.items[i]);
    vec_release(&matrix->configs);
    vec_release(&matrix->compilers);
}

void config_command(const Config *config, StrList *ret_command) {
    strlist_add_all(ret_command, &config->compiler->command);
    strlist_add_all(ret_command, &config->flags);
}

const char *config_level(const StrList *flags) {
    const char *level = "0";
    for (size_t i = 0; i < flags->len; i++) {
        if (str_starts(flags->items[i], "-O"))
            level = flags->items[i][2] ? flags->items[i] + 2 : "1";
    }
    return level;
}
