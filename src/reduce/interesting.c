#include "reduce/interesting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/map.h"
#include "compiler/identify.h"
#include "judge/oracle.h"
#include "judge/script.h"
#include "proc/interrupt.h"
#include "proc/pool.h"
#include "clang/tree.h"

/* What a worker needs for itself; made at its first job, on its own runner. */
typedef struct Worker {
    Oracle *oracle;
    OracleAnswer answer;
    Parser *parser; /* strict */
    Program program;
} Worker;

struct Interestingness {
    const Bug *bug;
    const ReduceOptions *options;
    Pool *pool;
    Worker *workers;
    size_t worker_count;
    GuardTools *guards; /* NULL: none needed */
    GuardOptions guard_options;
    StrList tolerated; /* warnings that the original has itself, in code that never runs */
    bool original_seen;
    StrList errors; /* kinds that the strict parser finds in the file as it was: a candidate may have no others */
    int64_t run_ms; /* CPU time for a candidate's program: a multiple of the original's; 0 until that is known */
    Program files;  /* the bug's sources as they are now */
    size_t focus;   /* the one that candidates stand for */
    Map refused;    /* content hashes of texts that are not interesting in place of it */
    int64_t deadline_ms;
    bool overtime; /* one last look after the end */
    ReduceCounts counts;
    /* Of the original; 0 until it was seen. */
    unsigned difference, answered;
    StrList words;
    char why[400];
};

typedef struct Candidate {
    Interestingness *test;
    Str text;
    size_t number;
    Hash hash;
    int64_t run_us;      /* CPU time of the reference program */
    unsigned difference; /* between the two programs' runs, DIFFERS_… */
    unsigned answered;   /* guards that called it clean, GUARD_BITs */
    StrList words;       /* of the compiler's messages, that tell its failure from others */
    bool interesting, unparsed, guarded, failed;
    char why[400];
    Error err;
} Candidate;

/* --- Workers --- */

static bool worker_open(const Interestingness *test, Runner *runner, Worker *worker, Error *err) {
    OracleOptions options = {.run_limits = execute_defaults().run_limits};
    if (test->run_ms) {
        options.run_limits.cpu_ms = test->run_ms;
        options.run_limits.wall_ms = 10 * test->run_ms;
    }
    if (!worker->oracle)
        worker->oracle = oracle_new(runner, test->bug, &options, err);
    if (!worker->parser)
        worker->parser = parser_new_strict(interesting_file_name(test), bug_source_command(test->bug));
    return worker->oracle != NULL;
}

/* worker->answer is what the oracle says of the program. */
static bool worker_ask(const Interestingness *test, Runner *runner, Worker *worker, const Program *program,
                       Error *err) {
    const OracleQuestion question = {.files = program->files.items, .file_count = program->files.len};
    return worker_open(test, runner, worker, err) && oracle_ask(worker->oracle, &question, &worker->answer, err);
}

static void worker_drop_parser(Worker *worker) {
    parser_free(worker->parser);
    worker->parser = NULL;
}

static void worker_drop_oracle(Worker *worker) {
    oracle_free(worker->oracle);
    worker->oracle = NULL;
}

/* --- Testing one candidate --- */

static bool parses(const Interestingness *test, Worker *worker, const Str *text) {
    CLEANUP(strlist_release) StrList kinds = {0};
    if (!parser_complaints(worker->parser, str_text(text), text->len, &kinds))
        return false;
    for (size_t i = 0; i < kinds.len; i++)
        if (!strlist_contains(&test->errors, kinds.items[i]))
            return false;
    return true;
}

/* The program with the text in place of the file under reduction. */
static void place_text(const Interestingness *test, const Str *text, Program *ret_program) {
    program_clear(ret_program);
    ret_program->language = test->files.language;
    for (size_t i = 0; i < test->files.files.len; i++) {
        const ProgramFile *file = &test->files.files.items[i];
        bool here = i == test->focus;
        program_add(ret_program, file->name, here ? str_text(text) : file->text, here ? text->len : file->len);
    }
}

