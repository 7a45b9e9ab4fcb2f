/* llvm-server LIBRARY MODULE BATCH RESULTS CPU_MS WALL_MS MEMORY_BYTES OUTPUT_BYTES [--replies REPLIES] [--opt OPTION…]:
 * tests pipelines on one module; with --opt, as opt with these options would; with --replies, at requests (the workbench).
 *
 * The library is loaded and the module read once; every pipeline then runs in a fork, so that a crash, a hang or a full
 * memory costs one child. The batch is a forest (server_format.h): a child that has run its passes forks again for each
 * continuation, and common beginnings are run once.
 *
 *     server                      reads the module
 *      └─ node 0 (passes)         forked: runs its passes, then
 *          ├─ test of node 0      forked: code generator, loader, main
 *          ├─ node 1 (passes)     forked: has no continuation, so it tests itself
 *          └─ node 2 …
 *
 * A node with a single continuation goes on with it in the same process: most of a fork's price is the copy of LLVM's page
 * tables, and most nodes of a tree do not branch.
 *
 * One thing happens at a time, so that two files serve all children as standard output and error. Whoever forks watches
 * its child against the clock until the passes or the test have ended, kills its process group, and writes down what
 * the child could not. Nodes whose module came out as one that was tested before at the same level take over that
 * result: most passes change nothing.
 *
 * With REPLIES the server is a workbench (server_format.h): BATCH and REPLIES are pipes for requests and answers, one
 * line each, and a node may have an edit (edit.h), which its child makes before the passes. OPTIONs are LLVM's own.
 *
 * Exits with 0 when every node was dealt with, and with 1 and a sentence on standard error when it could not begin. */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "llvm/api.h"
#include "llvm/runtime/edit.h"
#include "llvm/runtime/loader.h"
#include "llvm/server_format.h"

enum { LEVELS = 4, MOST_AT_EXIT = 32, LOG_BYTES = 64 << 20 };

typedef struct Node {
    int parent, level;
    const char *passes;
    const char *cover_dir; /* NULL: coverage is not wanted */
    int child, children;   /* the first one's number; how many */
    const EditRule *rule;  /* NULL: the module as it is */
    size_t from, to;
} Node;

/* What a process says when it begins with a node's passes, and when it only waits for its children from then on. */
typedef struct Progress {
    int node;
    bool waits;
    int64_t cpu_us; /* that it had used before */
} Progress;

static struct {
    LlvmApi llvm;
    LlvmModuleRef module;
    LlvmMachineRef machines[LEVELS];
    LlvmMachineRef pass_machine; /* what passes optimise for; NULL: no machine in particular */
    LlvmPassOptionsRef options;
    bool as_opt;
    void (*cover_begin)(const char *dir); /* of the coverage runtime that is in an instrumented library */
    Node *nodes;
    size_t node_count;
    ServerResult *results;  /* mapped, shared with all children */
    ServerResult *result;   /* the one that this process writes */
    int64_t stage_start_us; /* CPU time */
    int out, err;           /* files that take standard output and error of children */
    int progress;           /* write end of the pipe to whoever watches this process; -1: none */
    bool logging;           /* a failed node runs once more to find its pass */
    Edit edit;              /* of the workbench */
    int64_t cpu_ms, wall_ms;
    uint64_t memory_bytes, output_bytes;
    uint64_t own_bytes; /* address space of the library and the module */
    void (*at_exit[MOST_AT_EXIT])(void);
    size_t at_exit_count;
} server;

static void give_up(const char *format, const char *a, const char *b) {
    fprintf(stderr, format, a, b);
    fputc('\n', stderr);
    exit(1);
}

