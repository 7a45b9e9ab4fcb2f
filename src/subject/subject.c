#include "subject/subject.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/json.h"
#include "compiler/identify.h"

void subject_release(Subject *subject) {
    free(subject->name);
    free(subject->dir);
    free(subject->version);
    free(subject->provider);
    free(subject->source_root);
    free(subject->build_root);
    free(subject->libllvm);
    strlist_release(&subject->cc);
    strlist_release(&subject->opt);
    strlist_release(&subject->llc);
    strlist_release(&subject->modules);
    strlist_release(&subject->made);
    *subject = (Subject){0};
}

void subjects_dir(Str *ret_path) {
    const char *own = getenv("CULPRIT_SUBJECTS"), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (own && own[0])
        str_append(ret_path, own);
    else if (cache && cache[0] == '/')
        str_printf(ret_path, "%s/culprit/subjects", cache);
    else
        str_printf(ret_path, "%s/.cache/culprit/subjects", home ? home : "");
}

bool subjects_list(StrList *ret_names, Error *err) {
    CLEANUP(str_release) Str root = {0};
    CLEANUP(strlist_release) StrList names = {0};
    subjects_dir(&root);
    if (!dir_exists(str_text(&root)))
        return true;
    if (!dir_list(str_text(&root), &names, err))
        return false;
    for (size_t i = 0; i < names.len; i++) {
        CLEANUP(str_release) Str path = {0};
        str_printf(&path, "%s/%s/subject.json", str_text(&root), names.items[i]);
        if (file_exists(str_text(&path)))
            strlist_add(ret_names, names.items[i]);
    }
    return true;
}

static uint64_t bytes_below(const char *path) {
    struct stat stat;
    if (lstat(path, &stat) != 0)
        return 0;
    uint64_t bytes = (uint64_t)stat.st_blocks * 512;
    CLEANUP(strlist_release) StrList names = {0};
    if (S_ISDIR(stat.st_mode) && dir_list(path, &names, NULL))
        for (size_t i = 0; i < names.len; i++) {
            CLEANUP(mem_freep) char *child = path_of(path, names.items[i]);
            bytes += bytes_below(child);
        }
    return bytes;
}

uint64_t subject_bytes(const Subject *subject) { return bytes_below(subject->dir); }

/* --- subject.json --- */

bool subject_save(const Subject *subject, Error *err) {
    CLEANUP(json_freep) Json *json = json_new_object();
    json_put_text(json, "name", subject->name);
    json_put_text(json, "version", subject->version);
    json_put_text(json, "provider", subject->provider);
    if (subject->source_root)
        json_put_text(json, "source_root", subject->source_root);
    if (subject->build_root)
        json_put_text(json, "build_root", subject->build_root);
    if (subject->libllvm)
        json_put_text(json, "libllvm", subject->libllvm);
    const struct {
        const char *name;
        const StrList *list;
    } lists[] = {{"cc", &subject->cc},
                 {"opt", &subject->opt},
                 {"llc", &subject->llc},
                 {"modules", &subject->modules},
                 {"made", &subject->made}};
    for (size_t i = 0; i < ARRAY_LEN(lists); i++)
        if (lists[i].list->len > 0)
            json_put_strings(json, lists[i].name, lists[i].list);
    if (subject->preload)
        json_put_bool(json, "preload", true);
    CLEANUP(mem_freep) char *path = path_of(subject->dir, "subject.json");
    return dir_make(subject->dir, err) && json_write_file(path, json, err);
}

static bool load(const char *dir, Subject *ret_subject, Error *err) {
    CLEANUP(mem_freep) char *path = path_of(dir, "subject.json");
    CLEANUP(json_freep) Json *json = NULL;
    const char *name, *provider;
    if (!json_read_file(path, &json, err))
        return false;
    if (!json_expect_text(json, "name", &name, err) || !json_expect_text(json, "provider", &provider, err))
        return error_context(err, "%s", path);
    *ret_subject = (Subject){
        .name = mem_strdup(name),
        .dir = mem_strdup(dir),
        .version = mem_strdup(json_get_text(json, "version", "")),
        .provider = mem_strdup(provider),
        .source_root = mem_strdup(json_get_text(json, "source_root", NULL)),
        .build_root = mem_strdup(json_get_text(json, "build_root", NULL)),
        .libllvm = mem_strdup(json_get_text(json, "libllvm", NULL)),
        .preload = json_get_bool(json, "preload", false),
    };
    json_get_strings(json, "cc", &ret_subject->cc);
    json_get_strings(json, "opt", &ret_subject->opt);
    json_get_strings(json, "llc", &ret_subject->llc);
    json_get_strings(json, "modules", &ret_subject->modules);
    json_get_strings(json, "made", &ret_subject->made);
    return true;
}

