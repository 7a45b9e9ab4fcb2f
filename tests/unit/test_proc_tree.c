/* Nothing of a process tree survives its run, however it behaves and however culprit ends. */
#include "proc_helpers.h"

#include <pthread.h>
#include <stdatomic.h>

static void test_fork_bomb(void **state) {
    ProcRequest request = {.limits = {.processes = 40}};
    assert_limit(misbehave(*state, request, "fork-bomb", ""), PROC_LIMIT_PROCESSES);
}

static void test_fork_bomb_in_sessions(void **state) {
    ProcRequest request = {.limits = {.processes = 40}};
    assert_limit(misbehave(*state, request, "session-bomb", ""), PROC_LIMIT_PROCESSES);
}

static void test_fork_bomb_until_time_is_up(void **state) {
    ProcRequest request = {.limits = {.wall_ms = 100}};
    assert_limit(misbehave(*state, request, "fork-bomb", ""), PROC_LIMIT_WALL);
}

static void test_child_that_ignores_signals(void **state) {
    ProcRequest request = {.limits = {.wall_ms = 100}};
    ProcResult *result = misbehave(*state, request, "ignore-signals", "");
    assert_limit(result, PROC_LIMIT_WALL);
    assert_int_equal(result->signal, SIGKILL);
    assert_int_equal(result->exit_code, -1);
}

static void check_left(Fixture *fixture, const char *deed) {
    ProcResult *result = misbehave(fixture, (ProcRequest){0}, deed, "");
    assert_exit(result, 0);
    assert_true(result->left_processes);
    assert_string_equal(str_text(&result->out), "left\n");
}

static void test_grandchild_that_outlives_its_parent(void **state) { check_left(*state, "orphan"); }
static void test_daemon_in_a_session_of_its_own(void **state) { check_left(*state, "daemon"); }

static void test_a_well_behaved_program_leaves_nothing(void **state) {
    ProcResult *result = misbehave(*state, (ProcRequest){0}, "exit", "3");
    assert_exit(result, 3);
    assert_false(result->left_processes);
}

static void test_child_that_kills_around(void **state) {
    assert_exit(misbehave(*state, (ProcRequest){0}, "kill-around", ""), 7);
    assert_exit(misbehave(*state, (ProcRequest){0}, "exit", "0"), 0);
}

/* --- Cancelling --- */

static void wait_until_marked(const char *marker, int count) {
    for (int i = 0; i < 2000 && count_marked(marker) != count; i++)
        usleep(5000);
    assert_int_equal(count_marked(marker), count);
}

typedef struct Hammer {
    Runner *runner;
    atomic_bool done;
} Hammer;

static void *cancel_once_it_runs(void *argument) {
    Fixture *fixture = argument;
    for (int i = 0; i < 2000 && count_marked(fixture->marker) == 0; i++)
        usleep(1000);
    runner_cancel(fixture->runner);
    return NULL;
}

static void test_cancel_from_another_thread(void **state) {
    Fixture *fixture = *state;
    pthread_t thread;
    pthread_create(&thread, NULL, cancel_once_it_runs, fixture);
    assert_limit(misbehave(fixture, (ProcRequest){0}, "sleep", ""), PROC_LIMIT_CANCELLED);
    pthread_join(thread, NULL);
    assert_exit(misbehave(fixture, (ProcRequest){0}, "exit", "0"), 0);
}

/* Cancels at every moment of a run, before its request has reached the warden too. */
static void *cancel_all_the_time(void *argument) {
    Hammer *hammer = argument;
    while (!atomic_load(&hammer->done)) {
        runner_cancel(hammer->runner);
        usleep(50);
    }
    return NULL;
}

static void test_no_cancel_is_lost(void **state) {
    Fixture *fixture = *state;
    Hammer hammer = {.runner = fixture->runner};
    pthread_t thread;
    pthread_create(&thread, NULL, cancel_all_the_time, &hammer);
    for (int i = 0; i < 50; i++)
        assert_limit(misbehave(fixture, (ProcRequest){.limits = {.wall_ms = 600000}}, "sleep", ""),
                     PROC_LIMIT_CANCELLED);
    atomic_store(&hammer.done, true);
    pthread_join(thread, NULL);
}

