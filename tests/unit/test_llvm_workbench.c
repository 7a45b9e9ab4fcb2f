/* The workbench on every libLLVM installed: each rule finds its places, makes the module smaller or plainer, and leaves a
 * valid one; what is tried does not change it. */
#include "unit.h"

#include <unistd.h>

#include "base/file.h"
#include "proc/scratch.h"
#include "llvm/opt_command.h"
#include "llvm/workbench.h"

static const int versions[] = {14, 16, 19};

static bool find_library(int version, Str *ret_path) {
    CLEANUP(strlist_release) StrList command = {0};
    strlist_addf(&command, "/usr/lib/llvm-%d/bin/opt", version);
    return opt_command_library(&command, ret_path, NULL);
}

/* Something for every rule. Pointers are written POINTER, because versions differ in that. */
static const char module_text[] = "@counter = internal unnamed_addr global i32 5\n"
                                  "@unused = global i32 7\n"
                                  "declare void @outside()\n"
                                  "define internal fastcc i32 @callee(i32 %used, i32 %unread) noinline nounwind {\n"
                                  "  %twice = add i32 %used, %used\n"
                                  "  ret i32 %twice\n}\n"
                                  "define i32 @many(i32 %a, i1 %c) \"frame-pointer\"=\"all\" {\n"
                                  "entry:\n"
                                  "  %l = load i32, POINTER @counter\n"
                                  "  %x = mul i32 %a, %l\n"
                                  "  %y = add i32 %x, %a\n"
                                  "  %r = tail call fastcc i32 @callee(i32 %y, i32 4)\n"
                                  "  br i1 %c, label %then, label %else\n"
                                  "then:\n"
                                  "  %d = udiv i32 %y, 7, !note !0\n"
                                  "  br label %behind\n"
                                  "behind:\n"
                                  "  switch i32 %d, label %join [ i32 1, label %else\n i32 2, label %join ]\n"
                                  "else:\n"
                                  "  %e = phi i32 [ %x, %entry ], [ %d, %behind ]\n"
                                  "  br label %join\n"
                                  "join:\n"
                                  "  %j = phi i32 [ %d, %behind ], [ %d, %behind ], [ %e, %else ]\n"
                                  "  call void @outside()\n"
                                  "  ret i32 %j\n"
                                  "island:\n"
                                  "  br label %join2\n"
                                  "join2:\n"
                                  "  ret i32 %y\n}\n"
                                  "define i32 @main() {\n"
                                  "  %m = call i32 @many(i32 1, i1 true)\n"
                                  "  ret i32 0\n}\n"
                                  "!0 = !{i32 0}\n";

static Workbench *open_text(const Scratch *scratch, const char *library, int version, const char *text) {
    CLEANUP(mem_freep) char *path = path_of(scratch->path, "module.ll");
    CLEANUP(str_release) Str written = {0};
    Error err = {0};
    for (const char *at; (at = strstr(text, "POINTER")); text = at + strlen("POINTER")) {
        str_append_n(&written, text, (size_t)(at - text));
        str_append(&written, version < 17 ? "i32*" : "ptr");
    }
    str_append(&written, text);
    assert_ok(file_write_text(path, written.data, &err), err);
    Workbench *bench = workbench_open(library, path, &(WorkbenchOptions){0}, &err);
    assert_ok(bench != NULL, err);
    return bench;
}

static void every_rule_leaves_a_valid_module(void **state) {
    (void)state;
    static const char *const rules[] = {
        "function-bodies",
        "unused-globals",
        "variables",
        "initial-values",
        "initial-values-to-zero",
        "returns",
        "branches-to-first",
        "branches-to-last",
        "cases",
        "unreached-blocks",
        "blocks-in-a-row",
        "instructions",
        "instructions-to-operands",
        "instructions-to-arguments",
        "operands-to-zero",
        "operands-to-arguments",
        "parameters-to-zero",
        "parameters",
        "results",
        "debug-info",
        "attribute-groups",
        "attributes",
        "metadata",
        "linkage",
        "tail-calls",
        "names",
    };
    CLEANUP(scratch_release) Scratch scratch = {0};
    Error err = {0};
    size_t tested = 0;
    assert_ok(scratch_new(&scratch, &err), err);
    for (size_t v = 0; v < ARRAY_LEN(versions); v++) {
        CLEANUP(str_release) Str library = {0};
        if (!find_library(versions[v], &library))
            continue;
        tested++;
        for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
            CLEANUP(workbench_closep) Workbench *bench = open_text(&scratch, library.data, versions[v], module_text);
            CLEANUP(str_release) Str before = {0}, tried = {0}, after = {0};
            size_t places = 0, valid = 0, size;
            assert_ok(workbench_write(bench, &before, &err), err);
            assert_ok(workbench_count(bench, rules[i], &places, &err), err);
            if (places == 0)
                fail_msg("LLVM %d: %s finds nothing", versions[v], rules[i]);
            /* Each place alone: the server verifies the module before the passes. */
            for (size_t place = places; place-- > 0;) {
                const ServerResult *result;
                Attempt attempt = {.rule = rules[i], .from = place, .to = place + 1, .passes = "verify", .level = -1};
                assert_ok(workbench_try(bench, &attempt, &result, &err), err);
                assert_ok(workbench_write(bench, &tried, &err), err);
                assert_string_equal(tried.data, before.data);
                str_clear(&tried);
                if (result->fate != SERVER_UNTESTED)
                    continue; /* zero may be no value for an operand: the edit was refused */
                valid++;
                assert_ok(workbench_keep(bench, rules[i], place, place + 1, &size, &err), err);
                break;
            }
            if (valid == 0)
                fail_msg("LLVM %d: no place of %s can be changed", versions[v], rules[i]);
            assert_ok(workbench_write(bench, &after, &err), err);
            if (!str_equal(rules[i], "debug-info"))
                assert_string_not_equal(after.data, before.data);
            workbench_close(bench);
            bench = open_text(&scratch, library.data, versions[v], after.data); /* it can be read again */
        }
    }
    if (!tested)
        skip_because("no LLVM is installed");
}

