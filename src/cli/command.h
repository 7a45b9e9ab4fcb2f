/* Commands: how a subcommand describes itself. Help texts, the manual page, completions and the parser all come from it.
 *
 * To add a subcommand:
 *  1. write src/cli/cmd_NAME.c: a struct of arguments, an options table, a run function, one `const Command cmd_NAME`;
 *  2. declare it at the end of this file and list it in commands.c;
 *  3. add tests/cli/NAME.t.
 *
 * A run function declares nothing else: it calls one library entry and prints. Lists in the arguments are released by
 * the dispatcher. Options that every command has (--json -j --seed -v -q --color --help) arrive in Cli.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdio.h>

#include "base/console.h"
#include "base/error.h"
#include "base/json.h"
#include "base/strlist.h"

typedef enum ExitStatus {
    STATUS_OK = 0,
    STATUS_FINDINGS = 1, /* bugs stored, undefined behaviour found, a bug reproduces */
    STATUS_USAGE = 2,
    STATUS_FAILED = 3,
    STATUS_INTERRUPTED = 130,
} ExitStatus;

typedef enum OptionKind {
    OPTION_FLAG,     /* bool */
    OPTION_TEXT,     /* const char * */
    OPTION_CHOICE,   /* const char *; one of the words that Option.value lists: "c|c++" */
    OPTION_LIST,     /* StrList; may be given many times */
    OPTION_COUNT,    /* uint64_t */
    OPTION_DURATION, /* int64_t, milliseconds */
    OPTION_SIZE,     /* uint64_t, bytes */
} OptionKind;

typedef struct Option {
    const char *name; /* without the dashes; NULL ends a table */
    char letter;      /* 0: none */
    OptionKind kind;
    const char *value; /* what the help calls the value: "FILE" */
    const char *help;
    size_t offset; /* of the field in the command's arguments */
} Option;

/* OPTION(GenArgs, size, "size", 0, OPTION_SIZE, "BYTES", "about how long the program shall be") */
#define OPTION(Args, field, name, letter, kind, value, help) \
    { name, letter, kind, value, help, offsetof(Args, field) }

/* What every command gets. */
typedef struct Cli {
    Console *console; /* standard error */
    FILE *out;        /* standard output: results only */
    bool json;        /* print one JSON value on out and nothing else */
    bool color;       /* of out */
    size_t width;     /* of out, 0 where it is no terminal */
    size_t jobs;      /* -j; default: the machine's cores */
    bool has_seed;
    uint64_t seed; /* --seed; where absent, drawn from the system's randomness */
} Cli;

typedef struct Command {
    const char *name;
    const char *group;    /* heading in `culprit help` */
    const char *summary;  /* one line, imperative, no full stop */
    const char *operands; /* "BUG | FILE --cc CMD" */
    const char *details;  /* paragraphs of the help text */
    const char *examples; /* lines "$ culprit …" and what they do */
    const Option *options;
    size_t args_size;
    const void *defaults; /* an arguments struct, or NULL for zeroes */
    size_t min_operands, max_operands;
    /* Looks at the values of the options given, before anything that is missing is complained about; may be NULL. */
    bool (*check)(const Cli *cli, const void *args, Error *err);
    ExitStatus (*run)(Cli *cli, const void *args, const StrList *operands);
} Command;

/* Print the error for people and return the status. */
ExitStatus cli_fail(Cli *cli, const Error *err);
ExitStatus cli_usage(Cli *cli, const char *format, ...) PRINTF_LIKE(2, 3);
/* Prints the value on out as one line, or indented on a terminal; takes it. */
ExitStatus cli_print_json(Cli *cli, Json *json, ExitStatus status);

extern const Command *const cli_commands[];        /* NULL-terminated, in the order of the help text; in commands.c */
const Command *cli_find_command(const char *name); /* NULL where there is none */

extern const Command cmd_gen;
extern const Command cmd_hunt;
extern const Command cmd_seq;
extern const Command cmd_bugs;
extern const Command cmd_replay;
extern const Command cmd_check;
extern const Command cmd_reduce;
extern const Command cmd_triage;
extern const Command cmd_isolate;
extern const Command cmd_rank;
extern const Command cmd_report;
extern const Command cmd_bench;
extern const Command cmd_subject;
extern const Command cmd_cover;
extern const Command cmd_help;

#endif
