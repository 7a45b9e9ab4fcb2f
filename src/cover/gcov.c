/* The gcov provider: compilers built with gcc's --coverage. Their programs write one .gcda file for each object file when
 * they exit; GCOV_PREFIX sends those of a run into its own directory on tmpfs, instead of merging them into the build
 * tree. gcov_graph.c turns the counts into units; its table is cached by the stamps of all .gcno files.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/console.h"
#include "base/file.h"
#include "base/hash.h"
#include "cover/cover.h"
#include "cover/gcov_graph.h"

/* Names the build: paths and heads of all notes; the head of a file has its stamp and checksum. */
static void fingerprint(const StrList *notes, char ret_text[static HASH_TEXT_SIZE]) {
    Hash hash = {0};
    for (size_t i = 0; i < notes->len; i++) {
        unsigned char head[16] = {0};
        int fd = open(notes->items[i], O_RDONLY | O_CLOEXEC);
        if (fd >= 0) {
            ssize_t len = read(fd, head, sizeof(head));
            (void)len;
            close(fd);
        }
        hash = hash_combine(hash, hash_bytes(notes->items[i], strlen(notes->items[i])));
        hash = hash_combine(hash, hash_bytes(head, sizeof(head)));
    }
    hash_text(hash, ret_text);
}

static void gcov_close(void *state) {
    if (state)
        gcov_table_release(state);
    free(state);
}

static bool load_tables(const char *units_path, const char *graphs_path, UnitTable *ret_units, GcovTable *ret_table,
                        Error *err) {
    if (!unit_table_load(units_path, ret_units, err))
        return false;
    if (gcov_table_load(graphs_path, ret_units->unit_count, ret_table, err))
        return true;
    unit_table_release(ret_units);
    return false;
}

static bool make_tables(const Subject *subject, const StrList *notes, Console *console, const char *units_path,
                        const char *graphs_path, Error *err) {
    bool ok = gcov_table_make(notes, subject->source_root, subject->build_root, units_path, graphs_path, console, err);
    console_status_end(console);
    return ok || error_context(err, "cannot make the unit table of %s", subject->name);
}

static bool gcov_open(const Subject *subject, Runner *runner, Console *console, UnitTable *ret_units, void **ret_state,
                      Error *err) {
    (void)runner;
    CLEANUP(strlist_release) StrList notes = {0};
    CLEANUP(str_release) Str units_path = {0};
    CLEANUP(str_release) Str graphs_path = {0};
    char id[HASH_TEXT_SIZE];
    const char *root = subject->build_root ? subject->build_root : subject->source_root;
    if (!root)
        return error_set(err, "%s/subject.json names no build directory; make it again (culprit subject add)",
                         subject->dir);
    if (!dir_walk(root, ".gcno", UINT64_MAX, &notes, err))
        return false;
    if (notes.len == 0)
        return error_set(err, "%s has no .gcno files: build the compiler with gcc's --coverage", root);
    fingerprint(&notes, id);
    str_printf(&units_path, "%s/units-%s", subject->dir, id);
    str_printf(&graphs_path, "%s/graphs-%s", subject->dir, id);
    GcovTable table;
    /* Absent or damaged tables are made (again). */
    if (!load_tables(str_text(&units_path), str_text(&graphs_path), ret_units, &table, NULL) &&
        (!make_tables(subject, &notes, console, str_text(&units_path), str_text(&graphs_path), err) ||
         !load_tables(str_text(&units_path), str_text(&graphs_path), ret_units, &table, err)))
        return false;
    *ret_state = mem_dup(&table, sizeof(table));
    return true;
}

static bool gcov_prepare(void *state, const char *dir, StrList *env, Error *err) {
    (void)state;
    (void)err;
    strlist_addf(env, "GCOV_PREFIX=%s", dir);
    strlist_add(env, "GCOV_PREFIX_STRIP");
    return true;
}

/* Reads a whole file, in few system calls: there are hundreds for each run. */
static bool read_counts(const char *path, Str *data, Error *err) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    str_clear(data);
    if (fd < 0)
        return true; /* this object file is in no program that ran */
    struct stat stat;
    bool ok = fstat(fd, &stat) == 0;
    if (ok) {
        str_reserve(data, (size_t)stat.st_size + 1);
        ssize_t len = read(fd, data->data, (size_t)stat.st_size);
        ok = len >= 0;
        data->len = ok ? (size_t)len : 0;
    }
    close(fd);
    return ok || error_errno(err, "cannot read %s", path);
}

static bool gcov_collect(void *state, const char *dir, const ProcResult *result, Bitset *units, Error *err) {
    const GcovTable *table = state;
    CLEANUP(gcov_solver_release) GcovSolver solver;
    CLEANUP(str_release) Str data = {0};
    CLEANUP(str_release) Str path = {0};
    gcov_solver_init(&solver, table);
    size_t found = 0;
    str_append(&path, dir);
    size_t dir_len = path.len;
    for (size_t i = 0; i < table->file_count; i++) {
        str_truncate(&path, dir_len);
        str_append(&path, table->strings + table->files[i].counts_path);
        if (!read_counts(str_text(&path), &data, err))
            return false;
        if (data.len > 0 && !gcov_decode(table, i, data.data, data.len, &solver, units, err))
            return false;
        found += data.len > 0;
    }
    if (found > 0)
        return true;
    bool killed = result && (result->signal || result->limit != PROC_LIMIT_NONE);
    return error_set(err,
                     "%s: gcov writes coverage only when a program exits by itself; a build for sancov "
                     "(`culprit subject build`) keeps it after any end",
                     killed ? "the compiler was killed, and its coverage is lost"
                            : "no instrumented program reached its end");
}

const CoverProvider cover_gcov = {
    .name = "gcov", .open = gcov_open, .close = gcov_close, .prepare = gcov_prepare, .collect = gcov_collect};
