/* Deciding whether a bug shows. oracle.h says by what rule for each kind; here is how it stays cheap and safe:
 *
 *  - one scratch directory per oracle (tmpfs), the bug's files copied once; only texts that changed are written again;
 *  - a question runs the failing side first, and the reference only where its answer matters: most candidates of a
 *    reducer or mutator fall at the first compilation;
 *  - time limits follow the original: a program that ran for a millisecond need not be waited for ten seconds;
 *  - programs under test may write to the scratch directory's tmp only, so they cannot change the next question.
 */
#include "judge/oracle.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "proc/scratch.h"

/* A side is given this many times what the original needed, and never less than the floor: CPU time, so that a busy
 * machine does not turn slowness into a verdict. */
#define PATIENCE 20
#define FLOOR_CPU_MS 2000

typedef struct SourceFile {
    char *name;
    Str original, current;
} SourceFile;

struct Oracle {
    Runner *runner;
    const Bug *bug;
    OracleOptions options;
    Scratch scratch;
    const char *makes;   /* file of the scratch directory that fail_cmd and pass_cmd must leave; NULL: not looked at */
    const char *program; /* the same for codegen_cmd */
    StrList run_cmd;
    Vec(SourceFile) sources;
    Arena arena; /* of the answer */
    Arena bug_arena;
    Failure known; /* the bug's own */
    /* What front_cmd and pass_cmd do with the current texts. */
    bool front_known, reference_known;
    Execution front, reference;
};

static bool runs_program(const Bug *bug) { return bug->run || bug->run_cmd.len > 0; }

/* --- Running the two sides --- */

static void copy_result(ProcResult *to, const ProcResult *from) {
    Str out = to->out, errors = to->err;
    str_clear(&out);
    str_clear(&errors);
    str_append_str(&out, &from->out);
    str_append_str(&errors, &from->err);
    *to = *from;
    to->out = out;
    to->err = errors;
}

/* Both sides work on what front_cmd makes of the texts; it runs once for each. */
static bool run_front(Oracle *oracle, Error *err) {
    const StrList *command = &oracle->bug->front_cmd;
    const ExecuteStep step = {STEP_COMPILE, command, command_output(command)};
    const ExecuteOptions options = {.compile_limits = execute_defaults().compile_limits};
    if (oracle->front_known || !command->len)
        return true;
    if (!execute(oracle->runner, oracle->scratch.path, &step, 1, &options, &oracle->front, err))
        return error_context(err, "cannot run the front end's command of %s", oracle->bug->id);
    oracle->front_known = true;
    return true;
}

static bool run_side(Oracle *oracle, const StrList *command, const ExecuteOptions *options, Execution *ret_execution,
                     Error *err) {
    const Bug *bug = oracle->bug;
    CLEANUP(strlist_release) StrList run = {0};
    if (!run_front(oracle, err))
        return false;
    if (oracle->front.verdict != VERDICT_OK) {
        execution_release(ret_execution);
        copy_result(&ret_execution->compile, &oracle->front.compile);
        ret_execution->verdict = VERDICT_REJECTS_VALID;
        return true;
    }
    if (oracle->options.emulator)
        strlist_add_all(&run, oracle->options.emulator);
    strlist_add_all(&run, &oracle->run_cmd);
    ExecuteStep steps[3] = {{STEP_COMPILE, command, oracle->makes}};
    size_t count = 1;
    if (bug->codegen_cmd.len)
        steps[count++] = (ExecuteStep){STEP_CODEGEN, &bug->codegen_cmd, oracle->program};
    if (runs_program(bug))
        steps[count++] = (ExecuteStep){STEP_RUN, &run, NULL};
    return execute(oracle->runner, oracle->scratch.path, steps, count, options, ret_execution, err);
}

static bool run_reference(Oracle *oracle, Error *err) {
    if (oracle->reference_known)
        return true;
    const ExecuteOptions options = {.compile_limits = oracle->options.compile_limits,
                                    .run_limits = oracle->options.run_limits};
    if (!run_side(oracle, &oracle->bug->pass_cmd, &options, &oracle->reference, err))
        return error_context(err, "cannot run the reference command of %s", oracle->bug->id);
    oracle->reference_known = true;
    return true;
}

/* The failing command of a question: its own or the bug's, the compiler replaced where asked. */
static void failing_command(const Oracle *oracle, const OracleQuestion *question, StrList *ret_command) {
    const StrList *command = question->fail_cmd ? question->fail_cmd : &oracle->bug->fail_cmd;
    const StrList *compiler = question->compiler ? question->compiler : oracle->options.compiler;
    if (compiler)
        strlist_add_all(ret_command, compiler);
    for (size_t i = compiler ? 1 : 0; i < command->len; i++)
        strlist_add(ret_command, command->items[i]);
}

