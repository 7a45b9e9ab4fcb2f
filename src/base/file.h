/* Files and directories: whole-file reads, writes that are complete or absent, trees that come and go. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/error.h"
#include "base/strlist.h"

bool file_read(const char *path, Str *ret_text, Error *err); /* appends */
/* Writes through a temporary name in the same directory and renames it: readers see the old file or the whole new one.
 * With `durable`, the data is on disk before the rename. */
bool file_write(const char *path, const void *bytes, size_t len, Error *err);
bool file_write_durable(const char *path, const void *bytes, size_t len, Error *err);
/* One that does not exist, in a directory that nobody reads yet: written in place, at a third of the cost. */
bool file_write_new(const char *path, const void *bytes, size_t len, Error *err);
bool file_write_text(const char *path, const char *text, Error *err);
bool file_copy(const char *from, const char *to, Error *err); /* keeps the mode */
bool file_exists(const char *path);

/* A file's content in memory, shared with whoever writes the file; zeroed is none. */
typedef struct FileMap {
    void *memory;
    size_t len;
} FileMap;

/* Maps the whole file, for reading; an empty one gives no memory. */
bool file_map(const char *path, FileMap *ret_map, Error *err);
void file_unmap(FileMap *map);

bool dir_exists(const char *path);
bool dir_make(const char *path, Error *err);                     /* with its parents; fine if it exists */
bool dir_list(const char *path, StrList *ret_names, Error *err); /* sorted, without . and .. */
/* Adds the paths of all regular files below that end so ("" for all) and are at most so large, in order; links are not
 * followed. */
bool dir_walk(const char *path, const char *ending, uint64_t largest, StrList *ret_paths, Error *err);
bool dir_copy(const char *from, const char *to, Error *err); /* recursively; links stay links */
bool dir_remove(const char *path, Error *err);               /* recursively; never follows links; fine if absent */

void path_join(Str *path, const char *part);                     /* appends "/part" */
char *path_of(const char *dir, const char *name);                /* "dir/name", or name if absolute; caller frees */
const char *path_name(const char *path);                         /* behind the last slash */
bool path_absolute(const char *path, Str *ret_path, Error *err); /* against the working directory; need not exist */
/* Whether the path leads to something in the directory or below, all links followed; false if there is nothing. */
bool path_is_below(const char *dir, const char *path);
/* The full path of a program found through PATH, or of a name with a slash. */
bool path_find_program(const char *name, Str *ret_path, Error *err);
/* A file that belongs to culprit itself (preloaded libraries, recipes, pools): in $CULPRIT_RUNTIME, else lib/culprit
 * beside the binary or one of its parent directories. */
bool path_runtime(const char *name, Str *ret_path, Error *err);

#endif
