/* A program that misbehaves on demand: misbehave WHAT [ARGUMENT]. Further arguments only mark its processes in
 * /proc. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void sleep_long(void) {
    for (;;)
        pause();
}

/* Each copy forks on and on; so that a failing test costs no machine, they end by themselves after a while. */
static int bomb(bool sessions) {
    time_t end = time(NULL) + 6;
    while (time(NULL) < end) {
        if (fork() == 0 && sessions)
            setsid();
    }
    return 0;
}

static int fork_bomb(const char *argument) {
    (void)argument;
    return bomb(false);
}

static int session_bomb(const char *argument) {
    (void)argument;
    return bomb(true);
}

static int ignore_signals(const char *argument) {
    (void)argument;
    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_IGN);
    for (;;)
        ;
    return 0;
}

static int sleep_on(const char *argument) {
    (void)argument;
    sleep_long();
    return 0;
}

/* A grandchild that outlives its parent and keeps its output open. */
static int leave_orphan(const char *argument) {
    (void)argument;
    if (fork() == 0)
        sleep_long();
    puts("left");
    return 0;
}

/* The classical daemon: two forks, a session of its own, signals ignored. */
static int leave_daemon(const char *argument) {
    (void)argument;
    if (fork() == 0) {
        setsid();
        signal(SIGHUP, SIG_IGN);
        signal(SIGTERM, SIG_IGN);
        if (fork() == 0)
            sleep_long();
        _exit(0);
    }
    puts("left");
    return 0;
}

/* Tries to end whoever started it and everything else in reach. */
static int kill_around(const char *argument) {
    (void)argument;
    signal(SIGTERM, SIG_IGN);
    kill(0, SIGTERM);
    kill(getppid(), SIGTERM);
    return 7;
}

static int flood(const char *bytes) {
    static char block[65536];
    memset(block, 'x', sizeof(block));
    for (long long left = atoll(bytes); left > 0; left -= (long long)sizeof(block))
        if (write(STDOUT_FILENO, block, left < (long long)sizeof(block) ? (size_t)left : sizeof(block)) < 0)
            return 1;
    return 0;
}

/* Says what it could get before it was refused. */
static int hog(const char *bytes) {
    long long got = 0, step = 1 << 20;
    for (; got < atoll(bytes); got += step) {
        char *block = malloc((size_t)step);
        if (!block)
            return fputs("out of memory\n", stderr), 1;
        memset(block, 1, (size_t)step);
    }
    return 0;
}

/* A hog that spreads over children, each harmless alone. */
static int hog_family(const char *bytes) {
    for (int i = 0; i < 8; i++)
        if (fork() == 0) {
            hog(bytes);
            sleep_long();
        }
    sleep_long();
    return 0;
}

/* Shadow memory of sanitizers: terabytes reserved, nothing used. */
static int reserve(const char *bytes) {
    void *block = mmap(NULL, strtoull(bytes, NULL, 0), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return block == MAP_FAILED;
}

static int spin(const char *argument) {
    (void)argument;
    for (volatile unsigned i = 0;; i++)
        ;
    return 0;
}

static void fail_in_handler(int number) {
    (void)number;
    abort();
}

/* Compilers catch the kernel's warning of a limit, and may break down in their handler. */
static int spin_and_abort(const char *argument) {
    signal(SIGXCPU, fail_in_handler);
    return spin(argument);
}

/* Burns its time in children that live shortly. */
static int spin_in_children(const char *argument) {
    (void)argument;
    for (;;) {
        pid_t pid = fork();
        if (pid == 0) {
            for (volatile unsigned i = 0; i < 20000000; i++)
                ;
            _exit(0);
        }
        waitpid(pid, NULL, 0);
    }
}

static int append_forever(const char *path) {
    static char block[65536];
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    while (write(fd, block, sizeof(block)) > 0)
        ;
    return errno == EFBIG ? 9 : 1;
}

static int write_file(const char *path) {
    int fd = open(path, O_WRONLY | O_CREAT, 0666);
    return fd < 0 || write(fd, "x", 1) != 1 ? errno : 0;
}

static int truncate_file(const char *path) { return truncate(path, 0) ? errno : 0; }
static int remove_file(const char *path) { return unlink(path) ? errno : 0; }
static int make_dir(const char *path) { return mkdir(path, 0777) ? errno : 0; }
static int make_link(const char *path) { return symlink("/etc/passwd", path) ? errno : 0; }
static int read_file(const char *path) { return open(path, O_RDONLY) < 0 ? errno : 0; }

static int connect_tcp(const char *port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(port))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    return fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) ? errno : 0;
}