static bool pass_guards(Interestingness *test, Runner *runner, const Worker *worker, Candidate *candidate) {
    CLEANUP(guard_report_release) GuardReport report = {0};
    GuardOptions options = test->guard_options;
    options.dir = oracle_dir(worker->oracle); /* which has just written the candidate */
    if (!guard_run(test->guards, runner, &worker->program, &options, &report, &candidate->err)) {
        candidate->failed = true;
        return false;
    }
    for (Guard guard = 0; guard < GUARD_COUNT; guard++)
        candidate->answered |= report.results[guard].answer == GUARD_CLEAN ? GUARD_BIT(guard) : 0;
    unsigned silent = test->answered & ~candidate->answered;
    if (report.complaint == GUARD_NONE && !silent)
        return true;
    candidate->guarded = true;
    if (report.complaint == GUARD_NONE)
        snprintf(candidate->why, sizeof candidate->why, "a guard that answered before has no answer");
    else
        snprintf(candidate->why, sizeof candidate->why, "%s complains: %.300s", guard_name(report.complaint),
                 str_text(&report.results[report.complaint].text));
    return false;
}

/* Cheap questions first: the parser, the compilers under test, the guards. */
static void test_candidate(Runner *runner, size_t index, void *argument) {
    Candidate *candidate = argument;
    Interestingness *test = candidate->test;
    Worker *worker = &test->workers[index];
    if (!worker_open(test, runner, worker, &candidate->err)) {
        candidate->failed = true;
        return;
    }
    if (!parses(test, worker, &candidate->text)) {
        candidate->unparsed = true;
        snprintf(candidate->why, sizeof candidate->why, "it does not parse");
        return;
    }
    place_text(test, &candidate->text, &worker->program);
    const OracleAnswer *answer = &worker->answer;
    if (!worker_ask(test, runner, worker, &worker->program, &candidate->err)) {
        candidate->failed = true;
        return;
    }
    if (answer->outcome != OUTCOME_FAILS) {
        snprintf(candidate->why, sizeof candidate->why, "the bug does not show: %s",
                 answer->why ? answer->why : outcome_name(answer->outcome));
        return;
    }
    candidate->difference = answer->difference;
    if (test->difference && candidate->difference != test->difference) {
        snprintf(candidate->why, sizeof candidate->why, "it goes wrong in another way");
        return;
    }
    if (!test->original_seen) {
        CLEANUP(arena_release) Arena arena = {0};
        Failure failure = failure_of(answer->verdict, &answer->compile, &arena);
        failure_words(&failure, compiler_messages(&answer->compile), &candidate->words);
    }
    candidate->run_us = answer->reference.user_us + answer->reference.system_us;
    candidate->interesting = !test->guards || pass_guards(test, runner, worker, candidate);
}

/* --- The files under reduction --- */

size_t interesting_file_count(const Interestingness *test) { return test->files.files.len; }

const Program *interesting_program(const Interestingness *test) { return &test->files; }

const char *interesting_file_name(const Interestingness *test) { return test->files.files.items[test->focus].name; }

const char *interesting_text(const Interestingness *test, size_t *ret_len) {
    *ret_len = test->files.files.items[test->focus].len;
    return test->files.files.items[test->focus].text;
}

void interesting_set_text(Interestingness *test, const Str *text) {
    Program changed = {0};
    place_text(test, text, &changed);
    program_release(&test->files);
    test->files = changed;
}

/* Parsers know the file's name, so each worker makes a new one; the first takes over what has read the file already. */
static void begin_file(Interestingness *test, size_t file) {
    test->focus = file;
    map_release(&test->refused); /* what was refused was so with the other files as they were */
    for (size_t i = 0; i < test->worker_count; i++)
        worker_drop_parser(&test->workers[i]);
    test->workers[0].parser = parser_new_strict(interesting_file_name(test), bug_source_command(test->bug));
    size_t len;
    const char *text = interesting_text(test, &len);
    strlist_clear(&test->errors);
    parser_complaints(test->workers[0].parser, text, len, &test->errors);
}

void interesting_focus(Interestingness *test, size_t file) {
    if (file != test->focus)
        begin_file(test, file);
}

/* --- Making the test --- */

/* The bug's sources, as texts. */
static bool load_files(Interestingness *test, Error *err) {
    CLEANUP(strlist_release) StrList sources = {0};
    bug_sources(test->bug, &sources);
    for (size_t i = 0; i < sources.len; i++) {
        CLEANUP(mem_freep) char *path = path_of(test->bug->dir, sources.items[i]);
        CLEANUP(str_release) Str text = {0};
        if (!file_read(path, &text, err))
            return false;
        program_add(&test->files, sources.items[i], str_text(&text), text.len);
    }
    return sources.len || error_set(err, "the command of %s names no source file", test->bug->id);
}

