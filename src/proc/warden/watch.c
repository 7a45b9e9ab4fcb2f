/* Looks at the tree are cheap in a PID namespace (microseconds) and cost milliseconds where all of /proc has to be
 * searched. They start early, because fork bombs and memory hogs are fast, get rarer while nothing happens, and never
 * take more than a twentieth of the time. */
#include "proc/warden/watch.h"

#include <signal.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <time.h>

enum { FIRST_LOOK_US = 5000, LONGEST_INTERVAL_US = 50000, COST_FACTOR = 20 };

int64_t watch_now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}

/* Processes and threads of the whole machine, for one system call. */
static unsigned machine_processes(void) {
    struct sysinfo info;
    return sysinfo(&info) == 0 ? info.procs : 0;
}

static bool looks_at_tree(const ProcLimits *limits) {
    return limits->cpu_ms > 0 || limits->memory_bytes || limits->processes;
}

void watch_start(Watch *watch, const ProcLimits *limits, int64_t *look_cost_us) {
    *watch = (Watch){.limits = limits, .started_us = watch_now_us(), .look_cost_us = look_cost_us};
    watch->interval_us = MAX_OF((int64_t)FIRST_LOOK_US, COST_FACTOR * *look_cost_us);
    watch->next_us = watch->started_us + watch->interval_us;
    if (limits->processes)
        watch->other_processes = machine_processes();
}

int64_t watch_wait_us(const Watch *watch) {
    const ProcLimits *limits = watch->limits;
    int64_t until = INT64_MAX;
    if (limits->wall_ms > 0)
        until = watch->started_us + limits->wall_ms * 1000;
    if (looks_at_tree(limits))
        until = MIN_OF(until, watch->next_us);
    if (limits->processes) /* the machine's number of processes is looked at more often than the tree */
        until = MIN_OF(until, watch_now_us() + FIRST_LOOK_US);
    return until == INT64_MAX ? -1 : MAX_OF(until - watch_now_us(), 0);
}

static void plan_next_look(Watch *watch, const TreeUse *use, int64_t look_began_us) {
    int64_t now = watch_now_us();
    bool grows = use->resident_bytes > watch->resident_bytes + watch->resident_bytes / 4;
    bool near_limit = watch->limits->memory_bytes && use->resident_bytes > watch->limits->memory_bytes / 2;
    watch->interval_us =
        grows && near_limit ? FIRST_LOOK_US : MIN_OF(watch->interval_us * 2, (int64_t)LONGEST_INTERVAL_US);
    *watch->look_cost_us = now - look_began_us;
    watch->interval_us = MAX_OF(watch->interval_us, COST_FACTOR * *watch->look_cost_us);
    watch->next_us = now + watch->interval_us;
    watch->resident_bytes = use->resident_bytes;
}

/* The tree is counted only where the machine has more processes than the others had and the tree may have. If those are
 * the others' after all, they are known from then on. */
static bool bomb_goes_off(Watch *watch, Tree *tree, pid_t child) {
    unsigned machine = machine_processes();
    if (machine <= watch->other_processes + watch->limits->processes)
        return false;
    uint32_t count = tree_count(tree, child);
    watch->other_processes = machine - MIN_OF(count, machine);
    return count > watch->limits->processes;
}

ProcLimit watch_look(Watch *watch, Tree *tree, const TreeDead *dead) {
    const ProcLimits *limits = watch->limits;
    int64_t now = watch_now_us();
    if (limits->wall_ms > 0 && now >= watch->started_us + limits->wall_ms * 1000)
        return PROC_LIMIT_WALL;
    if (limits->processes && bomb_goes_off(watch, tree, dead->child))
        return PROC_LIMIT_PROCESSES;
    if (!looks_at_tree(limits) || now < watch->next_us)
        return PROC_LIMIT_NONE;

    TreeUse use;
    if (!tree_measure(tree, &use))
        return PROC_LIMIT_NONE;
    plan_next_look(watch, &use, now);
    if (limits->processes && use.processes > limits->processes)
        return PROC_LIMIT_PROCESSES;
    if (limits->memory_bytes && use.resident_bytes > limits->memory_bytes)
        return PROC_LIMIT_MEMORY;
    if (limits->cpu_ms > 0 && use.cpu_us + dead->user_us + dead->system_us >= limits->cpu_ms * 1000)
        return PROC_LIMIT_CPU;
    return PROC_LIMIT_NONE;
}

/* Shells and drivers report a child's death by signal N as exit code 128 + N. */
static bool ended_by(int status, int signal) {
    return (WIFSIGNALED(status) && WTERMSIG(status) == signal) ||
           (WIFEXITED(status) && WEXITSTATUS(status) == 128 + signal);
}

/* An exhausted address space is not announced: the program is refused memory and says so in words of its own, crashes,
 * or copes. Where it failed with three quarters of its limit in use, we call that the cause. */
static bool ran_out_of_memory(const ProcLimits *limits, const TreeDead *dead) {
    return limits->memory_bytes && !limits->sanitized && dead->child_status != 0 &&
           dead->peak_bytes >= limits->memory_bytes - limits->memory_bytes / 4;
}

ProcLimit watch_explain(const ProcLimits *limits, const TreeDead *dead) {
    int status = dead->child_status;
    if (limits->file_bytes && ended_by(status, SIGXFSZ))
        return PROC_LIMIT_FILE_SIZE;
    if (limits->cpu_ms > 0 && dead->user_us + dead->system_us >= limits->cpu_ms * 1000 &&
        (ended_by(status, SIGXCPU) || ended_by(status, SIGKILL)))
        return PROC_LIMIT_CPU;
    return ran_out_of_memory(limits, dead) ? PROC_LIMIT_MEMORY : PROC_LIMIT_NONE;
}
