/* Landlock knows TCP ports only, and only since Linux 6.7; a socket that cannot be made needs no rule. io_uring can
 * open sockets past any filter, so it is refused as well. */
#include "proc/warden/network.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A machine offers its own interface and a 32-bit one, with other numbers for the calls; programs compiled with -m32 are
 * under test too. */
#if defined(__x86_64__)
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#define COMPAT_ARCH AUDIT_ARCH_I386
enum { COMPAT_SOCKET = 359, COMPAT_SOCKETCALL = 102 };
#elif defined(__aarch64__)
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#define COMPAT_ARCH AUDIT_ARCH_ARM
enum { COMPAT_SOCKET = 281, COMPAT_SOCKETCALL = 102 };
#endif

#ifdef NATIVE_ARCH

/* What the old socketcall does; its other arguments stand in memory, where no filter looks. */
enum { SOCKETCALL_SOCKET = 1 };
/* This one has the same number in every interface. */
enum { IO_URING_SETUP = 425 };
/* The third interface of x86-64, with pointers of 4 bytes, sets this bit in its numbers; nothing uses it. */
enum { X32_BIT = 0x40000000 };

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
/* Jumps count the instructions they skip. */
#define IF_EQUAL(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (yes), (no))
#define IF_AT_LEAST(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (value), (yes), (no))
#define RETURN(verdict) BPF_STMT(BPF_RET | BPF_K, (verdict))

bool network_forbid(void) {
    struct sock_filter filter[] = {
        /*  0 */ LOAD(arch),
        /*  1 */ IF_EQUAL(NATIVE_ARCH, 0, 5),
        /*  2 */ LOAD(nr),
        /*  3 */ IF_AT_LEAST(X32_BIT, 13, 0),
        /*  4 */ IF_EQUAL(IO_URING_SETUP, 12, 0),
        /*  5 */ IF_EQUAL(SYS_socket, 8, 0),
        /*  6 */ RETURN(SECCOMP_RET_ALLOW),
        /*  7 */ IF_EQUAL(COMPAT_ARCH, 0, 9),
        /*  8 */ LOAD(nr),
        /*  9 */ IF_EQUAL(IO_URING_SETUP, 7, 0),
        /* 10 */ IF_EQUAL(COMPAT_SOCKET, 3, 0),
        /* 11 */ IF_EQUAL(COMPAT_SOCKETCALL, 0, 4),
        /* 12 */ LOAD(args[0]),
        /* 13 */ IF_EQUAL(SOCKETCALL_SOCKET, 3, 2),
        /* 14 */ LOAD(args[0]),
        /* 15 */ IF_EQUAL(AF_UNIX, 0, 1),
        /* 16 */ RETURN(SECCOMP_RET_ALLOW),
        /* 17 */ RETURN(SECCOMP_RET_ERRNO | EACCES),
    };
    struct sock_fprog program = {.len = sizeof(filter) / sizeof(filter[0]), .filter = filter};
    /* Without SPEC_ALLOW kernels before 5.16 slow the whole program down against speculation. */
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0 ||
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 || errno == EINVAL || errno == ENOSYS;
}

#else

bool network_forbid(void) { return true; }

#endif
