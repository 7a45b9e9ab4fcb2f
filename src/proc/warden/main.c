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
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proc/warden/start.h"
#include "proc/warden/tree.h"
#include "proc/warden/watch.h"
#include "proc/wire.h"

typedef struct Warden {
    Tree *tree;
    bool namespaced;
    Priority priority;
    char *text; /* the texts of the request, and the vectors that point into it */
    char **vectors;
    uint32_t struck_run; /* the last one a strike was received for */
    ProcLimit strike;
} Warden;

enum { OWNER_ALIVE, OWNER_GONE };

static void on_child(int signal) { (void)signal; } /* only to wake ppoll */

static void prepare_signals(void) {
    for (int signal = 1; signal < NSIG; signal++)
        if (signal != SIGCHLD)
            sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = on_child}, NULL);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL); /* ppoll lets SIGCHLD through; the child unblocks everything */
}

static bool can_fix_addresses(void) {
    int before = personality(0xffffffff);
    bool can = before != -1 && personality((unsigned long)before | ADDR_NO_RANDOMIZE) != -1;
    personality((unsigned long)before);
    return can;
}

/* Where memory runs out, the programs under test should go, not culprit; the warden is too small to be chosen. */
static void prefer_for_oom(void) {
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t ignored = write(fd, "500", 3);
    (void)ignored;
    close(fd);
}

