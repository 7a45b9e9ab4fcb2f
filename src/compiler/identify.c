#include "compiler/identify.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "compiler/execute.h"
#include "proc/scratch.h"

#define ASK_WALL_MS 20000

/* --- By name --- */

static const struct {
    const char *stem;
    CompilerFamily family;
    Language language;
} drivers[] = {
    {"gcc", FAMILY_GCC, LANGUAGE_C},         {"g++", FAMILY_GCC, LANGUAGE_CXX},     {"clang", FAMILY_CLANG, LANGUAGE_C},
    {"clang++", FAMILY_CLANG, LANGUAGE_CXX}, {"tcc", FAMILY_TCC, LANGUAGE_C},       {"pcc", FAMILY_PCC, LANGUAGE_C},
    {"opt", FAMILY_OPT, LANGUAGE_LLVM_IR},   {"llc", FAMILY_LLC, LANGUAGE_LLVM_IR},
};

/* What may stand in front of the stem: nothing, or a target ("x86_64-linux-gnu-"). Wrappers of gcc and clang
 * ("musl-gcc") understand the options of what they wrap; a short name behind any other word is chance. */
static bool is_prefix(const char *name, size_t len, CompilerFamily family) {
    bool lenient = family == FAMILY_GCC || family == FAMILY_CLANG;
    return len == 0 || (name[len - 1] == '-' && (lenient || memchr(name, '-', len - 1)));
}

bool compiler_parse_name(const char *program, CompilerName *ret_name) {
    const char *name = path_name(program);
    size_t len = strlen(name);
    size_t stem_end = len;
    while (stem_end > 0 && strchr("0123456789.", name[stem_end - 1]))
        stem_end--;
    if (stem_end == len || stem_end == 0 || name[stem_end - 1] != '-')
        stem_end = len; /* no version */
    else
        stem_end--;
    for (size_t i = 0; i < ARRAY_LEN(drivers); i++) {
        size_t stem_len = strlen(drivers[i].stem);
        if (stem_end < stem_len || strncmp(name + stem_end - stem_len, drivers[i].stem, stem_len) != 0 ||
            !is_prefix(name, stem_end - stem_len, drivers[i].family))
            continue;
        *ret_name = (CompilerName){drivers[i].family, drivers[i].language, name + stem_end - stem_len, name + stem_end};
        return true;
    }
    return false;
}

CompilerFamily compiler_family_of_name(const char *program) {
    CompilerName name;
    return compiler_parse_name(program, &name) ? name.family : FAMILY_OTHER;
}

const char *compiler_stem(CompilerFamily family, Language language) {
    for (size_t i = 0; i < ARRAY_LEN(drivers); i++) {
        if (drivers[i].family == family && drivers[i].language == language)
            return drivers[i].stem;
    }
    return NULL;
}

/* --- By its own words --- */

void compiler_read_version(const char *text, int *ret_version) {
    for (int i = 0; i < 3; i++)
        ret_version[i] = 0;
    for (const char *p = text; (p = strpbrk(p, "0123456789"));) {
        size_t digits = strspn(p, "0123456789");
        if (p[digits] != '.') {
            p += digits;
            continue;
        }
        for (int i = 0; i < 3; i++) {
            char *end;
            ret_version[i] = (int)strtol(p, &end, 10);
            if (*end != '.')
                return;
            p = end + 1;
        }
        return;
    }
}

static bool ask(Runner *runner, const char *dir, const char *program, const char *option, ProcResult *ret_result,
                Error *err) {
    CLEANUP(strlist_release) StrList command = {0};
    strlist_add(&command, program);
    strlist_add(&command, option);
    const CompilerRun options = {.limits = {.wall_ms = ASK_WALL_MS}, .merge_output = true};
    return compiler_run(runner, dir, &command, &options, ret_result, err);
}

/* What --version says. GCC names its distributor in parentheses, perhaps with a version of his, before its own;
 * other GNU programs speak of their licence in other words. */
static bool read_words(const char *text, CompilerIdentity *ret_identity) {
    static const struct {
        const char *word; /* behind which the version stands */
        CompilerFamily family;
    } words[] = {{"clang version ", FAMILY_CLANG},
                 {"LLVM version ", FAMILY_OPT},
                 {"tcc version ", FAMILY_TCC},
                 {"Portable C Compiler ", FAMILY_PCC}};
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        const char *at = strstr(text, words[i].word);
        if (!at)
            continue;
        ret_identity->family = words[i].family;
        compiler_read_version(at, ret_identity->version);
        return true;
    }
    if (!strstr(text, "Free Software Foundation") || !strstr(text, "see the source for copying conditions"))
        return false;
    const char *distributor = strchr(text, ')');
    ret_identity->family = FAMILY_GCC;
    compiler_read_version(distributor ? distributor : text, ret_identity->version);
    return true;
}

bool compiler_identify(Runner *runner, const StrList *command, CompilerIdentity *ret_identity, Error *err) {
    CLEANUP(scratch_release) Scratch scratch = {0};
    CLEANUP(proc_result_release) ProcResult result = {0};
    CompilerIdentity identity = {0};
    if (!scratch_new(&scratch, err) || !ask(runner, scratch.path, command->items[0], "--version", &result, err))
        return error_context(err, "cannot ask %s who it is", command->items[0]);
    if (!read_words(str_text(&result.out), &identity)) {
        CLEANUP(strlist_release) StrList program = {0};
        CLEANUP(compiler_freep) Compiler *compiler = NULL;
        strlist_add(&program, command->items[0]);
        if (compiler_probe(runner, &program, LANGUAGE_C, &compiler, NULL)) {
            identity.family = compiler->family;
            memcpy(identity.version, compiler->version, sizeof identity.version);
        }
    } else if (identity.family == FAMILY_OPT) {
        /* LLVM's tools have one version text; the help says which one this is. */
        if (!ask(runner, scratch.path, command->items[0], "--help", &result, err))
            return error_context(err, "cannot ask %s who it is", command->items[0]);
        identity.family = strstr(str_text(&result.out), "modular optimizer")      ? FAMILY_OPT
                          : strstr(str_text(&result.out), "llvm system compiler") ? FAMILY_LLC
                                                                                  : FAMILY_OTHER;
    }
    if (identity.family == FAMILY_OTHER)
        identity.family = compiler_family_of_name(command->items[0]);
    *ret_identity = identity;
    return true;
}