static int64_t clock_us_of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Eight bytes at a time, multiplied and folded; equal modules are what matters, not an adversary. */
static uint64_t hash_of(const char *bytes, size_t len) {
    uint64_t hash = 0x9e3779b97f4a7c15u ^ len;
    for (; len > 0;) {
        uint64_t word = 0;
        size_t part = len < 8 ? len : 8;
        memcpy(&word, bytes, part);
        unsigned __int128 product = (unsigned __int128)(hash ^ word) * 0xd6e8feb86659fd93u;
        hash = (uint64_t)product ^ (uint64_t)(product >> 64) ^ word;
        bytes += part;
        len -= part;
    }
    return hash ? hash : 1;
}

/* --- In a child --- */

static void enter_stage(ServerStage stage) {
    int64_t now = clock_us_of(CLOCK_PROCESS_CPUTIME_ID);
    server.result->cpu_us[server.result->stage] += now - server.stage_start_us;
    server.stage_start_us = now;
    server.result->stage = stage;
}

static void say(const char *message) {
    snprintf(server.result->message, sizeof(server.result->message), "%s", message);
}

static void end_child(ServerFate fate, int exit_code) {
    enter_stage(server.result->stage); /* charges the time */
    server.result->exit_code = exit_code;
    server.result->fate = fate;
    _exit(0);
}

static void on_fatal_error(const char *reason) {
    bool broken = strstr(reason, "Broken module found") || strstr(reason, "Broken function found");
    if (server.as_opt)
        fprintf(stderr, "LLVM ERROR: %s\n", reason);
    say(reason);
    end_child(broken ? SERVER_BROKEN_IR : SERVER_FATAL, -1);
}

static void on_diagnostic(LlvmDiagnosticRef info, void *argument) {
    (void)argument;
    if (server.llvm.LLVMGetDiagInfoSeverity(info) != LLVM_SEVERITY_ERROR)
        return;
    char *text = server.llvm.LLVMGetDiagInfoDescription(info);
    if (!server.result)
        give_up("%s%s", text, "");
    say(text);
    end_child(SERVER_FATAL, -1);
}

static const int crash_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP};
enum { CRASH_SIGNALS = sizeof(crash_signals) / sizeof(crash_signals[0]) };
static struct sigaction handlers_before[CRASH_SIGNALS];

/* Prints the stack as LLVM's tools do, so that a crash here and one of opt have the same signature; without demangling,
 * which would allocate. The first two frames are this function and the kernel's. */
static void on_crash(int number) {
    enum { FRAMES = 12, OWN = 2 }; /* a signature has five; finding a name takes a while */
    void *frames[FRAMES];
    int count = backtrace(frames, FRAMES);
    for (int i = OWN; i < count; i++) {
        Dl_info info = {0};
        char line[1024];
        uintptr_t address = (uintptr_t)frames[i];
        if (!dladdr(frames[i], &info) || !info.dli_fname)
            continue;
        int len = snprintf(line, sizeof(line), " #%d 0x%016lx %s%s(%s+0x%lx)\n", i - OWN, address,
                           info.dli_sname ? info.dli_sname : "", info.dli_sname ? " " : "", info.dli_fname,
                           address - (uintptr_t)info.dli_fbase);
        if (len > 0 && write(STDERR_FILENO, line, len < (int)sizeof(line) ? (size_t)len : sizeof(line) - 1) < 0)
            break;
    }
    for (size_t i = 0; i < CRASH_SIGNALS; i++)
        if (crash_signals[i] == number)
            sigaction(number, &handlers_before[i], NULL); /* LLVM's own, which prints its stack of passes, or none */
    raise(number);
}

static void catch_crashes(void) {
    static char stack[1 << 16]; /* the usual one may be what overflowed */
    void *frame;
    struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK | SA_NODEFER};
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof(stack)}, NULL);
    backtrace(&frame, 1); /* loads what it needs while that is safe */
    for (size_t i = 0; i < CRASH_SIGNALS; i++)
        sigaction(crash_signals[i], &action, &handlers_before[i]);
}

/* A program's exit would run libLLVM's destructors: these take its place. */
static void program_exit(int status) {
    while (server.at_exit_count > 0)
        server.at_exit[--server.at_exit_count]();
    fflush(NULL);
    enter_stage(SERVER_DONE);
    end_child(SERVER_EXITED, status & 255);
}

