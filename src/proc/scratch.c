#include "proc/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/file.h"

#define PREFIX "culprit-scratch-"

/* A tmpfs with less than this left is passed over: a campaign's worker seldom needs more. */
static const uint64_t room_wanted = UINT64_C(256) << 20;

enum { PLACES = 4 };

static void list_places(const char *places[PLACES]) {
    places[0] = getenv("CULPRIT_SCRATCH");
    places[1] = "/dev/shm";
    places[2] = getenv("TMPDIR");
    places[3] = "/tmp";
}

/* Compiled programs are run there, and containers like to mount /dev/shm without the right to. */
static bool is_suitable(const char *dir) {
    struct statvfs status;
    return access(dir, W_OK | X_OK) == 0 && statvfs(dir, &status) == 0 && !(status.f_flag & ST_NOEXEC) &&
           (uint64_t)status.f_bavail * status.f_frsize >= room_wanted;
}

static const char *choose_place(void) {
    const char *places[PLACES];
    list_places(places);
    if (places[0] && places[0][0])
        return places[0]; /* asked for: used, or complained about */
    for (int i = 1; i < PLACES; i++)
        if (places[i] && places[i][0] && is_suitable(places[i]))
            return places[i];
    return "/tmp";
}

/* When a process started, in clock ticks since boot: with its number, its identity. 0: there is no such process. */
static unsigned long long start_time(pid_t pid) {
    char path[32], text[1024];
    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t len = read(fd, text, sizeof(text) - 1);
    close(fd);
    text[len < 0 ? 0 : len] = '\0';
    unsigned long long ticks = 0;
    const char *fields = strrchr(text, ')'); /* the program's name may contain anything */
    if (!fields ||
        sscanf(fields + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
               &ticks) != 1)
        return 0;
    return ticks;
}

bool scratch_new(Scratch *ret_scratch, Error *err) {
    const char *place = choose_place();
    if (!dir_make(place, err))
        return error_context(err, "cannot make a scratch directory");
    CLEANUP(str_release) Str path = {0};
    str_printf(&path, "%s/" PREFIX "%d-%llu-XXXXXX", place, getpid(), start_time(getpid()));
    if (!mkdtemp(path.data))
        return error_errno(err, "cannot make a scratch directory in %s; set CULPRIT_SCRATCH to another place", place);
    int lock = open(path.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock < 0 || flock(lock, LOCK_EX) != 0) {
        error_errno(err, "cannot lock the scratch directory %s", path.data);
        if (lock >= 0)
            close(lock);
        rmdir(path.data);
        return false;
    }
    ret_scratch->lock = lock;
    ret_scratch->path = str_detach(&path);
    return true;
}

bool scratch_empty(Scratch *scratch, Error *err) {
    CLEANUP(strlist_release) StrList names = {0};
    if (!dir_list(scratch->path, &names, err))
        return false;
    for (size_t i = 0; i < names.len; i++) {
        CLEANUP(mem_freep) char *path = path_of(scratch->path, names.items[i]);
        if (!dir_remove(path, err))
            return false;
    }
    return true;
}

void scratch_release(Scratch *scratch) {
    if (!scratch->path)
        return;
    dir_remove(scratch->path, NULL);
    close(scratch->lock);
    free(scratch->path);
    *scratch = (Scratch){0};
}

/* The lock tells the dead from the living also if the owner's number means nothing here, as between containers. The
 * number covers the moment between making and locking. */
static bool owner_is_dead(const char *name, int dir_fd) {
    int pid;
    unsigned long long started;
    if (sscanf(name, PREFIX "%d-%llu-", &pid, &started) != 2 || start_time(pid) == started)
        return false;
    return flock(dir_fd, LOCK_EX | LOCK_NB) == 0;
}

static bool remove_if_dead(const char *place, const char *name) {
    CLEANUP(mem_freep) char *path = path_of(place, name);
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return false;
    struct stat status;
    bool removed =
        fstat(fd, &status) == 0 && status.st_uid == geteuid() && owner_is_dead(name, fd) && dir_remove(path, NULL);
    close(fd);
    return removed;
}

size_t scratch_sweep(void) {
    const char *places[PLACES];
    list_places(places);
    size_t removed = 0;
    for (int i = 0; i < PLACES; i++) {
        DIR *dir = places[i] && places[i][0] ? opendir(places[i]) : NULL;
        for (struct dirent *entry; dir && (entry = readdir(dir));)
            if (str_starts(entry->d_name, PREFIX))
                removed += remove_if_dead(places[i], entry->d_name);
        if (dir)
            closedir(dir);
    }
    return removed;
}
