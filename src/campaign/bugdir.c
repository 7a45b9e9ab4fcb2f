#include "campaign/bugdir.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/file.h"
#include "judge/repro.h"
#include "report/markdown.h"

/* What a bug directory is made from. */
typedef struct BugSource {
    const Test *test;
    const Finding *finding;
    const Execution *failing; /* the first one */
    const Execution *passing; /* NULL where none passes */
} BugSource;

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

static const Str *right_output(const BugSource *source) {
    if (source->test->generated.has_expected)
        return &source->test->generated.expected;
    return source->passing && source->passing->ran ? &source->passing->run.out : NULL;
}

static void describe_end(const ProcResult *run, Str *ret_text) {
    if (run->limit != PROC_LIMIT_NONE)
        str_printf(ret_text, "runs into the limit of %s", proc_limit_name(run->limit));
    else if (run->signal)
        str_printf(ret_text, "ends by signal %d", run->signal);
    else
        str_printf(ret_text, "exits with %d", run->exit_code);
}

static char *describe_expectation(const BugSource *source) {
    Str text = {0};
    if (!source->failing->ran) {
        str_printf(&text, "the program compiles; instead %s", verdict_phrase(source->finding->verdict));
        return str_detach(&text);
    }
    str_append(&text, "the program compiled by fail_cmd ");
    describe_end(&source->failing->run, &text);
    if (source->passing && source->passing->ran) {
        str_append(&text, "; by pass_cmd it ");
        describe_end(&source->passing->run, &text);
    } else {
        str_append(&text, "; it should exit with 0 and print " BUG_EXPECTED);
    }
    return str_detach(&text);
}

/* What every configuration of the matrix did, and which of them do not have the bug. */
static void record_configurations(const Test *test, Bug *bug) {
    for (size_t i = 0; i < test->executions.len; i++) {
        const Execution *execution = &test->executions.items[i];
        bug_add_version(bug, execution->config->name, execution->config->compiler->version_text,
                        verdict_name(execution->verdict), NULL);
        if (execution->verdict == VERDICT_OK)
            bug_add_passing(bug, &execution->compile_cmd);
    }
}

static void record_compiler(const Config *config, Bug *bug) {
    const Compiler *compiler = config->compiler;
    CLEANUP(str_release) Str version = {0};
    if (compiler->version[0] || compiler->version[1])
        str_printf(&version, "%d.%d.%d", compiler->version[0], compiler->version[1], compiler->version[2]);
    else
        str_append(&version, compiler->version_text);
    bug->compiler = mem_strdup(config_compiler(config));
    bug->version = mem_strdup(str_text(&version));
    bug->version_text = mem_strdup(compiler->version_text);
    bug->target = mem_strdup(compiler->target);
}

/* bug.json, but for its place. */
static void make_bug(const BugSource *source, const char *id, const char *generator, Bug *bug) {
    const Test *test = source->test;
    const Execution *failing = source->failing;
    bug->id = mem_strdup(id);
    record_compiler(failing->config, bug);
    verdict_parse(verdict_kind(source->finding->verdict), &bug->kind, NULL); /* as a reader of bug.json sees it */
    strlist_add_all(&bug->fail_cmd, &failing->compile_cmd);
    const Config *reference = test->plan->reference; /* vouches if nobody in the matrix passes */
    if (source->passing)
        strlist_add_all(&bug->pass_cmd, &source->passing->compile_cmd);
    else if (reference && !str_equal(reference->name, failing->config->name))
        program_build_command(&test->generated.program, reference, &test->plan->build, &bug->pass_cmd);
    bug->run = failing->ran;
    if (failing->run_cmd.len > 1) /* behind an emulator */
        strlist_add_all(&bug->run_cmd, &failing->run_cmd);
    bug->tolerance = test->generated.tolerance;
    bug->expected = describe_expectation(source);
    bug->basis = failing->basis == BASIS_NONE ? NULL : mem_strdup(basis_name(failing->basis));
    bug->generator = mem_strdup(generator);
    bug->has_seed = true;
    bug->seed = test->seed;
    bug->signature = *source->finding->signature ? mem_strdup(source->finding->signature) : NULL;
    bug->key = mem_strdup(source->finding->key);
    bug->guilty.number = -1;
    bug->outputs.compiler = mem_strdup(BUG_MESSAGES);
    bug->outputs.actual = failing->ran ? mem_strdup(BUG_ACTUAL) : NULL;
    bug->outputs.expected = right_output(source) ? mem_strdup(BUG_EXPECTED) : NULL;
    record_configurations(test, bug);
}

