/* The warden is started with a clone that shares memory until exec: culprit may be large and have threads, so it is
 * never copied. The best place for it is a PID namespace with a /proc to match, because programs (sanitizers among
 * them) look themselves up there by number: root may make one, others within a user namespace that maps only
 * themselves. Where the machine permits neither, it is an ordinary process. */
#include "proc/warden.h"

#include <errno.h>
#include <fcntl.h>
#include <sanitizer/asan_interface.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

enum { SPARE_FD = 64, STACK_BYTES = 65536 };

/* What the clone needs; it may not allocate. `error` is its answer. */
typedef struct Birth {
    const char *program;
    int fds[WIRE_FD_END]; /* by the number they shall get; below WIRE_FD_LINK: /dev/null */
    int flags;
    char user_map[32], group_map[32];
    int error;
} Birth;

static bool write_whole(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0)
        close(fd);
    return ok;
}

static bool enter_namespaces(const Birth *birth) {
    if ((birth->flags & CLONE_NEWUSER) &&
        (!write_whole("/proc/self/setgroups", "deny") || !write_whole("/proc/self/uid_map", birth->user_map) ||
         !write_whole("/proc/self/gid_map", birth->group_map)))
        return false;
    return mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) == 0 &&
           mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0;
}

/* The numbers wanted may be in use by other descriptors of the list: all move out of the way first. */
static bool place_descriptors(Birth *birth) {
    for (int i = 0; i < WIRE_FD_END; i++)
        if ((birth->fds[i] = fcntl(birth->fds[i], F_DUPFD_CLOEXEC, SPARE_FD)) < 0)
            return false;
    for (int i = 0; i < WIRE_FD_END; i++)
        if (dup2(birth->fds[i], i) < 0)
            return false;
    return true;
}

/* Runs in culprit's memory, on a stack of its own; ends by a plain system call because nothing of culprit may run. */
static int become_warden(void *argument) {
    Birth *birth = argument;
    char *const argv[] = {"culprit-warden", NULL}, *const env[] = {NULL};
    if ((!(birth->flags & CLONE_NEWPID) || enter_namespaces(birth)) && place_descriptors(birth))
        execve(birth->program, argv, env);
    birth->error = errno ? errno : EIO;
    syscall(SYS_exit, 127);
    return 127;
}

/* The process id, or -1 with errno. */
static pid_t clone_warden(const Birth *plan, int flags) {
    Birth birth = *plan;
    birth.flags = flags;
    void *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED)
        return -1;
    sigset_t all, before; /* a handler must not run in the clone */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    /* Without an exit signal, culprit gets no SIGCHLD from it and no wait for any child collects it. */
    pid_t pid = clone(become_warden, (char *)stack + STACK_BYTES, CLONE_VM | CLONE_VFORK | flags, &birth);
    int error = pid < 0 ? errno : birth.error;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    /* The clone's frames never return, so their redzones would stay behind for whatever is mapped here next. */
    ASAN_UNPOISON_MEMORY_REGION(stack, STACK_BYTES);
    munmap(stack, STACK_BYTES);
    if (pid > 0 && error)
        waitpid(pid, NULL, __WALL);
    errno = error;
    return error ? -1 : pid;
}

/* In namespaces of its own, if the machine permits: those of root, or of an unprivileged user; else without. */
static pid_t clone_most_isolated(Birth *birth) {
    static const int places[] = {CLONE_NEWPID | CLONE_NEWNS, CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWUSER, 0};
    snprintf(birth->user_map, sizeof(birth->user_map), "%u %u 1\n", geteuid(), geteuid());
    snprintf(birth->group_map, sizeof(birth->group_map), "%u %u 1\n", getegid(), getegid());
    size_t first = getenv("CULPRIT_NO_NAMESPACES") ? ARRAY_LEN(places) - 1 : 0;
    pid_t pid = -1;
    for (size_t i = first; i < ARRAY_LEN(places) && pid < 0; i++)
        pid = clone_warden(birth, places[i]);
    return pid;
}

/* Descriptors: both ends of everything, closed on every path but the one that hands our ends out. */
typedef struct Ends {
    int null, owner, link[2], out[2], err[2], text;
} Ends;

static void ends_release(Ends *ends) {
    int all[] = {ends->null,   ends->owner,  ends->link[0], ends->link[1], ends->out[0],
                 ends->out[1], ends->err[0], ends->err[1],  ends->text};
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        if (all[i] >= 0)
            close(all[i]);
}

static bool ends_open(Ends *ends) {
    *ends = (Ends){-1, -1, {-1, -1}, {-1, -1}, {-1, -1}, -1};
    if ((ends->null = open("/dev/null", O_RDWR | O_CLOEXEC)) < 0 ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends->link) != 0 || pipe2(ends->out, O_CLOEXEC) != 0 ||
        pipe2(ends->err, O_CLOEXEC) != 0 || (ends->text = memfd_create("culprit-request", MFD_CLOEXEC)) < 0)
        return false;
    ends->owner = (int)syscall(SYS_pidfd_open, getpid(), 0);
    if (ends->owner < 0)
        ends->owner = eventfd(0, EFD_CLOEXEC); /* before Linux 5.3: the socket's end remains */
    return ends->owner >= 0 && fcntl(ends->out[0], F_SETFL, O_NONBLOCK) == 0 &&
           fcntl(ends->err[0], F_SETFL, O_NONBLOCK) == 0;
}

static bool receive_hello(Warden *warden, Error *err) {
    ssize_t len;
    do
        len = recv(warden->link, &warden->hello, sizeof(warden->hello), 0);
    while (len < 0 && errno == EINTR);
    if (len != (ssize_t)sizeof(warden->hello) || warden->hello.protocol != WIRE_PROTOCOL)
        return error_set(err, "lib/culprit/warden, which guards child processes, is not of this version of culprit: "
                              "install or build both together");
    return true;
}

bool warden_start(Warden *ret_warden, Error *err) {
    CLEANUP(str_release) Str program = {0};
    if (!path_runtime("warden", &program, err))
        return error_context(err, "cannot start programs");
    CLEANUP(ends_release) Ends ends;
    if (!ends_open(&ends))
        return error_errno(err, "cannot start programs");
    Birth birth = {
        .program = str_text(&program),
        .fds = {ends.null, ends.null, ends.null, ends.link[1], ends.owner, ends.out[1], ends.err[1], ends.text}};
    Warden warden = {.pid = clone_most_isolated(&birth)};
    if (warden.pid < 0)
        return error_errno(err, "cannot start %s", str_text(&program));
    warden.link = ends.link[0], warden.out = ends.out[0], warden.err = ends.err[0], warden.text = ends.text;
    ends.link[0] = ends.out[0] = ends.err[0] = ends.text = -1;
    close(ends.link[1]); /* or its end would not be seen */
    ends.link[1] = -1;
    if (!receive_hello(&warden, err)) {
        warden_stop(&warden);
        return false;
    }
    *ret_warden = warden;
    return true;
}

void warden_stop(Warden *warden) {
    if (warden->pid <= 0)
        return; /* none was started, or it was stopped already */
    close(warden->link);
    close(warden->out);
    close(warden->err);
    close(warden->text);
    while (waitpid(warden->pid, NULL, __WALL) < 0 && errno == EINTR)
        ;
    warden->pid = 0;
}
