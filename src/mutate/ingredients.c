/* Building, keeping and reading pools of ingredients. */
#include "mutate/ingredients.h"

#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/hash.h"
#include "mutate/ingredient_pool.h"
#include "proc/interrupt.h"

enum { CACHE_VERSION = 2, MAX_FILE = 256 * 1024, STACK_BYTES = 1 << 30 };

void ingredients_free(Ingredients *ingredients) {
    if (!ingredients)
        return;
    for (size_t i = 0; i < ingredients->functions.len; i++)
        vec_release(&ingredients->functions.items[i].calls);
    vec_release(&ingredients->functions);
    vec_release(&ingredients->statements);
    vec_release(&ingredients->branches);
    vec_release(&ingredients->loops);
    map_release(&ingredients->seen);
    arena_release(&ingredients->arena);
    free(ingredients);
}

size_t ingredients_branch_conditions(const Ingredients *ingredients) { return ingredients->branches.len; }
size_t ingredients_loop_conditions(const Ingredients *ingredients) { return ingredients->loops.len; }
size_t ingredients_statements(const Ingredients *ingredients) { return ingredients->statements.len; }
size_t ingredients_functions(const Ingredients *ingredients) { return ingredients->functions.len; }

static bool is_empty(const Ingredients *ingredients) {
    return ingredients->branches.len + ingredients->loops.len + ingredients->functions.len == 0;
}

/* --- The corpus --- */

/* Headers of a processor's own functions are tens of thousands of lines, and what is written with them is of no use in
 * other programs: only programs that include nothing but the language's own headers are taken. */
static bool is_plain(const char *text) {
    static const char *const plain[] = {"assert", "ctype",  "errno",  "float",   "inttypes", "limits",   "math",
                                        "setjmp", "signal", "stdarg", "stdbool", "stddef",   "stdint",   "stdio",
                                        "stdlib", "string", "time",   "unistd",  "wchar",    "sys/types"};
    for (const char *at = text; (at = strstr(at, "include"));) {
        at += strlen("include");
        at += strspn(at, " \t");
        bool known = *at != '<';
        for (size_t i = 0; !known && i < ARRAY_LEN(plain); i++)
            known = str_starts(at + 1, plain[i]) && str_starts(at + 1 + strlen(plain[i]), ".h>");
        if (!known)
            return false;
    }
    return true;
}

static bool list_programs(const char *dir, StrList *ret_paths, Error *err) {
    CLEANUP(strlist_release) StrList files = {0};
    CLEANUP(str_release) Str text = {0};
    if (!dir_walk(dir, ".c", MAX_FILE, &files, err))
        return false;
    for (size_t i = 0; i < files.len; i++) {
        str_clear(&text);
        if (file_read(files.items[i], &text, NULL) && is_plain(str_text(&text)))
            strlist_add(ret_paths, files.items[i]);
    }
    return true;
}

/* Names the corpus as it is now: paths, sizes and times of its files. */
static Hash corpus_hash(const StrList *paths) {
    CLEANUP(str_release) Str description = {0};
    str_append_u64(&description, CACHE_VERSION);
    for (size_t i = 0; i < paths->len; i++) {
        struct stat info;
        if (stat(paths->items[i], &info) == 0)
            str_printf(&description, "\n%s %lld %lld", paths->items[i], (long long)info.st_size,
                       (long long)info.st_mtime);
    }
    return hash_bytes(str_text(&description), description.len);
}

static void harvest_text(Ingredients *ingredients, Parser *parser, const char *text, size_t len) {
    CLEANUP(tree_freep) Tree *tree = parser_parse(parser, text, len, NULL);
    if (tree) /* what does not parse has no ingredients */
        ingredients_harvest(ingredients, tree);
}

typedef struct Build {
    const StrList *paths;
    Console *console;
    Ingredients *ingredients;
} Build;

static void *build_all(void *argument) {
    Build *build = argument;
    const StrList *paths = build->paths;
    Ingredients *ingredients = build->ingredients = mem_zalloc(1, sizeof *ingredients);
    CLEANUP(parser_freep) Parser *parser = parser_new("pool.c", NULL);
    CLEANUP(str_release) Str text = {0};
    for (size_t i = 0; i < paths->len && interrupt_count() == 0; i++) {
        console_status(build->console, "collecting ingredients: %zu of %zu programs, %zu conditions, %zu functions", i,
                       paths->len, ingredients->branches.len + ingredients->loops.len, ingredients->functions.len);
        str_clear(&text);
        if (file_read(paths->items[i], &text, NULL))
            harvest_text(ingredients, parser, str_text(&text), text.len);
    }
    console_status_end(build->console);
    map_release(&ingredients->seen);
    ingredients->seen = (Map){0};
    return NULL;
}

/* Test suites nest expressions a hundred thousand deep to find a compiler's limits, and libclang recurses: the work is
 * done on a stack of its own, whose pages exist only once they are used. */
static Ingredients *build(const StrList *paths, Console *console) {
    Build build = {.paths = paths, .console = console};
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    bool made = pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0 &&
                pthread_create(&thread, &attributes, build_all, &build) == 0;
    pthread_attr_destroy(&attributes);
    if (made)
        pthread_join(thread, NULL);
    else
        build_all(&build);
    return build.ingredients;
}

