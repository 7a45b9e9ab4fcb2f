#include "proc/warden/link.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

News link_wait(int64_t wait_us) {
    struct pollfd polled[] = {{.fd = WIRE_FD_LINK, .events = POLLIN}, {.fd = WIRE_FD_OWNER, .events = POLLIN}};
    struct timespec timeout = {.tv_sec = wait_us / 1000000, .tv_nsec = wait_us % 1000000 * 1000};
    sigset_t mask; /* the end of a child interrupts, and only here */
    sigfillset(&mask);
    sigdelset(&mask, SIGCHLD);
    if (ppoll(polled, 2, wait_us < 0 ? NULL : &timeout, &mask) <= 0)
        return (News){0};
    return (News){.owner_gone = polled[1].revents || (polled[0].revents & (POLLHUP | POLLERR)),
                  .has_order = polled[0].revents & POLLIN};
}

static void take_descriptors(struct msghdr *message, const WireOrder *order, int fds[WIRE_FDS]) {
    int received[WIRE_FDS], count = 0;
    struct cmsghdr *part = CMSG_FIRSTHDR(message);
    if (part && part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_RIGHTS) {
        count = (int)((part->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        memcpy(received, CMSG_DATA(part), (size_t)count * sizeof(int));
    }
    for (int i = 0, next = 0; i < WIRE_FDS; i++)
        fds[i] = order->kind == WIRE_RUN && order->request.fds[i] && next < count ? received[next++] : -1;
}

bool link_receive(WireOrder *ret_order, int ret_fds[WIRE_FDS]) {
    union {
        struct cmsghdr align;
        char space[CMSG_SPACE(sizeof(int) * WIRE_FDS)];
    } control;
    struct iovec part = {.iov_base = ret_order, .iov_len = sizeof(*ret_order)};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
    if (recvmsg(WIRE_FD_LINK, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) != (ssize_t)sizeof(*ret_order))
        return false;
    take_descriptors(&message, ret_order, ret_fds);
    return true;
}

bool link_send(const void *message, size_t size) {
    return send(WIRE_FD_LINK, message, size, MSG_NOSIGNAL) == (ssize_t)size;
}
