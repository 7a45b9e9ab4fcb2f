#include "isolate/tester.h"

#include <string.h>

#include "base/file.h"
#include "compiler/frames.h"
#include "compiler/identify.h"

struct Tester {
    const TesterConfig *config;
    Runner *runner;
    Oracle *oracle;
    OracleAnswer answer;
    StrList compile_only;
    StrList link; /* the same, linked */
    Execution execution;
    ProcResult result;
};

#define ORDINARY_OUTPUT "ordinary.out" /* never /dev/null: tcc would replace it by a file */

/* The command without its output and without where it stops. */
static void bare_command(const StrList *command, bool libraries, StrList *ret_command) {
    for (size_t i = 0; i < command->len; i++) {
        const char *word = command->items[i];
        if (str_equal(word, "-o"))
            i++;
        else if (!str_equal(word, "-c") && !str_equal(word, "-S") && (libraries || i == 0 || !str_starts(word, "-l")))
            strlist_add(ret_command, word);
    }
}

void tester_compile_only(const StrList *command, StrList *ret_command) {
    bare_command(command, false, ret_command);
    bool is_tcc = command->len && compiler_family_of_name(command->items[0]) == FAMILY_TCC;
    strlist_add(ret_command, is_tcc ? "-c" : "-S"); /* tcc cannot stop at assembly */
    strlist_add(ret_command, "-o");
    strlist_add(ret_command, ORDINARY_OUTPUT);
}

static bool crash_kind(const Bug *bug) { return bug->kind == VERDICT_CRASH; }

Tester *tester_new(const TesterConfig *config, bool check_reference, Runner *runner, Error *err) {
    Tester *tester = mem_zalloc(1, sizeof *tester);
    tester->config = config;
    tester->runner = runner;
    /* What the failing options accept without a crash, the reference accepts too: one compilation less per mutant. */
    OracleOptions options = {.no_randomisation = true, .skip_reference = !check_reference && crash_kind(config->bug)};
    if (config->run_cpu_ms) {
        options.run_limits = execute_defaults().run_limits;
        options.run_limits.cpu_ms = config->run_cpu_ms;
    }
    tester->oracle = oracle_new(runner, config->bug, &options, err);
    if (!tester->oracle) {
        tester_free(tester);
        return NULL;
    }
    tester_compile_only(&config->bug->fail_cmd, &tester->compile_only);
    bare_command(&config->bug->fail_cmd, true, &tester->link);
    strlist_add(&tester->link, "-o");
    strlist_add(&tester->link, ORDINARY_OUTPUT);
    return tester;
}

void tester_free(Tester *tester) {
    if (!tester)
        return;
    oracle_free(tester->oracle);
    oracle_answer_release(&tester->answer);
    strlist_release(&tester->compile_only);
    strlist_release(&tester->link);
    execution_release(&tester->execution);
    proc_result_release(&tester->result);
    free(tester);
}

const Str *tester_original_text(const Tester *tester) { return oracle_source_text(tester->oracle); }

const Failure *tester_failure(const Tester *tester) { return oracle_failure(tester->oracle); }

/* Asks the oracle with coverage switched on; units are decoded if the outcome is `wanted`, or if failing ones are. The
 * options are added to the question's command, or to the bug's. */
static bool ask(Tester *tester, OracleQuestion *question, const StrList *options, Outcome wanted, Bitset *ret_cover,
                Error *err) {
    CLEANUP(strlist_release) StrList command = {0};
    strlist_add_all(&command, question->fail_cmd ? question->fail_cmd : &tester->config->bug->fail_cmd);
    if (options)
        strlist_add_all(&command, options);
    question->fail_cmd = &command;
    Cover *cover = tester->config->cover;
    CoverRun run = {0};
    if (!cover_begin(cover, &run, err))
        return false;
    const char *const writable[] = {run.dir, NULL};
    question->compiler_env = (const char *const *)run.env.items;
    question->compiler_writable = writable;
    bool asked = oracle_ask(tester->oracle, question, &tester->answer, err);
    bool failing = tester->config->cover_failing && tester->answer.outcome == OUTCOME_FAILS;
    bool decode = asked && (failing || tester->answer.outcome == wanted);
    if (decode)
        bitset_clear(ret_cover);
    return cover_end(cover, &run, &tester->answer.compile, decode ? ret_cover : NULL, asked ? err : NULL) && asked;
}

