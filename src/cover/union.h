/* The union of many runs: what of a compiler a set of inputs covers, by folder of its sources (YARPGen, Tables 8 and 9).
 *
 *     CoverUnion all; cover_union_init(&all, cover);
 *     cover_union_add(&all, &units, &edges);                          any number of times
 *     cover_union_folders(&all, cover, &folders);
 *
 * Lines are units, edges are those of the control flow that the provider has flags for; providers that have none count none.
 * Unions of one build of a subject can be saved, loaded and joined.
 */
#ifndef COVER_UNION_H
#define COVER_UNION_H

#include "cover/cover.h"

typedef struct CoverUnion {
    Bitset units, edges;
    uint64_t inputs;
} CoverUnion;

/* How much of a folder there is, and ran. */
typedef struct CoverShare {
    uint64_t lines, functions, edges;
    uint64_t lines_run, functions_run, edges_run;
} CoverShare;

typedef struct CoverFolder {
    char *name; /* "gcc/config/i386"; "" for files without a folder */
    CoverShare share;
} CoverFolder;

typedef Vec(CoverFolder) CoverFolders;

void cover_union_init(CoverUnion *all, const Cover *cover);
void cover_union_release(CoverUnion *all);
void cover_union_add(CoverUnion *all, const Bitset *units, const Bitset *edges);

/* Folders in the order of their names, and the sum of all. */
void cover_union_folders(const CoverUnion *all, const Cover *cover, CoverFolders *ret_folders, CoverShare *ret_sum);
void cover_folders_release(CoverFolders *folders);

bool cover_union_save(const CoverUnion *all, const char *path, Error *err);
/* Joins what was saved; an Error if it is of another build. */
bool cover_union_join(CoverUnion *all, const char *path, Error *err);

#endif
