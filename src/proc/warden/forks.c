#include "proc/warden/forks.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "proc/warden/filter.h"

bool forks_init(Forks *forks) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    *forks = (Forks){.child_end = ends[0], .warden_end = ends[1]};
    return fcntl(forks->warden_end, F_SETFL, O_NONBLOCK) == 0;
}

#ifdef NATIVE_ARCH

/* clone tells threads from processes in a register, clone3 in memory, where no filter looks: that one is said not to
 * exist, and libraries fall back to clone. */
static int install_filter(void) {
    struct sock_filter filter[] = {
        /*  0 */ LOAD(arch),
        /*  1 */ IF_EQUAL(NATIVE_ARCH, 0, 7),
        /*  2 */ LOAD(nr),
        /*  3 */ IF_AT_LEAST(X32_BIT, 15, 0),
        /*  4 */ IF_EQUAL(CALL_CLONE3, 14, 0),
        /*  5 */ IF_EQUAL(NATIVE_FORK, 14, 0),
        /*  6 */ IF_EQUAL(NATIVE_VFORK, 13, 0),
        /*  7 */ IF_EQUAL(NATIVE_CLONE, 8, 0),
        /*  8 */ RETURN(SECCOMP_RET_ALLOW),
        /*  9 */ IF_EQUAL(COMPAT_ARCH, 0, 5),
        /* 10 */ LOAD(nr),
        /* 11 */ IF_EQUAL(CALL_CLONE3, 7, 0),
        /* 12 */ IF_EQUAL(COMPAT_FORK, 7, 0),
        /* 13 */ IF_EQUAL(COMPAT_VFORK, 6, 0),
        /* 14 */ IF_EQUAL(COMPAT_CLONE, 1, 0),
        /* 15 */ RETURN(SECCOMP_RET_ALLOW),
        /* 16 */ LOAD(args[0]),
        /* 17 */ IF_ANY_BIT(CLONE_THREAD, 0, 2),
        /* 18 */ RETURN(SECCOMP_RET_ALLOW),
        /* 19 */ RETURN(SECCOMP_RET_ERRNO | ENOSYS),
        /* 20 */ RETURN(SECCOMP_RET_USER_NOTIF),
    };
    struct sock_fprog program = {.len = sizeof(filter) / sizeof(filter[0]), .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                        SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program);
}

#else

static int install_filter(void) { return -1; }

#endif

typedef union Control {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int))];
} Control;

/* The listener goes from here on with exec; the warden keeps its copy. */
void forks_ask(const Forks *forks) {
    int listener = install_filter();
    if (listener < 0)
        return;
    Control control = {0};
    struct iovec part = {.iov_base = "", .iov_len = 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(&control.header), &listener, sizeof(int));
    sendmsg(forks->child_end, &message, MSG_NOSIGNAL);
}

int forks_listener(const Forks *forks) {
    Control control = {0};
    char byte;
    struct iovec part = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
    if (recvmsg(forks->warden_end, &message, MSG_CMSG_CLOEXEC) < 0 || !CMSG_FIRSTHDR(&message))
        return -1;
    int listener;
    memcpy(&listener, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(int));
    return listener;
}

/* The kernel's structures may grow: it tells how large they are only on request, so room is left. */
bool forks_next(int listener, uint64_t *ret_id) {
    union {
        struct seccomp_notif notification;
        char room[256];
    } request;
    memset(&request, 0, sizeof(request));
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &request) != 0)
        return false; /* it was killed meanwhile */
    *ret_id = request.notification.id;
    return true;
}

void forks_allow(int listener, uint64_t id) {
    union {
        struct seccomp_notif_resp response;
        char room[256];
    } answer;
    memset(&answer, 0, sizeof(answer));
    answer.response.id = id;
    answer.response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}
