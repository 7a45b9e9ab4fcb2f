/* GCC defines a pass by a table entry, and what it does by a method:
 *
 *     const pass_data pass_data_ccp =                 unsigned int
 *     {                                               pass_vectorize::execute (function *fun)
 *       GIMPLE_PASS, ...                              {
 *       "ccp", ...                                      ... return vectorize_loops ();
 *
 * so the source tree is the index. Some files hold the entries of passes that other files implement: what a pass's
 * execute method calls, and little else in GCC does, belongs to the pass, and comes first if the method is
 * short. A flag belongs to the few files that read its variable.
 */
#include "triage/gcc_files.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"

enum { WRAPPER_LINES = 12, MOST_CALLERS = 2, MOST_HELPERS = 4, MOST_READERS = 3 };

typedef struct Source {
    char *path; /* below the root */
    Str text;
} Source;

typedef struct Pass {
    char key[80];  /* "tree-ccp" */
    char name[64]; /* of the class, without "pass_" */
    const Source *source;
    StrList calls; /* functions of other files */
    size_t lines;  /* of its execute method; 0 if it was not found */
} Pass;

typedef struct Index {
    GccFiles *files;
    Vec(Source) sources;
    Vec(Pass) passes;
    Map functions; /* name -> Source, where it is defined */
    Map callers;   /* name -> number of files that call it */
} Index;

static StrList *list_of(GccFiles *files, Map *map, const char *key) {
    MapEntry *entry = map_insert_str(map, key, NULL);
    if (!entry->pointer) {
        entry->pointer = arena_new(&files->arena, StrList);
        vec_push(&files->lists, entry->pointer);
    }
    return entry->pointer;
}

/* --- Reading --- */

static bool read_dir(Index *index, const char *root, const char *dir, Error *err) {
    CLEANUP(mem_freep) char *full = path_of(root, dir);
    CLEANUP(strlist_release) StrList names = {0};
    if (!dir_list(full, &names, err))
        return error_context(err, "%s is no GCC source tree", root);
    for (size_t i = 0; i < names.len; i++) {
        if (!str_ends(names.items[i], ".c") && !str_ends(names.items[i], ".cc"))
            continue;
        Source source = {.path = path_of(dir, names.items[i])};
        CLEANUP(mem_freep) char *path = path_of(root, source.path);
        if (file_read(path, &source.text, NULL))
            map_insert_str(&index->files->names, names.items[i], NULL)->pointer =
                arena_strdup(&index->files->arena, source.path);
        vec_push(&index->sources, source);
    }
    return true;
}

static size_t word_len(const char *text) {
    size_t len = 0;
    while (isalnum((unsigned char)text[len]) || text[len] == '_')
        len++;
    return len;
}

/* Definitions stand at the start of a line, in GNU style: "vectorize_loops (void)". */
static void index_functions(Index *index, Source *source) {
    for (const char *line = str_text(&source->text); line; line = strchr(line, '\n')) {
        line += *line == '\n';
        size_t len = word_len(line);
        if (len && str_starts(line + len, " ("))
            map_insert(&index->functions, line, len, NULL)->pointer = source;
    }
}

/* Which flags a file reads; files about options mention them all. */
static void index_flags(Index *index, const Source *source) {
    if (strstr(source->path, "opts") || strstr(source->path, "toplev") || strstr(source->path, "passes") ||
        strstr(source->path, "config/"))
        return;
    for (const char *at = str_text(&source->text); (at = strstr(at, "flag_")); at++) {
        char name[80];
        snprintf(name, sizeof name, "%.*s", (int)word_len(at), at);
        if (at == str_text(&source->text) || !(isalnum((unsigned char)at[-1]) || at[-1] == '_'))
            strlist_add_once(list_of(index->files, &index->files->flags, name), source->path);
    }
}

