#include "cover/trace_find.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "binary/elf_file.h"
#include "compiler/identify.h"

enum { ASK_MS = 10000 };

/* Asks the driver for the program that does the work; false if it has no such program. */
static bool ask_program(const StrList *cc, const char *program, Runner *runner, Str *ret_path) {
    CLEANUP(strlist_release) StrList argv = {0};
    CLEANUP(proc_result_release) ProcResult result = {0};
    strlist_add_all(&argv, cc);
    strlist_addf(&argv, "-print-prog-name=%s", program);
    ProcRequest request = {.argv = (const char *const *)argv.items, .limits = {.wall_ms = ASK_MS}};
    if (!runner_run(runner, &request, &result, NULL) || !proc_ok(&result))
        return false;
    str_trim(&result.out);
    const char *path = str_text(&result.out);
    if (path[0] != '/' || !file_exists(path)) /* a driver that knows no such program repeats its name */
        return false;
    str_append(ret_path, path);
    return true;
}

static bool is_compiler_library(const char *name) {
    static const char *const prefixes[] = {"libclang", "libLLVM", "libLTO", "libtcc"};
    return str_starts_any(name, prefixes, ARRAY_LEN(prefixes));
}

/* The dynamic loader itself says which libraries it would load: lines "\tNAME => PATH (ADDRESS)". */
static bool add_libraries(const char *program, Runner *runner, StrList *ret_paths, Error *err) {
    const char *const argv[] = {program, NULL}, *const env[] = {"LD_TRACE_LOADED_OBJECTS=1", NULL};
    CLEANUP(proc_result_release) ProcResult result = {0};
    CLEANUP(strlist_release) StrList lines = {0};
    ProcRequest request = {.argv = argv, .env = env, .limits = {.wall_ms = ASK_MS}};
    if (!runner_run(runner, &request, &result, err))
        return error_context(err, "cannot list the libraries of %s", program);
    strlist_split(&lines, str_text(&result.out), '\n');
    for (size_t i = 0; i < lines.len; i++) {
        char *name = lines.items[i] + strspn(lines.items[i], "\t "), *path = strstr(name, " => "), *address;
        char resolved[PATH_MAX];
        if (!path || !is_compiler_library(name) || !(address = strstr(path, " (")))
            continue;
        *address = '\0';
        if (realpath(path + strlen(" => "), resolved))
            strlist_add_once(ret_paths, resolved);
    }
    return true;
}

bool trace_find_modules(const StrList *cc, Runner *runner, StrList *ret_paths, Error *err) {
    CLEANUP(str_release) Str driver = {0};
    CLEANUP(str_release) Str worker = {0};
    CLEANUP(strlist_release) StrList libraries = {0};
    if (!path_find_program(cc->items[0], &driver, err) || !add_libraries(str_text(&driver), runner, &libraries, err))
        return false;
    /* A driver that loads a compiler's libraries is the compiler; asked for another one, clang would search PATH. */
    CompilerName name = {0};
    compiler_parse_name(str_text(&driver), &name);
    const char *wanted = name.family == FAMILY_PCC ? "ccom" : name.language == LANGUAGE_CXX ? "cc1plus" : "cc1";
    bool is_worker = libraries.len > 0 || !ask_program(cc, wanted, runner, &worker);
    char path[PATH_MAX];
    if (!realpath(str_text(is_worker ? &driver : &worker), path))
        return error_errno(err, "cannot find %s", str_text(is_worker ? &driver : &worker));
    if (!elf_check_traceable(path, err))
        return false;
    strlist_add(ret_paths, path);
    return add_libraries(path, runner, ret_paths, err);
}