/* Why the bug's own text does not show the bug. */
static bool explain_outcome(const Tester *tester, Error *err) {
    const Bug *bug = tester->config->bug;
    const char *subject = cover_subject(tester->config->cover)->name;
    switch (tester->answer.outcome) {
    case OUTCOME_FAILS: return true;
    case OUTCOME_PASSES:
        return error_set(err,
                         "%s does not fail with the subject %s: choose a subject of the bug's own compiler version "
                         "(%s %s) and check the failing options",
                         bug->id, subject, bug->compiler ? bug->compiler : "unknown", bug->version ? bug->version : "");
    case OUTCOME_FLAKY:
        return error_set(err, "%s fails only sometimes: reduce it to a program that fails every time first", bug->id);
    default:
        return error_set(err, "%s cannot be isolated with the subject %s: %s", bug->id, subject,
                         tester->answer.why ? tester->answer.why : "does not fail as it should");
    }
}

static void read_stack(const OracleAnswer *answer, StrList *ret_stack) {
    enum { MOST_FRAMES = 64 };
    CLEANUP(arena_release) Arena arena = {0};
    const char *names[MOST_FRAMES];
    size_t count = frames_read(compiler_messages(&answer->compile), &arena, names, MOST_FRAMES);
    for (size_t i = 0; i < count; i++)
        strlist_add(ret_stack, names[i]);
}

bool tester_original(Tester *tester, Bitset *ret_cover, int64_t *ret_run_cpu_ms, StrList *ret_stack, bool *ret_unfit,
                     Error *err) {
    OracleQuestion question = {.repeat = 1};
    *ret_unfit = false;
    if (!ask(tester, &question, NULL, OUTCOME_FAILS, ret_cover, err))
        return false;
    *ret_unfit = true;
    if (!explain_outcome(tester, err))
        return false;
    if (bitset_count(ret_cover) == 0)
        return error_set(err,
                         "the subject %s reported no coverage: its compiler is not instrumented; build one with "
                         "`culprit subject build`, or use stock:CC",
                         cover_subject(tester->config->cover)->name);
    *ret_unfit = false;
    if (tester->answer.verdict == VERDICT_CRASH)
        read_stack(&tester->answer, ret_stack);
    *ret_run_cpu_ms = (tester->answer.reference.user_us + tester->answer.reference.system_us) / 1000;
    return true;
}

/* Programs that are never run cannot execute undefined behaviour. */
static bool executes_undefined(Tester *tester, const char *text, size_t len, bool *ret_undefined, Error *err) {
    const TesterConfig *config = tester->config;
    *ret_undefined = false;
    if (!config->guards || !config->bug->run)
        return true;
    Program program = {.language = bug_language(config->bug)};
    GuardReport report = {0};
    GuardOptions options = {.guards = config->guard_bits,
                            .flags = bug_source_command(config->bug),
                            .suspect = bug_suspect(config->bug),
                            .dir = oracle_dir(tester->oracle), /* which has just written it */
                            .tolerance = config->bug->tolerance,
                            .run_ms = config->run_cpu_ms};
    program_add(&program, oracle_source_name(tester->oracle), text, len);
    bool ran = guard_run(config->guards, tester->runner, &program, &options, &report, err);
    *ret_undefined = ran && report.complaint != GUARD_NONE;
    guard_report_release(&report);
    program_release(&program);
    return ran;
}

bool tester_mutant(Tester *tester, const char *text, size_t len, const StrList *options, Bitset *ret_cover,
                   Outcome *ret_outcome, Error *err) {
    OracleQuestion question = {.text = text, .len = len};
    if (!ask(tester, &question, options, OUTCOME_PASSES, ret_cover, err))
        return false;
    *ret_outcome = tester->answer.outcome == OUTCOME_FAILS ? OUTCOME_FAILS : OUTCOME_OTHER;
    if (tester->answer.outcome != OUTCOME_PASSES)
        return true;
    bool undefined;
    if (!executes_undefined(tester, text, len, &undefined, err))
        return false;
    *ret_outcome = undefined ? OUTCOME_UNDEFINED : OUTCOME_PASSES;
    return true;
}

/* Compiles the text in a file of its own, as the oracle takes the bug's to be as it left it. */
static bool compile(Tester *tester, const StrList *command, const char *text, size_t len, Bitset *ret_cover,
                    Error *err) {
    const char *source = oracle_source_name(tester->oracle), *dir = oracle_dir(tester->oracle);
    CLEANUP(str_release) Str name = {0};
    str_printf(&name, "ordinary-%s", source);
    CLEANUP(mem_freep) char *path = path_of(dir, str_text(&name));
    CLEANUP(strlist_release) StrList argv = {0};
    for (size_t i = 0; i < command->len; i++)
        strlist_add(&argv, str_equal(command->items[i], source) ? str_text(&name) : command->items[i]);
    if (!file_write(path, text, len, err))
        return false;
    ProcRequest request = {
        .argv = (const char *const *)argv.items,
        .dir = dir,
        .no_randomisation = true,
        .limits = {.wall_ms = 10000, .memory_bytes = (uint64_t)4 << 30},
    };
    bitset_clear(ret_cover);
    return cover_run(tester->config->cover, tester->runner, &request, ret_cover, &tester->result, err);
}

