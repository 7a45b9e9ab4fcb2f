#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void close_fd(int *fd) {
    if (*fd >= 0)
        close(*fd);
}

static void close_dir(DIR **dir) {
    if (*dir)
        closedir(*dir);
}

static bool is_dot(const char *name) { return strcmp(name, ".") == 0 || strcmp(name, "..") == 0; }

bool file_read(const char *path, Str *ret_text, Error *err) {
    CLEANUP(close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_errno(err, "cannot open %s", path);
    struct stat status;
    if (fstat(fd, &status) == 0 && status.st_size > 0)
        str_reserve(ret_text, (size_t)status.st_size);
    char block[16384];
    for (;;) {
        ssize_t got = read(fd, block, sizeof block);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_errno(err, "cannot read %s", path);
        if (got == 0)
            return str_reserve(ret_text, 0), true;
        str_append_n(ret_text, block, (size_t)got);
    }
}

static bool write_all(int fd, const char *bytes, size_t len) {
    while (len) {
        ssize_t put = write(fd, bytes, len);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        bytes += put;
        len -= (size_t)put;
    }
    return true;
}

/* Makes a rename in this directory survive a power cut. */
static void sync_parent(const char *path) {
    const char *name = path_name(path);
    CLEANUP(mem_freep) char *dir = name == path ? mem_strdup(".") : mem_strdup(path);
    if (name != path)
        dir[name - path] = '\0';
    CLEANUP(close_fd) int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0)
        fsync(fd);
}

static bool write_replace(const char *path, const void *bytes, size_t len, mode_t mode, bool durable, Error *err) {
    CLEANUP(str_release) Str temporary = {0};
    str_printf(&temporary, "%s.XXXXXX", path);
    CLEANUP(close_fd) int fd = mkostemp(temporary.data, O_CLOEXEC);
    if (fd < 0)
        return error_errno(err, "cannot write %s", path);
    if (!write_all(fd, bytes, len) || fchmod(fd, mode) || (durable && fsync(fd)) || rename(temporary.data, path)) {
        error_errno(err, "cannot write %s", path);
        unlink(temporary.data);
        return false;
    }
    if (durable)
        sync_parent(path);
    return true;
}

bool file_write(const char *path, const void *bytes, size_t len, Error *err) {
    return write_replace(path, bytes, len, 0644, false, err);
}

bool file_write_durable(const char *path, const void *bytes, size_t len, Error *err) {
    return write_replace(path, bytes, len, 0644, true, err);
}

bool file_write_new(const char *path, const void *bytes, size_t len, Error *err) {
    CLEANUP(close_fd) int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    return (fd >= 0 && write_all(fd, bytes, len)) || error_errno(err, "cannot write %s", path);
}

bool file_write_text(const char *path, const char *text, Error *err) {
    return file_write(path, text, strlen(text), err);
}

bool file_copy(const char *from, const char *to, Error *err) {
    CLEANUP(str_release) Str text = {0};
    struct stat status;
    if (stat(from, &status))
        return error_errno(err, "cannot copy %s", from);
    return file_read(from, &text, err) &&
           write_replace(to, str_text(&text), text.len, status.st_mode & 07777, false, err);
}

