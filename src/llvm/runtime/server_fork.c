/* Whoever forks: starts children, watches them against the clock, and says what became of them. */
#include "llvm/runtime/server_state.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a process says when it begins with a node's passes, and when it only waits for its children from then on. */
typedef struct Progress {
    int node;
    bool waits;
    int64_t cpu_us; /* that it had used before */
} Progress;

static int64_t now_ms(void) { return server_clock_us(CLOCK_MONOTONIC) / 1000; }

/* Ends what a dead child left behind: those in its group, and orphans that came to us. */
static void end_strays(pid_t child) {
    kill(-child, SIGKILL);
    for (int rounds = 0; rounds < 1000 && waitpid(-1, NULL, WNOHANG) >= 0; rounds++) {
        char list[256];
        int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
        ssize_t len = fd >= 0 ? read(fd, list, sizeof(list) - 1) : -1;
        close(fd);
        if (len <= 0)
            return; /* without /proc they end with the server */
        list[len] = '\0';
        for (char *at = list; *at;) {
            char *end;
            long pid = strtol(at, &end, 10);
            if (end == at)
                break;
            kill((pid_t)pid, SIGKILL);
            at = end;
        }
        waitpid(-1, NULL, 0);
    }
}

static void read_file(int fd, uint64_t from, char *bytes, size_t size, size_t *ret_len) {
    ssize_t len = pread(fd, bytes, size, (off_t)from);
    *ret_len = len > 0 ? (size_t)len : 0;
}

static void collect_output(ServerResult *result) {
    struct stat out, err;
    size_t len;
    if (fstat(server.out, &out) == 0 && out.st_size > 0) {
        result->output_len = (uint64_t)out.st_size;
        read_file(server.out, 0, result->output, sizeof(result->output), &len);
        void *all = mmap(NULL, result->output_len, PROT_READ, MAP_SHARED, server.out, 0);
        if (all != MAP_FAILED) {
            result->output_hash = server_hash(all, result->output_len);
            munmap(all, result->output_len);
        }
    }
    /* What LLVM wrote goes before its last word, which it often explains. */
    if (result->stage < SERVER_RUN && fstat(server.err, &err) == 0 && err.st_size > 0) {
        char last[SERVER_MESSAGE_KEPT];
        memcpy(last, result->message, sizeof(last));
        read_file(server.err, 0, result->message, sizeof(result->message) - 1, &len);
        result->message[len] = '\0';
        if (*last && !strstr(result->message, last))
            snprintf(result->message + len, sizeof(result->message) - len, "%s", last);
    }
}

static bool ran_out_of_memory(const ServerResult *result) {
    return strstr(result->message, "out of memory") || strstr(result->message, "bad_alloc") ||
           result->peak_bytes >= server.memory_bytes - server.memory_bytes / 4;
}