/* --- Comparing by kind --- */

/* Whether the failing side's compilation shows what the bug shows; `answer->why` says what it is. */
static bool same_compile_failure(Oracle *oracle, OracleAnswer *answer) {
    Failure seen = failure_of(answer->verdict, &answer->compile, &oracle->arena);
    if (seen.verdict == VERDICT_CRASH)
        answer->why = arena_printf(&oracle->arena, "crashes: %s", seen.reason);
    else if (oracle->front.verdict != VERDICT_OK)
        answer->why = "the front end refuses it";
    else if (seen.verdict == VERDICT_REJECTS_VALID)
        answer->why = arena_printf(&oracle->arena, "is rejected: %s", seen.reason ? seen.reason : "without a message");
    else
        answer->why = verdict_phrase(seen.verdict);
    return oracle->front.verdict == VERDICT_OK && failure_same(&oracle->known, &seen);
}

/* A failure of compilation counts where the text is valid: pass_cmd must accept it. */
static bool decide_compile_failure(Oracle *oracle, OracleAnswer *answer, Error *err) {
    answer->outcome = OUTCOME_OTHER;
    if (!same_compile_failure(oracle, answer))
        return true;
    if (!oracle->options.skip_reference && oracle->bug->pass_cmd.len > 0) {
        if (!run_reference(oracle, err))
            return false;
        copy_result(&answer->reference, &oracle->reference.compile);
        answer->compared = true;
        if (verdict_is_compile_time(oracle->reference.verdict)) {
            answer->why = arena_printf(&oracle->arena, "the reference command fails too: %s",
                                       verdict_phrase(oracle->reference.verdict));
            return true;
        }
    }
    answer->outcome = OUTCOME_FAILS;
    return true;
}

/* abort() is a program's own way to say that something is wrong; other signals and time-outs of the reference mean that
 * the program itself is bad. */
static bool reference_is_sound(const Oracle *oracle) {
    const ProcResult *run = &oracle->reference.run;
    return oracle->reference.ran && run->limit == PROC_LIMIT_NONE && (run->signal == 0 || run->signal == SIGABRT);
}

static bool decide_run(Oracle *oracle, OracleAnswer *answer, Error *err) {
    if (!run_reference(oracle, err))
        return false;
    const Execution *reference = &oracle->reference;
    copy_result(&answer->reference, reference->ran ? &reference->run : &reference->compile);
    answer->compared = true;
    answer->outcome = OUTCOME_OTHER;
    if (!reference_is_sound(oracle)) {
        answer->why = arena_printf(&oracle->arena, "the reference fails: %s", verdict_phrase(reference->verdict));
        return true;
    }
    answer->difference = run_difference(&answer->run, &reference->run, oracle->bug->tolerance);
    if (!answer->difference) {
        answer->outcome = OUTCOME_PASSES;
        answer->verdict = VERDICT_OK;
        answer->why = "both programs behave the same";
        return true;
    }
    if (answer->verdict == VERDICT_OK)
        answer->verdict = VERDICT_WRONG_CODE;
    bool wanted = failure_same(&oracle->known, &(Failure){.verdict = answer->verdict});
    answer->outcome = wanted ? OUTCOME_FAILS : OUTCOME_OTHER;
    answer->why = verdict_phrase(answer->verdict);
    return true;
}

static bool decide(Oracle *oracle, OracleAnswer *answer, Error *err) {
    if (verdict_is_compile_time(answer->verdict))
        return decide_compile_failure(oracle, answer, err);
    if (runs_program(oracle->bug) && oracle->bug->pass_cmd.len > 0)
        return decide_run(oracle, answer, err);
    if (answer->verdict == VERDICT_OK)
        answer->outcome = OUTCOME_PASSES;
    else
        answer->outcome = answer->verdict == oracle->bug->kind ? OUTCOME_FAILS : OUTCOME_OTHER;
    answer->why = verdict_phrase(answer->verdict);
    return true;
}

/* --- Questions --- */

static SourceFile *find_source(Oracle *oracle, const char *name) {
    for (size_t i = 0; i < oracle->sources.len; i++) {
        if (strcmp(oracle->sources.items[i].name, name) == 0)
            return &oracle->sources.items[i];
    }
    return NULL;
}