/* A wrong result and a refusal say something about valid programs only: they need guards. What the original itself is
 * warned of, in code that never runs, does not count. */
static bool needs_guards(const Bug *bug) {
    return !verdict_is_compile_time(bug->kind) || bug->kind == VERDICT_REJECTS_VALID;
}

static bool find_guards(Interestingness *test, Error *err) {
    CLEANUP(runner_freep) Runner *runner = runner_new(err);
    test->guards = runner ? guard_tools_new(runner, bug_language(test->bug), err) : NULL;
    test->guard_options = (GuardOptions){.guards = test->options->guards,
                                         .flags = bug_source_command(test->bug),
                                         .suspect = bug_suspect(test->bug),
                                         .tolerated = &test->tolerated,
                                         .tolerance = test->bug->tolerance};
    return test->guards &&
           guard_known_warnings(test->guards, runner, &test->files, &test->guard_options, &test->tolerated, err);
}

Interestingness *interesting_new(const Bug *bug, const ReduceOptions *options, Error *err) {
    Interestingness *test = mem_zalloc(1, sizeof *test);
    test->bug = bug;
    test->options = options;
    test->worker_count = MAX_OF(options->jobs, (size_t)1);
    test->workers = mem_zalloc(test->worker_count, sizeof *test->workers);
    test->files.language = bug_language(bug);
    test->deadline_ms = options->time_ms ? clock_ms() + options->time_ms : INT64_MAX;
    test->pool = pool_new(test->worker_count, POOL_IN_ORDER, err);
    bool guarded = needs_guards(bug) && !options->no_guards;
    if (!test->pool || !load_files(test, err) || (guarded && !find_guards(test, err))) {
        interesting_free(test);
        return NULL;
    }
    begin_file(test, 0);
    return test;
}

void interesting_free(Interestingness *test) {
    if (!test)
        return;
    /* The workers' oracles borrow the pool's runners but are idle by now. */
    for (size_t i = 0; i < test->worker_count; i++) {
        worker_drop_parser(&test->workers[i]);
        worker_drop_oracle(&test->workers[i]);
        oracle_answer_release(&test->workers[i].answer);
        program_release(&test->workers[i].program);
    }
    pool_free(test->pool);
    guard_tools_free(test->guards);
    strlist_release(&test->tolerated);
    strlist_release(&test->words);
    strlist_release(&test->errors);
    program_release(&test->files);
    map_release(&test->refused);
    free(test->workers);
    free(test);
}

/* --- Testing many --- */

bool interesting_stopped(const Interestingness *test) {
    return interrupt_count() > 0 || clock_ms() >= test->deadline_ms;
}

void interesting_overtime(Interestingness *test, bool allowed) { test->overtime = allowed; }

const ReduceCounts *interesting_counts(const Interestingness *test) { return &test->counts; }

static void candidate_free(Candidate *candidate) {
    str_release(&candidate->text);
    strlist_release(&candidate->words);
    free(candidate);
}

/* The next candidate that was not refused before; NULL at the end. */
static Candidate *next_candidate(Interestingness *test, MakeCandidate *make, void *context, size_t *number) {
    Candidate *candidate = mem_zalloc(1, sizeof *candidate);
    candidate->test = test;
    while (test->overtime || !interesting_stopped(test)) {
        str_clear(&candidate->text);
        candidate->number = (*number)++;
        if (!make(context, candidate->number, &candidate->text))
            break;
        if (!candidate->text.len)
            continue;
        test->counts.tries++;
        candidate->hash = hash_bytes(str_text(&candidate->text), candidate->text.len);
        if (!map_find(&test->refused, &candidate->hash, sizeof candidate->hash))
            return candidate;
        test->counts.known++;
    }
    candidate_free(candidate);
    return NULL;
}