/* Says what became of a child from its wait status, where it could not say so itself; its work began with `first`. */
static void judge(ServerResult *result, ServerStage first, int status, bool over_time, const struct rusage *usage,
                  int64_t before_us) {
    int64_t spent = (int64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000 + usage->ru_utime.tv_usec +
                    usage->ru_stime.tv_usec - before_us;
    result->peak_bytes = (uint64_t)usage->ru_maxrss * 1024;
    collect_output(result);
    if (result->fate == SERVER_UNKNOWN) {
        int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        for (int i = (int)first; i < SERVER_STAGES; i++)
            spent -= result->cpu_us[i];
        result->cpu_us[result->stage] += spent > 0 ? spent : 0;
        result->signal = signal;
        result->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        result->fate = over_time || signal == SIGPROF || signal == SIGXCPU   ? SERVER_OVER_TIME
                       : signal == SIGXFSZ                                   ? SERVER_OVER_OUTPUT
                       : result->exit_code != 0 && ran_out_of_memory(result) ? SERVER_OVER_MEMORY
                       : signal                                              ? SERVER_SIGNALLED
                                                                             : SERVER_EXITED;
        if (result->fate == SERVER_EXITED && result->stage == SERVER_RUN)
            result->stage = SERVER_DONE; /* it left without exit */
    }
    if (result->fate == SERVER_FATAL && ran_out_of_memory(result))
        result->fate = SERVER_OVER_MEMORY;
    result->finished = 1;
}

void server_run_node(size_t number);

static void report_progress(size_t number, bool waits) {
    Progress progress = {(int)number, waits, server_clock_us(CLOCK_PROCESS_CPUTIME_ID)};
    if (server.progress >= 0 && write(server.progress, &progress, sizeof(progress)) != sizeof(progress))
        _exit(1);
}

/* Waits until the child ends, kills it when it takes too long. Not the end of the pipe but the child's own end counts: what
 * the program forked may hold the pipe open. The clock starts anew with every node, and stops while the child waits. */
static bool watch(pid_t child, int pipe_end, Progress *progress) {
    struct pollfd fds[] = {{pipe_end, POLLIN, 0}, {(int)syscall(SYS_pidfd_open, child, 0), POLLIN, 0}};
    int64_t deadline = now_ms() + server.wall_ms;
    bool over_time = false;
    for (;;) {
        int64_t left = deadline - now_ms();
        int polled = poll(fds, 2, progress->waits ? -1 : left > 0 ? (int)left : 0);
        if (polled < 0 && errno == EINTR)
            continue;
        if (polled == 0) {
            over_time = true;
            kill(-child, SIGKILL);
            break;
        }
        if ((fds[0].revents & POLLIN) && read(pipe_end, progress, sizeof(*progress)) == sizeof(*progress)) {
            deadline = now_ms() + server.wall_ms;
            continue;
        }
        if (fds[1].revents & POLLIN)
            break;
        if (fds[0].revents)
            fds[0].fd = -1; /* closed */
    }
    close(fds[1].fd);
    return over_time;
}

/* Forks for a job and waits for its end; `first` begins the chain of nodes that a log is of. Gives the node that the child was
 * with when it ended. */
size_t server_run_child(Job job, size_t number, size_t first, ServerResult *result) {
    int ready[2] = {-1, -1}, status = 0;
    struct rusage usage = {0};
    if (ftruncate(server.out, 0) != 0 || ftruncate(server.err, 0) != 0 || pipe2(ready, O_CLOEXEC) != 0)
        server_give_up("llvm-server cannot prepare a child: %s%s", strerror(errno), "");
    pid_t child = fork();
    if (child < 0)
        server_give_up("llvm-server cannot fork: %s%s", strerror(errno), "");
    if (child == 0) {
        close(ready[0]);
        if (server.progress >= 0)
            close(server.progress);
        server.progress = ready[1];
        server.logging = job == JOB_LOG;
        /* Before there are limits on the size of files. */
        if (job == JOB_NODE && server.nodes[number].cover_dir)
            server.cover_begin(server.nodes[number].cover_dir);
        server_become_child(result);
        if (job == JOB_NODE)
            server_run_node(number);
        else if (job == JOB_TEST)
            server_test_module(server.nodes[number].level);
        else {
            for (size_t i = first; i != number; i = (size_t)server.nodes[i].child)
                server_run_passes(&server.nodes[i]);
            server.llvm.LLVMPassBuilderOptionsSetDebugLogging(server.options, 1);
            server_run_passes(&server.nodes[number]);
        }
        _exit(0);
    }
    setpgid(child, child);
    close(ready[1]);
    Progress progress = {.node = (int)number};
    bool over_time = watch(child, ready[0], &progress);
    while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR)
        ;
    close(ready[0]);
    end_strays(child);
    if (job == JOB_NODE)
        result = &server.results[progress.node];
    if (!progress.waits && !result->finished)
        judge(result, job == JOB_TEST ? SERVER_CODEGEN : SERVER_NOT_RUN, status, over_time, &usage, progress.cpu_us);
    else if (job == JOB_NODE && !result->peak_bytes)
        result->peak_bytes = (uint64_t)usage.ru_maxrss * 1024;
    return (size_t)progress.node;
}

