#include "campaign/bugdir.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "campaign/repro.h"
#include "compiler/signature.h"

/* What the files of one directory are made from. */
typedef struct BugFiles {
    const Test *test;
    const Finding *finding;
    const Execution *failing; /* the first one */
    const Execution *passing; /* NULL where none passes */
    const char *id, *generator;
    const char *dir;                    /* being written */
    const StrList *fail_cmd, *pass_cmd; /* as they ran; pass_cmd may be empty */
    Arena arena;
} BugFiles;

static void bugfiles_release(BugFiles *files) { arena_release(&files->arena); }

static bool same_name(const Test *test, size_t a, size_t b) {
    const Finding *x = &test->findings.items[a], *y = &test->findings.items[b];
    const Config *first = test->executions.items[x->failing.items[0]].config;
    const Config *second = test->executions.items[y->failing.items[0]].config;
    return x->verdict == y->verdict && str_equal(config_compiler(first), config_compiler(second));
}

const char *bugdir_name(const Test *test, size_t finding, Arena *arena) {
    const Finding *f = &test->findings.items[finding];
    size_t earlier = 0;
    for (size_t i = 0; i < finding; i++)
        earlier += same_name(test, i, finding);
    const char *compiler = str_equal(f->family, "generator")
                               ? f->family
                               : config_compiler(test->executions.items[f->failing.items[0]].config);
    char *name = arena_printf(arena, "%s-%s-%" PRIu64, compiler, verdict_kind(f->verdict), test->seed);
    return earlier ? arena_printf(arena, "%s-%zu", name, earlier + 1) : name;
}

static void version_of(const Compiler *compiler, Str *ret_text) {
    if (compiler->version[0] || compiler->version[1])
        str_printf(ret_text, "%d.%d.%d", compiler->version[0], compiler->version[1], compiler->version[2]);
    else
        str_append(ret_text, compiler->version_text);
}

static const Str *right_output(const BugFiles *files) {
    if (files->test->generated.has_expected)
        return &files->test->generated.expected;
    return files->passing && files->passing->ran ? &files->passing->run.out : NULL;
}

static void describe_end(const ProcResult *run, Str *ret_text) {
    if (run->limit != PROC_LIMIT_NONE)
        str_printf(ret_text, "runs into the limit of %s", proc_limit_name(run->limit));
    else if (run->signal)
        str_printf(ret_text, "ends by signal %d", run->signal);
    else
        str_printf(ret_text, "exits with %d", run->exit_code);
}

static const char *expectation_text(BugFiles *files) {
    CLEANUP(str_release) Str text = {0};
    if (!files->failing->ran) {
        str_printf(&text, "the program compiles; instead %s", verdict_phrase(files->finding->verdict));
    } else {
        str_append(&text, "the program compiled by fail_cmd ");
        describe_end(&files->failing->run, &text);
        str_append(&text, "; ");
        if (files->passing && files->passing->ran) {
            str_append(&text, "by pass_cmd it ");
            describe_end(&files->passing->run, &text);
        } else {
            str_append(&text, "it should exit with 0 and print outputs/expected.txt");
        }
    }
    return arena_strdup(&files->arena, str_text(&text));
}

static Json *command_json(const StrList *command) {
    Json *array = json_new_array();
    for (size_t i = 0; i < command->len; i++)
        json_push(array, json_new_text(command->items[i]));
    return array;
}

/* What every configuration of the matrix did, and which of them do not have the bug. */
static void put_configurations(const BugFiles *files, Json *json) {
    Json *versions = json_new_array(), *passing = json_new_array();
    for (size_t i = 0; i < files->test->executions.len; i++) {
        const Execution *execution = &files->test->executions.items[i];
        Json *row = json_new_object();
        json_put_text(row, "command", execution->config->name);
        json_put_text(row, "version", execution->config->compiler->version_text);
        json_put_text(row, "verdict", verdict_name(execution->verdict));
        json_push(versions, row);
        if (execution->verdict == VERDICT_OK)
            json_push(passing, command_json(&execution->compile_cmd));
    }
    json_put(json, "versions", versions);
    json_put(json, "passing", passing);
}

static void put_outputs(const BugFiles *files, Json *json) {
    Json *outputs = json_new_object();
    json_put_text(outputs, "compiler", "outputs/compiler.txt");
    if (files->failing->ran)
        json_put_text(outputs, "actual", "outputs/actual.txt");
    if (right_output(files))
        json_put_text(outputs, "expected", "outputs/expected.txt");
    json_put(json, "outputs", outputs);
}

static void put_identity(BugFiles *files, Json *json) {
    const Config *config = files->failing->config;
    CLEANUP(str_release) Str version = {0};
    version_of(config->compiler, &version);
    json_put_text(json, "id", files->id);
    json_put_text(json, "compiler", config_compiler(config));
    json_put_text(json, "version", str_text(&version));
    json_put_text(json, "version_text", config->compiler->version_text);
    json_put_text(json, "target", config->compiler->target);
    json_put_text(json, "kind", verdict_kind(files->finding->verdict));
    json_put(json, "fail_cmd", command_json(files->fail_cmd));
    json_put(json, "pass_cmd", command_json(files->pass_cmd));
}

