#include "proc/run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proc/confine.h"
#include "proc/request.h"
#include "proc/warden.h"

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

void proc_describe_end(const ProcResult *result, Str *text) {
    if (result->limit == PROC_LIMIT_CANCELLED)
        str_append(text, "was cancelled");
    else if (result->limit != PROC_LIMIT_NONE)
        str_printf(text, "ran into the limit of %s", proc_limit_name(result->limit));
    else if (result->signal)
        str_printf(text, "was ended by signal %d (%s)", result->signal, strsignal(result->signal));
    else
        str_printf(text, "ended with status %d", result->exit_code);
}

void proc_result_release(ProcResult *result) {
    str_release(&result->out);
    str_release(&result->err);
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

bool runner_is_stopped(const Runner *runner) { return atomic_load(&runner->stopped); }

static bool lose_warden(Runner *runner, Error *err) {
    runner->warden_lost = true;
    return error_set(err, "the process that guards child processes was killed; try again");
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
    CLEANUP(attached_release) Attached attached = ATTACHED_NONE;
    if (!request_write_texts(request, &runner->texts, runner->warden.text, &order->request, err) ||
        !request_attach(request, &order->request, &attached, err))
        return false;
    if (!request_send(runner->warden.link, order, &attached))
        return lose_warden(runner, err);
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
    str_clear(&ret_result->out);
    str_clear(&ret_result->err);
    *ret_result = (ProcResult){.exit_code = -1, .out = ret_result->out, .err = ret_result->err};
    if (runner->warden_lost) {
        warden_stop(&runner->warden);
        if (!warden_start(&runner->warden, err))
            return false;
        runner->warden_lost = false;
    }
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
