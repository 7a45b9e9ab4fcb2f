/* Inside src/store: the tables and how old stores become new ones. */
#ifndef STORE_SCHEMA_H
#define STORE_SCHEMA_H

#include "store/sql.h"

/* Brings an empty or older database to the current version, in one transaction; a newer one is an Error. */
bool schema_migrate(Store *store, Error *err);
int64_t schema_version(void); /* the current one */

#endif