/* The original sets the bounds for what is made of it. Candidates that run away are common: loops lose their ends. */
static void learn_from_original(Interestingness *test, const Candidate *original) {
    enum { LEAST_RUN_MS = 300, SLOWER = 20 };
    test->original_seen = true;
    test->difference = original->difference;
    test->answered = original->answered;
    strlist_add_all(&test->words, &original->words);
    if (test->bug->kind == VERDICT_RUN_HANG)
        return;
    test->run_ms = MAX_OF(LEAST_RUN_MS, SLOWER * original->run_us / 1000);
    test->guard_options.run_ms = test->run_ms;
}

/* Counts and remembers what became of a candidate. */
static void note_candidate(Interestingness *test, const Candidate *candidate) {
    test->counts.unparsed += candidate->unparsed;
    test->counts.tested += !candidate->unparsed;
    test->counts.guarded += candidate->guarded;
    test->counts.accepted += candidate->interesting;
    if (!candidate->interesting && !candidate->failed)
        map_insert(&test->refused, &candidate->hash, sizeof candidate->hash, NULL);
    memcpy(test->why, candidate->why, sizeof test->why);
    if (candidate->interesting && !test->original_seen)
        learn_from_original(test, candidate);
}

bool interesting_first(Interestingness *test, MakeCandidate *make, void *context, size_t *ret_number, Str *ret_text,
                       bool *ret_found, Error *err) {
    size_t number = 0;
    bool more = true, ok = true;
    *ret_found = false;
    while (ok && !*ret_found) {
        while (more && pool_under_way(test->pool) < test->worker_count) {
            Candidate *next = next_candidate(test, make, context, &number);
            if ((more = next != NULL))
                pool_submit(test->pool, test_candidate, next);
        }
        Candidate *candidate = pool_next(test->pool);
        if (!candidate)
            break;
        note_candidate(test, candidate);
        if (candidate->failed && err)
            *err = candidate->err;
        ok = !candidate->failed;
        if (candidate->interesting) {
            *ret_found = true;
            *ret_number = candidate->number;
            str_clear(ret_text);
            str_append_str(ret_text, &candidate->text);
        }
        candidate_free(candidate);
    }
    /* What was tested ahead in vain is cut short: nothing is known about it. */
    pool_cancel(test->pool);
    for (Candidate *candidate; (candidate = pool_next(test->pool));)
        candidate_free(candidate);
    return ok;
}

static bool only_one(void *context, size_t number, Str *ret_text) {
    const Str *text = context;
    if (number)
        return false;
    str_append_str(ret_text, text);
    return true;
}

bool interesting_one(Interestingness *test, const char *text, size_t len, bool *ret_interesting, const char **ret_why,
                     Error *err) {
    Str borrowed = {.data = (char *)text, .len = len};
    CLEANUP(str_release) Str kept = {0};
    size_t number;
    if (!interesting_first(test, only_one, &borrowed, &number, &kept, ret_interesting, err))
        return false;
    if (ret_why)
        *ret_why = test->why;
    return true;
}

bool interesting_original(Interestingness *test, bool *ret_interesting, const char **ret_why, Error *err) {
    size_t len;
    const char *text = interesting_text(test, &len);
    test->overtime = true; /* however little time there is, nothing can be said without it */
    bool tested = interesting_one(test, text, len, ret_interesting, ret_why, err);
    test->overtime = false;
    for (size_t i = 0; i < test->worker_count; i++)
        worker_drop_oracle(&test->workers[i]); /* the next one has the new limits */
    return tested;
}

bool interesting_verify(Interestingness *test, const Str *text, bool *ret_sound, Error *err) {
    *ret_sound = true;
    if (!test->guards || test->guard_options.separate)
        return true;
    test->guard_options.separate = test->overtime = true;
    bool tested = interesting_one(test, str_text(text), text->len, ret_sound, NULL, err);
    test->guard_options.separate = !*ret_sound;
    test->overtime = false;
    return tested;
}

/* --- Looking at runs --- */

static void run_reference(Runner *runner, size_t index, void *argument) {
    Candidate *candidate = argument;
    Worker *worker = &candidate->test->workers[index];
    place_text(candidate->test, &candidate->text, &worker->program);
    candidate->failed = !worker_ask(candidate->test, runner, worker, &worker->program, &candidate->err);
    str_clear(&candidate->text);
    const OracleAnswer *answer = &worker->answer;
    candidate->interesting = !candidate->failed && answer->compared && proc_ok(&answer->reference);
    if (candidate->interesting)
        str_append_str(&candidate->text, &answer->reference.err);
}