static void test_cancel_of_nothing_is_forgotten(void **state) {
    Fixture *fixture = *state;
    runner_cancel(fixture->runner);
    assert_exit(misbehave(fixture, (ProcRequest){0}, "exit", "0"), 0);
}

static void test_stop_lasts_until_resume(void **state) {
    Fixture *fixture = *state;
    runner_stop(fixture->runner);
    assert_limit(misbehave(fixture, (ProcRequest){0}, "exit", "0"), PROC_LIMIT_CANCELLED);
    runner_resume(fixture->runner);
    assert_exit(misbehave(fixture, (ProcRequest){0}, "exit", "0"), 0);
}

/* --- The end of culprit --- */

/* A copy of culprit, as it were, that runs a program until it is killed. */
static pid_t start_victim(Fixture *fixture, const char *deed) {
    pid_t pid = fork();
    if (pid == 0) {
        Error err;
        const char *argv[] = {misbehave_path(), deed, "", fixture->marker, NULL};
        ProcResult result = {0};
        Runner *runner = runner_new(&err);
        if (runner)
            runner_run(runner, &(ProcRequest){.argv = argv}, &result, &err);
        _exit(1);
    }
    return pid;
}

static void check_nothing_survives_kill(Fixture *fixture, const char *deed, int processes) {
    pid_t victim = start_victim(fixture, deed);
    wait_until_marked(fixture->marker, processes);
    kill(victim, SIGKILL);
    waitpid(victim, NULL, 0);
    wait_until_marked(fixture->marker, 0);
}

static void test_nothing_survives_kill_of_culprit(void **state) { check_nothing_survives_kill(*state, "sleep", 1); }

static void test_no_family_survives_kill_of_culprit(void **state) {
    check_nothing_survives_kill(*state, "hog-family", 9);
}

/* A forked copy of culprit still holds the socket: its end must not be what the warden waits for. */
static void test_nothing_survives_where_the_socket_does(void **state) {
    Fixture *fixture = *state;
    int holder_pid[2];
    assert_int_equal(pipe(holder_pid), 0);
    pid_t victim = fork();
    if (victim == 0) {
        Error err;
        const char *argv[] = {misbehave_path(), "sleep", "", fixture->marker, NULL};
        ProcResult result = {0};
        Runner *runner = runner_new(&err);
        pid_t holder = fork();
        if (holder == 0)
            for (;;)
                pause();
        if (write(holder_pid[1], &holder, sizeof(holder)) > 0)
            runner_run(runner, &(ProcRequest){.argv = argv}, &result, &err);
        _exit(1);
    }
    pid_t holder;
    assert_int_equal(read(holder_pid[0], &holder, sizeof(holder)), sizeof(holder));
    wait_until_marked(fixture->marker, 1);
    kill(victim, SIGKILL);
    waitpid(victim, NULL, 0);
    wait_until_marked(fixture->marker, 0);
    kill(holder, SIGKILL);
    close(holder_pid[0]);
    close(holder_pid[1]);
}

static const struct CMUnitTest tests[] = {
    PROC_TEST(test_fork_bomb),
    PROC_TEST(test_fork_bomb_in_sessions),
    PROC_TEST(test_fork_bomb_until_time_is_up),
    PROC_TEST(test_child_that_ignores_signals),
    PROC_TEST(test_grandchild_that_outlives_its_parent),
    PROC_TEST(test_daemon_in_a_session_of_its_own),
    PROC_TEST(test_a_well_behaved_program_leaves_nothing),
    PROC_TEST(test_child_that_kills_around),
    PROC_TEST(test_cancel_from_another_thread),
    PROC_TEST(test_no_cancel_is_lost),
    PROC_TEST(test_cancel_of_nothing_is_forgotten),
    PROC_TEST(test_stop_lasts_until_resume),
    PROC_TEST(test_nothing_survives_kill_of_culprit),
    PROC_TEST(test_no_family_survives_kill_of_culprit),
    PROC_TEST(test_nothing_survives_where_the_socket_does),
};

RUN_EVERYWHERE(tests)