static void program_exit_at_once(int status) {
    enter_stage(SERVER_DONE);
    end_child(SERVER_EXITED, status & 255);
}

static int program_at_exit(void (*function)(void)) {
    if (server.at_exit_count == MOST_AT_EXIT)
        return -1;
    server.at_exit[server.at_exit_count++] = function;
    return 0;
}

static void *resolve(const char *name) {
    static const struct {
        const char *name;
        void *address;
    } own[] = {{"exit", program_exit},
               {"_exit", program_exit_at_once},
               {"_Exit", program_exit_at_once},
               {"atexit", program_at_exit}};
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        if (strcmp(name, own[i].name) == 0)
            return own[i].address;
    return dlsym(RTLD_DEFAULT, name);
}

/* Limits of a process count from its own beginning, not from its parent's. */
static void set_limits(void) {
    rlim_t bytes = server.logging ? LOG_BYTES : server.output_bytes;
    rlim_t space = server.memory_bytes + server.own_bytes;
    setrlimit(RLIMIT_AS, &(struct rlimit){space, space});
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, bytes});
}

/* The time of what this process does next, beside what it has used. */
static void set_clock(bool is_last) {
    struct itimerval timer = {.it_value = {server.cpu_ms / 1000, server.cpu_ms % 1000 * 1000}};
    rlim_t seconds = (rlim_t)(clock_us_of(CLOCK_PROCESS_CPUTIME_ID) / 1000000 + server.cpu_ms / 1000 + 2);
    setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, is_last ? seconds : RLIM_INFINITY});
    setitimer(ITIMER_PROF, &timer, NULL); /* SIGPROF ends the process */
}

static void become_child(ServerResult *result) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    dup2(server.out, STDOUT_FILENO);
    dup2(server.err, STDERR_FILENO);
    set_limits();
    set_clock(false);
    server.result = result;
    server.stage_start_us = clock_us_of(CLOCK_PROCESS_CPUTIME_ID);
}

/* As opt after its passes; the module was verified when it was read. */
static void verify(void) {
    char *message = NULL;
    if (!server.as_opt || !server.llvm.LLVMVerifyModule(server.module, LLVM_RETURN_STATUS, &message))
        return;
    fprintf(stderr, "%s\n", message);
    on_fatal_error("Broken module found, compilation aborted!");
}

/* Ends the collection of coverage: what follows the passes does not count. The pages of flags, which the runtime has mapped
 * to files of that directory, become memory of our own again. */
static void end_cover(const char *dir) {
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[8192];
    while (maps && fgets(line, sizeof(line), maps)) {
        unsigned long first, last;
        if (!strstr(line, dir) || sscanf(line, "%lx-%lx", &first, &last) != 2)
            continue;
        void *copy = mmap(NULL, last - first, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (copy == MAP_FAILED)
            continue;
        memcpy(copy, (void *)first, last - first);
        mremap(copy, last - first, last - first, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)first);
    }
    if (maps)
        fclose(maps);
}

/* A crash in here leaves the stage at SERVER_NOT_RUN and is nobody's bug. */
static void make_edit(const Node *node) {
    char *message = NULL;
    size_t before = edit_size(&server.edit);
    edit_apply(&server.edit, node->rule, node->from, node->to);
    size_t after = edit_size(&server.edit);
    /* A pass can be run whether or not it finds something to do. */
    if (after > before || (node->rule == edit_passes && after == before)) {
        say("the edit does not make the module smaller");
        end_child(SERVER_REFUSED, -1);
    }
    if (server.llvm.LLVMVerifyModule(server.module, LLVM_RETURN_STATUS, &message)) {
        say(message);
        end_child(SERVER_REFUSED, -1);
    }
}

