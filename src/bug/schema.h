/* Inside src/bug: the members of bug.json. */
#ifndef BUG_SCHEMA_H
#define BUG_SCHEMA_H

#include "bug/bug.h"

bool schema_read(Bug *bug, Error *err); /* from bug->json */
void schema_write(Bug *bug);            /* to bug->json; members that the struct does not know stay */

#endif
