#include "cover/gcov_file.h"

#include <string.h>

/* The largest function of GCC itself has some ten thousand blocks; a file that claims millions is damaged. */
#define BLOCKS_MAX 10000000u

uint32_t gcov_read_u32(GcovReader *reader) {
    if (reader->len - reader->at < 4) {
        reader->failed = true;
        reader->at = reader->len;
        return 0;
    }
    uint32_t value;
    memcpy(&value, reader->data + reader->at, 4);
    reader->at += 4;
    return value;
}

uint64_t gcov_read_u64(GcovReader *reader) {
    uint64_t low = gcov_read_u32(reader);
    return low | (uint64_t)gcov_read_u32(reader) << 32;
}

/* NULL if it is empty or broken. */
static const char *read_text(GcovReader *reader) {
    uint64_t len = gcov_read_u32(reader);
    len *= reader->major >= 12 ? 1 : 4;
    if (len == 0)
        return NULL;
    const char *text = (const char *)reader->data + reader->at;
    if (len > reader->len - reader->at || text[len - 1]) {
        reader->failed = true;
        return NULL;
    }
    reader->at += len;
    return text;
}

/* "B22*" is GCC 12.2: a letter for the tens, a digit for the ones. */
static bool read_version(GcovReader *reader) {
    uint32_t version = gcov_read_u32(reader), tens = version >> 24, ones = version >> 16 & 0xff;
    reader->major = (tens - 'A') * 10 + (ones - '0');
    return tens >= 'A' && tens <= 'Z' && ones >= '0' && ones <= '9';
}

bool gcov_reader_open(GcovReader *reader, const void *data, size_t len, uint32_t magic, const char *name, Error *err) {
    *reader = (GcovReader){.data = data, .len = len};
    uint32_t found = gcov_read_u32(reader);
    if (found == __builtin_bswap32(magic))
        return error_set(err, "%s comes from a machine of the other byte order", name);
    if (found != magic)
        return error_set(err, "%s is no gcov file", name);
    if (!read_version(reader) || reader->major < 9 || reader->major > 14)
        return error_set(err, "%s has a gcov format that culprit does not know: it reads those of GCC 9 to 14", name);
    reader->stamp = gcov_read_u32(reader);
    if (reader->major >= 12)
        gcov_read_u32(reader); /* checksum */
    return !reader->failed || error_set(err, "%s is truncated", name);
}

bool gcov_next_record(GcovReader *reader, GcovRecord *ret_record) {
    if (reader->at == reader->len)
        return false;
    uint32_t tag = gcov_read_u32(reader);
    if (tag == 0)
        return false;
    int32_t stored = (int32_t)gcov_read_u32(reader);
    size_t len = stored < 0 ? -(size_t)(int64_t)stored : (size_t)stored;
    len *= reader->major >= 12 ? 1 : 4;
    /* Only counts are left out when zero. */
    bool zeroes = stored < 0 && (tag & 0xffff) == 0 && tag >= GCOV_TAG_ARC_COUNTS && tag < 0x02000000u;
    if (!zeroes && (stored < 0 || len > reader->len - reader->at))
        reader->failed = true;
    if (reader->failed)
        return false;
    *ret_record = (GcovRecord){tag, len, zeroes, reader->at + (zeroes ? 0 : len)};
    return true;
}

/* --- Notes --- */

void gcov_notes_release(GcovNotes *notes) {
    for (size_t i = 0; i < notes->functions.len; i++) {
        vec_release(&notes->functions.items[i].arcs);
        vec_release(&notes->functions.items[i].lines);
    }
    vec_release(&notes->functions);
}

static void read_function(GcovReader *reader, GcovNotes *notes) {
    GcovFunction function = {.ident = gcov_read_u32(reader)};
    function.lineno_checksum = gcov_read_u32(reader);
    function.cfg_checksum = gcov_read_u32(reader);
    function.name = read_text(reader);
    function.artificial = gcov_read_u32(reader) != 0;
    if (!function.name)
        function.name = "";
    vec_push(&notes->functions, function);
}

static bool read_arcs(GcovReader *reader, GcovFunction *function, size_t len) {
    uint32_t from = gcov_read_u32(reader);
    if (from >= function->block_count)
        return false;
    for (size_t count = (len / 4 - 1) / 2; count > 0; count--) {
        uint32_t to = gcov_read_u32(reader), flags = gcov_read_u32(reader);
        if (to >= function->block_count)
            return false;
        vec_push(&function->arcs, (GcovArc){from, to, flags});
    }
    return true;
}

/* Numbers of lines; 0 announces another file, or the end if its name is empty. */
static bool read_lines(GcovReader *reader, GcovFunction *function, size_t end) {
    uint32_t block = gcov_read_u32(reader);
    const char *file = NULL;
    if (block >= function->block_count)
        return false;
    while (reader->at < end && !reader->failed) {
        uint32_t line = gcov_read_u32(reader);
        if (line == 0) {
            file = read_text(reader);
            if (!file)
                return !reader->failed;
        } else if (file)
            vec_push(&function->lines, (GcovLine){block, line, file});
        else
            return false;
    }
    return false;
}

static bool read_record(GcovReader *reader, const GcovRecord *record, GcovNotes *notes) {
    if (record->tag == GCOV_TAG_FUNCTION) {
        read_function(reader, notes);
        return true;
    }
    if (notes->functions.len == 0)
        return true;
    GcovFunction *function = &vec_last(&notes->functions);
    if (record->tag == GCOV_TAG_BLOCKS) {
        function->block_count = gcov_read_u32(reader);
        return function->block_count <= BLOCKS_MAX && function->arcs.len == 0 && function->lines.len == 0;
    }
    if (record->tag == GCOV_TAG_ARCS)
        return record->len >= 4 && read_arcs(reader, function, record->len);
    if (record->tag == GCOV_TAG_LINES)
        return read_lines(reader, function, record->end);
    return true;
}

bool gcov_notes_read(const void *data, size_t len, const char *name, GcovNotes *ret_notes, Error *err) {
    GcovReader reader;
    if (!gcov_reader_open(&reader, data, len, GCOV_NOTES_MAGIC, name, err))
        return false;
    GcovNotes notes = {.stamp = reader.stamp, .major = reader.major};
    notes.working_dir = read_text(&reader);
    gcov_read_u32(&reader); /* whether unexecuted blocks are marked */
    GcovRecord record;
    bool good = !reader.failed;
    while (good && gcov_next_record(&reader, &record)) {
        good = read_record(&reader, &record, &notes) && !reader.failed && reader.at <= record.end;
        reader.at = record.end;
    }
    if (!good || reader.failed) {
        gcov_notes_release(&notes);
        return error_set(err, "%s is damaged", name);
    }
    *ret_notes = notes;
    return true;
}
