/* The files of gcc's --coverage: .gcno, notes written by the compiler, and .gcda, counts written by the program.
 *
 * Formats of GCC 9 to 14. Both are a magic word, a version, a stamp, and records of a tag, a length and data. What
 * changed: lengths of records and strings count bytes since GCC 12 and words of four bytes before; GCC 12 put a
 * checksum behind the stamp. Unknown records are skipped, which is how GCC 14's conditions pass. Every read is checked:
 * a truncated or hostile file gives an Error.
 */
#ifndef COVER_GCOV_FILE_H
#define COVER_GCOV_FILE_H

#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"

typedef struct GcovReader {
    const unsigned char *data;
    size_t len, at;
    uint32_t major; /* version of GCC */
    uint32_t stamp; /* the same in notes and counts of one compilation */
    bool failed;    /* something was read past the end */
} GcovReader;

#define GCOV_NOTES_MAGIC 0x67636e6fu  /* "gcno" */
#define GCOV_COUNTS_MAGIC 0x67636461u /* "gcda" */

#define GCOV_TAG_FUNCTION 0x01000000u
#define GCOV_TAG_BLOCKS 0x01410000u
#define GCOV_TAG_ARCS 0x01430000u
#define GCOV_TAG_LINES 0x01450000u
#define GCOV_TAG_ARC_COUNTS 0x01a10000u

typedef struct GcovRecord {
    uint32_t tag;
    size_t len;  /* bytes */
    bool zeroes; /* counts that are all zero and therefore not stored; then len is what they would take */
    size_t end;  /* where the next record starts */
} GcovRecord;

/* Reads up to the stamp. `name` serves messages. */
bool gcov_reader_open(GcovReader *reader, const void *data, size_t len, uint32_t magic, const char *name, Error *err);
uint32_t gcov_read_u32(GcovReader *reader);
uint64_t gcov_read_u64(GcovReader *reader);
/* False at the end of the file. */
bool gcov_next_record(GcovReader *reader, GcovRecord *ret_record);

/* --- Notes --- */

#define GCOV_ARC_ON_TREE 1u

typedef struct GcovArc {
    uint32_t from, to, flags;
} GcovArc;

typedef struct GcovLine {
    uint32_t block, line;
    const char *file; /* inside the reader's data */
} GcovLine;

/* One function of a notes file. */
typedef struct GcovFunction {
    uint32_t ident, lineno_checksum, cfg_checksum;
    const char *name; /* as the assembler knows it */
    bool artificial;  /* made by the compiler, without source */
    uint32_t block_count;
    Vec(GcovArc) arcs;
    Vec(GcovLine) lines;
} GcovFunction;

typedef struct GcovNotes {
    const char *working_dir; /* file names are relative to it; inside the data, as all text here */
    uint32_t stamp, major;
    Vec(GcovFunction) functions;
} GcovNotes;

/* The notes borrow from `data`. */
bool gcov_notes_read(const void *data, size_t len, const char *name, GcovNotes *ret_notes, Error *err);
void gcov_notes_release(GcovNotes *notes);

#endif
