/* Seccomp filters: the words they are written in, and the interfaces to the kernel that they have to know.
 *
 * A machine offers its own interface and a 32-bit one (programs compiled with -m32 are under test too), with other
 * numbers for the calls. NATIVE_ARCH is undefined on machines whose numbers we do not know.
 */
#ifndef PROC_WARDEN_FILTER_H
#define PROC_WARDEN_FILTER_H

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
/* Jumps count the instructions they skip. */
#define IF_EQUAL(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (yes), (no))
#define IF_AT_LEAST(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (value), (yes), (no))
#define IF_ANY_BIT(bits, yes, no) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), (yes), (no))
#define RETURN(verdict) BPF_STMT(BPF_RET | BPF_K, (verdict))

/* These have one number in every interface. */
enum { CALL_IO_URING_SETUP = 425, CALL_CLONE3 = 435 };

/* The third interface of x86-64, with pointers of 4 bytes, sets this bit in its numbers; nothing uses it. */
enum { X32_BIT = 0x40000000 };

#define NO_SUCH_CALL 0xffffffffu

#if defined(__x86_64__)
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#define COMPAT_ARCH AUDIT_ARCH_I386
#define NATIVE_FORK 57
#define NATIVE_VFORK 58
#define NATIVE_CLONE 56
#define NATIVE_SOCKET 41
#define COMPAT_SOCKET 359
#elif defined(__aarch64__)
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#define COMPAT_ARCH AUDIT_ARCH_ARM
#define NATIVE_FORK NO_SUCH_CALL
#define NATIVE_VFORK NO_SUCH_CALL
#define NATIVE_CLONE 220
#define NATIVE_SOCKET 198
#define COMPAT_SOCKET 281
#endif

/* The same for i386 and arm. */
enum { COMPAT_FORK = 2, COMPAT_VFORK = 190, COMPAT_CLONE = 120, COMPAT_SOCKETCALL = 102 };

#endif