Ingredients *ingredients_from_text(const char *name, const char *text, Error *err) {
    Ingredients *ingredients = mem_zalloc(1, sizeof *ingredients);
    CLEANUP(parser_freep) Parser *parser = parser_new(name, NULL);
    harvest_text(ingredients, parser, text, strlen(text));
    if (!is_empty(ingredients))
        return ingredients;
    ingredients_free(ingredients);
    error_set(err, "%s holds no condition or function that could be used elsewhere", name);
    return NULL;
}

/* --- The cache --- */

static Json *templates_to_json(const TemplateList *list) {
    Json *json = json_new_array();
    for (size_t i = 0; i < list->len; i++)
        json_push(json, template_to_json(&list->items[i]));
    return json;
}

static bool templates_from_json(const Json *json, Arena *arena, TemplateList *ret) {
    for (size_t i = 0; i < json_len(json); i++) {
        Template template;
        if (!template_from_json(json_item(json, i), arena, &template))
            return false;
        vec_push(ret, template);
    }
    return true;
}

static void cache_write(const char *path, const Ingredients *ingredients) {
    CLEANUP(json_freep) Json *json = json_new_object();
    Json *functions = json_new_array();
    json_put(json, "branches", templates_to_json(&ingredients->branches));
    json_put(json, "loops", templates_to_json(&ingredients->loops));
    for (size_t i = 0; i < ingredients->functions.len; i++) {
        Json *function = json_new_object();
        json_put(function, "definition", template_to_json(&ingredients->functions.items[i].definition));
        json_put(function, "calls", templates_to_json(&ingredients->functions.items[i].calls));
        json_push(functions, function);
    }
    json_put(json, "functions", functions);
    Json *statements = json_new_array();
    for (size_t i = 0; i < ingredients->statements.len; i++) {
        const StatementIngredient *statement = &ingredients->statements.items[i];
        Json *item = template_to_json(&statement->text);
        if (statement->function != NO_FUNCTION)
            json_put_int(item, "function", (int64_t)statement->function);
        json_push(statements, item);
    }
    json_put(json, "statements", statements);
    json_write_file(path, json, NULL); /* a cache that cannot be written costs time, nothing else */
}

static bool functions_from_json(const Json *json, Ingredients *ret) {
    for (size_t i = 0; i < json_len(json); i++) {
        FunctionIngredient function = {0};
        const Json *item = json_item(json, i);
        bool ok = template_from_json(json_get(item, "definition"), &ret->arena, &function.definition) &&
                  templates_from_json(json_get(item, "calls"), &ret->arena, &function.calls) && function.calls.len > 0;
        vec_push(&ret->functions, function);
        if (!ok)
            return false;
    }
    return true;
}

static bool statements_from_json(const Json *json, Ingredients *ret) {
    for (size_t i = 0; i < json_len(json); i++) {
        const Json *item = json_item(json, i);
        StatementIngredient statement = {.function = NO_FUNCTION};
        if (json_has(item, "function"))
            statement.function = (size_t)json_get_int(item, "function", -1);
        if (!template_from_json(item, &ret->arena, &statement.text) ||
            (statement.function != NO_FUNCTION && statement.function >= ret->functions.len))
            return false;
        vec_push(&ret->statements, statement);
    }
    return true;
}

static Ingredients *cache_read(const char *path) {
    CLEANUP(json_freep) Json *json = NULL;
    if (!file_exists(path) || !json_read_file(path, &json, NULL))
        return NULL;
    Ingredients *ingredients = mem_zalloc(1, sizeof *ingredients);
    if (templates_from_json(json_get(json, "branches"), &ingredients->arena, &ingredients->branches) &&
        templates_from_json(json_get(json, "loops"), &ingredients->arena, &ingredients->loops) &&
        functions_from_json(json_get(json, "functions"), ingredients) &&
        statements_from_json(json_get(json, "statements"), ingredients) && !is_empty(ingredients))
        return ingredients;
    ingredients_free(ingredients);
    return NULL;
}

static char *cache_path(const char *cache_dir, const StrList *paths) {
    char name[HASH_TEXT_SIZE + 16] = "pool-", *hash = name + strlen(name);
    hash_text(corpus_hash(paths), hash);
    strcat(name, ".json");
    return path_of(cache_dir, name);
}

Ingredients *ingredients_load(const char *dir, const char *cache_dir, Console *console, Error *err) {
    CLEANUP(str_release) Str own = {0};
    CLEANUP(strlist_release) StrList paths = {0};
    if (!dir) {
        if (!path_runtime("pool", &own, err)) {
            error_context(err, "the pool that comes with culprit is missing");
            return NULL;
        }
        dir = str_text(&own);
    }
    if (!list_programs(dir, &paths, err)) {
        error_context(err, "cannot read the pool");
        return NULL;
    }
    CLEANUP(mem_freep) char *cached = cache_dir ? cache_path(cache_dir, &paths) : NULL;
    Ingredients *ingredients = cached ? cache_read(cached) : NULL;
    if (ingredients)
        return ingredients;
    ingredients = build(&paths, console);
    if (interrupt_count() > 0) {
        ingredients_free(ingredients);
        error_set(err, "interrupted while ingredients were collected from %s", dir);
        return NULL;
    }
    if (is_empty(ingredients)) {
        ingredients_free(ingredients);
        error_set(err,
                  "no ingredients in %s: give a directory of C programs with --pool, such as a compiler's test suite",
                  dir);
        return NULL;
    }
    if (cached && dir_make(cache_dir, NULL))
        cache_write(cached, ingredients);
    return ingredients;
}
