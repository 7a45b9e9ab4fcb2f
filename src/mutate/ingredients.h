/* Ingredients: conditions, functions and calls taken from a corpus of C programs, for RecBi's structural mutations, and
 * statements and blocks for DiWi's blending.
 *
 * An ingredient keeps its variables as slots with a type; inserting it fills every slot with a variable of a compatible
 * type in scope, or a constant if there is none. Immutable once built: threads may share it.
 */
#ifndef MUTATE_INGREDIENTS_H
#define MUTATE_INGREDIENTS_H

#include "base/console.h"
#include "base/error.h"
#include "base/strlist.h"

typedef struct Ingredients Ingredients;

/* From every plain .c file below `dir` (a compiler's test suite, a hunt's programs). With `cache_dir` (may be NULL) the
 * result is kept there, and used while the names, sizes and times of the files stay the same. `dir` NULL takes the
 * small pool that comes with culprit. Fails if no file gives any ingredient. */
Ingredients *ingredients_load(const char *dir, const char *cache_dir, Console *console, Error *err);
/* From one text; for tests and for the failing program itself. */
Ingredients *ingredients_from_text(const char *name, const char *text, Error *err);
void ingredients_free(Ingredients *ingredients);
DEFINE_FREEP(Ingredients, ingredients_free)

size_t ingredients_branch_conditions(const Ingredients *ingredients);
size_t ingredients_loop_conditions(const Ingredients *ingredients);
size_t ingredients_functions(const Ingredients *ingredients);
size_t ingredients_statements(const Ingredients *ingredients); /* and blocks */

#endif
