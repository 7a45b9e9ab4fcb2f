/* Who has a bug, by compiler: rows that differ in the level alone are one, and those that fail come first.
 *
 *     VersionGroups groups = {0};
 *     versions_group(bug, &groups);        "pcc": "-O, -O0" rejects-valid; "gcc-11": "-O0, -O2, -O3" ok
 */
#ifndef REPORT_VERSIONS_H
#define REPORT_VERSIONS_H

#include "bug/bug.h"

typedef struct VersionGroup {
    char *compiler;        /* the command without its level */
    Str levels;            /* "-O0, -O2", "default, -O"; empty if the commands have none */
    const BugVersion *row; /* the bug's, the first of the group: its verdict and version are those of all */
    bool fine;
} VersionGroup;

typedef Vec(VersionGroup) VersionGroups;

void versions_group(const Bug *bug, VersionGroups *ret_groups);
void versions_release(VersionGroups *groups);

/* Appends a command's words without those that choose a level, and those; both may be NULL. */
void versions_split(const char *command, Str *ret_compiler, Str *ret_levels);

#endif