static bool set_text(Oracle *oracle, SourceFile *source, const char *text, size_t len, Error *err) {
    if (source->current.len == len && memcmp(str_text(&source->current), text, len) == 0)
        return true;
    CLEANUP(mem_freep) char *path = path_of(oracle->scratch.path, source->name);
    if (!file_write(path, text, len, err))
        return false;
    str_clear(&source->current);
    str_append_n(&source->current, text, len);
    oracle->front_known = oracle->reference_known = false;
    return true;
}

/* Every source gets the question's text, else its original one. */
static bool set_texts(Oracle *oracle, const OracleQuestion *question, Error *err) {
    for (size_t i = 0; i < oracle->sources.len; i++) {
        SourceFile *source = &oracle->sources.items[i];
        const char *text = str_text(&source->original);
        size_t len = source->original.len;
        if (i == 0 && question->text) {
            text = question->text;
            len = question->len;
        }
        for (size_t k = 0; k < question->file_count; k++) {
            if (strcmp(question->files[k].name, source->name) == 0) {
                text = question->files[k].text;
                len = question->files[k].len;
            }
        }
        if (!set_text(oracle, source, text, len, err))
            return false;
    }
    for (size_t k = 0; k < question->file_count; k++) {
        if (!find_source(oracle, question->files[k].name))
            return error_set(err, "the bug %s has no file %s", oracle->bug->id, question->files[k].name);
    }
    return true;
}

static bool run_failing(Oracle *oracle, const OracleQuestion *question, OracleAnswer *answer, Error *err) {
    CLEANUP(strlist_release) StrList command = {0};
    CLEANUP(execution_release) Execution execution = {0};
    failing_command(oracle, question, &command);
    const ExecuteOptions options = {.compile_limits = oracle->options.compile_limits,
                                    .run_limits = oracle->options.run_limits,
                                    .compile_env = question->compiler_env,
                                    .compile_writable = question->compiler_writable,
                                    .no_randomisation = oracle->options.no_randomisation};
    if (!run_side(oracle, &command, &options, &execution, err))
        return error_context(err, "cannot run the failing command of %s", oracle->bug->id);
    copy_result(&answer->compile, &execution.compile);
    copy_result(&answer->run, &execution.run);
    answer->verdict = execution.verdict;
    answer->ran = execution.ran;
    answer->difference = 0;
    answer->signature = failure_of(execution.verdict, &execution.compile, &oracle->arena).signature;
    return true;
}

/* Repeats the failing side; an answer that changes is no evidence. */
static bool repeat_failing(Oracle *oracle, const OracleQuestion *question, OracleAnswer *answer, Error *err) {
    for (unsigned i = 0; i < question->repeat; i++) {
        CLEANUP(oracle_answer_release) OracleAnswer other = {0};
        if (!run_failing(oracle, question, &other, err) || !decide(oracle, &other, err))
            return false;
        if (other.outcome != answer->outcome || other.verdict != answer->verdict ||
            (answer->ran && run_difference(&answer->run, &other.run, 0))) {
            answer->outcome = OUTCOME_FLAKY;
            answer->why = verdict_phrase(VERDICT_FLAKY);
            return true;
        }
    }
    return true;
}

bool oracle_ask(Oracle *oracle, const OracleQuestion *question, OracleAnswer *ret_answer, Error *err) {
    arena_clear(&oracle->arena);
    ret_answer->compared = false;
    return set_texts(oracle, question, err) && run_failing(oracle, question, ret_answer, err) &&
           decide(oracle, ret_answer, err) && repeat_failing(oracle, question, ret_answer, err);
}

void oracle_answer_release(OracleAnswer *answer) {
    proc_result_release(&answer->compile);
    proc_result_release(&answer->run);
    proc_result_release(&answer->reference);
    *answer = (OracleAnswer){0};
}

/* --- Making one --- */

static bool load_sources(Oracle *oracle, Error *err) {
    CLEANUP(strlist_release) StrList names = {0};
    bug_sources(oracle->bug, &names);
    if (names.len == 0)
        return error_set(err, "its commands name no source file of its directory");
    for (size_t i = 0; i < names.len; i++) {
        CLEANUP(mem_freep) char *path = path_of(oracle->scratch.path, names.items[i]);
        SourceFile source = {.name = mem_strdup(names.items[i])};
        bool loaded = file_read(path, &source.original, err);
        str_append_str(&source.current, &source.original);
        vec_push(&oracle->sources, source);
        if (!loaded)
            return false;
    }
    return true;
}

