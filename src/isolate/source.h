/* Sources of programs that are no mutants: the files of a pool in random order, or random programs of C. */
#ifndef ISOLATE_SOURCE_H
#define ISOLATE_SOURCE_H

#include "base/error.h"
#include "base/rng.h"
#include "base/str.h"
#include "isolate/method.h"

typedef struct Source Source;

/* `pool` is a directory, searched with its subdirectories for files that end so: ".c", ".ll". */
Source *source_new(WitnessSource kind, const char *pool, const char *ending, Rng *rng, Error *err);
void source_free(Source *source);
DEFINE_FREEP(Source, source_free)

void source_shuffle(StrList *list, Rng *rng); /* every order is equally likely */
/* The next program; false where none is left. Both Strs are cleared first. */
bool source_next(Source *source, Str *ret_text, Str *ret_name);

#endif
