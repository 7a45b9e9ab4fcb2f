/* What the tests of src/proc share: a runner, the program that misbehaves, and a look at what is left of it.
 *
 * RUN_EVERYWHERE runs a table of tests on every kind of machine that this one can play: with and without PID
 * namespaces, and, where it started as root, as another user too.
 */
#ifndef TESTS_PROC_HELPERS_H
#define TESTS_PROC_HELPERS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "proc/run.h"
#include "proc/scratch.h"

enum { NOBODY = 65534 };

typedef struct Fixture {
    Runner *runner;
    ProcResult result;
    Scratch scratch;
    char marker[64]; /* the last argument of every program started */
} Fixture;

static inline int fixture_setup(void **state) {
    Error err;
    Fixture *fixture = mem_zalloc(1, sizeof(*fixture));
    if (!(fixture->runner = runner_new(&err)) || !scratch_new(&fixture->scratch, &err))
        return print_error("%s\n", err.text), -1;
    snprintf(fixture->marker, sizeof(fixture->marker), "marker-%d-%p", getpid(), (void *)fixture);
    *state = fixture;
    return 0;
}

static inline int fixture_teardown(void **state) {
    Fixture *fixture = *state;
    runner_free(fixture->runner);
    scratch_release(&fixture->scratch);
    proc_result_release(&fixture->result);
    free(fixture);
    return 0;
}

/* Processes of the machine with `marker` among their arguments. */
static inline int count_marked(const char *marker) {
    int count = 0;
    DIR *proc = opendir("/proc");
    for (struct dirent *entry; (entry = readdir(proc));) {
        CLEANUP(str_release) Str text = {0};
        char path[300];
        snprintf(path, sizeof(path), "/proc/%s/cmdline", entry->d_name);
        if (atoi(entry->d_name) > 0 && file_read(path, &text, NULL))
            count += memmem(str_text(&text), text.len, marker, strlen(marker)) != NULL;
    }
    closedir(proc);
    return count;
}

/* Beside this test: BUILD/tests/support. */
static inline const char *misbehave_path(void) {
    if (!getenv("TEST_MISBEHAVE")) {
        char path[4096] = {0};
        if (readlink("/proc/self/exe", path, sizeof(path) - 1) < 0)
            fail_msg("cannot tell where this test stands");
        *strstr(path, "/unit/") = '\0';
        strcat(path, "/support/misbehave");
        setenv("TEST_MISBEHAVE", path, 1);
    }
    return getenv("TEST_MISBEHAVE");
}

/* Runs `misbehave deed argument` with the request's other settings, expecting that it starts and that nothing of it is
 * left afterwards. */
static inline ProcResult *misbehave(Fixture *fixture, ProcRequest request, const char *deed, const char *argument) {
    Error err = {0};
    const char *argv[] = {misbehave_path(), deed, argument, fixture->marker, NULL};
    request.argv = argv;
    if (!request.limits.wall_ms)
        request.limits.wall_ms = 60000;
    if (!runner_run(fixture->runner, &request, &fixture->result, &err))
        fail_msg("%s", err.text);
    assert_int_equal(count_marked(fixture->marker), 0);
    return &fixture->result;
}

static inline void assert_limit(const ProcResult *result, ProcLimit limit) {
    if (result->limit != limit)
        fail_msg("the limit that struck is '%s', not '%s'; exit %d, signal %d, standard error: %s",
                 proc_limit_name(result->limit), proc_limit_name(limit), result->exit_code, result->signal,
                 str_text(&result->err));
}

static inline void assert_exit(const ProcResult *result, int code) {
    assert_limit(result, PROC_LIMIT_NONE);
    if (result->exit_code != code)
        fail_msg("exit code %d, not %d; signal %d, standard error: %s", result->exit_code, code, result->signal,
                 str_text(&result->err));
}

/* Another user needs programs that it can reach, whatever directory the build stands in. */
static inline void publish(const char *dir, const char *path, const char *variable, const char *value) {
    CLEANUP(mem_freep) char *copy = path_of(dir, path_name(path));
    Error err;
    if (!file_copy(path, copy, &err))
        fail_msg("%s", err.text);
    setenv(variable, value ? value : copy, 1);
}

static inline void publish_programs(const char *dir) {
    CLEANUP(str_release) Str warden = {0};
    path_runtime("warden", &warden, NULL);
    chmod(dir, 0755);
    publish(dir, str_text(&warden), "CULPRIT_RUNTIME", dir);
    publish(dir, misbehave_path(), "TEST_MISBEHAVE", NULL);
}

static inline int run_as_nobody(int (*run)(const char *name)) {
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        if (chdir("/") || setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))
            _exit(99);
        prctl(PR_SET_DUMPABLE, 1); /* or its files in /proc would belong to root, which no login has to put up with */
        int failed = run("as another user");
        setenv("CULPRIT_NO_NAMESPACES", "1", 1);
        failed += run("as another user, without namespaces");
        fflush(NULL);
        _exit(failed);
    }
    int status;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static inline int run_everywhere(int (*run)(const char *name)) {
    Scratch programs = {0};
    int failed = run("as it is");
    setenv("CULPRIT_NO_NAMESPACES", "1", 1);
    failed += run("without namespaces");
    unsetenv("CULPRIT_NO_NAMESPACES");
    if (geteuid() == 0 && scratch_new(&programs, NULL)) {
        publish_programs(programs.path);
        failed += run_as_nobody(run);
    }
    scratch_release(&programs);
    return failed;
}

#define PROC_TEST(function) cmocka_unit_test_setup_teardown(function, fixture_setup, fixture_teardown)

#define RUN_EVERYWHERE(tests)                                                      \
    static int run_group(const char *name) {                                       \
        return _cmocka_run_group_tests(name, tests, ARRAY_LEN(tests), NULL, NULL); \
    }                                                                              \
    int main(void) { return run_everywhere(run_group); }

#endif