bool interesting_run_reference(Interestingness *test, const char *text, size_t len, Str *ret_messages, bool *ret_ran,
                               Error *err) {
    Candidate candidate = {.test = test};
    str_append_n(&candidate.text, text, len);
    pool_submit(test->pool, run_reference, &candidate);
    pool_next(test->pool);
    if (candidate.failed && err)
        *err = candidate.err;
    *ret_ran = candidate.interesting;
    str_append_str(ret_messages, &candidate.text);
    str_release(&candidate.text);
    return !candidate.failed;
}

/* What a program printed, and how it ended if that is worth a word. */
static void append_run(const ProcResult *run, Str *ret_text) {
    str_append_str(ret_text, &run->out);
    if (proc_ok(run))
        return;
    if (ret_text->len && ret_text->data[ret_text->len - 1] != '\n')
        str_append_char(ret_text, '\n');
    str_append(ret_text, "(the program ");
    proc_describe_end(run, ret_text);
    str_append(ret_text, ")\n");
}

typedef struct OutputsJob {
    Interestingness *test;
    ReduceOutputs *outputs;
    bool failed;
    Error err;
} OutputsJob;

static void collect_outputs(Runner *runner, size_t index, void *argument) {
    OutputsJob *job = argument;
    Worker *worker = &job->test->workers[index];
    job->failed = !worker_ask(job->test, runner, worker, &job->test->files, &job->err);
    if (job->failed)
        return;
    const OracleAnswer *answer = &worker->answer;
    const Str *messages = answer->compile.err.len ? &answer->compile.err : &answer->compile.out;
    str_append_str(&job->outputs->messages, messages);
    if (!answer->ran || !answer->compared)
        return;
    append_run(&answer->run, &job->outputs->actual);
    append_run(&answer->reference, &job->outputs->expected);
}

bool interesting_outputs(Interestingness *test, ReduceOutputs *ret_outputs, Error *err) {
    OutputsJob job = {.test = test, .outputs = ret_outputs};
    pool_submit(test->pool, collect_outputs, &job);
    pool_next(test->pool);
    if (job.failed && err)
        *err = job.err;
    return !job.failed;
}

/* --- The same as a script --- */

/* What our strict parser refuses, asked of the newest clang. */
static void strict_command(const Interestingness *test, StrList *ret_command) {
    CLEANUP(strlist_release) StrList installed = {0};
    compiler_discover(LANGUAGE_C, &installed);
    if (bug_language(test->bug) != LANGUAGE_C || strlist_contains(&test->errors, "error"))
        return;
    for (size_t i = installed.len; i-- > 0 && !ret_command->len;)
        if (compiler_family_of_name(installed.items[i]) == FAMILY_CLANG)
            strlist_add(ret_command, installed.items[i]);
    if (!ret_command->len)
        return;
    size_t count;
    const char *const *args = parser_strict_args(&count);
    strlist_add(ret_command, "-fsyntax-only");
    for (size_t i = 0; i < count; i++)
        strlist_add(ret_command, args[i]);
    for (size_t i = 0; i < test->errors.len; i++)
        strlist_addf(ret_command, "-Wno-%s", test->errors.items[i] + strlen("-W"));
    strlist_add(ret_command, interesting_file_name(test));
}

void interesting_script(const Interestingness *test, Str *ret_script) {
    CLEANUP(strlist_release) StrList check_cmd = {0};
    strict_command(test, &check_cmd);
    const Script script = {.id = test->bug->id,
                           .verdict = test->bug->kind,
                           .fail_cmd = &test->bug->fail_cmd,
                           .pass_cmd = &test->bug->pass_cmd,
                           .front_cmd = &test->bug->front_cmd,
                           .codegen_cmd = &test->bug->codegen_cmd,
                           .run_cmd = &test->bug->run_cmd,
                           .words = &test->words,
                           .compile_ms = execute_defaults().compile_limits.wall_ms,
                           .run_ms = 2 * test->run_ms,
                           .tolerance = test->bug->tolerance,
                           .difference = test->difference,
                           .name = interesting_file_name(test),
                           .check_cmd = &check_cmd,
                           .guards = test->guards,
                           .guard_options = &test->guard_options};
    script_render(&script, ret_script);
}
