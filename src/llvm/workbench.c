/* The server runs in a thread of its own with a runner of its own, as every program does; requests and answers go through
 * two named pipes in its scratch directory. We hold both ends of each open, so that neither side waits for the other to
 * begin, and look now and then whether the server still lives. */
#include "llvm/workbench.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "proc/scratch.h"

struct Workbench {
    Scratch scratch;
    Runner *runner;
    StrList argv;
    uint64_t memory_bytes;
    int64_t patience_ms; /* with an answer: a child has its own limit, which is shorter */
    pthread_t thread;
    bool started;
    atomic_bool ended;
    bool ran; /* and, once ended: what became of the server */
    ProcResult result;
    Error err;
    int requests, replies;
    Str reply; /* what was read of it */
    const ServerResult *results;
    size_t next_slot;
};

static void *run_server(void *argument) {
    Workbench *bench = argument;
    ProcConfinement confinement = {.writable_dir = bench->scratch.path, .no_network = true};
    ProcRequest request = {.argv = (const char *const *)bench->argv.items,
                           .dir = bench->scratch.path,
                           .env = (const char *const[]){"LC_ALL=C", "TMPDIR=.", NULL},
                           .no_randomisation = true,
                           .limits = {.memory_bytes = bench->memory_bytes, .sanitized = true, .processes = 256},
                           .confinement = &confinement};
    bench->ran = runner_run(bench->runner, &request, &bench->result, &bench->err);
    atomic_store(&bench->ended, true);
    return NULL;
}

/* Why there is no answer: the server's last words. */
static bool lost(Workbench *bench, Error *err) {
    if (!bench->ran)
        return error_set(err, "%s", bench->err.text);
    str_trim(&bench->result.err);
    if (bench->result.err.len > 0)
        return error_set(err, "%.1000s", bench->result.err.data);
    CLEANUP(str_release) Str end = {0};
    proc_describe_end(&bench->result, &end);
    return error_set(err, "LLVM's process %s before it was asked to end", str_text(&end));
}

static bool await_reply(Workbench *bench, size_t *ret_number, Error *err) {
    int64_t deadline = clock_ms() + bench->patience_ms;
    str_clear(&bench->reply);
    while (!bench->reply.len || bench->reply.data[bench->reply.len - 1] != '\n') {
        char bytes[256];
        struct pollfd fd = {bench->replies, POLLIN, 0};
        bool ended = atomic_load(&bench->ended); /* before the look: what it wrote last is seen */
        ssize_t len = poll(&fd, 1, 100) > 0 ? read(bench->replies, bytes, sizeof(bytes)) : 0;
        if (len > 0)
            str_append_n(&bench->reply, bytes, (size_t)len);
        else if (ended)
            return lost(bench, err);
        else if (clock_ms() > deadline)
            return error_set(err, "LLVM's process gives no answer");
    }
    str_trim(&bench->reply);
    if (!str_starts(bench->reply.data, "ok"))
        return error_set(err, "%s", bench->reply.data);
    if (ret_number)
        *ret_number = (size_t)strtoull(bench->reply.data + strlen("ok"), NULL, 10);
    return true;
}

static bool request(Workbench *bench, size_t *ret_number, Error *err, const char *format, ...) PRINTF_LIKE(4, 5);

static bool request(Workbench *bench, size_t *ret_number, Error *err, const char *format, ...) {
    CLEANUP(str_release) Str line = {0};
    va_list arguments;
    va_start(arguments, format);
    str_vprintf(&line, format, arguments);
    va_end(arguments);
    str_append_char(&line, '\n');
    for (size_t at = 0; at < line.len;) {
        ssize_t written = write(bench->requests, line.data + at, line.len - at);
        if (written < 0)
            return error_errno(err, "cannot write to LLVM's process");
        at += (size_t)written;
    }
    return await_reply(bench, ret_number, err);
}

static bool make_pipe(const char *path, int *ret_fd, Error *err) {
    if (mkfifo(path, 0600) != 0 || (*ret_fd = open(path, O_RDWR | O_CLOEXEC)) < 0)
        return error_errno(err, "cannot make the pipe %s", path);
    return true;
}

