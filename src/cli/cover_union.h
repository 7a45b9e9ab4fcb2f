/* `culprit cover --union`: what many inputs cover together. */
#ifndef CLI_COVER_UNION_H
#define CLI_COVER_UNION_H

#include "cli/command.h"
#include "cover/cover.h"

typedef struct UnionArgs {
    StrList inputs; /* files, and folders to look for programs in */
    StrList add;    /* saved unions */
    const char *save;
} UnionArgs;

#define UNION_OPTIONS(Args, field)                                                                        \
    OPTION(Args, field.inputs, "union", 0, OPTION_LIST, "PATH",                                           \
           "compile this program, or all below this folder, and sum up what ran; may be repeated"),       \
        OPTION(Args, field.add, "add", 0, OPTION_LIST, "FILE", "with --union: and what was saved there"), \
        OPTION(Args, field.save, "save", 0, OPTION_TEXT, "FILE", "with --union: keep what ran, for --add")

/* `command` runs the compiler; every input is added as its last word. */
ExitStatus cover_union_command(Cli *cli, const UnionArgs *args, Cover *cover, const StrList *command,
                               const ProcLimits *limits);

#endif
