/* Origins: which line of a description each line of a generated source stems from, when only comments tell.
 *
 * Generators that write #line directives need no help: debug information names the description. GCC's genmatch writes them
 * as comments, so that its developers may step through what it generated:
 *
 *     #line 615 "…/gcc/match.pd"          between the marks of a comment
 *
 * Such a comment speaks for the lines behind it, up to the next one or the end of the function, a brace in the first column.
 */
#ifndef BINARY_ORIGINS_H
#define BINARY_ORIGINS_H

#include "base/map.h"
#include "binary/unit_table.h"

typedef struct Origin {
    uint32_t from;       /* line of the generated source */
    uint32_t file, line; /* of the builder's files; ORIGIN_NONE: it stems from nothing */
} Origin;

#define ORIGIN_NONE UINT32_MAX

typedef Vec(Origin) Origins; /* sorted by `from` */

/* What the text says; nothing if it has no such comments. */
void origins_parse(const char *text, UnitBuilder *builder, Origins *ret_origins);
/* Turns a place in the generated source into the one that it stems from, if there is one. */
void origins_apply(const Origins *origins, uint32_t *file, uint32_t *line);

/* The generated sources that were read, by path. Zeroed is empty. */
typedef struct OriginCache {
    Map files;
} OriginCache;

/* The origins of the lines of a file of the builder's, which is `path` seen from `comp_dir`; NULL if it is no generated
 * source or cannot be read. */
const Origins *origins_of(OriginCache *cache, UnitBuilder *builder, uint32_t file, const char *path,
                          const char *comp_dir);
void origins_release(OriginCache *cache);

#endif