/* What the commands make, and how to run it. Files elsewhere are not looked at, nor those that nobody asked for. */
static void find_made(Oracle *oracle) {
    const Bug *bug = oracle->bug;
    const char *name = command_output(&bug->fail_cmd);
    bool used = runs_program(bug) || bug->codegen_cmd.len;
    oracle->makes = *name != '/' && used ? name : NULL;
    if (bug->codegen_cmd.len) {
        name = command_output(&bug->codegen_cmd);
        oracle->program = *name != '/' ? name : NULL;
    }
    if (bug->run_cmd.len > 0)
        strlist_add_all(&oracle->run_cmd, &bug->run_cmd);
    else
        strlist_addf(&oracle->run_cmd, *name == '/' ? "%s" : "./%s", name);
}

static int64_t cpu_ms(const ProcResult *result) { return (result->user_us + result->system_us) / 1000; }

static void tighten(ProcLimits *limits, int64_t original_ms) {
    int64_t limit = MAX_OF((int64_t)FLOOR_CPU_MS, original_ms * PATIENCE);
    if (limits->cpu_ms == 0 || limit < limits->cpu_ms)
        limits->cpu_ms = limit;
}

/* What the failing side says about the original is what it must say about every other text; where it does not fail
 * in this place, what bug.json has. */
static bool learn_failure(Oracle *oracle, Error *err) {
    const Bug *bug = oracle->bug;
    CLEANUP(oracle_answer_release) OracleAnswer answer = {0};
    if (!run_failing(oracle, &(OracleQuestion){0}, &answer, err))
        return false;
    Failure seen = failure_of(answer.verdict, &answer.compile, &oracle->bug_arena);
    if (failure_same(&oracle->known, &seen))
        oracle->known = seen;
    else if (bug->kind != VERDICT_REJECTS_VALID)
        oracle->known.reason = bug->signature;
    oracle->known.verdict = bug->kind;
    return true;
}

/* Runs the original once: what it costs bounds the questions. */
static bool learn(Oracle *oracle, Error *err) {
    const Bug *bug = oracle->bug;
    oracle->known.verdict = bug->kind;
    if (bug->pass_cmd.len > 0) {
        if (!run_reference(oracle, err))
            return false;
        tighten(&oracle->options.compile_limits, cpu_ms(&oracle->reference.compile));
        if (oracle->reference.ran)
            tighten(&oracle->options.run_limits, cpu_ms(&oracle->reference.run));
    }
    bool by_message = bug->kind == VERDICT_CRASH || bug->kind == VERDICT_INVALID_IR ||
                      bug->kind == VERDICT_REJECTS_VALID || bug->kind == VERDICT_CODEGEN;
    return !by_message || learn_failure(oracle, err);
}

Oracle *oracle_new(Runner *runner, const Bug *bug, const OracleOptions *options, Error *err) {
    CLEANUP(oracle_freep) Oracle *oracle = mem_zalloc(1, sizeof *oracle);
    ExecuteOptions defaults = execute_defaults();
    oracle->runner = runner;
    oracle->bug = bug;
    if (options)
        oracle->options = *options;
    if (oracle->options.compile_limits.wall_ms == 0)
        oracle->options.compile_limits = defaults.compile_limits;
    if (oracle->options.run_limits.wall_ms == 0)
        oracle->options.run_limits = defaults.run_limits;
    find_made(oracle);
    if (!scratch_new(&oracle->scratch, err) || !bug_copy_to(bug, oracle->scratch.path, err) ||
        !load_sources(oracle, err) || !learn(oracle, err)) {
        error_context(err, "cannot set up the bug %s", bug->id);
        return NULL;
    }
    return TAKE(oracle);
}

void oracle_free(Oracle *oracle) {
    if (!oracle)
        return;
    for (size_t i = 0; i < oracle->sources.len; i++) {
        free(oracle->sources.items[i].name);
        str_release(&oracle->sources.items[i].original);
        str_release(&oracle->sources.items[i].current);
    }
    vec_release(&oracle->sources);
    strlist_release(&oracle->run_cmd);
    execution_release(&oracle->front);
    execution_release(&oracle->reference);
    arena_release(&oracle->arena);
    arena_release(&oracle->bug_arena);
    scratch_release(&oracle->scratch);
    free(oracle);
}

const char *oracle_dir(const Oracle *oracle) { return oracle->scratch.path; }
const char *oracle_source_name(const Oracle *oracle) { return oracle->sources.items[0].name; }
const Str *oracle_source_text(const Oracle *oracle) { return &oracle->sources.items[0].original; }
const Failure *oracle_failure(const Oracle *oracle) { return &oracle->known; }
const Signature *oracle_signature(const Oracle *oracle) {
    return oracle->known.has_signature ? &oracle->known.signature : NULL;
}
