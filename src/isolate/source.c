#include "isolate/source.h"

#include <stdlib.h>

#include "base/file.h"
#include "gen/gen.h"

struct Source {
    bool random;
    StrList paths; /* of a pool, shuffled */
    size_t next;
    Rng rng;
};

enum { LARGEST_PROGRAM = 100000, GENERATED_BYTES = 4000 };

Source *source_new_random(const Rng *rng) {
    Source *source = mem_zalloc(1, sizeof *source);
    source->random = true;
    source->rng = rng_split_named(rng, "source");
    return source;
}

Source *source_new_pool(const char *pool, const char *ending, const Rng *rng, Error *err) {
    Source *source = mem_zalloc(1, sizeof *source);
    source->rng = rng_split_named(rng, "source");
    bool ok = dir_walk(pool, ending, LARGEST_PROGRAM, &source->paths, err);
    if (ok && source->paths.len == 0)
        ok = error_set(err, "%s has no %s files: give a compiler's test suite with --pool", pool, ending);
    if (!ok) {
        source_free(source);
        return NULL;
    }
    for (size_t i = source->paths.len; i > 1; i--) { /* every order is equally likely */
        size_t other = rng_below(&source->rng, i);
        char *path = source->paths.items[i - 1];
        source->paths.items[i - 1] = source->paths.items[other];
        source->paths.items[other] = path;
    }
    return source;
}

void source_free(Source *source) {
    if (!source)
        return;
    strlist_release(&source->paths);
    free(source);
}

static bool next_of_pool(Source *source, Str *ret_text, Str *ret_name) {
    while (source->next < source->paths.len) {
        const char *path = source->paths.items[source->next++];
        str_clear(ret_text);
        if (file_read(path, ret_text, NULL)) {
            str_append(ret_name, path);
            return true;
        }
    }
    return false;
}

static bool next_generated(Source *source, Str *ret_text, Str *ret_name) {
    CLEANUP(arena_release) Arena arena = {0};
    GenOptions options = gen_defaults(rng_next(&source->rng));
    GenProgram program;
    options.single = true;
    options.size = GENERATED_BYTES;
    if (!gen_program(&options, &arena, &program, NULL))
        return false;
    str_append_n(ret_text, program.files[0].text, program.files[0].len);
    str_printf(ret_name, "random program %zu", ++source->next);
    return true;
}

bool source_next(Source *source, Str *ret_text, Str *ret_name) {
    str_clear(ret_text);
    str_clear(ret_name);
    return source->random ? next_generated(source, ret_text, ret_name) : next_of_pool(source, ret_text, ret_name);
}
