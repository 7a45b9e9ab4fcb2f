/* Stop marks: end another provider's recording where a compiler starts to report its own failure.
 *
 * Printing a backtrace runs code that no passing input runs; in a spectrum it would be the most suspicious of all. The trace
 * provider marks the functions that begin such a report (trace_patch.c lists them) with stopping traps; this module does only
 * that, for a compiler that another runtime instruments.
 */
#ifndef COVER_TRACE_STOP_H
#define COVER_TRACE_STOP_H

#include "base/error.h"
#include "base/strlist.h"

/* Makes plans for the modules that report failures, kept in `dir`, and appends their paths. `section` holds the flags that
 * freeze. A module that cannot be marked is left out: its recording just goes on to the end. */
void trace_stop_make(const StrList *modules, const char *section, const char *dir, StrList *ret_plans);

/* The environment for a run that collects into `run_dir`; `preload` (may be NULL) is a further library to preload. */
bool trace_stop_prepare(const StrList *plans, const char *run_dir, const char *preload, StrList *env, Error *err);

#endif
