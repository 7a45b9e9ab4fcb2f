/* Settings of a campaign that its store remembers: from the options, from the store where it is resumed, else by default. */
#ifndef CAMPAIGN_STORED_H
#define CAMPAIGN_STORED_H

#include "base/strlist.h"
#include "store/store.h"

typedef struct Stored {
    Store *store;
    Arena *arena; /* of the values */
    Error *err;
} Stored;

/* A setting that may not change, because it decides which program belongs to a seed. */
bool stored_fixed(Stored *r, const char *name, const char *given, const char *otherwise, const char **ret_value);
bool stored_fixed_number(Stored *r, const char *name, bool is_given, uint64_t given, uint64_t otherwise,
                         uint64_t *ret_value);

/* A setting that holds from now on where it is given. Lists are kept as lines that a shell would split. */
bool stored_current(Stored *r, const char *name, const char *given, const char **ret_value);
bool stored_current_number(Stored *r, const char *name, uint64_t given, uint64_t *ret_value);
bool stored_current_list(Stored *r, const char *name, const StrList *given, StrList *ret_list);

#endif
