/* The schema, as the list of steps that made it. A store's version is the number of steps it has taken (PRAGMA
 * user_version); a new store takes them all. A step, once released, never changes: add another.
 */
#include "store/schema.h"

#define APPLICATION_ID 0x63756c70 /* "culp": tells our files from other programs' databases */

static const char *const steps[] = {
    /* 1: tests and what they found. A claim is a range of test numbers that are promised to a session (NULL: to nobody,
     * they came back and go out first); `left` counts those without a result. */
    "CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE session (id INTEGER PRIMARY KEY, host TEXT, pid INTEGER, started INTEGER);"
    "CREATE TABLE config (id INTEGER PRIMARY KEY, command TEXT NOT NULL, compiler TEXT NOT NULL, version TEXT NOT NULL,"
    "    target TEXT, UNIQUE (command, version));"
    "CREATE TABLE claim (first INTEGER PRIMARY KEY, count INTEGER NOT NULL, left INTEGER NOT NULL, session INTEGER,"
    "    expires INTEGER);"
    "CREATE TABLE test (number INTEGER PRIMARY KEY, session INTEGER NOT NULL, bytes INTEGER, generate_us INTEGER,"
    "    compile_us INTEGER, run_us INTEGER, finished INTEGER);"
    "CREATE TABLE verdict (test INTEGER, config INTEGER, verdict TEXT NOT NULL, compile_us INTEGER, run_us INTEGER,"
    "    PRIMARY KEY (test, config)) WITHOUT ROWID;"
    "CREATE TABLE bug (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, compiler TEXT NOT NULL,"
    "    version TEXT, command TEXT, signature TEXT, oracle TEXT, directory TEXT, hits INTEGER NOT NULL,"
    "    kept INTEGER NOT NULL, first_test INTEGER, first_seen INTEGER, last_seen INTEGER);"
    "CREATE TABLE hit (bug INTEGER, test INTEGER, command TEXT, directory TEXT, PRIMARY KEY (bug, test, command))"
    "    WITHOUT ROWID;",

    /* 2: what later steps find out about a bug. */
    "CREATE TABLE note (bug INTEGER, name TEXT, value TEXT NOT NULL, PRIMARY KEY (bug, name)) WITHOUT ROWID;",

    /* 3: notes were too general. What is found out belongs to a kept directory, and those of one fingerprint are one
     * cluster: one key may hide several bugs, and one bug may have several keys. */
    "DROP TABLE note;"
    "CREATE TABLE cluster (id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL UNIQUE);"
    "ALTER TABLE hit ADD COLUMN cluster INTEGER;"
    "ALTER TABLE hit ADD COLUMN pass TEXT;"
    "ALTER TABLE hit ADD COLUMN reduced_bytes INTEGER;"
    "ALTER TABLE hit ADD COLUMN suspects TEXT;"
    "CREATE INDEX hit_directory ON hit (directory) WHERE directory IS NOT NULL;",

    /* 4: pass sequences: the reduced one of a hit, and which are left out of later tests. */
    "ALTER TABLE hit ADD COLUMN compiler TEXT;"
    "ALTER TABLE hit ADD COLUMN sequence TEXT;"
    "CREATE TABLE exclusion (compiler TEXT, version TEXT NOT NULL, first TEXT, second TEXT, bug TEXT NOT NULL,"
    "    kind TEXT NOT NULL, hits INTEGER NOT NULL, ended TEXT, PRIMARY KEY (compiler, first, second));",

    /* 5: how many pass sequences a test tried; NULL for tests of earlier versions, which did not count them. */
    "ALTER TABLE test ADD COLUMN sequences INTEGER;",
};

int64_t schema_version(void) { return ARRAY_LEN(steps); }

static bool check_owner(Store *store, int64_t version, Error *err) {
    int64_t id = 0, tables = 0;
    if (!sql_int(store, err, &id, "PRAGMA application_id", "") ||
        !sql_int(store, err, &tables, "SELECT count(*) FROM sqlite_schema", ""))
        return false;
    if (id == APPLICATION_ID || (id == 0 && tables == 0 && version == 0))
        return true;
    return error_set(err, "%s/campaign.db belongs to another program: choose another directory", store->dir);
}

static bool take_steps(Store *store, void *context, Error *err) {
    (void)context;
    int64_t version = 0;
    if (!sql_int(store, err, &version, "PRAGMA user_version", ""))
        return false;
    for (; version < schema_version(); version++) {
        char stamp[96];
        sqlite3_snprintf(sizeof stamp, stamp, "PRAGMA user_version = %d; PRAGMA application_id = %d", (int)version + 1,
                         APPLICATION_ID);
        if (!sql_exec(store, steps[version], err) || !sql_exec(store, stamp, err))
            return false;
    }
    return true;
}

bool schema_migrate(Store *store, Error *err) {
    int64_t version = 0;
    if (!sql_int(store, err, &version, "PRAGMA user_version", "") || !check_owner(store, version, err))
        return false;
    if (version > schema_version())
        return error_set(
            err, "%s was written by a newer culprit (its store has version %d, this one knows %d): use that one",
            store->dir, (int)version, (int)schema_version());
    return version == schema_version() || sql_transaction(store, take_steps, NULL, err);
}