bool tester_program(Tester *tester, const char *text, size_t len, const StrList *options, Bitset *ret_cover,
                    Outcome *ret_outcome, Error *err) {
    CLEANUP(strlist_release) StrList command = {0};
    strlist_add_all(&command, &tester->compile_only);
    if (options)
        strlist_add_all(&command, options);
    if (!compile(tester, &command, text, len, ret_cover, err))
        return false;
    *ret_outcome = proc_ok(&tester->result) ? OUTCOME_PASSES : OUTCOME_OTHER;
    return true;
}

/* What the last compilation made ends with 0, and in time. */
static bool runs_well(Tester *tester, bool *ret_well, Error *err) {
    CLEANUP(strlist_release) StrList command = {0};
    const StrList *emulator = &tester->config->bug->run_cmd; /* the program is its last word */
    for (size_t i = 0; i + 1 < emulator->len; i++)
        strlist_add(&command, emulator->items[i]);
    strlist_add(&command, "./" ORDINARY_OUTPUT);
    const ExecuteStep step = {STEP_RUN, &command, NULL};
    ExecuteOptions options = execute_defaults();
    if (!execute(tester->runner, oracle_dir(tester->oracle), &step, 1, &options, &tester->execution, err))
        return false;
    *ret_well = tester->execution.verdict == VERDICT_OK && tester->execution.run.exit_code == 0;
    return true;
}

bool tester_suite_test(Tester *tester, const char *path, const char *text, size_t len, Bitset *ret_cover,
                       Outcome *ret_outcome, Error *err) {
    DevTest test = devtest_of(path, text);
    const StrList *command = test.kind == DEVTEST_COMPILE ? &tester->compile_only : &tester->link;
    bool well;
    if (!compile(tester, command, text, len, ret_cover, err))
        return false;
    Verdict verdict = verdict_of_compile(&tester->result);
    well = verdict == (test.refused ? VERDICT_REJECTS_VALID : VERDICT_OK);
    if (well && test.kind == DEVTEST_RUN && !runs_well(tester, &well, err))
        return false;
    *ret_outcome = well ? OUTCOME_PASSES : OUTCOME_OTHER;
    return true;
}

bool tester_linking(Tester *tester, Bitset *ret_cover, Error *err) {
    static const char text[] = "int main(void) { return 0; }\n";
    Bitset compiling;
    bitset_init(&compiling, ret_cover->bits);
    bool ok = compile(tester, &tester->compile_only, text, strlen(text), &compiling, err) &&
              compile(tester, &tester->config->bug->fail_cmd, text, strlen(text), ret_cover, err);
    if (ok)
        bitset_andnot(ret_cover, &compiling);
    bitset_release(&compiling);
    return ok;
}

/* The bug's own program; only fails, passes and other are told apart. */
static bool ask_own(Tester *tester, OracleQuestion *question, const StrList *options, Bitset *ret_cover,
                    Outcome *ret_outcome, Error *err) {
    if (!ask(tester, question, options, OUTCOME_PASSES, ret_cover, err))
        return false;
    Outcome outcome = tester->answer.outcome;
    *ret_outcome = outcome == OUTCOME_FAILS    ? OUTCOME_FAILS
                   : outcome == OUTCOME_PASSES ? OUTCOME_PASSES
                                               : OUTCOME_OTHER;
    return true;
}

bool tester_options(Tester *tester, const StrList *options, Bitset *ret_cover, Outcome *ret_outcome, Error *err) {
    return ask_own(tester, &(OracleQuestion){0}, options, ret_cover, ret_outcome, err);
}

bool tester_command(Tester *tester, const StrList *command, Bitset *ret_cover, Outcome *ret_outcome, Error *err) {
    return ask_own(tester, &(OracleQuestion){.fail_cmd = command}, NULL, ret_cover, ret_outcome, err);
}

SwitchQuery tester_query(const Tester *tester) {
    return (SwitchQuery){.runner = tester->runner, .command = &tester->compile_only, .dir = oracle_dir(tester->oracle)};
}

bool tester_behaviour(Tester *tester, const char *text, size_t len, Hash *ret_behaviour, Error *err) {
    OracleQuestion question = {.text = text, .len = len};
    if (!oracle_ask(tester->oracle, &question, &tester->answer, err))
        return false;
    if (!tester->answer.compared)
        return error_set(err, "the reference did not run the program");
    const ProcResult *run = &tester->answer.reference;
    int end[] = {run->exit_code, run->signal, (int)run->limit};
    *ret_behaviour = hash_combine(hash_bytes(end, sizeof end), hash_bytes(str_text(&run->out), run->out.len));
    return true;
}
