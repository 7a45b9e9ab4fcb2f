/* Which programs and libraries do the work when a compiler is called: what has to be traced.
 *
 * A driver such as gcc starts cc1; pcc starts ccom; clang does everything in its own process, most of it in libclang-cpp
 * and libLLVM; tcc is one program.
 */
#ifndef COVER_TRACE_FIND_H
#define COVER_TRACE_FIND_H

#include "base/error.h"
#include "base/strlist.h"
#include "proc/run.h"

/* Appends the paths, in a fixed order. `cc` is the compiler command, its program first. */
bool trace_find_modules(const StrList *cc, Runner *runner, StrList *ret_paths, Error *err);

#endif