/* The first string literal behind `at`; "" if there is none nearby. */
static void string_behind(const char *at, char *name, size_t size) {
    name[0] = '\0';
    const char *open = strchr(at, '"'), *stop = strchr(at, ';');
    if (open && (!stop || open < stop))
        snprintf(name, size, "%.*s", (int)strcspn(open + 1, "\""), open + 1);
}

static void index_passes(Index *index, const Source *source) {
    static const struct {
        const char *type, *prefix;
    } types[] = {{"GIMPLE_PASS", "tree"}, {"RTL_PASS", "rtl"}, {"SIMPLE_IPA_PASS", "ipa"}, {"IPA_PASS", "ipa"}};
    static const char mark[] = "pass_data pass_data_";
    for (const char *at = str_text(&source->text); (at = strstr(at, mark)); at++) {
        const char *body = strchr(at, '{');
        if (!body)
            return;
        body += 1 + strspn(body + 1, " \t\n");
        Pass pass = {.source = source};
        char name[64];
        snprintf(pass.name, sizeof pass.name, "%.*s", (int)word_len(at + strlen(mark)), at + strlen(mark));
        string_behind(body, name, sizeof name);
        for (size_t i = 0; *name && i < ARRAY_LEN(types) && !*pass.key; i++)
            if (str_starts(body, types[i].type))
                snprintf(pass.key, sizeof pass.key, "%s-%s", types[i].prefix, name);
        if (*pass.key)
            vec_push(&index->passes, pass);
    }
}

/* --- What a pass calls --- */

/* The end of the block that opens at or after `at`. */
static const char *block_end(const char *at) {
    int depth = 0;
    for (; *at; at++) {
        depth += *at == '{';
        if (*at == '}' && --depth == 0)
            return at;
    }
    return at;
}

/* The execute method: outside of the class, or within. NULL if there is none. */
static const char *find_execute(const Pass *pass) {
    char outside[96], class[96];
    snprintf(outside, sizeof outside, "pass_%s::execute (", pass->name);
    snprintf(class, sizeof class, "class pass_%s ", pass->name);
    const char *found = strstr(str_text(&pass->source->text), outside);
    if (found)
        return found;
    const char *within = strstr(str_text(&pass->source->text), class);
    const char *end = within ? block_end(within) : NULL;
    found = within ? strstr(within, "execute (") : NULL;
    return found && found < end && memchr(found, '{', (size_t)(end - found)) ? found : NULL;
}

static void read_calls(Index *index, Pass *pass) {
    const char *at = find_execute(pass), *end = at ? block_end(at) : NULL;
    for (; at && at < end; at++) {
        pass->lines += *at == '\n';
        size_t len = word_len(at);
        if (!len)
            continue;
        const MapEntry *defined = str_starts(at + len, " (") ? map_find(&index->functions, at, len) : NULL;
        CLEANUP(str_release) Str name = {0};
        str_append_n(&name, at, len);
        at += len - 1;
        if (!defined || defined->pointer == pass->source || strlist_contains(&pass->calls, str_text(&name)))
            continue;
        strlist_add(&pass->calls, str_text(&name));
    }
    pass->lines += at != NULL;
}

static void count_callers(Index *index, const Source *source) {
    Map here = {0};
    for (const char *at = str_text(&source->text); *at; at++) {
        size_t len = word_len(at);
        if (!len)
            continue;
        const MapEntry *defined = str_starts(at + len, " (") ? map_find(&index->functions, at, len) : NULL;
        bool is_new = false;
        if (defined && defined->pointer != source)
            map_insert(&here, at, len, &is_new);
        if (is_new)
            map_insert(&index->callers, at, len, NULL)->value++;
        at += len - 1;
    }
    map_release(&here);
}

