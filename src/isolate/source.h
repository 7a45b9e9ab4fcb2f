/* Sources of programs that are no mutants: the files of a pool in random order, or random programs of C. */
#ifndef ISOLATE_SOURCE_H
#define ISOLATE_SOURCE_H

#include "base/error.h"
#include "base/rng.h"
#include "base/str.h"
#include "base/strlist.h"

typedef struct Source Source;

/* `pool` is a directory, searched with its subdirectories for files that end so: ".c", ".ll". */
Source *source_new_pool(const char *pool, const char *ending, const Rng *rng, Error *err);
Source *source_new_random(const Rng *rng);
void source_free(Source *source);
DEFINE_FREEP(Source, source_free)

/* The next program; false when none is left. Both Strs are cleared first. */
bool source_next(Source *source, Str *ret_text, Str *ret_name);

#endif
