/* Other reducers with our test: C-Vise and C-Reduce run the judge's script about every candidate. */
#ifndef REDUCE_EXTERNAL_H
#define REDUCE_EXTERNAL_H

#include "reduce/judge.h"

/* Writes the judge's file and its script, test.sh, into the directory. */
bool external_write(const Judge *judge, const char *dir, Error *err);
/* Lets the tool that options->with names reduce the judge's one file, in the directory. */
bool external_reduce(Judge *judge, const ReduceOptions *options, const char *dir, Error *err);

#endif