static void run_passes(const Node *node) {
    enter_stage(SERVER_PASSES);
    if (*node->passes) {
        LlvmErrorRef error =
            server.llvm.LLVMRunPasses(server.module, node->passes, server.pass_machine, server.options);
        if (error) {
            say(server.llvm.LLVMGetErrorMessage(error));
            end_child(SERVER_REFUSED, -1);
        }
    }
    if (node->cover_dir)
        end_cover(node->cover_dir);
    verify();
    LlvmBufferRef bitcode = server.llvm.LLVMWriteBitcodeToMemoryBuffer(server.module);
    server.result->ir_hash = hash_of(server.llvm.LLVMGetBufferStart(bitcode), server.llvm.LLVMGetBufferSize(bitcode));
    server.llvm.LLVMDisposeMemoryBuffer(bitcode);
    enter_stage(SERVER_PASSES);
}

/* Code, loader, main; does not return. */
static void test_module(int level) {
    char *message = NULL, why[512];
    LlvmBufferRef object;
    set_clock(true); /* a program cannot raise it */
    close(server.progress);
    enter_stage(SERVER_CODEGEN);
    if (!server.machines[level]) {
        say("no code can be generated for the module's target");
        end_child(SERVER_REFUSED, -1);
    }
    if (server.llvm.LLVMTargetMachineEmitToMemoryBuffer(server.machines[level], server.module, LLVM_OBJECT_FILE,
                                                        &message, &object)) {
        say(message);
        end_child(SERVER_FATAL, -1);
    }
    enter_stage(SERVER_LOAD);
    void *entry;
    void (**init)(void) = NULL;
    size_t init_count = 0;
    if (!loader_load(server.llvm.LLVMGetBufferStart(object), server.llvm.LLVMGetBufferSize(object), resolve, "main",
                     &entry, &init, &init_count, why, sizeof(why))) {
        say(why);
        end_child(SERVER_REFUSED, -1);
    }
    enter_stage(SERVER_RUN);
    for (size_t i = 0; i < sizeof(crash_signals) / sizeof(crash_signals[0]); i++)
        signal(crash_signals[i], SIG_DFL);
    for (size_t i = 0; i < init_count; i++)
        init[i]();
    char *argv[] = {"program", NULL};
    program_exit(((int (*)(int, char **, char **))entry)(1, argv, environ));
}

/* --- In whoever forks --- */

static int64_t now_ms(void) { return clock_us_of(CLOCK_MONOTONIC) / 1000; }

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
            result->output_hash = hash_of(all, result->output_len);
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

static void run_node(size_t number);

typedef enum Job { JOB_NODE, JOB_TEST, JOB_LOG } Job;

