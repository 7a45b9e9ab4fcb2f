#include "proc/warden/process_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* More processes than this in one /proc are not looked at; the default pid_max of Linux. */
enum { PROCESSES_MAX = 32768, STOP_PASSES = 10 };

typedef struct Process {
    pid_t pid, parent;
    char state; /* as in /proc: R, S, T for stopped, Z for dead, … */
    bool in_tree;
    int64_t cpu_ticks;
    uint64_t resident_pages;
} Process;

struct Tree {
    bool namespaced;
    pid_t self;
    int64_t tick_us;
    uint64_t page_bytes;
    DIR *proc;
    size_t len;
    Process processes[PROCESSES_MAX];
};

Tree *tree_new(bool namespaced) {
    Tree *tree = calloc(1, sizeof(*tree)); /* large: the kernel gives pages as they are used */
    if (!tree)
        return NULL;
    tree->namespaced = namespaced;
    tree->self = getpid();
    tree->tick_us = 1000000 / sysconf(_SC_CLK_TCK);
    tree->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    tree->proc = opendir("/proc");
    return tree;
}

static bool read_proc_file(Tree *tree, pid_t pid, const char *name, char *text, size_t size) {
    char path[64];
    snprintf(path, sizeof(path), "%d/%s", pid, name);
    int fd = openat(dirfd(tree->proc), path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t len = read(fd, text, size - 1);
    close(fd);
    text[len < 0 ? 0 : len] = '\0';
    return len > 0;
}

/* Reads /proc/PID/stat: "pid (name) state ppid …"; the name may contain spaces and parentheses. */
static bool read_process(Tree *tree, pid_t pid, Process *ret_process) {
    char text[1024];
    if (!read_proc_file(tree, pid, "stat", text, sizeof(text)))
        return false;
    const char *fields = strrchr(text, ')');
    if (!fields)
        return false;
    Process process = {.pid = pid};
    long long user, system, waited_user, waited_system;
    unsigned long long resident;
    if (sscanf(fields + 1,
               " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lld %lld %lld %lld %*d %*d %*d %*d %*u %*u %llu",
               &process.state, &process.parent, &user, &system, &waited_user, &waited_system, &resident) != 7)
        return false;
    process.cpu_ticks = user + system + waited_user + waited_system;
    process.resident_pages = resident;
    *ret_process = process;
    return true;
}

/* /proc lists its processes in ascending order. */
static const Process *find_process(const Tree *tree, pid_t pid) {
    size_t low = 0, high = tree->len;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (tree->processes[middle].pid < pid)
            low = middle + 1;
        else
            high = middle;
    }
    return low < tree->len && tree->processes[low].pid == pid ? &tree->processes[low] : NULL;
}

static bool belongs(const Tree *tree, const Process *process) {
    if (tree->namespaced || process->parent == tree->self)
        return true;
    const Process *parent = find_process(tree, process->parent);
    return parent && parent->in_tree;
}

/* The dead and the stopped need no signal. */
static bool send_signal(const Process *process, int signal) {
    if (!signal || process->state == 'Z' || (signal == SIGSTOP && strchr("Tt", process->state)))
        return false;
    kill(process->pid, signal);
    return true;
}

/* A process belongs to the tree if its parent does. Parents mostly stand before their children, so that this finds
 * nothing; after the numbers have come round it repeats until it does. */
static size_t find_stragglers(Tree *tree, int signal) {
    size_t signalled = 0;
    for (bool found = true; found;) {
        found = false;
        for (size_t i = 0; i < tree->len; i++) {
            Process *process = &tree->processes[i];
            if (process->in_tree || !belongs(tree, process))
                continue;
            process->in_tree = found = true;
            signalled += send_signal(process, signal);
        }
    }
    return signalled;
}

/* Reads all processes; with a signal, each of the tree gets it as soon as it is seen. A fork bomb makes processes while
 * we read, but they have higher numbers: at the end of the list we stop the last of them faster than they can fork.
 * Returns how many were sent the signal. */