/* Numbers that JSON readers would cut are written as texts. */
static void put_seed(Json *json, uint64_t seed) {
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, seed);
    if (seed <= INT64_MAX)
        json_put_int(json, "seed", (int64_t)seed);
    else
        json_put_text(json, "seed", text);
}

static Json *bug_json(BugFiles *files) {
    Json *json = json_new_object();
    put_identity(files, json);
    json_put_bool(json, "run", files->failing->ran);
    if (files->failing->run_cmd.len > 1) /* behind an emulator */
        json_put(json, "run_cmd", command_json(&files->failing->run_cmd));
    if (files->test->generated.tolerance > 0)
        json_put_real(json, "tolerance", files->test->generated.tolerance);
    json_put_text(json, "expected", expectation_text(files));
    if (files->failing->basis != BASIS_NONE)
        json_put_text(json, "basis", basis_name(files->failing->basis));
    json_put_text(json, "generator", files->generator);
    put_seed(json, files->test->seed);
    if (*files->finding->signature)
        json_put_text(json, "signature", files->finding->signature);
    json_put_text(json, "key", files->finding->key);
    put_outputs(files, json);
    put_configurations(files, json);
    return json;
}

static bool write_in(const BugFiles *files, const char *name, const char *bytes, size_t len, Error *err) {
    CLEANUP(mem_freep) char *path = path_of(files->dir, name);
    return file_write(path, bytes, len, err);
}

static bool write_outputs(const BugFiles *files, Error *err) {
    const Str *messages = &files->failing->compile.err, *right = right_output(files);
    CLEANUP(mem_freep) char *dir = path_of(files->dir, "outputs");
    return dir_make(dir, err) && write_in(files, "outputs/compiler.txt", str_text(messages), messages->len, err) &&
           (!files->failing->ran || write_in(files, "outputs/actual.txt", str_text(&files->failing->run.out),
                                             files->failing->run.out.len, err)) &&
           (!right || write_in(files, "outputs/expected.txt", str_text(right), right->len, err));
}

static bool write_repro(BugFiles *files, Error *err) {
    const ExecuteOptions *options = &files->test->plan->execute;
    const ProcResult *compile = &files->failing->compile;
    CLEANUP(strlist_release) StrList words = {0};
    if (files->finding->verdict == VERDICT_CRASH)
        repro_words(str_text(&compile->err), compile->signal, &words);
    const Script script = {
        .id = files->id,
        .verdict = files->failing->ran && files->finding->verdict == VERDICT_FLAKY ? VERDICT_WRONG_CODE
                                                                                   : files->finding->verdict,
        .program = "test",
        .is_folder = true,
        .fail_cmd = files->fail_cmd,
        .pass_cmd = files->pass_cmd,
        .run_cmd = &files->failing->run_cmd,
        .words = &words,
        .compile_ms = options->compile_limits.wall_ms,
        .run_ms = options->run_limits.wall_ms,
        .memory_bytes = options->compile_limits.memory_bytes,
        .has_expected = right_output(files) != NULL,
    };
    CLEANUP(str_release) Str makefile = {0};
    CLEANUP(mem_freep) char *path = path_of(files->dir, "repro.sh");
    script_render_makefile(&script, &makefile);
    return repro_write_script(&script, path, err) && write_in(files, "Makefile", makefile.data, makefile.len, err);
}

static bool write_files(BugFiles *files, Error *err) {
    CLEANUP(mem_freep) char *test_dir = path_of(files->dir, "test");
    CLEANUP(mem_freep) char *json_path = path_of(files->dir, "bug.json");
    CLEANUP(json_freep) Json *json = bug_json(files);
    return dir_remove(files->dir, err) && dir_make(test_dir, err) &&
           program_write(&files->test->generated.program, test_dir, err) && write_outputs(files, err) &&
           write_repro(files, err) && json_write_file(json_path, json, err);
}

bool bugdir_write(const Test *test, size_t finding, const char *generator, const char *bugs_dir, const char *name,
                  Error *err) {
    const Finding *f = &test->findings.items[finding];
    CLEANUP(mem_freep) char *final_dir = path_of(bugs_dir, name);
    CLEANUP(str_release) Str dir = {0};
    str_printf(&dir, "%s/.writing-%s", bugs_dir, name);
    CLEANUP(bugfiles_release)
    BugFiles files = {
        .test = test,
        .finding = f,
        .failing = &test->executions.items[f->failing.items[0]],
        .passing = f->passing == FINDING_NONE ? NULL : &test->executions.items[f->passing],
        .id = name,
        .generator = generator,
        .dir = str_text(&dir),
    };
    static const StrList none;
    files.fail_cmd = &files.failing->compile_cmd;
    files.pass_cmd = files.passing ? &files.passing->compile_cmd : &none;
    if (!write_files(&files, err) || !dir_remove(final_dir, err))
        return error_context(err, "cannot write the bug %s", name);
    if (rename(str_text(&dir), final_dir) != 0)
        return error_errno(err, "cannot write the bug %s", name);
    return true;
}