static int open_socket(const char *family) { return socket(atoi(family), SOCK_DGRAM, 0) < 0 ? errno : 0; }

/* A socket through the other interfaces to the kernel: 32-bit, its old socketcall, and x32. */
static int open_socket_aside(const char *way) {
#ifdef __x86_64__
    long result;
    unsigned arguments[] = {AF_INET, SOCK_DGRAM, 0};
    if (strcmp(way, "x32") == 0)
        return syscall(0x40000000 + 41, AF_INET, SOCK_DGRAM, 0) < 0 ? errno : 0;
    bool old = strcmp(way, "socketcall") == 0;
    long call = old ? 102 : 359, first = old ? 1 : AF_INET, second = old ? (long)(intptr_t)arguments : SOCK_DGRAM;
    __asm__ volatile("int $0x80"
                     : "=a"(result)
                     : "a"(call), "b"(first), "c"(second), "d"(0L)
                     : "memory", "r8", "r9", "r10", "r11");
    return result < 0 ? (int)-result : 0;
#else
    (void)way;
    return EACCES;
#endif
}

static int open_uring(const char *argument) {
    (void)argument;
    char params[256] = {0};
    return syscall(425, 4, params) < 0 ? errno : 0;
}

/* Leaves the shared description of its standard output non-blocking. */
static int unblock_output(const char *argument) {
    (void)argument;
    return fcntl(STDOUT_FILENO, F_SETFL, O_NONBLOCK) ? errno : 0;
}

static int no_randomisation(const char *argument) {
    (void)argument;
    printf("%p\n", (void *)&argument);
    return 0;
}

static int echo_input(const char *argument) {
    (void)argument;
    char block[65536];
    for (ssize_t len; (len = read(STDIN_FILENO, block, sizeof(block))) > 0;)
        if (write(STDOUT_FILENO, block, (size_t)len) != len)
            return 1;
    return 0;
}

static int die(const char *signal) { return raise(atoi(signal)); }
static int leave(const char *code) { return atoi(code); }

static const struct {
    const char *name;
    int (*run)(const char *argument);
} deeds[] = {
    {"fork-bomb", fork_bomb},
    {"session-bomb", session_bomb},
    {"ignore-signals", ignore_signals},
    {"sleep", sleep_on},
    {"orphan", leave_orphan},
    {"daemon", leave_daemon},
    {"kill-around", kill_around},
    {"flood", flood},
    {"hog", hog},
    {"hog-family", hog_family},
    {"reserve", reserve},
    {"spin", spin},
    {"spin-and-abort", spin_and_abort},
    {"spin-in-children", spin_in_children},
    {"append", append_forever},
    {"write", write_file},
    {"truncate", truncate_file},
    {"remove", remove_file},
    {"mkdir", make_dir},
    {"symlink", make_link},
    {"read", read_file},
    {"connect", connect_tcp},
    {"socket", open_socket},
    {"uring", open_uring},
    {"socket-aside", open_socket_aside},
    {"unblock", unblock_output},
    {"address", no_randomisation},
    {"cat", echo_input},
    {"die", die},
    {"exit", leave},
};

int main(int argc, char **argv) {
    for (size_t i = 0; argc > 1 && i < sizeof(deeds) / sizeof(deeds[0]); i++)
        if (strcmp(deeds[i].name, argv[1]) == 0)
            return deeds[i].run(argc > 2 ? argv[2] : "");
    fprintf(stderr, "usage: misbehave WHAT [ARGUMENT]\n");
    return 2;
}
