/* The switches of our own generator, one table for every command that makes programs: `gen` and `hunt`.
 *
 * A command embeds GenSwitches in its arguments and GEN_SWITCHES in its options:
 *
 *     typedef struct GenArgs { const char *output; GenSwitches program; } GenArgs;
 *     static const Option options[] = { …, GEN_SWITCHES(GenArgs, program), {0} };
 *
 * The data model is none of them: hunt knows it from the compilers that it tests.
 */
#ifndef CLI_GEN_SWITCHES_H
#define CLI_GEN_SWITCHES_H

#include "cli/command.h"

typedef struct GenSwitches {
    const char *lang, *standard;
    uint64_t size;
    bool single, policies, no_policies;
    StrList enable, disable;
} GenSwitches;

#define GEN_SWITCHES(Args, field)                                                                                      \
    OPTION(Args, field.lang, "lang", 0, OPTION_CHOICE, "c|c++", "language of the programs; default: c"),               \
        OPTION(Args, field.standard, "std", 0, OPTION_TEXT, "STD",                                                     \
               "c99 to c17, c++11 to c++20; default: c99 or c++11"),                                                   \
        OPTION(Args, field.size, "size", 0, OPTION_SIZE, "BYTES",                                                      \
               "about how long a program shall be, 64 MiB at most; default: 30 KB"),                                   \
        OPTION(Args, field.single, "single", 0, OPTION_FLAG, NULL, "one file instead of init.h, func.c and driver.c"), \
        OPTION(Args, field.policies, "policies", 0, OPTION_FLAG, NULL,                                                 \
               "generation policies in every program; default: in all of gen, in nine of ten of hunt"),                \
        OPTION(Args, field.no_policies, "no-policies", 0, OPTION_FLAG, NULL,                                           \
               "draw every choice from fixed distributions, without special constants, operator contexts and idioms"), \
        OPTION(Args, field.enable, "enable", 0, OPTION_LIST, "FEATURE", "switch a feature on"),                        \
        OPTION(Args, field.disable, "disable", 0, OPTION_LIST, "FEATURE", "switch a feature off")

#define GEN_FEATURES_HELP                                                                                            \
    "Features: loops calls recursion arrays pointers structs bit-fields unions switch goto compound comma volatile " \
    "const bool enums designated static-members containers static-locals pointer-members inline; off by default: "   \
    "floats vectors."

/* The words of gen_switch_parse, in the order in which they count: what is disabled stays off. False where one of them
 * is none, or two contradict each other. */
bool gen_switches_words(const GenSwitches *switches, StrList *ret_words, Error *err);

#endif
