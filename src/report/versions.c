#include "report/versions.h"

#include <stdlib.h>

void versions_split(const char *command, Str *ret_compiler, Str *ret_levels) {
    CLEANUP(strlist_release) StrList words = {0};
    strlist_split(&words, command, ' ');
    for (size_t i = 0; i < words.len; i++) {
        Str *to = str_starts(words.items[i], "-O") ? ret_levels : ret_compiler;
        if (to)
            str_printf(to, "%s%s", to->len ? " " : "", words.items[i]);
    }
}

static VersionGroup *find_group(VersionGroups *groups, const char *compiler, const BugVersion *row) {
    for (size_t i = 0; i < groups->len; i++) {
        VersionGroup *group = &groups->items[i];
        if (str_equal(group->compiler, compiler) && str_equal(group->row->verdict, row->verdict) &&
            str_equal(group->row->version, row->version))
            return group;
    }
    return NULL;
}

static void add_rows(const Bug *bug, bool fine, VersionGroups *groups) {
    for (size_t i = 0; i < bug->versions.len; i++) {
        const BugVersion *row = &bug->versions.items[i];
        bool innocent =
            str_equal(row->verdict, verdict_name(VERDICT_OK)) || str_equal(row->verdict, VERSION_NOT_APPLICABLE);
        if (innocent != fine)
            continue;
        CLEANUP(str_release) Str compiler = {0}, level = {0};
        versions_split(row->command, &compiler, &level);
        VersionGroup *group = find_group(groups, str_text(&compiler), row);
        if (!group) {
            vec_push(groups, (VersionGroup){.compiler = str_detach(&compiler), .row = row, .fine = fine});
            group = &vec_last(groups);
        }
        str_printf(&group->levels, "%s%s", group->levels.len ? ", " : "", level.len ? str_text(&level) : "default");
    }
}

void versions_group(const Bug *bug, VersionGroups *ret_groups) {
    add_rows(bug, false, ret_groups);
    add_rows(bug, true, ret_groups);
    for (size_t i = 0; i < ret_groups->len; i++) /* without others beside it, it need not be said */
        if (str_equal(str_text(&ret_groups->items[i].levels), "default"))
            str_clear(&ret_groups->items[i].levels);
}

void versions_release(VersionGroups *groups) {
    for (size_t i = 0; i < groups->len; i++) {
        free(groups->items[i].compiler);
        str_release(&groups->items[i].levels);
    }
    vec_release(groups);
}