static void report_progress(size_t number, bool waits) {
    Progress progress = {(int)number, waits, clock_us_of(CLOCK_PROCESS_CPUTIME_ID)};
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
static size_t run_child(Job job, size_t number, size_t first, ServerResult *result) {
    int ready[2] = {-1, -1}, status = 0;
    struct rusage usage = {0};
    if (ftruncate(server.out, 0) != 0 || ftruncate(server.err, 0) != 0 || pipe2(ready, O_CLOEXEC) != 0)
        give_up("llvm-server cannot prepare a child: %s%s", strerror(errno), "");
    pid_t child = fork();
    if (child < 0)
        give_up("llvm-server cannot fork: %s%s", strerror(errno), "");
    if (child == 0) {
        close(ready[0]);
        if (server.progress >= 0)
            close(server.progress);
        server.progress = ready[1];
        server.logging = job == JOB_LOG;
        /* Before there are limits on the size of files. */
        if (job == JOB_NODE && server.nodes[number].cover_dir)
            server.cover_begin(server.nodes[number].cover_dir);
        become_child(result);
        if (job == JOB_NODE)
            run_node(number);
        else if (job == JOB_TEST)
            test_module(server.nodes[number].level);
        else {
            for (size_t i = first; i != number; i = (size_t)server.nodes[i].child)
                run_passes(&server.nodes[i]);
            server.llvm.LLVMPassBuilderOptionsSetDebugLogging(server.options, 1);
            run_passes(&server.nodes[number]);
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
    run_child(JOB_LOG, number, first, second);
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

static void run_branch(size_t first) {
    size_t last = run_child(JOB_NODE, first, first, &server.results[first]);
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
static void run_node(size_t number) {
    for (;; number = (size_t)server.nodes[number].child) {
        const Node *node = &server.nodes[number];
        ServerResult *result = server.result = &server.results[number];
        if (ftruncate(server.out, 0) != 0 || ftruncate(server.err, 0) != 0) /* the last test's output is in there */
            _exit(1);
        set_clock(false);
        report_progress(number, false);
        server.stage_start_us = clock_us_of(CLOCK_PROCESS_CPUTIME_ID);
        if (node->rule)
            make_edit(node);
        run_passes(node);
        const ServerResult *other = node->level >= 0 ? same_module(number) : NULL;
        if (other)
            take_over(result, other);
        else if (node->level < 0) {
            result->fate = SERVER_UNTESTED;
            result->finished = 1;
        } else if (node->children == 0)
            test_module(node->level);
        if (node->children == 0)
            return;
        setitimer(ITIMER_PROF, &(struct itimerval){0}, NULL); /* what follows is waiting, and forks */
        report_progress(number, true);
        if (!result->finished)
            run_child(JOB_TEST, number, number, result);
        if (node->children > 1)
            break;
    }
    for (size_t i = number + 1; i < server.node_count; i++)
        if (server.nodes[i].parent == (int)number)
            run_branch(i);
}

/* --- Beginning --- */

static char *read_batch(const char *path) {
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    if (!file || getdelim(&text, &size, '\0', file) < 0)
        give_up("cannot read the batch %s: %s", path, strerror(errno));
    fclose(file);
    return text;
}

static void read_nodes(const char *path) {
    size_t lines = 0;
    char *text = read_batch(path);
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    server.nodes = calloc(lines + 1, sizeof(*server.nodes));
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        Node *node = &server.nodes[server.node_count];
        int used = 0;
        *end = '\0';
        if (sscanf(line, "%d %d %n", &node->parent, &node->level, &used) != 2 ||
            node->parent >= (int)server.node_count || node->parent < -1 || node->level < -1 || node->level >= LEVELS)
            give_up("the batch %s has a wrong line: %s", path, line);
        node->passes = line + used;
        char *tab = strchr(line + used, '\t');
        if (tab) {
            *tab = '\0';
            node->cover_dir = tab + 1;
        }
        if (node->parent >= 0 && server.nodes[node->parent].children++ == 0)
            server.nodes[node->parent].child = (int)server.node_count;
        server.node_count++;
    }
}

static void map_results(const char *path) {
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    size_t size = (server.node_count + 1) * sizeof(ServerResult);
    if (fd < 0 || ftruncate(fd, (off_t)size) != 0)
        give_up("cannot write %s: %s", path, strerror(errno));
    server.results = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (server.results == MAP_FAILED)
        give_up("cannot map %s: %s", path, strerror(errno));
    close(fd);
    for (size_t i = 0; i < server.node_count; i++)
        server.results[i].same_as = -1;
}

static void read_module(const char *library, const char *path) {
    LlvmBufferRef buffer;
    char *message = NULL;
    const LlvmApi *llvm = &server.llvm;
    if (llvm->LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message))
        give_up("cannot read %s: %s", path, message);
    LlvmContextRef context = llvm->LLVMContextCreate();
    if (llvm->LLVMParseIRInContext(context, buffer, &server.module, &message)) {
        /* "… Producer: 'LLVM19' Reader: 'LLVM 14'" tells the user what is wrong, and so does an error of syntax. */
        fprintf(stderr, "%s cannot read the module %s; was it made by this version of LLVM? ", library, path);
        give_up("%s%s", message, "");
    }
    if (llvm->LLVMVerifyModule(server.module, LLVM_RETURN_STATUS, &message))
        give_up("the module %s is invalid before any pass has run: %s", path, message);
    llvm->LLVMContextSetDiagnosticHandler(context, on_diagnostic, NULL);
    llvm->LLVMInstallFatalErrorHandler(on_fatal_error);
}

/* Targets that opt knows beside x86, as far as this library has them: a bug may be about code for any of them. */
static void initialize_targets(void) {
    static const char *const targets[] = {"AArch64", "AMDGPU",  "ARM",         "AVR",   "BPF",      "Hexagon",
                                          "Lanai",   "Mips",    "MSP430",      "NVPTX", "PowerPC",  "RISCV",
                                          "Sparc",   "SystemZ", "WebAssembly", "XCore", "LoongArch"};
    static const char *const parts[] = {"TargetInfo", "Target", "TargetMC"};
    for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++)
        for (size_t part = 0; part < sizeof(parts) / sizeof(parts[0]); part++) {
            char name[64];
            snprintf(name, sizeof(name), "LLVMInitialize%s%s", targets[i], parts[part]);
            void (*initialize)(void) = NULL;
            *(void **)&initialize = dlsym(server.llvm.handle, name);
            if (initialize)
                initialize();
        }
}

/* What opt does with -mtriple, -mcpu and -mattr; every other word is an option of LLVM's own. Those that the library does not
 * know, opt's own, are ignored: whether a failure still shows without them is for the caller to see. */
typedef struct OptWords {
    const char *triple, *cpu, *features;
} OptWords;

/* "-name=VALUE", "--name VALUE", … The value, or NULL if the word is another one. */
static const char *option_value(char **argv, int argc, int *at, const char *name) {
    const char *word = argv[*at];
    size_t len = strlen(name);
    if (word[0] != '-')
        return NULL;
    word += word[1] == '-' ? 2 : 1;
    if (strncmp(word, name, len) != 0 || (word[len] && word[len] != '='))
        return NULL;
    if (word[len] == '=')
        return word + len + 1;
    if (*at + 1 == argc)
        give_up("the option %s has no value%s", argv[*at], "");
    return argv[++*at];
}

static OptWords read_options(int argc, char **argv) {
    OptWords words = {0};
    const char **rest = calloc((size_t)argc + 2, sizeof(*rest));
    int count = 0;
    rest[count++] = "opt";
    for (int i = 0; i < argc; i++) {
        const char *value;
        if ((value = option_value(argv, argc, &i, "mtriple")))
            words.triple = value;
        else if ((value = option_value(argv, argc, &i, "mcpu")))
            words.cpu = value;
        else if ((value = option_value(argv, argc, &i, "mattr")))
            words.features = value;
        else
            rest[count++] = argv[i];
    }
    if (count > 1)
        server.llvm.LLVMParseCommandLineOptions(count, rest, "");
    free(rest);
    return words;
}

/* The module and the machine as opt makes them. */
static void become_opt(const OptWords *words) {
    const LlvmApi *llvm = &server.llvm;
    LlvmTargetRef target;
    char *message = NULL;
    if (words->triple)
        llvm->LLVMSetTarget(server.module, llvm->LLVMNormalizeTargetTriple(words->triple));
    for (LlvmValueRef f = llvm->LLVMGetFirstFunction(server.module); f; f = llvm->LLVMGetNextFunction(f)) {
        if (words->cpu)
            llvm->LLVMAddTargetDependentFunctionAttr(f, "target-cpu", words->cpu);
        if (words->features)
            llvm->LLVMAddTargetDependentFunctionAttr(f, "target-features", words->features);
    }
    llvm->LLVMEnablePrettyStackTrace();
    const char *triple = llvm->LLVMGetTarget(server.module);
    server.pass_machine = NULL;
    if (!triple || !*triple)
        return;
    initialize_targets();
    if (llvm->LLVMGetTargetFromTriple(triple, &target, &message))
        return; /* nor does opt insist */
    server.pass_machine = llvm->LLVMCreateTargetMachine(target, triple, words->cpu ? words->cpu : "",
                                                        words->features ? words->features : "", 2, LLVM_RELOC_PIC,
                                                        LLVM_CODE_MODEL_DEFAULT);
    const char *layout = llvm->LLVMGetDataLayoutStr(server.module);
    if (server.pass_machine && (!layout || !*layout))
        llvm->LLVMSetModuleDataLayout(server.module, llvm->LLVMCreateTargetDataLayout(server.pass_machine));
}

static void find_cover_runtime(const char *library) {
    bool wanted = false;
    for (size_t i = 0; i < server.node_count; i++)
        wanted |= server.nodes[i].cover_dir != NULL;
    void *begin = dlsym(server.llvm.handle, "culprit_cover_begin");
    if (!begin)
        begin = dlsym(RTLD_DEFAULT, "culprit_cover_begin");
    if (wanted && !begin)
        give_up("%s is not instrumented for coverage%s", library, "");
    *(void **)&server.cover_begin = begin;
}

/* Passes alone do without a machine, as opt's do for a target that it does not know. */
static void make_machines(bool needed) {
    const LlvmApi *llvm = &server.llvm;
    const char *triple = llvm->LLVMGetTarget(server.module);
    LlvmTargetRef target;
    char *message = NULL;
    llvm->LLVMInitializeX86TargetInfo();
    llvm->LLVMInitializeX86Target();
    llvm->LLVMInitializeX86TargetMC();
    llvm->LLVMInitializeX86AsmPrinter();
    llvm->LLVMInitializeX86AsmParser();
    triple = triple && *triple ? triple : "x86_64-pc-linux-gnu";
    server.options = llvm->LLVMCreatePassBuilderOptions();
    if (llvm->LLVMGetTargetFromTriple(triple, &target, &message)) {
        if (needed && !server.as_opt)
            give_up("no code can be generated for %s: %s", triple, message);
        for (size_t i = 0; i < server.node_count; i++)
            if (server.nodes[i].level >= 0)
                give_up("programs for %s cannot be run here%s", triple, "");
        return;
    }
    for (int level = 0; level < LEVELS; level++)
        server.machines[level] =
            llvm->LLVMCreateTargetMachine(target, triple, "", "", level, LLVM_RELOC_PIC, LLVM_CODE_MODEL_DEFAULT);
    server.pass_machine = server.machines[2];
}

static int make_file(const char *name) {
    int fd = memfd_create(name, MFD_CLOEXEC);
    if (fd < 0 || fcntl(fd, F_SETFL, O_APPEND) != 0)
        give_up("cannot make a file for a child's %s: %s", name, strerror(errno));
    return fd;
}

static uint64_t own_address_space(void) {
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%llu", &pages) != 1)
        give_up("cannot read /proc/self/statm: %s%s", strerror(errno), "");
    fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* --- The workbench --- */

static void reply(FILE *replies, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(replies, format, arguments);
    va_end(arguments);
    fputc('\n', replies);
    if (fflush(replies) != 0)
        exit(0); /* nobody listens any more */
}

/* "try SLOT LEVEL RULE FROM TO PASSES"; RULE "-": no edit. */
static void try_request(const char *line, FILE *replies) {
    char rule[64];
    size_t slot;
    int used = 0;
    Node node = {.parent = -1};
    if (sscanf(line, "try %zu %d %63s %zu %zu %n", &slot, &node.level, rule, &node.from, &node.to, &used) != 5 ||
        slot >= server.node_count || node.level < -1 || node.level >= LEVELS)
        give_up("the workbench got a wrong request: %s%s", line, "");
    node.rule = edit_rule(rule);
    node.passes = line + used;
    server.nodes[slot] = node;
    server.results[slot] = (ServerResult){.same_as = -1};
    run_child(JOB_NODE, slot, slot, &server.results[slot]);
    reply(replies, "ok");
}

static void serve(const char *requests_path, const char *replies_path) {
    FILE *requests = fopen(requests_path, "re"), *replies = fopen(replies_path, "we");
    char *line = NULL, name[64];
    size_t size = 0, from, to;
    const LlvmApi *llvm = &server.llvm;
    if (!requests || !replies)
        give_up("cannot open the pipes of the workbench: %s%s", strerror(errno), "");
    server.edit = (Edit){.llvm = llvm,
                         .module = server.module,
                         .builder = llvm->LLVMCreateBuilderInContext(llvm->LLVMGetModuleContext(server.module)),
                         .machine = server.pass_machine,
                         .options = server.options};
    reply(replies, "ok");
    while (getline(&line, &size, requests) > 0) {
        line[strcspn(line, "\n")] = '\0';
        const EditRule *rule = NULL;
        if (strncmp(line, "try ", 4) == 0) {
            try_request(line, replies);
        } else if (sscanf(line, "count %63s", name) == 1 && (rule = edit_rule(name))) {
            reply(replies, "ok %zu", edit_count(&server.edit, rule));
        } else if (sscanf(line, "keep %63s %zu %zu", name, &from, &to) == 3 && (rule = edit_rule(name))) {
            edit_apply(&server.edit, rule, from, to);
            reply(replies, "ok %zu", edit_size(&server.edit));
        } else if (strncmp(line, "write ", 6) == 0) {
            char *message = NULL;
            bool failed = llvm->LLVMPrintModuleToFile(server.module, line + 6, &message);
            reply(replies, failed ? "error %s" : "ok", message);
        } else {
            reply(replies, "error the workbench does not know '%s'", line);
        }
    }
    _exit(0);
}

int main(int argc, char **argv) {
    char why[1024];
    const char *replies = NULL;
    int next = 9;
    if (argc > next + 1 && strcmp(argv[next], "--replies") == 0) {
        replies = argv[next + 1];
        next += 2;
    }
    server.as_opt = argc > next && strcmp(argv[next], "--opt") == 0;
    if (argc < 9 || (argc > next && !server.as_opt))
        give_up("usage: %s LIBRARY MODULE BATCH RESULTS CPU_MS WALL_MS MEMORY_BYTES OUTPUT_BYTES [--replies REPLIES] "
                "[--opt OPTION...]%s",
                argv[0], "");
    server.cpu_ms = strtoll(argv[5], NULL, 10);
    server.wall_ms = strtoll(argv[6], NULL, 10);
    server.memory_bytes = strtoull(argv[7], NULL, 10);
    server.output_bytes = strtoull(argv[8], NULL, 10);
    server.progress = -1;
    if (replies) {
        server.node_count = SERVER_BENCH_SLOTS;
        server.nodes = calloc(server.node_count, sizeof(*server.nodes));
        for (size_t i = 0; i < server.node_count; i++)
            server.nodes[i].level = -1; /* until a request says otherwise */
    } else {
        read_nodes(argv[3]);
    }
    map_results(argv[4]);
    if (!llvm_api_load(argv[1], &server.llvm, why, sizeof(why)))
        give_up("%s%s", why, "");
    find_cover_runtime(argv[1]);
    OptWords words = server.as_opt ? read_options(argc - next - 1, argv + next + 1) : (OptWords){0};
    read_module(argv[1], argv[2]);
    make_machines(!replies);
    if (server.as_opt)
        become_opt(&words);
    server.out = make_file("output");
    server.err = make_file("errors");
    /* What programs may call besides the C library. */
    dlopen("libm.so.6", RTLD_NOW | RTLD_GLOBAL);
    dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_GLOBAL);
    catch_crashes();
    server.own_bytes = own_address_space();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (replies)
        serve(argv[3], replies);
    for (size_t i = 0; i < server.node_count; i++)
        if (server.nodes[i].parent < 0)
            run_branch(i);
    /* libLLVM's destructors have nothing to add. */
    _exit(0);
}
