/* The child is made by a clone that shares memory and suspends the warden until exec, like vfork: nothing is copied,
 * and a failure is simply written down. Until exec the child must not touch anything that the warden relies on;
 * descriptors, signal mask, limits and the rest of what it changes are its own. */
#include "proc/warden/start.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proc/warden/network.h"

static int fail(Start *start, WireStep step) {
    start->failed_step = step;
    start->failed_errno = errno;
    return 127;
}

static void connect_streams(const Start *start) {
    if (start->fds[WIRE_INPUT] >= 0)
        dup2(start->fds[WIRE_INPUT], STDIN_FILENO); /* else the warden's, which is /dev/null */
    dup2(start->fds[WIRE_OUT_FILE] >= 0 ? start->fds[WIRE_OUT_FILE] : WIRE_FD_OUT, STDOUT_FILENO);
    int err_fd = start->fds[WIRE_ERR_FILE] >= 0 ? start->fds[WIRE_ERR_FILE] : WIRE_FD_ERR;
    dup2(start->request->merge_output ? STDOUT_FILENO : err_fd, STDERR_FILENO);
}

static void set_limit(int resource, rlim_t soft, rlim_t hard) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0)
        return;
    limit.rlim_max = hard < limit.rlim_max ? hard : limit.rlim_max;
    limit.rlim_cur = soft < limit.rlim_max ? soft : limit.rlim_max;
    setrlimit(resource, &limit);
}

/* struct sched_attr of linux/sched/types.h, which cannot be included beside sched.h. */
typedef struct SchedAttr {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period; /* ns */
} SchedAttr;

/* A turn of a tenth of a millisecond, the shortest there is (since Linux 6.12; ignored before). */
static void ask_for_short_turns(int policy, int nice) {
    SchedAttr attr = {.size = sizeof(attr), .policy = (uint32_t)policy, .nice = nice, .runtime = 100000};
    attr.flags = 1; /* SCHED_FLAG_RESET_ON_FORK */
    syscall(SYS_sched_setattr, 0, &attr, 0);
}

void priority_raise(Priority *ret_priority) {
    ret_priority->policy = sched_getscheduler(0);
    ret_priority->nice = getpriority(PRIO_PROCESS, 0);
    ret_priority->raised =
        sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &(struct sched_param){.sched_priority = 1}) == 0;
    if (!ret_priority->raised)
        ask_for_short_turns(ret_priority->policy, ret_priority->nice);
}

/* After a reset the child has the defaults. */
static void restore_priority(const Priority *priority) {
    if (priority->raised && priority->policy != SCHED_OTHER)
        sched_setscheduler(0, priority->policy, &(struct sched_param){.sched_priority = 0});
    if (priority->raised && priority->nice != 0)
        setpriority(PRIO_PROCESS, 0, priority->nice);
}

/* The kernel counts threads too, those of all of the user's processes, and not at all for root. So the real limit is
 * watched; this one only keeps a fork bomb from getting far before it is seen. */
static rlim_t processes_bound(const Start *start) {
    return (rlim_t)start->other_processes + 4 * (rlim_t)start->request->limits.processes + 64;
}

static void set_limits(const Start *start) {
    const ProcLimits *limits = &start->request->limits;
    /* 1, not 0: neither a core file nor a crash handler behind a pipe in core_pattern, which ignores 0. */
    set_limit(RLIMIT_CORE, 1, 1);
    if (limits->cpu_ms > 0) {
        rlim_t seconds = (rlim_t)limits->cpu_ms / 1000 + 2; /* behind the warden's own: programs may catch SIGXCPU */
        set_limit(RLIMIT_CPU, seconds, seconds + 1);
    }
    if (limits->memory_bytes && !limits->sanitized)
        set_limit(RLIMIT_AS, limits->memory_bytes, limits->memory_bytes);
    if (limits->file_bytes)
        set_limit(RLIMIT_FSIZE, limits->file_bytes, limits->file_bytes);
    if (limits->processes)
        set_limit(RLIMIT_NPROC, processes_bound(start), processes_bound(start));
}

static bool confine(const Start *start) {
    bool rules = start->fds[WIRE_RULESET] >= 0;
    if (!rules && !start->request->no_network)
        return true;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return false;
    if (rules && syscall(SYS_landlock_restrict_self, start->fds[WIRE_RULESET], 0) != 0)
        return false;
    return !start->request->no_network || network_forbid();
}

/* kill(0, …) shall reach the program only. Without a namespace, a session of its own also makes the scheduler share the
 * processor between the warden and the program, however many processes that has (autogroups); it takes some time. */
static void set_apart(const Start *start) {
    if (start->namespaced) {
        setpgid(0, 0);
    } else {
        setsid();
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    }
}

/* In a mount namespace of its own, which goes away with the program. If that does not work, the real /tmp must do. */
static void hide_tmp(const Start *start) {
    if (start->tmp_dir[0] && start->namespaced && unshare(CLONE_NEWNS) == 0)
        mount(start->tmp_dir, "/tmp", NULL, MS_BIND, NULL);
}

static int become_program(void *argument) {
    Start *start = argument;
    set_apart(start);
    connect_streams(start);
    if (start->dir[0] && chdir(start->dir) != 0)
        return fail(start, WIRE_STEP_DIR);
    hide_tmp(start);
    if (start->request->no_randomisation)
        personality((unsigned long)personality(0xffffffff) | ADDR_NO_RANDOMIZE);
    restore_priority(&start->priority);
    set_limits(start);
    if (!confine(start))
        return fail(start, WIRE_STEP_CONFINE);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(start->program, start->argv, start->env);
    return fail(start, WIRE_STEP_EXEC);
}

pid_t start_program(Start *start) {
    _Alignas(16) char stack[16384];
    start->failed_step = WIRE_STEP_NONE;
    pid_t pid = clone(become_program, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, start);
    if (pid < 0)
        fail(start, WIRE_STEP_FORK);
    else if (start->failed_step != WIRE_STEP_NONE)
        waitpid(pid, NULL, 0);
    return start->failed_step == WIRE_STEP_NONE ? pid : -1;
}
