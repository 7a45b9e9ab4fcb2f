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
#include "llvm/runtime/server_state.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

Server server;

void server_give_up(const char *format, const char *a, const char *b) {
    fprintf(stderr, format, a, b);
    fputc('\n', stderr);
    exit(1);
}

int64_t server_clock_us(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Eight bytes at a time, multiplied and folded; equal modules are what matters, not an adversary. */
uint64_t server_hash(const char *bytes, size_t len) {
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

/* --- Beginning --- */

static char *read_batch(const char *path) {
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    if (!file || getdelim(&text, &size, '\0', file) < 0)
        server_give_up("cannot read the batch %s: %s", path, strerror(errno));
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
            server_give_up("the batch %s has a wrong line: %s", path, line);
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
        server_give_up("cannot write %s: %s", path, strerror(errno));
    server.results = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (server.results == MAP_FAILED)
        server_give_up("cannot map %s: %s", path, strerror(errno));
    close(fd);
    for (size_t i = 0; i < server.node_count; i++)
        server.results[i].same_as = -1;
}

static void read_module(const char *library, const char *path) {
    LlvmBufferRef buffer;
    char *message = NULL;
    const LlvmApi *llvm = &server.llvm;
    if (llvm->LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message))
        server_give_up("cannot read %s: %s", path, message);
    LlvmContextRef context = llvm->LLVMContextCreate();
    if (llvm->LLVMParseIRInContext(context, buffer, &server.module, &message)) {
        /* "… Producer: 'LLVM19' Reader: 'LLVM 14'" tells the user what is wrong, and so does an error of syntax. */
        fprintf(stderr, "%s cannot read the module %s; was it made by this version of LLVM? ", library, path);
        server_give_up("%s%s", message, "");
    }
    if (llvm->LLVMVerifyModule(server.module, LLVM_RETURN_STATUS, &message))
        server_give_up("the module %s is invalid before any pass has run: %s", path, message);
    llvm->LLVMContextSetDiagnosticHandler(context, server_on_diagnostic, NULL);
    llvm->LLVMInstallFatalErrorHandler(server_on_fatal_error);
}

static void find_cover_runtime(const char *library) {
    bool wanted = false;
    for (size_t i = 0; i < server.node_count; i++)
        wanted |= server.nodes[i].cover_dir != NULL;
    void *begin = dlsym(server.llvm.handle, "culprit_cover_begin");
    if (!begin)
        begin = dlsym(RTLD_DEFAULT, "culprit_cover_begin");
    if (wanted && !begin)
        server_give_up("%s is not instrumented for coverage%s", library, "");
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
            server_give_up("no code can be generated for %s: %s", triple, message);
        for (size_t i = 0; i < server.node_count; i++)
            if (server.nodes[i].level >= 0)
                server_give_up("programs for %s cannot be run here%s", triple, "");
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
        server_give_up("cannot make a file for a child's %s: %s", name, strerror(errno));
    return fd;
}

static uint64_t own_address_space(void) {
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%llu", &pages) != 1)
        server_give_up("cannot read /proc/self/statm: %s%s", strerror(errno), "");
    fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
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
        server_give_up(
            "usage: %s LIBRARY MODULE BATCH RESULTS CPU_MS WALL_MS MEMORY_BYTES OUTPUT_BYTES [--replies REPLIES] "
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
        server_give_up("%s%s", why, "");
    find_cover_runtime(argv[1]);
    OptWords words = server.as_opt ? server_read_options(argc - next - 1, argv + next + 1) : (OptWords){0};
    read_module(argv[1], argv[2]);
    make_machines(!replies);
    if (server.as_opt)
        server_become_opt(&words);
    server.out = make_file("output");
    server.err = make_file("errors");
    /* What programs may call besides the C library. */
    dlopen("libm.so.6", RTLD_NOW | RTLD_GLOBAL);
    dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_GLOBAL);
    server_catch_crashes();
    server.own_bytes = own_address_space();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (replies)
        server_serve(argv[3], replies);
    for (size_t i = 0; i < server.node_count; i++)
        if (server.nodes[i].parent < 0)
            server_run_branch(i);
    /* libLLVM's destructors have nothing to add. */
    _exit(0);
}