static size_t scan(Tree *tree, int signal) {
    size_t signalled = 0;
    tree->len = 0;
    if (!tree->proc)
        return 0;
    rewinddir(tree->proc);
    for (struct dirent *entry; tree->len < PROCESSES_MAX && (entry = readdir(tree->proc));) {
        pid_t pid = atoi(entry->d_name);
        Process *process = &tree->processes[tree->len];
        if (pid <= 0 || pid == tree->self || !read_process(tree, pid, process))
            continue;
        tree->len++;
        process->in_tree = belongs(tree, process);
        if (process->in_tree)
            signalled += send_signal(process, signal);
    }
    return signalled + find_stragglers(tree, signal);
}

/* Private pages of each process, and the shared ones of the process that has most of them. */
static uint64_t resident_bytes(Tree *tree) {
    uint64_t private_pages = 0, most_shared = 0;
    for (size_t i = 0; i < tree->len; i++) {
        char text[256];
        unsigned long long resident, shared;
        if (!tree->processes[i].in_tree || !read_proc_file(tree, tree->processes[i].pid, "statm", text, sizeof(text)) ||
            sscanf(text, "%*u %llu %llu", &resident, &shared) != 2 || shared > resident)
            continue;
        private_pages += resident - shared;
        if (shared > most_shared)
            most_shared = shared;
    }
    return (private_pages + most_shared) * tree->page_bytes;
}

bool tree_measure(Tree *tree, TreeUse *ret_use) {
    if (!tree->proc)
        return false;
    scan(tree, 0);
    TreeUse use = {0};
    for (size_t i = 0; i < tree->len; i++) {
        if (!tree->processes[i].in_tree)
            continue;
        use.processes++;
        use.cpu_us += tree->processes[i].cpu_ticks * tree->tick_us;
    }
    use.resident_bytes = resident_bytes(tree);
    *ret_use = use;
    return true;
}

/* In a namespace the names in /proc suffice. Elsewhere a look at all processes takes long enough for a bomb to get out
 * of hand, so the program's process group holds still meanwhile. */
uint32_t tree_count(Tree *tree, pid_t child) {
    if (!tree->proc)
        return 0;
    if (tree->namespaced) {
        uint32_t count = 0;
        rewinddir(tree->proc);
        for (struct dirent *entry; (entry = readdir(tree->proc));)
            count += entry->d_name[0] >= '1' && entry->d_name[0] <= '9';
        return count - 1; /* without the warden */
    }
    TreeUse use = {0};
    kill(-child, SIGSTOP);
    tree_measure(tree, &use);
    kill(-child, SIGCONT);
    return use.processes;
}

static int64_t microseconds(struct timeval time) { return time.tv_sec * INT64_C(1000000) + time.tv_usec; }

static void count_dead(TreeDead *dead, pid_t pid, int status, const struct rusage *usage) {
    dead->user_us += microseconds(usage->ru_utime);
    dead->system_us += microseconds(usage->ru_stime);
    uint64_t peak = (uint64_t)usage->ru_maxrss * 1024;
    if (peak > dead->peak_bytes)
        dead->peak_bytes = peak;
    if (pid == dead->child) {
        dead->child_ended = true;
        dead->child_status = status;
    }
}

static bool reap(TreeDead *dead, int options) {
    for (;;) {
        int status;
        struct rusage usage;
        pid_t pid = wait4(-1, &status, options | __WALL, &usage);
        if (pid > 0)
            count_dead(dead, pid, status, &usage);
        else if (pid == 0)
            return false;
        else if (errno != EINTR)
            return true; /* ECHILD: orphans come to the warden, so without children there are no descendants either */
    }
}

bool tree_reap(TreeDead *dead) { return reap(dead, WNOHANG); }

/* All stop before the first is killed, so that room made by the dead is not filled by others. Some never stop, such as
 * one that waits for a stopped child in vfork. */
static void stop_and_kill(Tree *tree, TreeDead *dead) {
    kill(-dead->child, SIGKILL); /* most bombs stay in their process group, which dies at once */
    while (!reap(dead, WNOHANG)) {
        for (int pass = 0; pass < STOP_PASSES && scan(tree, SIGSTOP) > 0; pass++)
            ;
        if (scan(tree, SIGKILL) > 0)
            usleep(200);
    }
}

void tree_kill(Tree *tree, TreeDead *dead) {
    if (tree->namespaced) {
        kill(-1, SIGKILL);
        reap(dead, 0);
    } else {
        stop_and_kill(tree, dead);
    }
}
