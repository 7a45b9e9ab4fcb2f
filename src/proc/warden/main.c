/* The warden: a small process that starts programs for one Runner and never lets anything of their trees survive.
 *
 * It is a program of its own, not a fork of culprit, so that it stays small whatever culprit holds in memory, and so
 * that children start fast. It runs one program at a time:
 *
 *     receive a request, start the program
 *     wait for: the end of the program, a strike from the runner, the next look at the limits, the end of culprit
 *     kill whatever is left of the tree, report
 *
 * The end of culprit, however it came, is seen through the socket and a pidfd; the warden then kills the tree and ends.
 * As process 1 of a PID namespace its own end, however it comes, kills the tree too. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "proc/warden/link.h"
#include "proc/warden/process_tree.h"
#include "proc/warden/start.h"
#include "proc/warden/watch.h"

typedef struct Warden {
    Tree *tree;
    Start start; /* what every program starts with */
    Machine machine;
    char *text; /* the texts of the request, and the vectors that point into it */
    char **vectors;
    uint32_t struck_run; /* the last one a strike was received for */
    ProcLimit strike;
    bool owner_gone;
} Warden;

/* --- Setting up --- */

static void on_child(int signal) { (void)signal; } /* only to wake the warden */

static void prepare_signals(void) {
    for (int signal = 1; signal < NSIG; signal++)
        sigaction(signal, &(struct sigaction){.sa_handler = signal == SIGCHLD ? on_child : SIG_DFL}, NULL);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL); /* the child unblocks everything */
}

static bool can_fix_addresses(void) {
    int before = personality(0xffffffff);
    bool can = before != -1 && personality((unsigned long)before | ADDR_NO_RANDOMIZE) != -1;
    personality((unsigned long)before);
    return can;
}

/* When memory runs out, the programs under test should go, not culprit; the warden is too small to be chosen. */
static void prefer_for_oom(void) {
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t ignored = write(fd, "500", 3);
    (void)ignored;
    close(fd);
}

static bool prepare(Warden *warden) {
    bool namespaced = getpid() == 1;
    setsid(); /* out of reach of the terminal */
    prepare_signals();
    prefer_for_oom();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    priority_raise(&warden->start.priority);
    warden->start.namespaced = namespaced;
    warden->machine = machine_now();
    return (warden->tree = tree_new(namespaced)) != NULL;
}

/* --- A request --- */

/* Reads the texts; argv and env become vectors that point into them. */
static bool read_texts(Warden *warden, const WireRequest *request, Start *start) {
    free(warden->text);
    free(warden->vectors);
    warden->text = malloc(request->text_len);
    warden->vectors = calloc((size_t)request->argc + request->envc + 2, sizeof(char *));
    if (!warden->text || !warden->vectors ||
        pread(WIRE_FD_TEXT, warden->text, request->text_len, 0) != (ssize_t)request->text_len)
        return false;
    char *text = warden->text;
    char **vector = warden->vectors;
    start->program = text;
    start->dir = text += strlen(text) + 1;
    start->tmp_dir = text += strlen(text) + 1;
    text += strlen(text) + 1;
    start->argv = vector;
    for (uint32_t i = 0; i < request->argc; i++, text += strlen(text) + 1)
        *vector++ = text;
    start->env = ++vector; /* a NULL ends each */
    for (uint32_t i = 0; i < request->envc; i++, text += strlen(text) + 1)
        *vector++ = text;
    return true;
}

static void note_strike(Warden *warden, const WireOrder *order) {
    if (warden->struck_run == order->run)
        return;
    warden->struck_run = order->run;
    warden->strike = order->strike;
}

/* --- A run --- */

/* Until the program ended, a limit struck, or culprit is gone. Returns whether nothing of the tree is left. */
static bool supervise(Warden *warden, Watch *watch, WireReport *report, TreeDead *dead) {
    for (;;) {
        bool struck = warden->struck_run == report->run; /* a strike may overtake its request */
        News news = link_wait(struck ? 0 : watch_wait_us(watch));
        WireOrder order;
        int fds[WIRE_FDS];
        warden->owner_gone = news.owner_gone;
        if (news.has_order && link_receive(&order, fds) && order.kind == WIRE_STRIKE)
            note_strike(warden, &order);
        bool tree_gone = tree_reap(dead);
        if (dead->child_ended || warden->owner_gone)
            return tree_gone;
        if (warden->struck_run == report->run)
            report->limit = warden->strike;
        else
            report->limit = watch_look(watch, warden->tree, dead);
        if (report->limit)
            return tree_gone;
    }
}

/* From the start of the program until none of its tree lives. */
static void run(Warden *warden, Start *start, WireReport *report) {
    const ProcLimits *limits = &start->request->limits;
    Watch watch;
    watch_start(&watch, limits, &warden->machine);
    start->other_processes = watch.other_processes;
    TreeDead dead = {.child = start_program(start)};
    if (dead.child > 0) {
        bool tree_gone = supervise(warden, &watch, report, &dead);
        report->left_processes = dead.child_ended && !tree_gone;
        if (!tree_gone)
            tree_kill(warden->tree, &dead);
        report->wall_us = watch_now_us() - watch.started_us;
        report->status = dead.child_status;
        report->user_us = dead.user_us;
        report->system_us = dead.system_us;
        report->peak_bytes = dead.peak_bytes;
        if (!report->limit)
            report->limit = watch_explain(limits, &dead);
    }
}

static void serve_request(Warden *warden, const WireOrder *order, const int fds[WIRE_FDS]) {
    WireReport report = {.run = order->run};
    Start start = warden->start;
    start.request = &order->request;
    memcpy(start.fds, fds, sizeof(start.fds));
    /* A program may have left its streams non-blocking; the next one shares them. */
    fcntl(WIRE_FD_OUT, F_SETFL, 0);
    fcntl(WIRE_FD_ERR, F_SETFL, 0);
    if (read_texts(warden, &order->request, &start)) {
        run(warden, &start, &report);
        report.failed_step = start.failed_step;
        report.failed_errno = start.failed_errno;
    } else {
        report.failed_step = WIRE_STEP_FORK;
        report.failed_errno = ENOMEM;
    }
    for (int i = 0; i < WIRE_FDS; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    if (!link_send(&report, sizeof(report)))
        warden->owner_gone = true;
}

static void serve(Warden *warden) {
    while (!warden->owner_gone) {
        News news = link_wait(-1);
        WireOrder order;
        int fds[WIRE_FDS];
        warden->owner_gone = news.owner_gone;
        if (!news.has_order || news.owner_gone || !link_receive(&order, fds))
            continue;
        if (order.kind == WIRE_STRIKE)
            note_strike(warden, &order);
        else
            serve_request(warden, &order, fds);
    }
}

int main(void) {
    for (int fd = WIRE_FD_LINK; fd < WIRE_FD_END; fd++)
        if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0)
            return 2; /* not started by a Runner */
    Warden warden = {0};
    if (!prepare(&warden))
        return 2;
    WireHello hello = {
        .protocol = WIRE_PROTOCOL, .namespaced = warden.start.namespaced, .can_fix_addresses = can_fix_addresses()};
    if (link_send(&hello, sizeof(hello)))
        serve(&warden);
    return 0;
}
