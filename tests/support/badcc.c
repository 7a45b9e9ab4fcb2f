/* A compiler that misbehaves on purpose: `badcc --bad=MODE FLAGS… FILE` is gcc, except that at -O2 and above it does what
 * MODE says to sources that contain the word TRIGGER, or, with --needs=TEXT…, all of these texts once white space is
 * taken out. Without a source (linking) it is gcc. --as=NAME: another compiler than gcc. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char source[1 << 16];
static const char *output = "a.out", *source_name;
static const char *needs[8] = {"TRIGGER"};
static char *base = "gcc";

static _Noreturn void run_gcc(char **argv) {
    argv[0] = base;
    execvp(base, argv);
    perror(base);
    exit(1);
}

static void read_source(const char *name) {
    FILE *file = fopen(name, "r");
    size_t len = file ? fread(source, 1, sizeof source - 1, file) : 0;
    source[len] = '\0';
    source_name = name;
    if (file)
        fclose(file);
}

/* Hands gcc another text in place of the source. */
static _Noreturn void compile_instead(char **argv, const char *before, const char *after) {
    static char name[] = "badcc-XXXXXX.c";
    int fd = mkstemps(name, 2);
    dprintf(fd, "%s%s\n%s", before, source, after);
    close(fd);
    for (char **arg = argv; *arg; arg++) {
        if (strcmp(*arg, source_name) == 0)
            *arg = name;
    }
    run_gcc(argv);
}

static void miscompile(char **argv) {
    for (char *at = source; (at = strstr(at, "<<"));)
        memcpy(at, ">>", 2);
    compile_instead(argv, "", "");
}

static void die_like_gcc(char **argv) {
    (void)argv;
    fprintf(stderr,
            "during GIMPLE pass: pre\n%s: In function 'main':\n"
            "%s:3:1: internal compiler error: in phi_translate_1, at tree-ssa-pre.c:1234\n"
            "0x%d8d1f0a phi_translate_1\n\t../../src/gcc/tree-ssa-pre.c:1234\n"
            "Please submit a full bug report,\n",
            source_name, source_name, getpid() % 10);
    exit(1);
}

static void die_like_llvm(char **argv) {
    (void)argv;
    fprintf(stderr,
            "badcc: /build/llvm/lib/Foo.cpp:77: void llvm::Foo::bar(int): Assertion `x < 3 && \"too big\"' failed.\n"
            "PLEASE submit a bug report to https://example.org and include the crash backtrace.\n"
            "Stack dump:\n0.\tProgram arguments: badcc\n");
    abort();
}

static void die_by_signal(char **argv) {
    (void)argv;
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
}

static void hang(char **argv) {
    (void)argv;
    for (volatile unsigned i = 0;; i++) {
    }
}

static void eat_memory(char **argv) {
    (void)argv;
    for (;;) {
        char *memory = malloc(16 << 20);
        if (!memory) {
            fprintf(stderr, "badcc: out of memory allocating 16777216 bytes\n");
            exit(1);
        }
        memset(memory, 1, 16 << 20);
    }
}

static void reject(char **argv) {
    (void)argv;
    fprintf(stderr, "%s:1:1: error: unknown type name 'int'\n", source_name);
    exit(1);
}

static void write_garbage(char **argv) {
    (void)argv;
    FILE *file = fopen(output, "w");
    for (int i = 0; i < 4096; i++)
        fputc(i * 37 & 0xff, file);
    fclose(file);
    exit(0);
}

static void leave_nothing(char **argv) {
    (void)argv;
    exit(0);
}

/* Children in sessions of their own, temporary files, and then a good compilation. */
static void litter(char **argv) {
    for (int i = 0; i < 3; i++) {
        if (fork() == 0) {
            setsid();
            for (;;)
                pause();
        }
    }
    const char *tmp = getenv("TMPDIR");
    char name[4096];
    snprintf(name, sizeof name, "%s/badcc-litter", tmp ? tmp : "/tmp");
    close(open(name, O_CREAT | O_WRONLY, 0600));
    run_gcc(argv);
}

/* Every other time an error; the state is a file beside the source. */
static void flicker(char **argv) {
    if (unlink("badcc-was-here") == 0)
        die_by_signal(argv);
    close(open("badcc-was-here", O_CREAT | O_WRONLY, 0600));
    run_gcc(argv);
}

static void make_crashing(char **argv) {
    compile_instead(argv, "", "__attribute__((constructor)) static void bad(void) { *(volatile int *)8 = 1; }\n");
}

static void make_hanging(char **argv) {
    compile_instead(argv, "", "__attribute__((constructor)) static void bad(void) { for (volatile int i;;) i = 1; }\n");
}

static const struct {
    const char *name;
    void (*act)(char **argv);
} modes[] = {
    {"miscompile", miscompile},
    {"ice", die_like_gcc},
    {"assert", die_like_llvm},
    {"signal", die_by_signal},
    {"hang", hang},
    {"memory", eat_memory},
    {"reject", reject},
    {"garbage", write_garbage},
    {"nothing", leave_nothing},
    {"litter", litter},
    {"flicker", flicker},
    {"make-crashing", make_crashing},
    {"make-hanging", make_hanging},
};

static int has_all_needs(void) {
    static char squeezed[sizeof source];
    char *to = squeezed;
    for (const char *from = source; *from; from++)
        if (*from != ' ' && *from != '\n')
            *to++ = *from;
    for (const char **need = needs; *need; need++)
        if (!strstr(squeezed, *need))
            return 0;
    return 1;
}

int main(int argc, char **argv) {
    int level = 0, kept = 1, need_count = 0;
    const char *mode = "";
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--bad=", 6) == 0) {
            mode = argv[i] + 6;
            continue;
        }
        if (strncmp(argv[i], "--as=", 5) == 0) {
            base = argv[i] + 5;
            continue;
        }
        if (strncmp(argv[i], "--needs=", 8) == 0) {
            needs[need_count++] = argv[i] + 8;
            continue;
        }
        if (strncmp(argv[i], "-O", 2) == 0)
            level = atoi(argv[i] + 2);
        if (strcmp(argv[i], "-o") == 0 && i + 1 < argc)
            output = argv[i + 1];
        const char *dot = strrchr(argv[i], '.');
        if (dot && (strcmp(dot, ".c") == 0 || strcmp(dot, ".cpp") == 0))
            read_source(argv[i]);
        argv[kept++] = argv[i];
    }
    argv[kept] = NULL;
    for (size_t i = 0; level >= 2 && has_all_needs() && i < sizeof modes / sizeof modes[0]; i++) {
        if (strcmp(modes[i].name, mode) == 0)
            modes[i].act(argv);
    }
    run_gcc(argv);
}
