/* What a child of the fork server does: edits, passes, code, the program; and how it ends. */
#include "llvm/runtime/server_state.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "llvm/runtime/loader.h"

static void enter_stage(ServerStage stage) {
    int64_t now = server_clock_us(CLOCK_PROCESS_CPUTIME_ID);
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

void server_on_fatal_error(const char *reason) {
    bool broken = strstr(reason, "Broken module found") || strstr(reason, "Broken function found");
    if (server.as_opt)
        fprintf(stderr, "LLVM ERROR: %s\n", reason);
    say(reason);
    end_child(broken ? SERVER_BROKEN_IR : SERVER_FATAL, -1);
}

void server_on_diagnostic(LlvmDiagnosticRef info, void *argument) {
    (void)argument;
    if (server.llvm.LLVMGetDiagInfoSeverity(info) != LLVM_SEVERITY_ERROR)
        return;
    char *text = server.llvm.LLVMGetDiagInfoDescription(info);
    if (!server.result)
        server_give_up("%s%s", text, "");
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

void server_catch_crashes(void) {
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
void server_set_clock(bool is_last) {
    struct itimerval timer = {.it_value = {server.cpu_ms / 1000, server.cpu_ms % 1000 * 1000}};
    rlim_t seconds = (rlim_t)(server_clock_us(CLOCK_PROCESS_CPUTIME_ID) / 1000000 + server.cpu_ms / 1000 + 2);
    setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, is_last ? seconds : RLIM_INFINITY});
    setitimer(ITIMER_PROF, &timer, NULL); /* SIGPROF ends the process */
}

void server_become_child(ServerResult *result) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    dup2(server.out, STDOUT_FILENO);
    dup2(server.err, STDERR_FILENO);
    set_limits();
    server_set_clock(false);
    server.result = result;
    server.stage_start_us = server_clock_us(CLOCK_PROCESS_CPUTIME_ID);
}

/* As opt after its passes; the module was verified when it was read. */
static void verify(void) {
    char *message = NULL;
    if (!server.as_opt || !server.llvm.LLVMVerifyModule(server.module, LLVM_RETURN_STATUS, &message))
        return;
    fprintf(stderr, "%s\n", message);
    server_on_fatal_error("Broken module found, compilation aborted!");
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
void server_make_edit(const Node *node) {
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

void server_run_passes(const Node *node) {
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
    server.result->ir_hash =
        server_hash(server.llvm.LLVMGetBufferStart(bitcode), server.llvm.LLVMGetBufferSize(bitcode));
    server.llvm.LLVMDisposeMemoryBuffer(bitcode);
    enter_stage(SERVER_PASSES);
}

/* Code, loader, main; does not return. */
void server_test_module(int level) {
    char *message = NULL, why[512];
    LlvmBufferRef object;
    server_set_clock(true); /* a program cannot raise it */
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
