/* Option parsing against the tables of command.h. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "cli/command.h"

/* The options that every command has. */
typedef struct GlobalArgs {
    bool json, verbose, quiet, help;
    uint64_t jobs;
    const char *seed; /* a number */
    const char *color;
} GlobalArgs;

extern const Option global_options[];

/* Parses the words: options of `options` (into args; NULL before a command is known) and of global_options go to their
 * fields, everything else to ret_operands. With `command_first`, parsing stops at the first operand, which is the
 * command's name. Returns the number of words used through *ret_used. */
bool options_parse(const Option *options, void *args, GlobalArgs *globals, char **words, bool command_first,
                   StrList *ret_operands, size_t *ret_used, Error *err);
/* Frees the lists in args. */
void options_release(const Option *options, void *args);

/* The candidate closest to the word, or NULL where none is near: at most two edits away, or begun and not finished. */
const char *suggest(const char *word, const char *const *candidates);

#endif
