#ifndef JUDGE_BUG_FROM_FILE_H
#define JUDGE_BUG_FROM_FILE_H

#include "bug/bug.h"

/* A bug from a file and command lines, as `reduce FILE --cc CMD --fail FLAGS [--pass FLAGS]` gives them. The kind is
 * found by running it; that nothing is wrong is an Error. `pass` may be NULL: the failing flags at -O0. A pass that does
 * not start with '-' names another compiler. */
bool bug_from_file(Runner *runner, const char *path, const char *cc, const char *fail, const char *pass, Bug *ret_bug,
                   Error *err);

#endif
