#include "campaign/test_bug.h"

#include <inttypes.h>

#include "campaign/bugdir.h"

/* What of the test is about the finding. */
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

const char *test_bug_name(Test *test, size_t finding) {
    const Finding *f = &test->findings.items[finding];
    size_t earlier = 0;
    for (size_t i = 0; i < finding; i++)
        earlier += same_name(test, i, finding);
    const char *compiler = str_equal(f->family, "generator")
                               ? f->family
                               : config_compiler(test->executions.items[f->failing.items[0]].config);
    char *name = arena_printf(&test->base.arena, "%s-%s-%" PRIu64, compiler, verdict_kind(f->verdict), test->base.seed);
    return earlier ? arena_printf(&test->base.arena, "%s-%zu", name, earlier + 1) : name;
}

static const Str *right_output(const BugSource *source) {
    if (source->test->generated.has_expected)
        return &source->test->generated.expected;
    return source->passing && source->passing->ran ? &source->passing->run.out : NULL;
}

static char *describe_expectation(const BugSource *source) {
    Str text = {0};
    if (!source->failing->ran) {
        str_printf(&text, "the program compiles; instead %s", verdict_phrase(source->finding->verdict));
        return str_detach(&text);
    }
    str_append(&text, "the program compiled by fail_cmd ");
    proc_describe_end(&source->failing->run, &text);
    if (source->passing && source->passing->ran) {
        str_append(&text, "; by pass_cmd it ");
        proc_describe_end(&source->passing->run, &text);
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

/* bug.json, but for its name and place. */
static void make_bug(const BugSource *source, const char *generator, Bug *bug) {
    const Test *test = source->test;
    const Execution *failing = source->failing;
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
    bug->seed = test->base.seed;
    bug->signature = *source->finding->signature ? mem_strdup(source->finding->signature) : NULL;
    bug->key = mem_strdup(source->finding->key);
    bug->guilty.number = -1;
    record_configurations(test, bug);
}

bool test_write_bug(const Test *test, size_t finding, const char *generator, const char *bugs_dir, const char *name,
                    Error *err) {
    const Finding *f = &test->findings.items[finding];
    const BugSource source = {
        .test = test,
        .finding = f,
        .failing = &test->executions.items[f->failing.items[0]],
        .passing = f->passing == FINDING_NONE ? NULL : &test->executions.items[f->passing],
    };
    BugDraft draft = {
        .verdict = f->verdict,
        .program = &test->generated.program,
        .messages = &source.failing->compile.err,
        .signal = source.failing->compile.signal,
        .actual = source.failing->ran ? &source.failing->run.out : NULL,
        .expected = right_output(&source),
        .run_cmd = &source.failing->run_cmd,
        .execute = test->plan->execute,
    };
    make_bug(&source, generator, &draft.bug);
    bool ok = bugdir_write(&draft, bugs_dir, name, err);
    bug_release(&draft.bug);
    return ok;
}
