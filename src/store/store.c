/* Opening and closing a campaign: the lock, the session, the settings, the configurations.
 *
 * The lock is a POSIX record lock on campaign.lock: the system drops it when the process dies, however it dies, and
 * children that were forked do not inherit it, so that no orphan keeps a campaign locked.
 */
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "store/schema.h"
#include "store/sql.h"
#include "store/work.h"

#define DATABASE "campaign.db"
#define LOCK "campaign.lock"
#define BUSY_MS 10000

const char *store_dir(const Store *store) { return store->dir; }

bool store_exists(const char *dir) {
    CLEANUP(mem_freep) char *path = path_of(dir, DATABASE);
    return file_exists(path);
}

static bool lock_directory(Store *store, Error *err) {
    CLEANUP(mem_freep) char *path = path_of(store->dir, LOCK);
    store->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (store->lock_fd < 0)
        return error_errno(err, "cannot write in %s", store->dir);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(store->lock_fd, F_SETLK, &lock) == 0)
        return true;
    if (errno != EAGAIN && errno != EACCES)
        return error_errno(err, "cannot lock %s", path);
    fcntl(store->lock_fd, F_GETLK, &lock);
    return error_set(err,
                     "process %d is working on the campaign in %s: wait for it, stop it, or choose another directory",
                     (int)lock.l_pid, store->dir);
}

/* Asks for the lock without taking it. */
bool store_is_busy(const char *dir) {
    CLEANUP(mem_freep) char *path = path_of(dir, LOCK);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    bool busy = fd >= 0 && fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    if (fd >= 0)
        close(fd);
    return busy;
}

/* Nobody writes to a read-only directory, so the file is copied as it is: a store of an earlier version takes the steps that
 * it lacks in memory. */
static bool open_frozen(Store *store, const char *path, Error *err) {
    CLEANUP(str_release) Str uri = {0};
    str_printf(&uri, "file:%s?immutable=1", path);
    if (sqlite3_open_v2(str_text(&uri), &store->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL) != SQLITE_OK)
        return sql_fail(store, err);
    sqlite3 *file = store->db;
    bool ok = sqlite3_open_v2(":memory:", &store->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK;
    sqlite3_backup *copy = ok ? sqlite3_backup_init(store->db, "main", file, "main") : NULL;
    ok = copy && sqlite3_backup_step(copy, -1) == SQLITE_DONE;
    sqlite3_backup_finish(copy);
    sqlite3_close(file);
    return ok || sql_fail(store, err);
}

/* A reader needs to write too (the write-ahead log's index), except if the directory is read-only. */
static bool open_database(Store *store, StoreMode mode, Error *err) {
    CLEANUP(mem_freep) char *path = path_of(store->dir, DATABASE);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (mode == STORE_READ ? 0 : SQLITE_OPEN_CREATE);
    if (mode == STORE_READ && access(store->dir, W_OK) != 0)
        return open_frozen(store, path, err);
    if (sqlite3_open_v2(path, &store->db, flags, NULL) != SQLITE_OK)
        return sql_fail(store, err);
    sqlite3_busy_timeout(store->db, BUSY_MS);
    /* In WAL mode NORMAL loses nothing when the process is killed; a power cut may lose the last results, whose tests
     * then run again, and never damages the file. */
    return sql_exec(store, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL", err);
}

static bool start_session(Store *store, Error *err) {
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    if (!sql_run(store, err, "INSERT INTO session (host, pid, started) VALUES (?, ?, ?)", "sii", host,
                 (int64_t)getpid(), clock_wall_s()))
        return false;
    store->session = sqlite3_last_insert_rowid(store->db);
    /* The lock is ours, so every other session is dead, and what it had claimed is to be run again. */
    return work_return_others(store, err);
}

static bool open_all(Store *store, StoreMode mode, Error *err) {
    bool existed = store_exists(store->dir);
    if (mode == STORE_NEW && existed)
        return error_set(err, "%s holds a campaign already: choose another directory, or leave out --new to resume it",
                         store->dir);
    if (mode == STORE_READ && !existed)
        return error_set(err, "there is no campaign in %s: give the directory that `culprit hunt` wrote", store->dir);
    if (mode != STORE_READ && (!dir_make(store->dir, err) || !lock_directory(store, err)))
        return false;
    return open_database(store, mode, err) && schema_migrate(store, err) &&
           (mode == STORE_READ || start_session(store, err));
}

bool store_open(const char *dir, StoreMode mode, Store **ret_store, Error *err) {
    Store *store = mem_zalloc(1, sizeof *store);
    store->dir = mem_strdup(dir);
    store->lock_fd = -1;
    if (!open_all(store, mode, err)) {
        store_close(store);
        return false;
    }
    *ret_store = store;
    return true;
}

void store_close(Store *store) {
    if (!store)
        return;
    sqlite3_close(store->db);
    if (store->lock_fd >= 0)
        close(store->lock_fd);
    free(store->dir);
    free(store);
}

bool store_setting(Store *store, const char *name, Arena *arena, const char **ret_value, Error *err) {
    CLEANUP(sql_finish) sqlite3_stmt *query = NULL;
    bool row;
    if (!sql_query(store, err, &query, "SELECT value FROM setting WHERE name = ?", "s", name) ||
        !sql_step(store, query, &row, err))
        return false;
    *ret_value = row ? sql_text(query, 0, arena) : NULL;
    return true;
}

bool store_set_setting(Store *store, const char *name, const char *value, Error *err) {
    return sql_run(store, err, "INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)", "ss", name, value);
}

bool store_config(Store *store, const StoreConfig *config, int64_t *ret_id, Error *err) {
    return sql_run(store, err, "INSERT OR IGNORE INTO config (command, compiler, version, target) VALUES (?, ?, ?, ?)",
                   "ssss", config->command, config->compiler, config->version, config->target) &&
           sql_int(store, err, ret_id, "SELECT id FROM config WHERE command = ? AND version = ?", "ss", config->command,
                   config->version);
}

bool store_configs(Store *store, Arena *arena, StoreConfigs *ret_configs, Error *err) {
    CLEANUP(sql_finish) sqlite3_stmt *query = NULL;
    bool row,
        ok = sql_query(store, err, &query, "SELECT id, command, compiler, version, target FROM config ORDER BY id", "");
    while (ok && (ok = sql_step(store, query, &row, err)) && row)
        vec_push(ret_configs, (StoreConfig){.id = sqlite3_column_int64(query, 0),
                                            .command = sql_text(query, 1, arena),
                                            .compiler = sql_text(query, 2, arena),
                                            .version = sql_text(query, 3, arena),
                                            .target = sql_text(query, 4, arena)});
    return ok;
}