static bool write_in(const char *dir, const char *name, const Str *text, Error *err) {
    CLEANUP(mem_freep) char *path = path_of(dir, name);
    return file_write(path, str_text(text), text->len, err);
}

static bool write_outputs(const BugSource *source, const char *dir, Error *err) {
    const Str *right = right_output(source);
    CLEANUP(mem_freep) char *outputs = path_of(dir, BUG_OUTPUTS);
    return dir_make(outputs, err) && write_in(dir, BUG_MESSAGES, &source->failing->compile.err, err) &&
           (!source->failing->ran || write_in(dir, BUG_ACTUAL, &source->failing->run.out, err)) &&
           (!right || write_in(dir, BUG_EXPECTED, right, err));
}

static bool write_repro(const BugSource *source, const Bug *bug, Error *err) {
    const ExecuteOptions *options = &source->test->plan->execute;
    const ProcResult *compile = &source->failing->compile;
    Verdict verdict = source->finding->verdict;
    CLEANUP(strlist_release) StrList words = {0};
    if (verdict == VERDICT_CRASH)
        repro_words(str_text(&compile->err), compile->signal, &words);
    const Script script = {
        .id = bug->id,
        .verdict = bug->run && verdict == VERDICT_FLAKY ? VERDICT_WRONG_CODE : verdict,
        .program = BUG_TEST,
        .is_folder = true,
        .fail_cmd = &bug->fail_cmd,
        .pass_cmd = &bug->pass_cmd,
        .run_cmd = &source->failing->run_cmd,
        .words = &words,
        .compile_ms = options->compile_limits.wall_ms,
        .run_ms = options->run_limits.wall_ms,
        .memory_bytes = options->compile_limits.memory_bytes,
        .tolerance = bug->tolerance,
        .has_expected = right_output(source) != NULL,
    };
    CLEANUP(str_release) Str makefile = {0};
    CLEANUP(mem_freep) char *path = path_of(bug->dir, BUG_SCRIPT);
    script_render_makefile(&script, &makefile);
    return repro_write_script(&script, path, err) && write_in(bug->dir, BUG_MAKEFILE, &makefile, err);
}

bool bugdir_write(const Test *test, size_t finding, const char *generator, const char *bugs_dir, const char *name,
                  Error *err) {
    const Finding *f = &test->findings.items[finding];
    const BugSource source = {
        .test = test,
        .finding = f,
        .failing = &test->executions.items[f->failing.items[0]],
        .passing = f->passing == FINDING_NONE ? NULL : &test->executions.items[f->passing],
    };
    CLEANUP(bug_release) Bug bug = {0};
    CLEANUP(str_release) Str dir = {0};
    CLEANUP(mem_freep) char *final_dir = path_of(bugs_dir, name);
    str_printf(&dir, "%s/.writing-%s", bugs_dir, name);
    bug.dir = str_detach(&dir);
    CLEANUP(mem_freep) char *test_dir = path_of(bug.dir, BUG_TEST);
    make_bug(&source, name, generator, &bug);
    if (!dir_remove(bug.dir, err) || !dir_make(test_dir, err) ||
        !program_write(&test->generated.program, test_dir, err) || !write_outputs(&source, bug.dir, err) ||
        !write_repro(&source, &bug, err) || !bug_save(&bug, err) || !report_markdown_write(&bug, err) ||
        !dir_remove(final_dir, err))
        return error_context(err, "cannot write the bug %s", name);
    if (rename(bug.dir, final_dir) != 0)
        return error_errno(err, "cannot write the bug %s", name);
    return true;
}
