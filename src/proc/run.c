#include "proc/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/vec.h"
#include "proc/confine.h"
#include "proc/warden.h"

extern char **environ;

enum { OUTPUT_KEPT = 1 << 20, OUTPUT_FACTOR = 16 };

struct Runner {
    Warden warden;
    bool warden_lost; /* killed by somebody: the next run starts another one */
    atomic_uint run;  /* the number of the current run; 0: none yet */
    atomic_bool running;
    atomic_bool stopped;
    Str texts; /* reused from run to run */
    Str missing;
};

const char *proc_limit_name(ProcLimit limit) {
    static const char *const names[] = {
        [PROC_LIMIT_NONE] = "none",          [PROC_LIMIT_WALL] = "time",           [PROC_LIMIT_CPU] = "CPU time",
        [PROC_LIMIT_MEMORY] = "memory",      [PROC_LIMIT_FILE_SIZE] = "file size", [PROC_LIMIT_PROCESSES] = "processes",
        [PROC_LIMIT_OUTPUT] = "output size", [PROC_LIMIT_CANCELLED] = "cancelled",
    };
    return names[limit];
}

void proc_result_release(ProcResult *result) {
    str_release(&result->out);
    str_release(&result->err);
}

static void result_clear(ProcResult *result) {
    str_clear(&result->out);
    str_clear(&result->err);
    *result = (ProcResult){.exit_code = -1, .out = result->out, .err = result->err};
}

/* --- The runner --- */

static void find_missing_protections(Runner *runner) {
    Str *text = &runner->missing;
    if (!runner->warden.hello.namespaced)
        str_append(text, "no PID namespace (a runaway program is hunted down process by process)");
    if (confine_landlock_version() == 0)
        str_printf(text, "%sno Landlock (programs under test may write anywhere)", text->len ? ", " : "");
    if (!confine_has_seccomp())
        str_printf(text, "%sno seccomp filter (programs under test may use the network)", text->len ? ", " : "");
    if (!runner->warden.hello.can_fix_addresses)
        str_printf(text, "%saddress-space randomisation cannot be switched off", text->len ? ", " : "");
    if (text->len)
        str_insert(text, 0, "this machine lacks protections: ", strlen("this machine lacks protections: "));
}

Runner *runner_new(Error *err) {
    Runner *runner = mem_zalloc(1, sizeof(*runner));
    if (!warden_start(&runner->warden, err)) {
        free(runner);
        return NULL;
    }
    find_missing_protections(runner);
    return runner;
}

void runner_free(Runner *runner) {
    if (!runner)
        return;
    warden_stop(&runner->warden);
    str_release(&runner->texts);
    str_release(&runner->missing);
    free(runner);
}

const char *runner_missing_protection(const Runner *runner) {
    return runner->missing.len ? str_text(&runner->missing) : NULL;
}

