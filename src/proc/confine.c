/* Landlock restricts what is named as handled, and allows it again below given files and directories. We handle every
 * right that changes something and leave reading and executing alone: compilers read from everywhere. Kernels know more
 * rights with each version of the interface; headers may be older than the kernel, so that what they may lack stands
 * here (include/uapi/linux/landlock.h). */
#include "proc/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RIGHTS_FILE_V1 LANDLOCK_ACCESS_FS_WRITE_FILE
#define RIGHTS_DIR_V1                                                                                \
    (LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | \
     LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |      \
     LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM)
#define RIGHT_REFER (UINT64_C(1) << 13)    /* since version 2 */
#define RIGHT_TRUNCATE (UINT64_C(1) << 14) /* since version 3 */
#define RIGHTS_TCP UINT64_C(3)             /* bind and connect; since version 4 */
#define SCOPES UINT64_C(3)                 /* abstract sockets and signals; since version 6 */

typedef struct Ruleset {
    uint64_t handled_fs, handled_net, scoped;
} Ruleset;

/* Devices that hold nothing. The terminal's output is not the program's business, but /dev/tty harms nobody. */
static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/ptmx"};

int confine_landlock_version(void) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return version < 0 ? 0 : (int)version;
}

bool confine_has_seccomp(void) {
#if defined(__x86_64__) || defined(__aarch64__)
    return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;
#else
    return false;
#endif
}

static bool allow_writing(int ruleset, int version, const char *path) {
    int fd = open(path, O_PATH | O_CLOEXEC);
    struct stat status;
    if (fd < 0)
        return false;
    bool is_dir = fstat(fd, &status) == 0 && S_ISDIR(status.st_mode);
    uint64_t rights = RIGHTS_FILE_V1;
    if (version >= 3)
        rights |= RIGHT_TRUNCATE;
    if (is_dir)
        rights |= RIGHTS_DIR_V1 | (version >= 2 ? RIGHT_REFER : 0);
    struct landlock_path_beneath_attr rule = {.allowed_access = rights, .parent_fd = fd};
    bool ok = syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
    int saved = errno;
    close(fd);
    errno = saved;
    return ok;
}

static int new_ruleset(int version, bool no_network) {
    Ruleset rules = {.handled_fs = RIGHTS_FILE_V1 | RIGHTS_DIR_V1};
    size_t size = sizeof(uint64_t);
    if (version >= 2)
        rules.handled_fs |= RIGHT_REFER;
    if (version >= 3)
        rules.handled_fs |= RIGHT_TRUNCATE;
    if (version >= 4) {
        rules.handled_net = no_network ? RIGHTS_TCP : 0;
        size = 2 * sizeof(uint64_t);
    }
    if (version >= 6) {
        rules.scoped = SCOPES;
        size = sizeof(Ruleset);
    }
    return (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0);
}

bool confine_ruleset(const ProcConfinement *confinement, int *ret_fd, Error *err) {
    int version = confine_landlock_version();
    if (version == 0) {
        *ret_fd = -1;
        return true;
    }
    int ruleset = new_ruleset(version, confinement->no_network);
    if (ruleset < 0)
        return error_errno(err, "cannot make Landlock rules");
    for (size_t i = 0; i < ARRAY_LEN(devices); i++)
        allow_writing(ruleset, version, devices[i]); /* one that is absent needs no rule */
    const char *failed = NULL;
    if (confinement->writable_dir && !allow_writing(ruleset, version, confinement->writable_dir))
        failed = confinement->writable_dir;
    if (!failed && confinement->tmp_dir && !allow_writing(ruleset, version, confinement->tmp_dir))
        failed = confinement->tmp_dir;
    for (const char *const *path = confinement->more_writable; path && *path && !failed; path++)
        failed = allow_writing(ruleset, version, *path) ? NULL : *path;
    if (failed) {
        error_errno(err, "cannot allow a confined program to write to %s", failed);
        close(ruleset);
        return false;
    }
    *ret_fd = ruleset;
    return true;
}
