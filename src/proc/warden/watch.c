/* The kernel tells of a program's end at once, so that time is spent only on what it does not tell: how much the whole
 * tree uses. Two things keep that cheap, on a busy machine too, where compilers get on slowly while the clock runs.
 *
 * Looks at the tree are planned, not periodic: none is due before the limits can be reached at all, with every processor
 * busy and memory filled as fast as it can be. A look costs microseconds in a PID namespace and milliseconds where all of
 * /proc has to be searched; together they take no more than a twentieth of the time.
 *
 * Fork bombs are faster than any plan. They are seen by the number of processes of the whole machine, one system call,
 * which is asked for early and then ever more rarely: misbehaviour mostly starts at once. */
#include "proc/warden/watch.h"

#include <signal.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <time.h>

enum { SHORTEST_US = 5000, LONGEST_COUNT_US = 100000, LONGEST_LOOK_US = 1000000, COST_FACTOR = 20 };

/* About what two processors fill that touch fresh pages and do nothing else. */
static const uint64_t bytes_per_us = (UINT64_C(8) << 30) / 1000000;

static int64_t read_us(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}

int64_t watch_now_us(void) { return read_us(CLOCK_MONOTONIC); }

/* Processes and threads of the whole machine, for one system call. */
static unsigned machine_processes(void) {
    struct sysinfo info;
    return sysinfo(&info) == 0 ? info.procs : 0;
}

Machine machine_now(void) { return (Machine){.processors = MAX_OF(get_nprocs(), 1)}; }

/* How long it takes at least until a limit that only looks can see is reached. */
static int64_t safe_us(const Watch *watch, int64_t cpu_us, uint64_t resident_bytes) {
    const ProcLimits *limits = watch->limits;
    int64_t safe = LONGEST_LOOK_US;
    if (limits->cpu_ms > 0)
        safe = MIN_OF(safe, (limits->cpu_ms * 1000 - cpu_us) / watch->machine->processors);
    if (limits->memory_bytes)
        safe = MIN_OF(safe, ((int64_t)limits->memory_bytes - (int64_t)resident_bytes) / (int64_t)bytes_per_us);
    int64_t rest = MIN_OF(COST_FACTOR * watch->machine->look_cost_us, (int64_t)LONGEST_LOOK_US);
    return MAX_OF(safe, MAX_OF((int64_t)SHORTEST_US, rest));
}

void watch_start(Watch *watch, const ProcLimits *limits, Machine *machine) {
    int64_t now = watch_now_us();
    *watch = (Watch){.limits = limits, .started_us = now, .machine = machine, .count_interval_us = SHORTEST_US};
    watch->ends_us = limits->wall_ms > 0 ? now + limits->wall_ms * 1000 : INT64_MAX;
    watch->look_us = limits->cpu_ms > 0 || limits->memory_bytes ? now + safe_us(watch, 0, 0) : INT64_MAX;
    watch->count_us = limits->processes ? now + watch->count_interval_us : INT64_MAX;
    if (limits->processes)
        watch->other_processes = machine_processes();
}

int64_t watch_wait_us(const Watch *watch) {
    int64_t until = MIN_OF(watch->ends_us, MIN_OF(watch->look_us, watch->count_us));
    return until == INT64_MAX ? -1 : MAX_OF(until - watch_now_us(), 0);
}

/* The tree is counted only if the machine has more processes than the others had and the tree may have. If those are
 * the others' after all, they are known from then on. */
static bool bomb_goes_off(Watch *watch, Tree *tree, pid_t child) {
    unsigned machine = machine_processes();
    if (machine <= watch->other_processes + watch->limits->processes)
        return false;
    uint32_t count = tree_count(tree, child);
    watch->other_processes = machine - MIN_OF(count, machine);
    return count > watch->limits->processes;
}

static ProcLimit count(Watch *watch, Tree *tree, pid_t child) {
    ProcLimit limit = bomb_goes_off(watch, tree, child) ? PROC_LIMIT_PROCESSES : PROC_LIMIT_NONE;
    watch->count_interval_us = MIN_OF(2 * watch->count_interval_us, (int64_t)LONGEST_COUNT_US);
    watch->count_us = watch_now_us() + watch->count_interval_us;
    return limit;
}

static ProcLimit look(Watch *watch, Tree *tree, const TreeDead *dead) {
    const ProcLimits *limits = watch->limits;
    /* In CPU time: a look during which the warden had to wait for a processor is not a costly one. */
    int64_t began = read_us(CLOCK_PROCESS_CPUTIME_ID);
    TreeUse use = {0};
    bool measured = tree_measure(tree, &use);
    int64_t cpu_us = use.cpu_us + dead->user_us + dead->system_us;
    watch->machine->look_cost_us = read_us(CLOCK_PROCESS_CPUTIME_ID) - began;
    watch->look_us = watch_now_us() + safe_us(watch, cpu_us, use.resident_bytes);
    if (!measured)
        return PROC_LIMIT_NONE;
    if (limits->processes && use.processes > limits->processes)
        return PROC_LIMIT_PROCESSES;
    if (limits->memory_bytes && use.resident_bytes > limits->memory_bytes)
        return PROC_LIMIT_MEMORY;
    return limits->cpu_ms > 0 && cpu_us >= limits->cpu_ms * 1000 ? PROC_LIMIT_CPU : PROC_LIMIT_NONE;
}

ProcLimit watch_look(Watch *watch, Tree *tree, const TreeDead *dead) {
    int64_t now = watch_now_us();
    ProcLimit limit = now >= watch->ends_us ? PROC_LIMIT_WALL : PROC_LIMIT_NONE;
    if (!limit && now >= watch->count_us)
        limit = count(watch, tree, dead->child);
    if (!limit && now >= watch->look_us)
        limit = look(watch, tree, dead);
    return limit;
}

/* Shells and drivers report a child's death by signal N as exit code 128 + N. */
static bool ended_by(int status, int signal) {
    return (WIFSIGNALED(status) && WTERMSIG(status) == signal) ||
           (WIFEXITED(status) && WEXITSTATUS(status) == 128 + signal);
}

/* An exhausted address space is not announced: the program is refused memory and says so in words of its own, crashes,
 * or copes. If it failed with three quarters of its limit in use, we call that the cause. */
static bool ran_out_of_memory(const ProcLimits *limits, const TreeDead *dead) {
    return limits->memory_bytes && !limits->sanitized && dead->child_status != 0 &&
           dead->peak_bytes >= limits->memory_bytes - limits->memory_bytes / 4;
}

ProcLimit watch_explain(const ProcLimits *limits, const TreeDead *dead) {
    int status = dead->child_status;
    if (limits->file_bytes && ended_by(status, SIGXFSZ))
        return PROC_LIMIT_FILE_SIZE;
    /* If the kernel's limit struck before ours was seen, what a handler of SIGXCPU did is its own affair. */
    if (limits->cpu_ms > 0 && status != 0 && dead->user_us + dead->system_us >= limits->cpu_ms * 1000)
        return PROC_LIMIT_CPU;
    return ran_out_of_memory(limits, dead) ? PROC_LIMIT_MEMORY : PROC_LIMIT_NONE;
}