static void strike(Runner *runner, ProcLimit limit) {
    WireOrder order = {.kind = WIRE_STRIKE, .run = atomic_load(&runner->run), .strike = limit};
    send(runner->warden.link, &order, sizeof(order), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void runner_cancel(Runner *runner) {
    if (atomic_load(&runner->running))
        strike(runner, PROC_LIMIT_CANCELLED);
}

void runner_stop(Runner *runner) {
    atomic_store(&runner->stopped, true);
    runner_cancel(runner);
}

void runner_resume(Runner *runner) { atomic_store(&runner->stopped, false); }

/* --- The request --- */

static void append_text(Str *texts, const char *text) { str_append_n(texts, text, strlen(text) + 1); }

static size_t name_len(const char *entry) { return strcspn(entry, "="); }

static bool is_overridden(const char *entry, const char *const *changes) {
    size_t len = name_len(entry);
    for (; changes && *changes; changes++)
        if (name_len(*changes) == len && memcmp(*changes, entry, len) == 0)
            return true;
    return false;
}

/* Our environment with the request's changes; of several changes of one name the last one counts. */
static uint32_t append_environment(Str *texts, const char *const *changes) {
    uint32_t count = 0;
    for (char **entry = environ; entry && *entry; entry++) {
        if (is_overridden(*entry, changes))
            continue;
        append_text(texts, *entry);
        count++;
    }
    for (; changes && *changes; changes++) {
        if (!strchr(*changes, '=') || is_overridden(*changes, changes + 1))
            continue;
        append_text(texts, *changes);
        count++;
    }
    return count;
}

/* A name with a slash is left to exec, so that "./a.out" is looked up in the request's directory. */
static bool append_program(Str *texts, const char *name, Error *err) {
    if (strchr(name, '/')) {
        append_text(texts, name);
        return true;
    }
    CLEANUP(str_release) Str path = {0};
    if (!path_find_program(name, &path, NULL))
        return error_set(err, "cannot run '%s': it is not in PATH; is it installed?", name);
    append_text(texts, str_text(&path));
    return true;
}

static bool write_texts(Runner *runner, const ProcRequest *request, WireRequest *wire, Error *err) {
    Str *texts = &runner->texts;
    str_clear(texts);
    if (!append_program(texts, request->argv[0], err))
        return false;
    append_text(texts, request->dir ? request->dir : "");
    for (const char *const *arg = request->argv; *arg; arg++, wire->argc++)
        append_text(texts, *arg);
    wire->envc = append_environment(texts, request->env);
    wire->text_len = texts->len;
    for (size_t done = 0; done < texts->len;) {
        ssize_t len = pwrite(runner->warden.text, texts->data + done, texts->len - done, (off_t)done);
        if (len < 0 && errno != EINTR)
            return error_errno(err, "cannot hand over the command line of '%s'", request->argv[0]);
        done += len > 0 ? (size_t)len : 0;
    }
    return true;
}

/* Descriptors to send along with a request; ours are closed once it was sent. */
typedef struct Attached {
    int fds[WIRE_FDS];
} Attached;

static void attached_release(Attached *attached) {
    for (int i = 0; i < WIRE_FDS; i++)
        if (attached->fds[i] >= 0)
            close(attached->fds[i]);
}

static bool attach_input(const ProcRequest *request, int *ret_fd, Error *err) {
    int fd = memfd_create("culprit-input", MFD_CLOEXEC);
    if (fd < 0)
        return error_errno(err, "cannot make the standard input of '%s'", request->argv[0]);
    for (size_t done = 0; done < request->input_len;) {
        ssize_t len = pwrite(fd, request->input + done, request->input_len - done, (off_t)done);
        if (len < 0 && errno != EINTR) {
            error_errno(err, "cannot make the standard input of '%s'", request->argv[0]);
            close(fd);
            return false;
        }
        done += len > 0 ? (size_t)len : 0;
    }
    *ret_fd = fd;
    return true;
}

static bool attach_file(const char *path, int *ret_fd, Error *err) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return error_errno(err, "cannot write a program's output to %s", path);
    *ret_fd = fd;
    return true;
}

static bool attach(const ProcRequest *request, WireRequest *wire, Attached *attached, Error *err) {
    bool same_file = request->out_path && str_equal(request->out_path, request->err_path);
    wire->merge_output = request->merge_output || same_file;
    if (request->input && request->input_len && !attach_input(request, &attached->fds[WIRE_INPUT], err))
        return false;
    if (request->out_path && !attach_file(request->out_path, &attached->fds[WIRE_OUT_FILE], err))
        return false;
    if (request->err_path && !wire->merge_output && !attach_file(request->err_path, &attached->fds[WIRE_ERR_FILE], err))
        return false;
    if (request->confinement && !confine_ruleset(request->confinement, &attached->fds[WIRE_RULESET], err))
        return error_context(err, "cannot confine '%s'", request->argv[0]);
    for (int i = 0; i < WIRE_FDS; i++)
        wire->fds[i] = attached->fds[i] >= 0;
    return true;
}

static bool lose_warden(Runner *runner, Error *err) {
    runner->warden_lost = true;
    return error_set(err, "the process that guards child processes was killed; try again");
}

static bool replace_warden(Runner *runner, Error *err) {
    warden_stop(&runner->warden);
    if (!warden_start(&runner->warden, err))
        return false;
    runner->warden_lost = false;
    return true;
}

static bool send_order(Runner *runner, const WireOrder *order, const Attached *attached, Error *err) {
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int) * WIRE_FDS)];
    } control = {0};
    int fds[WIRE_FDS];
    size_t count = 0;
    for (int i = 0; i < WIRE_FDS; i++)
        if (attached->fds[i] >= 0)
            fds[count++] = attached->fds[i];
    struct iovec part = {.iov_base = (void *)order, .iov_len = sizeof(*order)};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (count > 0) {
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(&control.header), fds, count * sizeof(int));
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
    }
    ssize_t len;
    do
        len = sendmsg(runner->warden.link, &message, MSG_NOSIGNAL);
    while (len < 0 && errno == EINTR);
    return len > 0 || lose_warden(runner, err);
}

/* --- The run --- */

/* Keeps the first bytes of a stream and counts all of them. */
typedef struct Capture {
    int fd;
    Str *kept;
    uint64_t limit, total;
} Capture;

static void capture_read(Capture *capture) {
    char buffer[65536];
    ssize_t len;
    while ((len = read(capture->fd, buffer, sizeof(buffer))) > 0) {
        uint64_t room = capture->limit - MIN_OF(capture->total, capture->limit);
        str_append_n(capture->kept, buffer, (size_t)MIN_OF(room, (uint64_t)len));
        capture->total += (uint64_t)len;
        if ((size_t)len < sizeof(buffer))
            break;
    }
}