/* Descriptors that came with a message become fds[], in the order of WireFd. */
static void take_descriptors(struct msghdr *message, const WireOrder *order, int fds[WIRE_FDS]) {
    int received[WIRE_FDS], count = 0;
    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
            continue;
        count = (int)((part->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        memcpy(received, CMSG_DATA(part), (size_t)count * sizeof(int));
    }
    for (int i = 0, next = 0; i < WIRE_FDS; i++)
        fds[i] = order->kind == WIRE_RUN && order->request.fds[i] && next < count ? received[next++] : -1;
}

/* The next order; false when culprit is gone, or when none is there and `wait` is not wanted. */
static ssize_t receive_order(WireOrder *order, int fds[WIRE_FDS], int flags) {
    union {
        struct cmsghdr align;
        char space[CMSG_SPACE(sizeof(int) * WIRE_FDS)];
    } control;
    struct iovec part = {.iov_base = order, .iov_len = sizeof(*order)};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
    ssize_t len = recvmsg(WIRE_FD_LINK, &message, MSG_CMSG_CLOEXEC | flags);
    if (len > 0)
        take_descriptors(&message, order, fds);
    return len;
}

/* Waits for an order, a child's end, or the time; tells whether culprit still lives. */
static int wait_for_news(int64_t wait_us, bool *ret_order) {
    struct pollfd polled[] = {{.fd = WIRE_FD_LINK, .events = POLLIN}, {.fd = WIRE_FD_OWNER, .events = POLLIN}};
    struct timespec timeout = {.tv_sec = wait_us / 1000000, .tv_nsec = wait_us % 1000000 * 1000};
    sigset_t mask;
    sigfillset(&mask);
    sigdelset(&mask, SIGCHLD);
    *ret_order = false;
    if (ppoll(polled, 2, wait_us < 0 ? NULL : &timeout, &mask) <= 0)
        return OWNER_ALIVE;
    *ret_order = polled[0].revents & POLLIN;
    return polled[1].revents || (polled[0].revents & (POLLHUP | POLLERR)) ? OWNER_GONE : OWNER_ALIVE;
}

static void note_strike(Warden *warden, const WireOrder *order) {
    if (warden->struck_run == order->run)
        return;
    warden->struck_run = order->run;
    warden->strike = order->strike;
}

/* Reads the texts; argv and env become vectors that point into them. */
static bool read_texts(Warden *warden, const WireRequest *request, Start *start) {
    free(warden->text);
    free(warden->vectors);
    warden->text = malloc(request->text_len + 1);
    warden->vectors = calloc((size_t)request->argc + request->envc + 4, sizeof(char *));
    if (!warden->text || !warden->vectors ||
        pread(WIRE_FD_TEXT, warden->text, request->text_len, 0) != (ssize_t)request->text_len)
        return false;
    char *text = warden->text;
    char **vector = warden->vectors;
    start->program = text;
    start->dir = text += strlen(text) + 1;
    text += strlen(text) + 1;
    start->argv = vector;
    for (uint32_t i = 0; i < request->argc; i++, text += strlen(text) + 1)
        *vector++ = text;
    start->env = ++vector; /* a NULL ends each */
    for (uint32_t i = 0; i < request->envc; i++, text += strlen(text) + 1)
        *vector++ = text;
    return true;
}

/* A program may leave its streams non-blocking; the next one shares them. */
static void reset_pipes(void) {
    fcntl(WIRE_FD_OUT, F_SETFL, 0);
    fcntl(WIRE_FD_ERR, F_SETFL, 0);
}

/* From the start of the program until none of its tree lives. */
static int supervise(Warden *warden, const WireOrder *run, Watch *watch, WireReport *report, TreeDead *dead) {
    bool tree_gone = false;
    int owner = OWNER_ALIVE;
    while (!dead->child_ended && !report->limit && owner == OWNER_ALIVE) {
        bool has_order;
        owner = wait_for_news(watch_wait_us(watch), &has_order);
        WireOrder order;
        int fds[WIRE_FDS];
        if (has_order && receive_order(&order, fds, MSG_DONTWAIT) > 0 && order.kind == WIRE_STRIKE)
            note_strike(warden, &order);
        tree_gone = tree_reap(dead);
        if (dead->child_ended)
            break;
        report->limit = warden->struck_run == run->run ? warden->strike : watch_look(watch, warden->tree, dead);
    }
    report->left_processes = dead->child_ended && !tree_gone;
    if (!tree_gone)
        tree_kill(warden->tree, dead);
    report->wall_us = watch_now_us() - watch->started_us;
    return owner;
}

static int run_program(Warden *warden, const WireOrder *order, int fds[WIRE_FDS]) {
    WireReport report = {.run = order->run};
    Watch watch;
    watch_start(&watch, &order->request.limits);
    Start start = {.request = &order->request,
                   .namespaced = warden->namespaced,
                   .priority = warden->priority,
                   .machine_processes = watch.machine_processes};
    memcpy(start.fds, fds, sizeof(start.fds));
    TreeDead dead = {.child = -1};
    int owner = OWNER_ALIVE;
    reset_pipes();
    if (!read_texts(warden, &order->request, &start)) {
        start.failed_step = WIRE_STEP_FORK;
        start.failed_errno = ENOMEM;
    } else if ((dead.child = start_program(&start)) > 0) {
        owner = supervise(warden, order, &watch, &report, &dead);
    }
    report.failed_step = start.failed_step;
    report.failed_errno = start.failed_errno;
    report.status = dead.child_status;
    report.user_us = dead.user_us;
    report.system_us = dead.system_us;
    report.peak_bytes = dead.peak_bytes;
    if (!report.limit)
        report.limit = watch_explain(&order->request.limits, &dead);
    for (int i = 0; i < WIRE_FDS; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    return owner == OWNER_ALIVE && send(WIRE_FD_LINK, &report, sizeof(report), MSG_NOSIGNAL) > 0 ? OWNER_ALIVE
                                                                                                 : OWNER_GONE;
}

static void serve(Warden *warden) {
    for (;;) {
        bool has_order;
        WireOrder order;
        int fds[WIRE_FDS];
        if (wait_for_news(-1, &has_order) == OWNER_GONE)
            return;
        if (!has_order || receive_order(&order, fds, MSG_DONTWAIT) <= 0)
            continue;
        if (order.kind == WIRE_STRIKE)
            note_strike(warden, &order);
        else if (run_program(warden, &order, fds) == OWNER_GONE)
            return;
    }
}

int main(void) {
    for (int fd = WIRE_FD_LINK; fd < WIRE_FD_END; fd++)
        if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0)
            return 2; /* not started by a Runner */
    setsid();
    prepare_signals();
    prefer_for_oom();
    Warden warden = {.namespaced = getpid() == 1};
    priority_raise(&warden.priority);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (!(warden.tree = tree_new(warden.namespaced)))
        return 2;
    WireHello hello = {.namespaced = warden.namespaced, .can_fix_addresses = can_fix_addresses()};
    if (send(WIRE_FD_LINK, &hello, sizeof(hello), MSG_NOSIGNAL) < 0)
        return 2;
    serve(&warden);
    return 0;
}
