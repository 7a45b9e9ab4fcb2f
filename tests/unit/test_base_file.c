/* Files and directories, on a real file system. */
#include "unit.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

static char *dir;

static int make_dir(void **state) {
    (void)state;
    dir = mem_strdup("/tmp/culprit-test-XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state) {
    (void)state;
    Error err;
    bool removed = dir_remove(dir, &err);
    free(dir);
    return removed ? 0 : -1;
}

static void files_come_back(void **state) {
    (void)state;
    Error err;
    CLEANUP(mem_freep) char *path = path_of(dir, "sub/deep/file");
    CLEANUP(mem_freep) char *parent = path_of(dir, "sub/deep");
    CLEANUP(str_release) Str text = {0};
    assert_fails(file_write(path, "x", 1, &err), err, "cannot write");
    assert_ok(dir_make(parent, &err), err);
    assert_ok(dir_make(parent, &err), err);
    assert_ok(file_write_durable(path, "a\0b", 3, &err), err);
    assert_ok(file_read(path, &text, &err), err);
    assert_int_equal(text.len, 3);
    assert_memory_equal(text.data, "a\0b", 4);
    assert_true(file_exists(path) && !dir_exists(path) && dir_exists(parent) && !file_exists(parent));
}

static void writes_leave_no_temporaries(void **state) {
    (void)state;
    Error err;
    CLEANUP(mem_freep) char *path = path_of(dir, "only");
    CLEANUP(strlist_release) StrList names = {0};
    assert_ok(file_write_text(path, "1", &err), err);
    assert_ok(file_write_text(path, "2", &err), err);
    assert_ok(dir_list(dir, &names, &err), err);
    assert_int_equal(names.len, 1);
    assert_string_equal(names.items[0], "only");
}

static void a_failed_write_says_where(void **state) {
    (void)state;
    Error err;
    assert_fails(file_write("/proc/self/nothing", "x", 1, &err), err, "cannot write /proc/self/nothing");
}

static void trees_copy_and_go(void **state) {
    (void)state;
    Error err;
    CLEANUP(mem_freep) char *from = path_of(dir, "from"), *inner = path_of(dir, "from/inner");
    CLEANUP(mem_freep)
    char *script = path_of(inner, "run"), *link_path = path_of(inner, "link"), *to = path_of(dir, "to");
    CLEANUP(mem_freep) char *script_copy = path_of(to, "inner/run"), *link_copy = path_of(to, "inner/link");
    assert_ok(dir_make(inner, &err), err);
    assert_ok(file_write_text(script, "#!/bin/sh\n", &err), err);
    assert_int_equal(chmod(script, 0755), 0);
    assert_int_equal(symlink("/etc", link_path), 0);
    assert_ok(dir_copy(from, to, &err), err);
    assert_int_equal(access(script_copy, X_OK), 0);
    struct stat status;
    assert_int_equal(lstat(link_copy, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_ok(dir_remove(to, &err), err);
    assert_false(dir_exists(to));
    assert_true(dir_exists("/etc"));
    assert_ok(dir_remove(to, &err), err);
}

static void a_walk_finds_files_and_follows_no_links(void **state) {
    (void)state;
    Error err;
    CLEANUP(mem_freep) char *inner = path_of(dir, "b/inner"), *link_path = path_of(inner, "circle");
    assert_ok(dir_make(inner, &err), err);
    assert_int_equal(symlink(dir, link_path), 0);
    static const char *const files[] = {"c.c", "a.c", "b/inner/large.c", "b/small.c", "b/small.h"};
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        CLEANUP(mem_freep) char *path = path_of(dir, files[i]);
        assert_ok(file_write_text(path, strstr(path, "large") ? "large" : "x", &err), err);
    }
    CLEANUP(strlist_release) StrList found = {0};
    CLEANUP(str_release) Str text = {0};
    assert_ok(dir_walk(dir, ".c", 4, &found, &err), err);
    for (size_t i = 0; i < found.len; i++)
        str_printf(&text, " %s", found.items[i] + strlen(dir));
    assert_string_equal(str_text(&text), " /a.c /b/small.c /c.c");
    assert_fails(dir_walk("/nowhere", "", 0, &found, &err), err, "cannot list /nowhere");
}

static void a_locked_directory_is_removed_too(void **state) {
    (void)state;
    Error err;
    CLEANUP(mem_freep) char *locked = path_of(dir, "locked"), *file = path_of(locked, "file");
    assert_ok(dir_make(locked, &err), err);
    assert_ok(file_write_text(file, "x", &err), err);
    assert_int_equal(chmod(locked, 0), 0);
    assert_ok(dir_remove(locked, &err), err);
}

static void paths_join(void **state) {
    (void)state;
    CLEANUP(mem_freep) char *absolute = path_of("/a", "/b"), *relative = path_of("/a/", "b");
    assert_string_equal(absolute, "/b");
    assert_string_equal(relative, "/a/b");
    assert_string_equal(path_name("/x/y.c"), "y.c");
    assert_string_equal(path_name("y.c"), "y.c");
}

static void programs_are_found(void **state) {
    (void)state;
    CLEANUP(str_release) Str path = {0};
    Error err;
    assert_ok(path_absolute("x", &path, &err), err);
    assert_int_equal(str_text(&path)[0], '/');
    assert_ok(path_find_program("sh", &path, &err), err);
    assert_true(str_ends(str_text(&path), "/sh"));
    assert_fails(path_find_program("no-such-compiler-1", &path, &err), err, "install it");
    assert_fails(path_find_program("/etc/passwd", &path, &err), err, "not a program");
    assert_fails(path_runtime("no-such-file", &path, &err), err, "no-such-file");
}

int main(void) {
#define ON_DISK(test) cmocka_unit_test_setup_teardown(test, make_dir, remove_dir)
    const struct CMUnitTest tests[] = {
        ON_DISK(files_come_back),
        ON_DISK(writes_leave_no_temporaries),
        cmocka_unit_test(a_failed_write_says_where),
        ON_DISK(trees_copy_and_go),
        ON_DISK(a_walk_finds_files_and_follows_no_links),
        ON_DISK(a_locked_directory_is_removed_too),
        cmocka_unit_test(paths_join),
        cmocka_unit_test(programs_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
