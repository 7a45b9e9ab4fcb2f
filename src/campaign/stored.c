#include "campaign/stored.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

bool stored_fixed(Stored *r, const char *name, const char *given, const char *otherwise, const char **ret_value) {
    const char *stored = NULL;
    if (!store_setting(r->store, name, r->arena, &stored, r->err))
        return false;
    if (stored && given && !str_equal(stored, given))
        return error_set(
            r->err,
            "the campaign in %s has the %s `%s`, which cannot become `%s`, because each of its seeds stands "
            "for one program: leave out the option, or choose another directory",
            store_dir(r->store), name, *stored ? stored : "of the generator's choice", given);
    *ret_value = stored ? stored : given ? given : otherwise;
    return stored || store_set_setting(r->store, name, *ret_value, r->err);
}

bool stored_current(Stored *r, const char *name, const char *given, const char **ret_value) {
    if (given) {
        *ret_value = arena_strdup(r->arena, given);
        return store_set_setting(r->store, name, given, r->err);
    }
    const char *stored = NULL;
    if (!store_setting(r->store, name, r->arena, &stored, r->err))
        return false;
    *ret_value = stored ? stored : "";
    return true;
}

bool stored_current_number(Stored *r, const char *name, uint64_t given, uint64_t *ret_value) {
    char text[24];
    const char *value;
    snprintf(text, sizeof text, "%" PRIu64, given);
    if (!stored_current(r, name, given ? text : NULL, &value))
        return false;
    *ret_value = strtoull(value, NULL, 10);
    return true;
}

bool stored_current_list(Stored *r, const char *name, const StrList *given, StrList *ret_list) {
    CLEANUP(mem_freep) char *line = given && given->len ? strlist_join_shell(given) : NULL;
    const char *value;
    return stored_current(r, name, line, &value) && strlist_split_shell(ret_list, value, r->err);
}

bool stored_fixed_number(Stored *r, const char *name, bool is_given, uint64_t given, uint64_t otherwise,
                         uint64_t *ret_value) {
    char text[24], default_text[24];
    const char *value;
    snprintf(text, sizeof text, "%" PRIu64, given);
    snprintf(default_text, sizeof default_text, "%" PRIu64, otherwise);
    if (!stored_fixed(r, name, is_given ? text : NULL, default_text, &value))
        return false;
    *ret_value = strtoull(value, NULL, 10);
    return true;
}
