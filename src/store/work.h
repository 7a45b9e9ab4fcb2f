/* Inside src/store: claims of sessions that are gone. */
#ifndef STORE_WORK_H
#define STORE_WORK_H

#include "store/sql.h"

/* Makes every claim that is not this session's available again. */
bool work_return_others(Store *store, Error *err);

#endif
