/* Where the sources of an installed compiler are: without them, a traced compiler has functions, but no files to rank. */
#ifndef SUBJECT_SOURCES_H
#define SUBJECT_SOURCES_H

#include "subject/subject.h"

/* Sets subject->source_root of a "stock:CC" whose sources nobody named, if they are found: in a subject that was built from
 * the same version, or in the distribution's source package, which is unpacked into the subject's directory once (half
 * a minute). Otherwise the user is told what to install. A subject that knows its sources is left as it is. False if they
 * are there but cannot be unpacked. */
bool subject_find_sources(Subject *subject, Runner *runner, Console *console, Error *err);

/* Opens a subject whose files are to be ranked: with its sources, and "stock:CC" block by block, as "stock-blocks:CC" is. Which
 * functions ran tells too little: most run for every program, and what a bug needs is a branch of one. */
bool subject_open_to_rank(const char *which, const char *source_dir, Runner *runner, Console *console,
                          Subject *ret_subject, Error *err);

#endif
