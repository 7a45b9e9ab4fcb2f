/* The log of a traced run: made before it, and named to the preloaded library through the environment. */
#ifndef COVER_TRACE_LOG_H
#define COVER_TRACE_LOG_H

#include "base/error.h"
#include "base/strlist.h"
#include "cover/trace_format.h"

#define TRACE_LOG_NAME "trace.log"

/* Makes the log in the run's directory and adds the environment. `plans` are joined by colons; `preload` (may be NULL) is
 * what else is preloaded. */
bool trace_log_prepare(const char *run_dir, const char *plans, size_t log_size, const char *preload, StrList *env,
                       Error *err);

#endif