static bool far_beyond(const Capture *capture) {
    return capture->total > OUTPUT_FACTOR * MAX_OF(capture->limit, (uint64_t)OUTPUT_KEPT);
}

/* Reads what the program writes until the warden reports its end. */
static bool collect(Runner *runner, Capture captures[2], WireReport *ret_report, Error *err) {
    struct pollfd polled[] = {{.fd = runner->warden.link, .events = POLLIN},
                              {.fd = captures[0].fd, .events = POLLIN},
                              {.fd = captures[1].fd, .events = POLLIN}};
    bool struck = false;
    do {
        if (poll(polled, ARRAY_LEN(polled), -1) < 0) {
            if (errno != EINTR)
                return error_errno(err, "cannot wait for a program");
            polled[0].revents = polled[1].revents = polled[2].revents = 0;
        }
        for (int i = 0; i < 2; i++)
            if (polled[i + 1].revents)
                capture_read(&captures[i]);
        if (!struck && (far_beyond(&captures[0]) || far_beyond(&captures[1]))) {
            strike(runner, PROC_LIMIT_OUTPUT);
            struck = true;
        }
    } while (!polled[0].revents);
    if (recv(runner->warden.link, ret_report, sizeof(*ret_report), 0) != (ssize_t)sizeof(*ret_report))
        return lose_warden(runner, err);
    for (int i = 0; i < 2; i++)
        capture_read(&captures[i]); /* nobody writes any more */
    return true;
}

static bool explain_failure(const ProcRequest *request, const WireReport *report, Error *err) {
    errno = report->failed_errno;
    switch (report->failed_step) {
    case WIRE_STEP_DIR: return error_errno(err, "cannot run '%s' in %s", request->argv[0], request->dir);
    case WIRE_STEP_CONFINE: return error_errno(err, "cannot confine '%s'", request->argv[0]);
    case WIRE_STEP_EXEC:
        return error_set(err, "cannot run '%s': %s%s", request->argv[0], strerror(errno),
                         errno == ENOENT ? "; is it installed?" : "");
    default: return error_errno(err, "cannot start a process for '%s'", request->argv[0]);
    }
}

static void fill_result(ProcResult *result, const WireReport *report, const Capture captures[2]) {
    bool exited = WIFEXITED(report->status);
    result->exit_code = exited ? WEXITSTATUS(report->status) : -1;
    result->signal = exited ? 0 : WTERMSIG(report->status);
    result->limit = report->limit;
    result->left_processes = report->left_processes;
    result->wall_us = report->wall_us;
    result->user_us = report->user_us;
    result->system_us = report->system_us;
    result->peak_bytes = report->peak_bytes;
    result->output_cut = captures[0].total > captures[0].limit || captures[1].total > captures[1].limit;
}

static bool run(Runner *runner, WireOrder *order, const ProcRequest *request, ProcResult *result, Error *err) {
    CLEANUP(attached_release) Attached attached = {{-1, -1, -1, -1}};
    if (!write_texts(runner, request, &order->request, err) || !attach(request, &order->request, &attached, err) ||
        !send_order(runner, order, &attached, err))
        return false;
    uint64_t kept = request->limits.output_bytes ? request->limits.output_bytes : OUTPUT_KEPT;
    Capture captures[] = {{.fd = runner->warden.out, .kept = &result->out, .limit = kept},
                          {.fd = runner->warden.err, .kept = &result->err, .limit = kept}};
    WireReport report;
    if (!collect(runner, captures, &report, err))
        return false;
    if (report.failed_step != WIRE_STEP_NONE)
        return explain_failure(request, &report, err);
    fill_result(result, &report, captures);
    return true;
}

bool runner_run(Runner *runner, const ProcRequest *request, ProcResult *ret_result, Error *err) {
    result_clear(ret_result);
    if (runner->warden_lost && !replace_warden(runner, err))
        return false;
    WireOrder order = {.kind = WIRE_RUN, .run = atomic_fetch_add(&runner->run, 1) + 1};
    order.request.limits = request->limits;
    order.request.no_randomisation = request->no_randomisation;
    order.request.no_network = request->confinement && request->confinement->no_network;
    /* First running, then stopped: runner_stop does it the other way round, so one of the two sees the other. */
    atomic_store(&runner->running, true);
    bool ok = true;
    if (atomic_load(&runner->stopped)) {
        ret_result->signal = SIGKILL;
        ret_result->limit = PROC_LIMIT_CANCELLED;
    } else {
        ok = run(runner, &order, request, ret_result, err);
    }
    atomic_store(&runner->running, false);
    return ok;
}
