/* Scratch directories go with their owners, and those of the dead are swept. */
#include "proc_helpers.h"

#include "proc/interrupt.h"

/* A place of its own. A sweep also covers the usual ones, where others may have died: tests look at this one only. */
static int setup(void **state) {
    static char place[] = "/tmp/test-proc-scratch-XXXXXX";
    *state = mkdtemp(place);
    return *state ? setenv("CULPRIT_SCRATCH", place, 1) : -1;
}

static int teardown(void **state) { return dir_remove(*state, NULL) ? 0 : -1; }

static size_t count_entries(const char *dir) {
    CLEANUP(strlist_release) StrList names = {0};
    assert_true(dir_list(dir, &names, NULL));
    return names.len;
}

static void test_made_emptied_and_removed(void **state) {
    Scratch scratch = {0};
    assert_true(scratch_new(&scratch, NULL));
    assert_true(str_starts(scratch.path, *state));
    CLEANUP(mem_freep) char *deep = path_of(scratch.path, "a/b/c"), *file = path_of(scratch.path, "a/file");
    assert_true(dir_make(deep, NULL) && file_write_text(file, "x", NULL));
    assert_true(scratch_empty(&scratch, NULL));
    assert_int_equal(count_entries(scratch.path), 0);
    assert_true(dir_make(deep, NULL));
    scratch_release(&scratch);
    assert_int_equal(count_entries(*state), 0);
    scratch_release(&scratch); /* once more is fine */
}

static void test_locked_directories_are_emptied(void **state) {
    (void)state;
    Scratch scratch = {0};
    assert_true(scratch_new(&scratch, NULL));
    CLEANUP(mem_freep) char *dir = path_of(scratch.path, "dir"), *deep = path_of(dir, "deep");
    assert_true(dir_make(deep, NULL));
    chmod(deep, 0);
    chmod(dir, 0500);
    scratch_release(&scratch);
    assert_false(dir_exists(dir));
}

static void test_sweep_spares_the_living(void **state) {
    Scratch mine = {0};
    assert_true(scratch_new(&mine, NULL));
    scratch_sweep();
    assert_int_equal(count_entries(*state), 1);
    scratch_release(&mine);
}

static void test_sweep_removes_what_a_killed_owner_left(void **state) {
    pid_t pid = fork();
    if (pid == 0) {
        Scratch scratch = {0};
        scratch_new(&scratch, NULL);
        CLEANUP(mem_freep) char *deep = path_of(scratch.path, "deep/er");
        dir_make(deep, NULL);
        raise(SIGKILL);
    }
    waitpid(pid, NULL, 0);
    assert_int_equal(count_entries(*state), 1);
    assert_in_range(scratch_sweep(), 1, 1000000);
    assert_int_equal(count_entries(*state), 0);
}

static void test_sweep_leaves_other_names_alone(void **state) {
    CLEANUP(mem_freep) char *other = path_of(*state, "something"), *odd = path_of(*state, "culprit-scratch-x");
    assert_true(dir_make(other, NULL) && dir_make(odd, NULL));
    scratch_sweep();
    assert_int_equal(count_entries(*state), 2);
    rmdir(other);
    rmdir(odd);
}

/* The number of a dead owner may belong to another process by now. */
static void test_sweep_knows_numbers_that_were_given_again(void **state) {
    CLEANUP(str_release) Str path = {0};
    str_printf(&path, "%s/culprit-scratch-%d-1-abcdef", (char *)*state, getpid());
    assert_true(dir_make(str_text(&path), NULL));
    scratch_sweep();
    assert_false(dir_exists(str_text(&path)));
}

static void test_interrupts_are_counted(void **state) {
    (void)state;
    interrupt_catch();
    assert_int_equal(interrupt_count(), 0);
    raise(SIGINT);
    assert_int_equal(interrupt_count(), 1);
    raise(SIGTERM);
    assert_int_equal(interrupt_count(), 2);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_made_emptied_and_removed),
    cmocka_unit_test(test_locked_directories_are_emptied),
    cmocka_unit_test(test_sweep_spares_the_living),
    cmocka_unit_test(test_sweep_removes_what_a_killed_owner_left),
    cmocka_unit_test(test_sweep_leaves_other_names_alone),
    cmocka_unit_test(test_sweep_knows_numbers_that_were_given_again),
    cmocka_unit_test(test_interrupts_are_counted),
};

int main(void) { return cmocka_run_group_tests(tests, setup, teardown); }
