/* The pool against a model: every job runs once, never more at a time than workers, and is delivered once, in the order
 * asked for. */
#include "proc_helpers.h"

#include <stdatomic.h>

#include "base/rng.h"
#include "proc/pool.h"

enum { JOBS = 300 };

typedef struct Shared {
    atomic_int running, most_running;
    atomic_int finished;
} Shared;

typedef struct Job {
    Shared *shared;
    size_t number;
    unsigned pause_us;
    int runs;
    size_t worker;
    int finished_as; /* the how-manieth to finish */
    bool delivered;
} Job;

static void work_a_while(Runner *runner, size_t worker, void *argument) {
    Job *job = argument;
    assert_non_null(runner);
    int running = atomic_fetch_add(&job->shared->running, 1) + 1;
    for (int most = job->shared->most_running; running > most;)
        if (atomic_compare_exchange_weak(&job->shared->most_running, &most, running))
            break;
    usleep(job->pause_us);
    job->runs++;
    job->worker = worker;
    atomic_fetch_sub(&job->shared->running, 1);
    job->finished_as = atomic_fetch_add(&job->shared->finished, 1);
}

static void check_delivery(Job *job, size_t *delivered, PoolOrder order) {
    assert_non_null(job);
    assert_false(job->delivered);
    assert_int_equal(job->runs, 1);
    if (order == POOL_IN_ORDER)
        assert_int_equal(job->number, *delivered);
    job->delivered = true;
    (*delivered)++;
}

static void check_pool(size_t workers, PoolOrder order, uint64_t seed) {
    Shared shared = {0};
    Job jobs[JOBS];
    Rng rng = rng_from_seed(seed);
    CLEANUP(pool_freep) Pool *pool = pool_new(workers, order, NULL);
    assert_non_null(pool);
    size_t delivered = 0;
    for (size_t i = 0; i < JOBS; i++) {
        jobs[i] = (Job){.shared = &shared, .number = i, .pause_us = (unsigned)rng_below(&rng, 400)};
        pool_submit(pool, work_a_while, &jobs[i]);
        /* Submitted are: delivered ones, finished ones, those running, and at most as many waiting as workers. */
        assert_in_range(i + 1 - (size_t)shared.finished, 0, 3 * workers);
        for (Job *job; rng_below(&rng, 2) && (job = pool_poll(pool));)
            check_delivery(job, &delivered, order);
        assert_int_equal(pool_under_way(pool), i + 1 - delivered);
    }
    for (Job *job; (job = pool_next(pool));)
        check_delivery(job, &delivered, order);
    assert_int_equal(delivered, JOBS);
    assert_in_range(shared.most_running, 1, workers);
    assert_null(pool_poll(pool));
}

static void test_every_order_and_size(void **state) {
    (void)state;
    static const size_t workers[] = {1, 2, 3, 8};
    for (size_t i = 0; i < ARRAY_LEN(workers); i++) {
        check_pool(workers[i], POOL_AS_FINISHED, i + 1);
        check_pool(workers[i], POOL_IN_ORDER, i + 100);
    }
}

/* --- Jobs that run programs --- */

typedef struct Program {
    const char *argv[4];
    ProcResult results[2];
    bool ran;
} Program;

static void run_twice(Runner *runner, size_t worker, void *argument) {
    (void)worker;
    Program *program = argument;
    Error err;
    for (int i = 0; i < 2; i++)
        program->ran = runner_run(runner, &(ProcRequest){.argv = program->argv}, &program->results[i], &err);
}

static void release_programs(Program *programs, size_t len) {
    for (size_t i = 0; i < len; i++) {
        proc_result_release(&programs[i].results[0]);
        proc_result_release(&programs[i].results[1]);
    }
}

static void test_programs_in_parallel(void **state) {
    (void)state;
    Program programs[40] = {0};
    char words[40][8];
    CLEANUP(pool_freep) Pool *pool = pool_new(4, POOL_IN_ORDER, NULL);
    for (size_t i = 0; i < ARRAY_LEN(programs); i++) {
        snprintf(words[i], sizeof(words[i]), "%zu", i);
        programs[i].argv[0] = "echo";
        programs[i].argv[1] = words[i];
        pool_submit(pool, run_twice, &programs[i]);
    }
    for (size_t i = 0; i < ARRAY_LEN(programs); i++) {
        Program *program = pool_next(pool);
        assert_ptr_equal(program, &programs[i]);
        assert_int_equal(atoi(str_text(&program->results[1].out)), i);
    }
    release_programs(programs, ARRAY_LEN(programs));
}

static void start_sleepers(Pool *pool, Program *programs, size_t len) {
    for (size_t i = 0; i < len; i++) {
        programs[i] = (Program){.argv = {"sleep", "1000"}};
        pool_submit(pool, run_twice, &programs[i]);
    }
}

static void test_cancel_ends_running_jobs_and_drops_waiting_ones(void **state) {
    (void)state;
    Program programs[4], after = {.argv = {"true"}};
    CLEANUP(pool_freep) Pool *pool = pool_new(2, POOL_AS_FINISHED, NULL);
    start_sleepers(pool, programs, 4);
    usleep(20000);
    pool_cancel(pool);
    for (size_t i = 0; i < 4; i++)
        assert_non_null(pool_next(pool));
    assert_null(pool_next(pool));
    for (size_t i = 0; i < 4; i++)
        if (programs[i].ran)
            assert_limit(&programs[i].results[1], PROC_LIMIT_CANCELLED);
    pool_submit(pool, run_twice, &after); /* the pool still works */
    assert_ptr_equal(pool_next(pool), &after);
    assert_exit(&after.results[1], 0);
    release_programs(programs, 4);
    release_programs(&after, 1);
}

static void test_free_ends_what_runs(void **state) {
    (void)state;
    Program programs[3];
    Pool *pool = pool_new(2, POOL_AS_FINISHED, NULL);
    start_sleepers(pool, programs, 3);
    pool_free(pool);
    release_programs(programs, 3);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_order_and_size),
    cmocka_unit_test(test_programs_in_parallel),
    cmocka_unit_test(test_cancel_ends_running_jobs_and_drops_waiting_ones),
    cmocka_unit_test(test_free_ends_what_runs),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }
