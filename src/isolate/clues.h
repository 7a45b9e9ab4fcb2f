/* Clues: what speaks for or against files and functions of a compiler beside the coverage of runs.
 *
 * They are gathered before the search by those who know (explain/briefing.h: triage, the compiler's checks, the history of its
 * sources, an older version that is free of the bug) or read off the crash, and weighed by fusion, one factor a kind. A file
 * may have several clues of a kind. Every clue has its words, for people who ask why a file is suspected.
 */
#ifndef ISOLATE_CLUES_H
#define ISOLATE_CLUES_H

#include "base/json.h"
#include "base/vec.h"

typedef enum ClueKind {
    CLUE_NAMED,     /* files of what triage holds to be guilty; number: 1 for the most likely, 2, … */
    CLUE_DAMAGE,    /* files of the pass behind which the compiler's own checks fail; number likewise */
    CLUE_STACK,     /* functions on the stack of a crash, any file; number: 1 for the innermost, 2, … */
    CLUE_HISTORY,   /* files that were fixed before; number: how often */
    CLUE_UNCHANGED, /* functions that an older version without the bug has too; number: 1 */
    CLUE_FRONT_END, /* folders of the front end ("libcpp/"), if the bug is gone at a lower level; number: 1 */
    CLUE_KINDS,
} ClueKind;

extern const char *const clue_names[CLUE_KINDS]; /* "named", "damage", "stack", "history", "unchanged", "front-end" */

typedef struct Clue {
    ClueKind kind;
    uint32_t number;
    char *file;     /* relative to the source root; NULL: any */
    char *function; /* NULL: all of the file */
    char *why;      /* a clause about it; NULL: the kind says all */
} Clue;

typedef Vec(Clue) Clues;

/* Copies the texts, of which file, function and why may be NULL. */
void clues_add(Clues *clues, ClueKind kind, uint32_t number, const char *file, const char *function, const char *why);
void clues_add_all(Clues *clues, const Clues *others);
void clues_release(Clues *clues);
bool clues_have(const Clues *clues, ClueKind kind);

/* For recordings: [[kind, number, file, function, why], …]. What is no clue is left out. */
Json *clues_json(const Clues *clues);
void clues_read(const Json *json, Clues *ret_clues);

#endif
