/* Source index: where the functions of a source tree are defined, by name; made by universal-ctags, once per tree.
 *
 * Names are qualified as the source writes them at the definition ("pass_ccp::execute", without an enclosing `namespace`
 * that was opened by `using`), without template arguments and anonymous namespaces; see source_index_key.
 */
#ifndef BINARY_SOURCE_INDEX_H
#define BINARY_SOURCE_INDEX_H

#include "base/console.h"
#include "base/map.h"
#include "base/vec.h"
#include "proc/run.h"

typedef struct Definition {
    const char *file; /* relative to the tree; equal names are equal pointers */
    uint32_t line;
    uint32_t next; /* index + 1 of another definition of the same key; 0: none */
} Definition;

typedef struct SourceIndex {
    Map files;
    Map keys; /* value: index + 1 of the first definition */
    Vec(Definition) definitions;
} SourceIndex;

/* `cache_dir` keeps what ctags said. */
bool source_index_open(const char *source_dir, const char *cache_dir, Runner *runner, Console *console,
                       SourceIndex *ret_index, Error *err);
void source_index_release(SourceIndex *index);

/* Appends the key of a demangled name: "llvm::(anonymous namespace)::Foo<int>::bar" gives "llvm::Foo::bar". */
void source_index_key(const char *name, Str *ret_key);

/* The first definition of the key, or NULL; the others follow through `next`. */
const Definition *source_index_find(const SourceIndex *index, const char *key);
const Definition *source_index_next(const SourceIndex *index, const Definition *definition);

#endif