/* Until nothing is left to try: what remains of a function that returns is one return. */
static void removing_everything_ends(void **state) {
    (void)state;
    CLEANUP(scratch_release) Scratch scratch = {0};
    CLEANUP(str_release) Str library = {0}, text = {0};
    Error err = {0};
    size_t places, size = 0;
    if (!find_library(14, &library))
        skip_because("LLVM 14 is not installed");
    assert_ok(scratch_new(&scratch, &err), err);
    CLEANUP(workbench_closep) Workbench *bench = open_text(&scratch, library.data, 14, module_text);
    static const char *const rules[] = {"returns", "unreached-blocks", "unreached-blocks", "instructions"};
    for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
        assert_ok(workbench_count(bench, rules[i], &places, &err), err);
        assert_ok(workbench_keep(bench, rules[i], 0, places, &size, &err), err);
    }
    assert_int_equal(size, 2 + 4 + 3 + 3); /* variables, functions, blocks, returns */
}

static void crashes_have_frames_and_options_reach_llvm(void **state) {
    (void)state;
    CLEANUP(scratch_release) Scratch scratch = {0};
    CLEANUP(str_release) Str library = {0};
    CLEANUP(strlist_release) StrList options = {0};
    const ServerResult *result;
    Error err = {0};
    if (!find_library(14, &library))
        skip_because("LLVM 14 is not installed");
    assert_ok(scratch_new(&scratch, &err), err);
    CLEANUP(workbench_closep) Workbench *bench = open_text(&scratch, library.data, 14, module_text);
    assert_ok(workbench_try(bench, &(Attempt){.passes = "function(chr)", .level = -1}, &result, &err), err);
    assert_int_equal(result->fate, SERVER_SIGNALLED);
    assert_non_null(strstr(result->message, "#0 0x"));
    assert_non_null(strstr(result->message, "libLLVM-14"));
    CLEANUP(mem_freep) char *path = path_of(scratch.path, "module.ll");
    strlist_add(&options, "-opt-bisect-limit=0"); /* no optional pass runs */
    workbench_close(bench);
    bench = workbench_open(library.data, path, &(WorkbenchOptions){.options = &options}, &err);
    assert_ok(bench != NULL, err);
    assert_ok(workbench_try(bench, &(Attempt){.passes = "function(chr)", .level = -1}, &result, &err), err);
    assert_int_equal(result->fate, SERVER_UNTESTED);
    assert_fails(workbench_open(library.data, "/nonexistent.ll", &(WorkbenchOptions){0}, &err) != NULL, err,
                 "there is no module");
    assert_ok(file_write_text(path, "no module\n", &err), err);
    assert_fails(workbench_open(library.data, path, &(WorkbenchOptions){0}, &err) != NULL, err,
                 "cannot read the module");
}

static void commands_of_opt_are_taken_apart(void **state) {
    (void)state;
    CLEANUP(strlist_release) StrList command = {0}, changed = {0}, options = {0};
    Error err = {0};
    assert_ok(
        strlist_split_shell(&command, "opt-14 --passes=a,b -S -slp-threshold=-9 in.ll -o out.ll -disable-output", &err),
        err);
    assert_string_equal(opt_command_passes(&command), "a,b");
    opt_command_set_passes(&command, "function(c)", &changed);
    CLEANUP(mem_freep) char *line = strlist_join(&changed, " ");
    assert_string_equal(line, "opt-14 --passes=function(c) -S -slp-threshold=-9 in.ll -o out.ll -disable-output");
    opt_command_options(&command, &options);
    CLEANUP(mem_freep) char *rest = strlist_join(&options, " ");
    assert_string_equal(rest, "-slp-threshold=-9");
    strlist_clear(&command);
    assert_ok(strlist_split_shell(&command, "opt -passes sroa x.ll", &err), err);
    assert_string_equal(opt_command_passes(&command), "sroa");
    strlist_clear(&command);
    assert_ok(strlist_split_shell(&command, "opt -O2 x.ll", &err), err);
    assert_null(opt_command_passes(&command));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_leaves_a_valid_module),
        cmocka_unit_test(removing_everything_ends),
        cmocka_unit_test(crashes_have_frames_and_options_reach_llvm),
        cmocka_unit_test(commands_of_opt_are_taken_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
