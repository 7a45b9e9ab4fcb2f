/* A confined program cannot write outside its directory nor reach the network, and can do everything else. */
#include "proc_helpers.h"

#include <arpa/inet.h>
#include <errno.h>
#include <sys/socket.h>

#include "proc/confine.h"

/* The fixture's directory has two parts: the one that may be written to, and the rest. */
typedef struct Place {
    char *inside, *outside;
} Place;

static void place_release(Place *place) {
    free(place->inside);
    free(place->outside);
}

static Place make_place(const Fixture *fixture) {
    Place place = {path_of(fixture->scratch.path, "inside"), path_of(fixture->scratch.path, "outside")};
    CLEANUP(mem_freep) char *file = path_of(place.outside, "file");
    if (!dir_make(place.inside, NULL) || !dir_make(place.outside, NULL) || !file_write_text(file, "precious", NULL))
        fail_msg("cannot prepare %s", fixture->scratch.path);
    return place;
}

static void check_deeds(Fixture *fixture, const char *dir, int expected) {
    static const char *const deeds[][2] = {
        {"write", "file"}, {"write", "new"},    {"truncate", "file"},
        {"mkdir", "dir"},  {"symlink", "link"}, {"remove", "file"},
    };
    CLEANUP(place_release) Place place = make_place(fixture);
    ProcConfinement confinement = {.writable_dir = place.inside};
    for (size_t i = 0; i < ARRAY_LEN(deeds); i++) {
        CLEANUP(mem_freep) char *path = path_of(dir, deeds[i][1]);
        print_message("%s %s\n", deeds[i][0], path);
        assert_exit(misbehave(fixture, (ProcRequest){.confinement = &confinement}, deeds[i][0], path), expected);
    }
}

static void skip_without_landlock(void) {
    if (confine_landlock_version() == 0) {
        print_message("skip: this kernel has no Landlock\n");
        skip();
    }
}

static void test_writes_outside_are_refused(void **state) {
    skip_without_landlock();
    Fixture *fixture = *state;
    CLEANUP(place_release) Place place = make_place(fixture);
    CLEANUP(mem_freep) char *file = path_of(place.outside, "file");
    CLEANUP(str_release) Str text = {0};
    check_deeds(fixture, place.outside, EACCES);
    assert_true(file_read(file, &text, NULL));
    assert_string_equal(str_text(&text), "precious");
}

static void test_writes_inside_are_allowed(void **state) {
    Fixture *fixture = *state;
    CLEANUP(place_release) Place place = make_place(fixture);
    CLEANUP(mem_freep) char *file = path_of(place.inside, "file");
    assert_true(file_write_text(file, "x", NULL));
    check_deeds(fixture, place.inside, 0);
}

static void test_more_places_and_devices_are_allowed(void **state) {
    Fixture *fixture = *state;
    CLEANUP(place_release) Place place = make_place(fixture);
    CLEANUP(mem_freep) char *file = path_of(place.outside, "file");
    const char *const more[] = {file, NULL};
    ProcConfinement confinement = {.writable_dir = place.inside, .more_writable = more};
    ProcRequest request = {.confinement = &confinement};
    assert_exit(misbehave(fixture, request, "truncate", file), 0);
    assert_exit(misbehave(fixture, request, "write", "/dev/null"), 0);
    assert_exit(misbehave(fixture, request, "read", "/etc/passwd"), 0);
}

static void test_a_place_that_is_missing_is_an_error(void **state) {
    skip_without_landlock();
    Fixture *fixture = *state;
    Error err = {0};
    ProcConfinement confinement = {.writable_dir = "/nowhere"};
    ProcRequest request = {.argv = (const char *const[]){"true", NULL}, .confinement = &confinement};
    assert_false(runner_run(fixture->runner, &request, &fixture->result, &err));
    assert_non_null(strstr(err.text, "/nowhere"));
}

static void test_a_confined_tree_is_confined(void **state) {
    skip_without_landlock();
    Fixture *fixture = *state;
    CLEANUP(place_release) Place place = make_place(fixture);
    ProcConfinement confinement = {.writable_dir = place.inside};
    ProcRequest request = {.argv = (const char *const[]){"sh", "-c", "(echo x >../outside/new) & wait $!", NULL},
                           .dir = place.inside,
                           .confinement = &confinement};
    assert_true(runner_run(fixture->runner, &request, &fixture->result, NULL));
    assert_int_not_equal(fixture->result.exit_code, 0);
    CLEANUP(mem_freep) char *written = path_of(place.outside, "new");
    assert_false(file_exists(written));
}

/* Where mounts are permitted (to root), what a program writes to /tmp goes to its tmp_dir, and the next program's /tmp is the real
 * one again. Elsewhere, and for a directory in /tmp, it is the real one throughout. */
static void test_tmp_is_another_directory(void **state) {
    Fixture *fixture = *state;
    CLEANUP(place_release) Place place = make_place(fixture);
    const char *const more[] = {"/tmp", NULL};
    ProcConfinement confinement = {.writable_dir = place.inside, .more_writable = more, .tmp_dir = place.outside};
    const char *missing = runner_missing_protection(fixture->runner);
    bool hidden =
        geteuid() == 0 && !(missing && strstr(missing, "namespace")) && !str_starts(fixture->scratch.path, "/tmp/");
    CLEANUP(str_release) Str path = {0};
    str_printf(&path, "/tmp/culprit-test-%d", getpid());
    const char *argv[] = {"sh", "-c", "echo x >$0", path.data, NULL};
    ProcRequest request = {.argv = argv, .dir = place.inside, .confinement = &confinement};
    assert_true(runner_run(fixture->runner, &request, &fixture->result, NULL));
    assert_exit(&fixture->result, 0);
    CLEANUP(mem_freep) char *written = path_of(place.outside, path_name(path.data));
    assert_int_equal(file_exists(written), hidden);
    assert_int_equal(file_exists(path.data), !hidden);
    unlink(path.data);
}