bool file_map(const char *path, FileMap *ret_map, Error *err) {
    CLEANUP(close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0)
        return error_errno(err, "cannot open %s", path);
    FileMap map = {.len = (size_t)status.st_size};
    if (map.len > 0)
        map.memory = mmap(NULL, map.len, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
    if (map.memory == MAP_FAILED)
        return error_errno(err, "cannot map %s", path);
    *ret_map = map;
    return true;
}

void file_unmap(FileMap *map) {
    if (map->memory)
        munmap(map->memory, map->len);
    *map = (FileMap){0};
}

bool file_exists(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
}

bool dir_exists(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool dir_make(const char *path, Error *err) {
    CLEANUP(mem_freep) char *partial = mem_strdup(path);
    for (char *at = partial + 1;; at++) {
        if (*at && *at != '/')
            continue;
        char kept = *at;
        *at = '\0';
        if (mkdir(partial, 0755) && errno != EEXIST)
            return error_errno(err, "cannot make the directory %s", partial);
        *at = kept;
        if (!kept)
            break;
    }
    return dir_exists(path) ||
           error_set(err,
                     "cannot make the directory %s: a file of that name is in the way; remove it or choose another",
                     path);
}

bool dir_list(const char *path, StrList *ret_names, Error *err) {
    CLEANUP(close_dir) DIR *dir = opendir(path);
    if (!dir)
        return error_errno(err, "cannot list %s", path);
    for (struct dirent *entry; (entry = readdir(dir));)
        if (!is_dot(entry->d_name))
            strlist_add(ret_names, entry->d_name);
    strlist_sort(ret_names);
    return true;
}

bool dir_walk(const char *path, const char *ending, uint64_t largest, StrList *ret_paths, Error *err) {
    CLEANUP(strlist_release) StrList names = {0};
    if (!dir_list(path, &names, err))
        return false;
    for (size_t i = 0; i < names.len; i++) {
        CLEANUP(mem_freep) char *child = path_of(path, names.items[i]);
        struct stat status;
        if (lstat(child, &status) != 0)
            continue; /* gone meanwhile */
        if (S_ISDIR(status.st_mode) && !dir_walk(child, ending, largest, ret_paths, err))
            return false;
        if (S_ISREG(status.st_mode) && str_ends(child, ending) && (uint64_t)status.st_size <= largest)
            strlist_add(ret_paths, child);
    }
    return true;
}

static bool copy_entry(const char *from, const char *to, Error *err) {
    struct stat status;
    if (lstat(from, &status))
        return error_errno(err, "cannot copy %s", from);
    if (S_ISDIR(status.st_mode))
        return dir_copy(from, to, err);
    if (S_ISREG(status.st_mode))
        return file_copy(from, to, err);
    if (!S_ISLNK(status.st_mode))
        return true; /* sockets and pipes are nobody's data */
    char target[4096];
    ssize_t len = readlink(from, target, sizeof target - 1);
    if (len < 0)
        return error_errno(err, "cannot read the link %s", from);
    target[len] = '\0';
    return symlink(target, to) == 0 || error_errno(err, "cannot make the link %s", to);
}

bool dir_copy(const char *from, const char *to, Error *err) {
    CLEANUP(strlist_release) StrList names = {0};
    if (!dir_list(from, &names, err) || !dir_make(to, err))
        return false;
    for (size_t i = 0; i < names.len; i++) {
        CLEANUP(mem_freep) char *source = path_of(from, names.items[i]);
        CLEANUP(mem_freep) char *target = path_of(to, names.items[i]);
        if (!copy_entry(source, target, err))
            return false;
    }
    return true;
}

/* Works through descriptors, so that a directory swapped for a link meanwhile leads nowhere else. */
static bool remove_at(int parent, const char *name) {
    if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
        return true;
    if (errno != EISDIR && errno != EPERM)
        return false;
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == EACCES && fchmodat(parent, name, 0700, 0) == 0)
        fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT;
    CLEANUP(close_dir) DIR *dir = fdopendir(fd);
    if (!dir)
        return close(fd), false;
    for (struct dirent *entry; (entry = readdir(dir));)
        if (!is_dot(entry->d_name) && !remove_at(fd, entry->d_name)) {
            if (errno != EACCES || fchmod(fd, 0700) || !remove_at(fd, entry->d_name))
                return false;
        }
    return unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT;
}

bool dir_remove(const char *path, Error *err) {
    return remove_at(AT_FDCWD, path) || error_errno(err, "cannot remove %s", path);
}

void path_join(Str *path, const char *part) {
    if (path->len && path->data[path->len - 1] != '/')
        str_append_char(path, '/');
    str_append(path, part);
}

char *path_of(const char *dir, const char *name) {
    Str path = {0};
    if (name[0] != '/')
        str_append(&path, dir);
    path_join(&path, name);
    return str_detach(&path);
}

const char *path_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool path_absolute(const char *path, Str *ret_path, Error *err) {
    str_clear(ret_path);
    if (path[0] != '/') {
        CLEANUP(mem_freep) char *here = getcwd(NULL, 0);
        if (!here)
            return error_errno(err, "cannot tell the working directory");
        str_append(ret_path, here);
    }
    path_join(ret_path, path);
    return true;
}

bool path_is_below(const char *dir, const char *path) {
    CLEANUP(mem_freep) char *root = realpath(dir, NULL), *place = realpath(path, NULL);
    size_t len = root ? strlen(root) : 0;
    return root && place && strncmp(root, place, len) == 0 && (place[len] == '/' || (len == 1 && *place == '/'));
}

static bool is_program(const char *path) { return file_exists(path) && access(path, X_OK) == 0; }

bool path_find_program(const char *name, Str *ret_path, Error *err) {
    if (strchr(name, '/')) {
        if (!is_program(name))
            return error_set(err, "%s is not a program that can be run; check its name and whether it is executable",
                             name);
        return path_absolute(name, ret_path, err);
    }
    const char *variable = getenv("PATH");
    CLEANUP(strlist_release) StrList dirs = {0};
    strlist_split(&dirs, variable ? variable : "/usr/local/bin:/usr/bin:/bin", ':');
    for (size_t i = 0; i < dirs.len; i++) {
        CLEANUP(mem_freep) char *path = path_of(*dirs.items[i] ? dirs.items[i] : ".", name);
        if (is_program(path))
            return path_absolute(path, ret_path, err);
    }
    return error_set(err, "there is no program '%s' in the PATH; install it or give its full path", name);
}

bool path_runtime(const char *name, Str *ret_path, Error *err) {
    const char *override = getenv("CULPRIT_RUNTIME");
    char self[4096];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    self[len < 0 ? 0 : len] = '\0';
    /* build/culprit and build/tests/unit/x find build/lib/culprit; PREFIX/bin/culprit finds PREFIX/lib/culprit. */
    for (int up = 0; up < 4; up++) {
        char *slash = strrchr(self, '/');
        if (slash)
            *slash = '\0';
        str_clear(ret_path);
        str_append(ret_path, override ? override : self);
        if (!override)
            path_join(ret_path, "lib/culprit");
        path_join(ret_path, name);
        if (access(ret_path->data, R_OK) == 0)
            return true;
        if (override)
            break;
    }
    return error_set(err, "culprit's own file '%s' is missing; build or install culprit again, or set CULPRIT_RUNTIME",
                     name);
}