/* --- Opening --- */

StrList *subject_tool(Subject *subject, const char *program) {
    CompilerFamily family = compiler_family_of_name(program);
    return family == FAMILY_OPT ? &subject->opt : family == FAMILY_LLC ? &subject->llc : &subject->cc;
}

/* The provider of "stock:CC" and its like; NULL for other subjects. */
static const char *stock_provider(const char *which) {
    bool functions = str_starts(which, "stock:") || str_starts(which, "stock-functions:");
    return functions ? "trace" : str_starts(which, "stock-blocks:") ? "trace-blocks" : NULL;
}

static bool open_stock(const char *which, const char *root, Subject *ret_subject, Error *err) {
    CLEANUP(str_release) Str program = {0};
    CLEANUP(str_release) Str dir = {0};
    const char *cc = strchr(which, ':') + 1, *name = path_name(cc);
    if (!path_find_program(cc, &program, err))
        return error_context(err, "cannot trace %s", which);
    str_printf(&dir, "%s/stock/%s", root, name);
    if (!dir_make(str_text(&dir), err))
        return false;
    *ret_subject = (Subject){.name = mem_strdup(which),
                             .dir = str_detach(&dir),
                             .provider = mem_strdup(stock_provider(which)),
                             .version = mem_strdup("")};
    strlist_add(subject_tool(ret_subject, name), str_text(&program));
    return true;
}

static bool open_prepared(const char *which, const char *root, Subject *ret_subject, Error *err) {
    CLEANUP(str_release) Str dir = {0};
    CLEANUP(str_release) Str file = {0};
    str_printf(&file, "%s/subject.json", which);
    if (file_exists(str_text(&file))) {
        if (!path_absolute(which, &dir, err))
            return false;
    } else if (strchr(which, '/'))
        return error_set(err, "%s has no subject.json; `culprit subject add %s --provider …` makes one", which, which);
    else
        str_printf(&dir, "%s/%s", root, which);
    str_clear(&file);
    str_printf(&file, "%s/subject.json", str_text(&dir));
    if (!file_exists(str_text(&file)))
        return error_set(err,
                         "there is no subject called %s; `culprit subject list` shows those present and those that "
                         "`culprit subject build` can make, and stock:%s traces an installed compiler as it is",
                         which, which);
    return load(str_text(&dir), ret_subject, err);
}

bool subject_open(const char *which, const char *source_dir, Subject *ret_subject, Error *err) {
    CLEANUP(str_release) Str root = {0};
    CLEANUP(str_release) Str source = {0};
    subjects_dir(&root);
    if (source_dir && !dir_exists(source_dir))
        return error_set(
            err, "the source directory %s does not exist; unpack the compiler's sources there, or name where they are",
            source_dir);
    if (source_dir && !path_absolute(source_dir, &source, err))
        return false;
    bool ok = stock_provider(which) ? open_stock(which, str_text(&root), ret_subject, err)
                                    : open_prepared(which, str_text(&root), ret_subject, err);
    if (ok && source_dir && !ret_subject->source_root)
        ret_subject->source_root = str_detach(&source);
    return ok;
}

/* Of LLVM's subjects, the one with the passes first: most bugs are there. */
void subject_choose(const char *program, Str *ret_which) {
    static const char *const kinds[] = {"-passes", "", "-codegen"};
    const char *name = path_name(program), *number = strrchr(name, '-');
    CompilerFamily family = compiler_family_of_name(name);
    CLEANUP(strlist_release) StrList built = {0};
    subjects_list(&built, NULL);
    for (size_t i = 0; number && i < ARRAY_LEN(kinds); i++) {
        size_t start = ret_which->len;
        str_printf(ret_which, "%s%s%s", family == FAMILY_GCC ? "gcc" : "llvm", number,
                   family == FAMILY_GCC ? "" : kinds[i]);
        if (strlist_contains(&built, ret_which->data + start))
            return;
        str_truncate(ret_which, start);
    }
    str_printf(ret_which, "%s%s", strlist_contains(&built, name) ? "" : "stock:", name);
}

bool subject_command(const Subject *subject, const char *const *argv, StrList *ret_argv, Error *err) {
    const char *program = argv[0] ? argv[0] : "";
    const StrList *call = subject_tool((Subject *)subject, program);
    if (call->len == 0)
        return error_set(err, "the subject %s cannot stand in for %s; `culprit subject list` shows others",
                         subject->name, program);
    strlist_add_all(ret_argv, call);
    for (size_t i = 1; argv[0] && argv[i]; i++)
        strlist_add(ret_argv, argv[i]);
    return true;
}