/* tree-vectorizer is the head of a family of files. */
static void add_family(const Index *index, StrList *list) {
    bool vectorizer = false;
    for (size_t i = 0; i < list->len; i++)
        vectorizer |= strstr(list->items[i], "tree-vectorizer.") != NULL;
    for (size_t i = 0; vectorizer && i < index->sources.len; i++)
        if (strstr(index->sources.items[i].path, "/tree-vect-"))
            strlist_add_once(list, index->sources.items[i].path);
}

static void list_files(const Index *index, const Pass *pass) {
    StrList *list = list_of(index->files, &index->files->passes, pass->key);
    CLEANUP(strlist_release) StrList helpers = {0};
    for (size_t i = 0; i < pass->calls.len && helpers.len < MOST_HELPERS; i++) {
        const Source *source = map_find_str(&index->functions, pass->calls.items[i])->pointer;
        if (map_find_str(&index->callers, pass->calls.items[i])->value <= MOST_CALLERS)
            strlist_add_once(&helpers, source->path);
    }
    bool wrapper = helpers.len && pass->lines && pass->lines <= WRAPPER_LINES;
    if (!wrapper)
        strlist_add_once(list, pass->source->path);
    for (size_t i = 0; i < helpers.len; i++)
        strlist_add_once(list, helpers.items[i]);
    strlist_add_once(list, pass->source->path);
    add_family(index, list);
}

/* --- All of it --- */

static void index_release(Index *index) {
    for (size_t i = 0; i < index->sources.len; i++) {
        mem_freep(&index->sources.items[i].path);
        str_release(&index->sources.items[i].text);
    }
    for (size_t i = 0; i < index->passes.len; i++)
        strlist_release(&index->passes.items[i].calls);
    vec_release(&index->sources);
    vec_release(&index->passes);
    map_release(&index->functions);
    map_release(&index->callers);
}

bool gcc_files_load(GccFiles *files, const char *source, Error *err) {
    CLEANUP(index_release) Index index = {.files = files};
    if (!read_dir(&index, source, "gcc", err) || !read_dir(&index, source, "gcc/config/i386", err))
        return false;
    for (size_t i = 0; i < index.sources.len; i++) {
        index_functions(&index, &index.sources.items[i]);
        index_flags(&index, &index.sources.items[i]);
        index_passes(&index, &index.sources.items[i]);
    }
    for (size_t i = 0; i < index.passes.len; i++)
        read_calls(&index, &index.passes.items[i]);
    for (size_t i = 0; i < index.sources.len; i++)
        count_callers(&index, &index.sources.items[i]);
    for (size_t i = 0; i < index.passes.len; i++)
        list_files(&index, &index.passes.items[i]);
    return true;
}

void gcc_files_release(GccFiles *files) {
    for (size_t i = 0; i < files->lists.len; i++)
        strlist_release(files->lists.items[i]);
    vec_release(&files->lists);
    map_release(&files->passes);
    map_release(&files->flags);
    map_release(&files->names);
    arena_release(&files->arena);
    *files = (GccFiles){0};
}

const StrList *gcc_files_of_pass(const GccFiles *files, const char *pass) {
    const MapEntry *entry = map_find_str(&files->passes, pass);
    size_t len = strlen(pass);
    while (!entry && len && isdigit((unsigned char)pass[len - 1]))
        entry = map_find(&files->passes, pass, --len);
    return entry ? entry->pointer : NULL;
}

const StrList *gcc_files_of_flag(const GccFiles *files, const char *flag) {
    char name[80];
    snprintf(name, sizeof name, "flag_%s", str_starts(flag, "-f") ? flag + 2 : flag);
    for (char *c = name; *c; c++)
        *c = *c == '-' ? '_' : *c;
    const MapEntry *entry = map_find_str(&files->flags, name);
    const StrList *list = entry ? entry->pointer : NULL;
    return list && list->len <= MOST_READERS ? list : NULL;
}

const char *gcc_files_path(const GccFiles *files, const char *base_name) {
    const MapEntry *entry = map_find_str(&files->names, base_name);
    return entry ? entry->pointer : NULL;
}