static bool start(Workbench *bench, const char *library, const char *module, const WorkbenchOptions *options,
                  Error *err) {
    CLEANUP(str_release) Str program = {0}, path = {0};
    if (!scratch_new(&bench->scratch, err) || !path_runtime("llvm-server", &program, err) ||
        !path_absolute(module, &path, err))
        return false;
    if (!file_exists(path.data))
        return error_set(err, "there is no module %s", module);
    CLEANUP(mem_freep) char *requests = path_of(bench->scratch.path, "requests");
    CLEANUP(mem_freep) char *replies = path_of(bench->scratch.path, "replies");
    CLEANUP(mem_freep) char *results = path_of(bench->scratch.path, "results");
    const ServerLimits *limits = &options->limits;
    int64_t cpu_ms = limits->cpu_ms ? limits->cpu_ms : 10000;
    int64_t wall_ms = limits->wall_ms ? limits->wall_ms : 3 * cpu_ms;
    uint64_t memory = limits->memory_bytes ? limits->memory_bytes : (uint64_t)4 << 30;
    bench->memory_bytes = memory + memory / 2;
    bench->patience_ms = 2 * wall_ms + 60000;
    const char *const fixed[] = {program.data, library, path.data, requests, results};
    for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
        strlist_add(&bench->argv, fixed[i]);
    strlist_addf(&bench->argv, "%lld", (long long)cpu_ms);
    strlist_addf(&bench->argv, "%lld", (long long)wall_ms);
    strlist_addf(&bench->argv, "%llu", (unsigned long long)memory);
    strlist_addf(&bench->argv, "%llu", (unsigned long long)(limits->output_bytes ? limits->output_bytes : 1 << 20));
    strlist_add(&bench->argv, "--replies");
    strlist_add(&bench->argv, replies);
    if (options->options) {
        strlist_add(&bench->argv, "--opt");
        strlist_add_all(&bench->argv, options->options);
    }
    if (!make_pipe(requests, &bench->requests, err) || !make_pipe(replies, &bench->replies, err) ||
        !(bench->runner = runner_new(err)))
        return false;
    bench->started = pthread_create(&bench->thread, NULL, run_server, bench) == 0;
    if (!bench->started)
        return error_set(err, "cannot start a thread for LLVM's process");
    if (!await_reply(bench, NULL, err))
        return false;
    int fd = open(results, O_RDONLY | O_CLOEXEC);
    void *mapped = mmap(NULL, SERVER_BENCH_SLOTS * sizeof(ServerResult), PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    if (mapped == MAP_FAILED)
        return error_errno(err, "cannot map %s", results);
    bench->results = mapped;
    return true;
}

Workbench *workbench_open(const char *library, const char *module, const WorkbenchOptions *options, Error *err) {
    Workbench *bench = mem_zalloc(1, sizeof(*bench));
    bench->requests = bench->replies = -1;
    if (start(bench, library, module, options, err))
        return bench;
    workbench_close(bench);
    return NULL;
}

void workbench_close(Workbench *bench) {
    if (!bench)
        return;
    if (bench->started) {
        while (!atomic_load(&bench->ended)) { /* the run may not have begun */
            runner_stop(bench->runner);
            usleep(1000);
        }
        pthread_join(bench->thread, NULL);
    }
    if (bench->results)
        munmap((void *)bench->results, SERVER_BENCH_SLOTS * sizeof(ServerResult));
    if (bench->requests >= 0)
        close(bench->requests);
    if (bench->replies >= 0)
        close(bench->replies);
    runner_free(bench->runner);
    proc_result_release(&bench->result);
    strlist_release(&bench->argv);
    str_release(&bench->reply);
    scratch_release(&bench->scratch);
    free(bench);
}

bool workbench_try(Workbench *bench, const Attempt *attempt, const ServerResult **ret_result, Error *err) {
    size_t slot = bench->next_slot++ % SERVER_BENCH_SLOTS;
    if (!request(bench, NULL, err, "try %zu %d %s %zu %zu %s", slot, attempt->level,
                 attempt->rule ? attempt->rule : "-", attempt->from, attempt->to, attempt->passes))
        return false;
    *ret_result = &bench->results[slot];
    return true;
}

bool workbench_count(Workbench *bench, const char *rule, size_t *ret_places, Error *err) {
    return request(bench, ret_places, err, "count %s", rule);
}

bool workbench_keep(Workbench *bench, const char *rule, size_t from, size_t to, size_t *ret_size, Error *err) {
    return request(bench, ret_size, err, "keep %s %zu %zu", rule, from, to);
}

bool workbench_write(Workbench *bench, Str *ret_text, Error *err) {
    CLEANUP(mem_freep) char *path = path_of(bench->scratch.path, "module.ll");
    return request(bench, NULL, err, "write %s", path) && file_read(path, ret_text, err);
}
