#include "subject/sources.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "compiler/identify.h"

/* Parts of GCC's sources that no C compiler is made of, and tests that nobody needs as ordinary programs. */
static const char *const left_out[] = {"gcc/ada",
                                       "gcc/d",
                                       "gcc/go",
                                       "gcc/fortran",
                                       "gcc/rust",
                                       "testsuite/ada",
                                       "testsuite/g++*",
                                       "testsuite/gcc.dg*",
                                       "testsuite/gcc.target*",
                                       "testsuite/gfortran*",
                                       "testsuite/gnat*",
                                       "testsuite/go*",
                                       "testsuite/gdc*",
                                       "testsuite/obj*"};

/* The first file that matches; false if there is none. */
static bool find_first(const char *pattern, Str *ret_path) {
    glob_t found;
    bool any = glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc > 0;
    if (any)
        str_append(ret_path, found.gl_pathv[0]);
    globfree(&found);
    return any;
}

static bool unpack(Runner *runner, const char *archive, const char *dir, Error *err) {
    CLEANUP(proc_result_release) ProcResult result = {0};
    CLEANUP(strlist_release) StrList argv = {0};
    CLEANUP(str_release) Str partial = {0};
    str_printf(&partial, "%s.part", dir);
    if (!dir_remove(str_text(&partial), err) || !dir_make(str_text(&partial), err))
        return false;
    strlist_split(&argv, "tar --strip-components=1 --wildcards -C", ' ');
    strlist_add(&argv, str_text(&partial));
    strlist_add(&argv, "-xf");
    strlist_add(&argv, archive);
    for (size_t i = 0; i < ARRAY_LEN(left_out); i++)
        strlist_addf(&argv, "--exclude=*/%s", left_out[i]);
    strlist_add(&argv, "gcc-*/gcc");
    ProcRequest request = {.argv = (const char *const *)argv.items, .limits = {.wall_ms = 10 * 60 * 1000}};
    if (!runner_run(runner, &request, &result, err))
        return false;
    if (!proc_ok(&result))
        return error_set(err, "tar cannot unpack %s: %.300s", archive, str_text(&result.err));
    return rename(str_text(&partial), dir) == 0 || error_errno(err, "cannot keep the unpacked sources in %s", dir);
}

bool subject_find_sources(Subject *subject, Runner *runner, Console *console, Error *err) {
    const char *name = strchr(subject->name, ':');
    const char *number = name ? strrchr(name, '-') : NULL;
    if (subject->source_root || !name || !number)
        return true;
    name = path_name(name + 1);
    bool gcc = compiler_family_of_name(name) == FAMILY_GCC;
    CLEANUP(str_release) Str root = {0}, pattern = {0}, found = {0};
    CLEANUP(mem_freep) char *own = path_of(subject->dir, "source");
    subjects_dir(&root);
    str_printf(&pattern, "%s/%s%s*/source", str_text(&root), gcc ? "gcc" : "llvm", number);
    if (dir_exists(own) || find_first(str_text(&pattern), &found)) {
        subject->source_root = mem_strdup(found.len ? str_text(&found) : own);
        return true;
    }
    str_clear(&pattern);
    str_printf(&pattern, "/usr/src/gcc%s/gcc-*.tar.xz", number);
    if (gcc && find_first(str_text(&pattern), &found)) {
        console_info(console, "unpacking the sources of %s from %s, once", name, str_text(&found));
        if (!unpack(runner, str_text(&found), own, err))
            return false;
        subject->source_root = mem_strdup(own);
    } else if (gcc) {
        console_warn(console, "%s has no source files to rank, only functions: install gcc%s-source, or give --source",
                     name, number);
    } else {
        console_warn(console,
                     "%s has no source files to rank, only functions: `culprit subject build llvm%s-passes` fetches "
                     "them, or give --source",
                     name, number);
    }
    return true;
}

bool subject_open_to_rank(const char *which, const char *source_dir, Runner *runner, Console *console,
                          Subject *ret_subject, Error *err) {
    if (!subject_open(which, source_dir, ret_subject, err) ||
        !subject_find_sources(ret_subject, runner, console, err))
        return false;
    if (str_starts(which, "stock:")) {
        free(ret_subject->provider);
        ret_subject->provider = mem_strdup("trace-blocks");
    }
    return true;
}
