/* Other reducers with our test: C-Vise and C-Reduce run our script about every candidate. */
#ifndef REDUCE_EXTERNAL_H
#define REDUCE_EXTERNAL_H

#include "reduce/interesting.h"

/* Writes the file under reduction and its script, test.sh, into the directory. */
bool external_write(const Interestingness *test, const char *dir, Error *err);
/* Lets the tool that options->with names reduce the program's one file, in the directory. */
bool external_reduce(Interestingness *test, const ReduceOptions *options, const char *dir, Error *err);

#endif