/* --- Network --- */

static int listen_anywhere(char port[16]) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t len = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, len) || listen(fd, 8) ||
        getsockname(fd, (struct sockaddr *)&address, &len))
        fail_msg("cannot listen: %s", strerror(errno));
    snprintf(port, 16, "%d", ntohs(address.sin_port));
    return fd;
}

static void test_connecting_is_refused(void **state) {
    Fixture *fixture = *state;
    char port[16];
    int listener = listen_anywhere(port);
    ProcConfinement with = {.writable_dir = fixture->scratch.path};
    ProcConfinement without = {.writable_dir = fixture->scratch.path, .no_network = true};
    assert_exit(misbehave(fixture, (ProcRequest){0}, "connect", port), 0);
    assert_exit(misbehave(fixture, (ProcRequest){.confinement = &with}, "connect", port), 0);
    assert_exit(misbehave(fixture, (ProcRequest){.confinement = &without}, "connect", port), EACCES);
    close(listener);
}

static void test_sockets_other_than_local_ones_are_refused(void **state) {
    Fixture *fixture = *state;
    ProcConfinement confinement = {.writable_dir = fixture->scratch.path, .no_network = true};
    const struct {
        int family, expected;
    } cases[] = {{AF_INET, EACCES}, {AF_INET6, EACCES}, {AF_NETLINK, EACCES}, {AF_UNIX, 0}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char family[16];
        snprintf(family, sizeof(family), "%d", cases[i].family);
        assert_exit(misbehave(fixture, (ProcRequest){.confinement = &confinement}, "socket", family),
                    cases[i].expected);
    }
    assert_exit(misbehave(fixture, (ProcRequest){.confinement = &confinement}, "uring", ""), EACCES);
}

/* Kernels without the 32-bit interface answer with a crash instead. */
static void test_sockets_through_other_interfaces_are_refused(void **state) {
    Fixture *fixture = *state;
    ProcConfinement confinement = {.writable_dir = fixture->scratch.path, .no_network = true};
    static const char *const ways[] = {"32-bit", "socketcall", "x32"};
    for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
        ProcResult *result = misbehave(fixture, (ProcRequest){.confinement = &confinement}, "socket-aside", ways[i]);
        if (result->signal != SIGSEGV)
            assert_exit(result, EACCES);
    }
}

/* --- Real programs --- */

static void run_script(Fixture *fixture, const char *script) {
    Error err = {0};
    CLEANUP(str_release) Str tmpdir = {0};
    str_printf(&tmpdir, "TMPDIR=%s", fixture->scratch.path);
    ProcConfinement confinement = {.writable_dir = fixture->scratch.path, .no_network = true};
    ProcRequest request = {
        .argv = (const char *const[]){"sh", "-c", script, NULL},
        .dir = fixture->scratch.path,
        .env = (const char *const[]){str_text(&tmpdir), NULL},
        .limits = {.wall_ms = 60000, .processes = 30, .memory_bytes = UINT64_C(4) << 30, .sanitized = true},
        .confinement = &confinement};
    if (!runner_run(fixture->runner, &request, &fixture->result, &err))
        fail_msg("%s", err.text);
}

static void test_a_compiler_works_and_cleans_up(void **state) {
    Fixture *fixture = *state;
    CLEANUP(strlist_release) StrList names = {0};
    run_script(fixture, "echo 'int main(void) { return 5; }' | cc -x c -o p - && ./p");
    assert_exit(&fixture->result, 5);
    assert_true(dir_list(fixture->scratch.path, &names, NULL));
    assert_int_equal(names.len, 1);
}

/* The leak checker stops its own threads by ptrace and finds them in /proc by number. */
static void test_sanitizers_work(void **state) {
    Fixture *fixture = *state;
    run_script(fixture, "echo '#include <stdlib.h>\nchar *p; int main(void) { p = malloc(9); p = 0; return 0; }' |"
                        "cc -x c -g -fsanitize=address,undefined -o p - && ./p");
    if (!strstr(str_text(&fixture->result.err), "9 byte(s) leaked"))
        fail_msg("no leak was found: exit %d, %s", fixture->result.exit_code, str_text(&fixture->result.err));
}

static void test_missing_protection_is_named(void **state) {
    Fixture *fixture = *state;
    const char *missing = runner_missing_protection(fixture->runner);
    if (getenv("CULPRIT_NO_NAMESPACES"))
        assert_non_null(strstr(missing, "no PID namespace"));
    else if (missing)
        print_message("%s\n", missing);
}

static const struct CMUnitTest tests[] = {
    PROC_TEST(test_writes_outside_are_refused),
    PROC_TEST(test_writes_inside_are_allowed),
    PROC_TEST(test_more_places_and_devices_are_allowed),
    PROC_TEST(test_a_place_that_is_missing_is_an_error),
    PROC_TEST(test_a_confined_tree_is_confined),
    PROC_TEST(test_tmp_is_another_directory),
    PROC_TEST(test_connecting_is_refused),
    PROC_TEST(test_sockets_other_than_local_ones_are_refused),
    PROC_TEST(test_sockets_through_other_interfaces_are_refused),
    PROC_TEST(test_a_compiler_works_and_cleans_up),
    PROC_TEST(test_sanitizers_work),
    PROC_TEST(test_missing_protection_is_named),
};

RUN_EVERYWHERE(tests)
