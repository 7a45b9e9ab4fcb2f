/* Crash signatures: what two crashes of one compiler bug have in common, read from the compiler's own messages.
 *
 * A signature keeps the assertion or internal-error text, the place (function and file:line), the pass, the signal and
 * the top frames of the stack dump; addresses, directories, temporary names and numbers that vary from run to run are
 * normalised away. Two signatures are equal where their lines (signature_text) are: the message with the place that the
 * compiler names; where it names none, with the pass and the top frames instead. (signature_equal also takes a dump that
 * came without the names of its frames for one that has them, where message and pass agree.)
 *
 *     Signature signature;
 *     if (signature_extract(messages, result.signal, &arena, &signature)) puts(signature_text(&signature, &arena));
 */
#ifndef COMPILER_SIGNATURE_H
#define COMPILER_SIGNATURE_H

#include "base/arena.h"

#define SIGNATURE_FRAMES 5

/* All strings live in the arena given to signature_extract; absent parts are NULL. */
typedef struct Signature {
    const char *message;  /* "verify_gimple failed", "Assertion `idx < size()' failed", "Segmentation fault" */
    const char *function; /* where the compiler says it died: "fold_convert_loc" */
    const char *file;     /* base name: "fold-const.c" */
    int line;             /* 0 where unknown */
    const char *pass;     /* "GIMPLE pass: pre", "GVNPass" */
    int signal;           /* that ended the compiler or the process it reports, 0 for none */
    const char *frames[SIGNATURE_FRAMES]; /* function names, innermost first, without crash handling */
    size_t frame_count;
} Signature;

/* Whether the text (all messages of the compiler) or the signal tells of a crash. */
bool signature_extract(const char *text, int signal, Arena *arena, Signature *ret_signature);
bool signature_is_crash(const char *text, int signal); /* the same, without looking further */
const char *signature_crash_word(size_t index);        /* words that tell of one; NULL behind the last */
bool signature_equal(const Signature *a, const Signature *b);
/* Equal but for what another version or build of the compiler changes: line numbers, file endings, frames. */
bool signature_similar(const Signature *a, const Signature *b);
/* One line that is equal where signatures are, for bug.json, the store and clusters. */
const char *signature_text(const Signature *signature, Arena *arena);
/* The first error message of a compiler that refuses a program, normalised in the same way; NULL where there is none. */
const char *signature_of_rejection(const char *text, Arena *arena);

#endif