/* LLVM's log of the passes it runs, of a second run: only failures pay for it. */
static void find_pass(size_t number, size_t first, ServerResult *result) {
    ServerResult *second = calloc(1, sizeof(*second));
    struct stat log;
    if (!second)
        return;
    server_run_child(JOB_LOG, number, first, second);
    free(second);
    if (fstat(server.err, &log) != 0 || log.st_size <= 0)
        return;
    char *text = mmap(NULL, (size_t)log.st_size, PROT_READ, MAP_SHARED, server.err, 0);
    if (text == MAP_FAILED)
        return;
    static const char mark[] = "Running pass: ";
    const char *end = text + log.st_size, *last = NULL;
    for (const char *at = text; (at = memmem(at, (size_t)(end - at), mark, strlen(mark))); at += strlen(mark))
        last = at + strlen(mark);
    if (last) {
        const char *stop = memchr(last, '\n', (size_t)(end - last));
        snprintf(result->pass, sizeof(result->pass), "%.*s", (int)((stop ? stop : end) - last), last);
    }
    munmap(text, (size_t)log.st_size);
}

void server_run_branch(size_t first) {
    size_t last = server_run_child(JOB_NODE, first, first, &server.results[first]);
    ServerResult *result = &server.results[last];
    if (!server.as_opt && result->stage == SERVER_PASSES &&
        (result->fate == SERVER_SIGNALLED || result->fate == SERVER_BROKEN_IR || result->fate == SERVER_FATAL ||
         result->fate == SERVER_EXITED))
        find_pass(last, first, result);
}

/* A tested node with the same module, at the same level, whose result is final and not a matter of time. */
static const ServerResult *same_module(size_t number) {
    for (size_t i = 0; i < server.node_count; i++) {
        const ServerResult *other = &server.results[i];
        if (i != number && other->finished && other->same_as < 0 && other->ir_hash == server.result->ir_hash &&
            other->stage > SERVER_PASSES && other->fate != SERVER_OVER_TIME &&
            server.nodes[i].level == server.nodes[number].level)
            return other;
    }
    return NULL;
}

static void take_over(ServerResult *result, const ServerResult *other) {
    result->same_as = (int32_t)(other - server.results);
    result->stage = other->stage;
    result->exit_code = other->exit_code;
    result->signal = other->signal;
    result->output_len = other->output_len;
    result->output_hash = other->output_hash;
    memcpy(result->output, other->output, sizeof(result->output));
    memcpy(result->message, other->message, sizeof(result->message));
    result->fate = other->fate;
    result->finished = 1;
}

/* In the process of a chain of nodes: passes, the test in a child of its own unless nothing follows; then the next of the
 * chain, or children for the continuations. */
void server_run_node(size_t number) {
    for (;; number = (size_t)server.nodes[number].child) {
        const Node *node = &server.nodes[number];
        ServerResult *result = server.result = &server.results[number];
        if (ftruncate(server.out, 0) != 0 || ftruncate(server.err, 0) != 0) /* the last test's output is in there */
            _exit(1);
        server_set_clock(false);
        report_progress(number, false);
        server.stage_start_us = server_clock_us(CLOCK_PROCESS_CPUTIME_ID);
        if (node->rule)
            server_make_edit(node);
        server_run_passes(node);
        const ServerResult *other = node->level >= 0 ? same_module(number) : NULL;
        if (other)
            take_over(result, other);
        else if (node->level < 0) {
            result->fate = SERVER_UNTESTED;
            result->finished = 1;
        } else if (node->children == 0)
            server_test_module(node->level);
        if (node->children == 0)
            return;
        setitimer(ITIMER_PROF, &(struct itimerval){0}, NULL); /* what follows is waiting, and forks */
        report_progress(number, true);
        if (!result->finished)
            server_run_child(JOB_TEST, number, number, result);
        if (node->children > 1)
            break;
    }
    for (size_t i = number + 1; i < server.node_count; i++)
        if (server.nodes[i].parent == (int)number)
            server_run_branch(i);
}
