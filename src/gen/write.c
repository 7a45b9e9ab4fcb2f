/* Writing a program to a directory, completely or not at all: into a temporary directory beside it, which then takes its
 * name. rename(2) replaces an empty directory and refuses one with files in it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "gen/gen.h"

static bool write_files(const GenProgram *program, const char *dir, Error *err) {
    for (size_t i = 0; i <= program->file_count; i++) {
        bool last = i == program->file_count;
        CLEANUP(mem_freep) char *path = path_of(dir, last ? "expected" : program->files[i].name);
        bool written = last ? file_write_new(path, program->expected, strlen(program->expected), err)
                            : file_write_new(path, program->files[i].text, program->files[i].len, err);
        if (!written)
            return false;
    }
    return true;
}

static bool move_into_place(const char *temporary, const char *dir, Error *err) {
    if (rename(temporary, dir) == 0)
        return true;
    if (errno == ENOTEMPTY || errno == EEXIST)
        return error_set(err, "%s has files in it already: give a new or an empty directory", dir);
    if (errno == ENOTDIR)
        return error_set(err, "%s is not a directory: give a new or an empty one", dir);
    if (errno == EBUSY || errno == EINVAL)
        return error_set(err, "%s cannot be replaced: give a new directory", dir);
    return error_errno(err, "cannot create %s", dir);
}

/* The parent's errors are the user's: a directory that may not be written to, a file in the way. */
static bool make_parent(const char *path, Error *err) {
    const char *name = path_name(path);
    CLEANUP(mem_freep) char *parent = mem_dup(path, (size_t)(name - path) + 1);
    parent[name - path] = '\0';
    return dir_make(parent, err);
}

bool gen_write(const GenProgram *program, const char *dir, Error *err) {
    CLEANUP(str_release) Str path = {0}, temporary = {0};
    if (!path_absolute(dir, &path, err))
        return false;
    while (path.len > 1 && path.data[path.len - 1] == '/')
        str_truncate(&path, path.len - 1);
    if (!make_parent(path.data, err))
        return error_context(err, "cannot create %s", dir);
    str_printf(&temporary, "%s.XXXXXX", path.data);
    if (!mkdtemp(temporary.data) || chmod(temporary.data, 0755))
        return error_errno(err, "cannot create %s", dir);
    if (write_files(program, temporary.data, err) && move_into_place(temporary.data, path.data, err))
        return true;
    dir_remove(temporary.data, NULL);
    return false;
}
