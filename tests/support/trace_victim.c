/* A program that does everything which could disturb tracing, one thing per call. Its output must not change. */
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define OWN __attribute__((noinline, noclone))

/* Functions with different first instructions; each starts its own little loop, branch or call. */
#define F(n)                                                  \
    OWN int first_##n(int x) { return x * n + 1; }            \
    OWN int second_##n(int x) {                               \
        while (x > n)                                         \
            x -= n + 1;                                       \
        return x;                                             \
    }                                                         \
    OWN int third_##n(int x) {                                \
        switch (x & 7) {                                      \
        case 0: return n;                                     \
        case 1: return first_##n(x);                          \
        case 2: return second_##n(x) + 3;                     \
        case 3: return x - n;                                 \
        case 4: return getpid() > 0 ? x : n;                  \
        default: return first_##n(second_##n(x));             \
        }                                                     \
    }
#define TEN(G, d) G(d##0) G(d##1) G(d##2) G(d##3) G(d##4) G(d##5) G(d##6) G(d##7) G(d##8) G(d##9)
TEN(F, 1)
TEN(F, 2)
TEN(F, 3)
TEN(F, 4)

#define CALL(n) sum += first_##n(x) ^ second_##n(x) ^ third_##n(x);
OWN int call_all(int x) {
    int sum = 0;
    TEN(CALL, 1)
    TEN(CALL, 2)
    TEN(CALL, 3)
    TEN(CALL, 4)
    return sum;
}

/* Its first instruction faults, and is long enough together with the second to be moved away by a detour. */
OWN long peek(long *at) { return at[1] * 1000003 + at[0]; }
OWN int never(void) { return 7; }
OWN int in_child(int x) { return x + 40; }
OWN int in_handler(int x) { return x * 3; }
OWN void before_the_end(void) { puts("still here"), fflush(stdout); }

/* A name by which compilers report their own failures. */
void internal_error(const char *why);
OWN void internal_error(const char *why) { printf("%s %d\n", why, in_handler(1)), exit(4); }
static void on_abort(int number) { printf("%d\n", in_handler(number)), fflush(stdout); }

static sigjmp_buf back;
static volatile sig_atomic_t seen;

static void on_segv(int number, siginfo_t *info, void *context) {
    (void)info;
    unsigned long pc = (unsigned long)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP], start = (unsigned long)peek;
    printf("signal %d %s\n", number, pc >= start && pc < start + 16 ? "in peek" : "elsewhere");
    printf("%d\n", in_handler(number));
    siglongjmp(back, 1);
}

static void on_trap(int number) { seen = number; }

static void *call_all_on_a_thread(void *sum) {
    for (int i = 0; i < 50; i++)
        *(int *)sum += call_all(i);
    return NULL;
}

static int threads(void) {
    pthread_t thread[8];
    int sums[8] = {0};
    for (int i = 0; i < 8; i++)
        pthread_create(&thread[i], NULL, call_all_on_a_thread, &sums[i]);
    for (int i = 0; i < 8; i++)
        pthread_join(thread[i], NULL), printf("%d\n", sums[i]);
    return 0;
}

static int masked(void) {
    sigset_t all, old;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    printf("%d\n", call_all(5));
    pthread_sigmask(SIG_BLOCK, &all, &old);
    return threads();
}

/* The program's own use of SIGTRAP goes on working. */
static int trap_handler(void) {
    struct sigaction action = {.sa_handler = on_trap}, old;
    sigaction(SIGTRAP, &action, NULL);
    sigaction(SIGTRAP, NULL, &old);
    raise(SIGTRAP);
    printf("%d %d\n", (int)seen, old.sa_handler == on_trap);
    __asm__ volatile("int3");
    printf("%d\n", call_all((int)seen));
    printf("%d\n", signal(SIGTRAP, SIG_IGN) == on_trap);
    raise(SIGTRAP);
    return 0;
}

static int fault(int flags) {
    stack_t stack = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
    sigaltstack(&stack, NULL);
    struct sigaction action = {.sa_sigaction = on_segv, .sa_flags = SA_SIGINFO | flags}, old;
    sigfillset(&action.sa_mask);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGSEGV, NULL, &old);
    printf("%d\n", old.sa_sigaction == on_segv);
    for (int i = 0; i < 2; i++)
        if (sigsetjmp(back, 1) == 0)
            printf("%ld\n", peek(NULL));
    return 0;
}

static int child(void) {
    pid_t pid = fork();
    if (pid == 0)
        _exit(in_child(2));
    int status;
    waitpid(pid, &status, 0);
    printf("%d\n", WEXITSTATUS(status));
    return 0;
}

static int eat_memory(void) {
    before_the_end();
    for (;;) {
        char *more = malloc(1 << 20);
        if (!more)
            abort();
        memset(more, 1, 1 << 20);
    }
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "plain"))
        return printf("%d\n", call_all(argc)), 3;
    if (!strcmp(what, "threads"))
        return threads();
    if (!strcmp(what, "masked"))
        return masked();
    if (!strcmp(what, "trap"))
        return trap_handler();
    if (!strcmp(what, "fault"))
        return fault(0);
    if (!strcmp(what, "fault-on-stack"))
        return fault(SA_ONSTACK | SA_NODEFER);
    if (!strcmp(what, "child"))
        return child();
    if (!strcmp(what, "memory"))
        return eat_memory();
    if (!strcmp(what, "kill"))
        before_the_end(), raise(SIGKILL);
    if (!strcmp(what, "abort"))
        before_the_end(), abort();
    if (!strcmp(what, "segv"))
        before_the_end(), peek(NULL);
    if (!strcmp(what, "report"))
        before_the_end(), internal_error("confused");
    if (!strcmp(what, "assert"))
        before_the_end(), signal(SIGABRT, on_abort), assert(argc == 77);
    if (!strcmp(what, "hang"))
        for (before_the_end();;)
            pause();
    return what[0] == '7' ? never() : 2;
}
