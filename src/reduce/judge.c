#include "reduce/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/map.h"
#include "judge/oracle.h"
#include "proc/interrupt.h"
#include "proc/pool.h"
#include "compiler/identify.h"
#include "judge/script.h"
#include "clang/tree.h"

/* What a worker needs for itself; made at its first job, on its own runner. */
typedef struct Desk {
    Oracle *oracle;
    OracleAnswer answer;
    Parser *parser; /* strict */
    Program program;
} Desk;

struct Judge {
    const Bug *bug;
    const ReduceOptions *options;
    Pool *pool;
    Desk *desks; /* one per worker */
    size_t jobs;
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

typedef struct Case {
    Judge *judge;
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
} Case;

const char *judge_name(const Judge *judge) { return judge->files.files.items[judge->focus].name; }

static bool acts_at_run_time(const Bug *bug) { return !verdict_is_compile_time(bug->kind); }

static bool open_desk(Judge *judge, Runner *runner, Desk *desk, Error *err) {
    OracleOptions options = {.run_limits = execute_defaults().run_limits};
    if (judge->run_ms) {
        options.run_limits.cpu_ms = judge->run_ms;
        options.run_limits.wall_ms = 10 * judge->run_ms;
    }
    if (!desk->oracle)
        desk->oracle = oracle_new(runner, judge->bug, &options, err);
    if (!desk->parser)
        desk->parser = parser_new_strict(judge_name(judge), &judge->bug->fail_cmd);
    return desk->oracle != NULL;
}

static void close_desk(Desk *desk) {
    oracle_answer_release(&desk->answer);
    oracle_free(desk->oracle);
    parser_free(desk->parser);
    program_release(&desk->program);
    *desk = (Desk){0};
}

static bool parses(const Judge *judge, Desk *desk, const Str *text) {
    CLEANUP(strlist_release) StrList kinds = {0};
    if (!parser_complaints(desk->parser, str_text(text), text->len, &kinds))
        return false;
    for (size_t i = 0; i < kinds.len; i++)
        if (!strlist_contains(&judge->errors, kinds.items[i]))
            return false;
    return true;
}

/* The program with the text in place of the file under reduction. */
static void place_text(const Judge *judge, const Str *text, Program *ret_program) {
    program_clear(ret_program);
    ret_program->language = judge->files.language;
    for (size_t i = 0; i < judge->files.files.len; i++) {
        const ProgramFile *file = &judge->files.files.items[i];
        bool here = i == judge->focus;
        program_add(ret_program, file->name, here ? str_text(text) : file->text, here ? text->len : file->len);
    }
}

static bool pass_guards(Judge *judge, Runner *runner, Desk *desk, Case *a_case) {
    CLEANUP(guard_report_release) GuardReport report = {0};
    if (!guard_run(judge->guards, runner, &desk->program, &judge->guard_options, &report, &a_case->err)) {
        a_case->failed = true;
        return false;
    }
    for (Guard guard = 0; guard < GUARD_COUNT; guard++)
        a_case->answered |= report.results[guard].answer == GUARD_CLEAN ? GUARD_BIT(guard) : 0;
    unsigned silent = judge->answered & ~a_case->answered;
    if (report.complaint == GUARD_NONE && !silent)
        return true;
    a_case->guarded = true;
    if (report.complaint == GUARD_NONE) {
        snprintf(a_case->why, sizeof a_case->why, "a guard that answered before has no answer");
        return false;
    }
    snprintf(a_case->why, sizeof a_case->why, "%s complains: %.300s", guard_name(report.complaint),
             str_text(&report.results[report.complaint].text));
    return false;
}

static void list_words(const OracleAnswer *answer, StrList *ret_words) {
    CLEANUP(arena_release) Arena arena = {0};
    Failure failure = failure_of(answer->verdict, &answer->compile, &arena);
    failure_words(&failure, compiler_messages(&answer->compile), ret_words);
}

/* Cheap questions first: the parser, the compilers under test, the guards. */
static void hear(Runner *runner, size_t worker, void *argument) {
    Case *a_case = argument;
    Judge *judge = a_case->judge;
    Desk *desk = &judge->desks[worker];
    if (!open_desk(judge, runner, desk, &a_case->err)) {
        a_case->failed = true;
        return;
    }
    if (!parses(judge, desk, &a_case->text)) {
        a_case->unparsed = true;
        snprintf(a_case->why, sizeof a_case->why, "it does not parse");
        return;
    }
    place_text(judge, &a_case->text, &desk->program);
    OracleQuestion question = {.files = desk->program.files.items, .file_count = desk->program.files.len};
    if (!oracle_ask(desk->oracle, &question, &desk->answer, &a_case->err)) {
        a_case->failed = true;
        return;
    }
    if (desk->answer.outcome != OUTCOME_FAILS) {
        snprintf(a_case->why, sizeof a_case->why, "the bug does not show: %s",
                 desk->answer.why ? desk->answer.why : outcome_name(desk->answer.outcome));
        return;
    }
    a_case->difference = desk->answer.difference;
    if (judge->difference && a_case->difference != judge->difference) {
        snprintf(a_case->why, sizeof a_case->why, "it goes wrong in another way");
        return;
    }
    if (!judge->original_seen)
        list_words(&desk->answer, &a_case->words);
    a_case->run_us = desk->answer.reference.user_us + desk->answer.reference.system_us;
    a_case->interesting = !judge->guards || pass_guards(judge, runner, desk, a_case);
}

/* The bug's sources, as texts. */
static bool load_files(Judge *judge, Error *err) {
    CLEANUP(strlist_release) StrList sources = {0};
    bug_sources(judge->bug, &sources);
    for (size_t i = 0; i < sources.len; i++) {
        CLEANUP(mem_freep) char *path = path_of(judge->bug->dir, sources.items[i]);
        CLEANUP(str_release) Str text = {0};
        if (!file_read(path, &text, err))
            return false;
        program_add(&judge->files, sources.items[i], str_text(&text), text.len);
    }
    return sources.len || error_set(err, "the command of %s names no source file", judge->bug->id);
}

/* Wrong code needs guards; what the original itself is warned of, in code that never runs, does not count. */
static bool find_guards(Judge *judge, Error *err) {
    CLEANUP(runner_freep) Runner *runner = runner_new(err);
    judge->guards = runner ? guard_tools_new(runner, bug_language(judge->bug), err) : NULL;
    judge->guard_options = (GuardOptions){.guards = judge->options->guards,
                                          .flags = &judge->bug->fail_cmd,
                                          .suspect = bug_suspect(judge->bug),
                                          .tolerated = &judge->tolerated};
    return judge->guards &&
           guard_known_warnings(judge->guards, runner, &judge->files, &judge->guard_options, &judge->tolerated, err);
}

Judge *judge_new(const Bug *bug, const ReduceOptions *options, Error *err) {
    Judge *judge = mem_zalloc(1, sizeof *judge);
    judge->bug = bug;
    judge->options = options;
    judge->jobs = MAX_OF(options->jobs, (size_t)1);
    judge->desks = mem_zalloc(judge->jobs, sizeof *judge->desks);
    judge->files.language = bug_language(bug);
    judge->deadline_ms = options->time_ms ? clock_ms() + options->time_ms : INT64_MAX;
    judge->pool = pool_new(judge->jobs, POOL_IN_ORDER, err);
    bool guarded = acts_at_run_time(bug) && !options->no_guards;
    if (!judge->pool || !load_files(judge, err) || (guarded && !find_guards(judge, err))) {
        judge_free(judge);
        return NULL;
    }
    judge_focus(judge, 0);
    return judge;
}

void judge_free(Judge *judge) {
    if (!judge)
        return;
    /* The desks' oracles borrow the pool's runners but are idle by now. */
    for (size_t i = 0; i < judge->jobs; i++)
        close_desk(&judge->desks[i]);
    pool_free(judge->pool);
    guard_tools_free(judge->guards);
    strlist_release(&judge->tolerated);
    strlist_release(&judge->words);
    strlist_release(&judge->errors);
    program_release(&judge->files);
    map_release(&judge->refused);
    free(judge->desks);
    free(judge);
}

bool judge_stopped(Judge *judge) { return interrupt_count() > 0 || clock_ms() >= judge->deadline_ms; }

const ReduceCounts *judge_counts(const Judge *judge) { return &judge->counts; }

static void free_case(Case *a_case) {
    str_release(&a_case->text);
    strlist_release(&a_case->words);
    free(a_case);
}

/* The next candidate that was not refused before; NULL at the end. */
static Case *next_case(Judge *judge, JudgeCandidate *candidate, void *context, size_t *number) {
    Case *a_case = mem_zalloc(1, sizeof *a_case);
    a_case->judge = judge;
    while (judge->overtime || !judge_stopped(judge)) {
        str_clear(&a_case->text);
        a_case->number = (*number)++;
        if (!candidate(context, a_case->number, &a_case->text))
            break;
        if (!a_case->text.len)
            continue;
        judge->counts.tries++;
        a_case->hash = hash_bytes(str_text(&a_case->text), a_case->text.len);
        if (!map_find(&judge->refused, &a_case->hash, sizeof a_case->hash))
            return a_case;
        judge->counts.known++;
    }
    free_case(a_case);
    return NULL;
}

static void count_case(Judge *judge, const Case *a_case) {
    judge->counts.unparsed += a_case->unparsed;
    judge->counts.tested += !a_case->unparsed;
    judge->counts.guarded += a_case->guarded;
    judge->counts.accepted += a_case->interesting;
}

/* The original sets the bounds for what is made of it. Candidates that run away are common: loops lose their ends. */
static void learn_from_original(Judge *judge, const Case *original) {
    enum { LEAST_RUN_MS = 300, SLOWER = 20 };
    judge->original_seen = true;
    judge->difference = original->difference;
    judge->answered = original->answered;
    strlist_add_all(&judge->words, &original->words);
    if (judge->bug->kind == VERDICT_RUN_HANG)
        return;
    judge->run_ms = MAX_OF(LEAST_RUN_MS, SLOWER * original->run_us / 1000);
    judge->guard_options.run_ms = judge->run_ms;
}

bool judge_first(Judge *judge, JudgeCandidate *candidate, void *context, size_t *ret_number, Str *ret_text,
                 bool *ret_found, Error *err) {
    size_t number = 0;
    bool more = true, ok = true;
    *ret_found = false;
    while (ok && !*ret_found) {
        while (more && pool_under_way(judge->pool) < judge->jobs) {
            Case *a_case = next_case(judge, candidate, context, &number);
            if ((more = a_case != NULL))
                pool_submit(judge->pool, hear, a_case);
        }
        Case *a_case = pool_next(judge->pool);
        if (!a_case)
            break;
        count_case(judge, a_case);
        if (!a_case->interesting && !a_case->failed)
            map_insert(&judge->refused, &a_case->hash, sizeof a_case->hash, NULL);
        if (a_case->failed && err)
            *err = a_case->err;
        ok = !a_case->failed;
        if (a_case->interesting) {
            *ret_found = true;
            *ret_number = a_case->number;
            str_clear(ret_text);
            str_append_n(ret_text, str_text(&a_case->text), a_case->text.len);
        }
        memcpy(judge->why, a_case->why, sizeof judge->why);
        if (a_case->interesting && !judge->original_seen)
            learn_from_original(judge, a_case);
        free_case(a_case);
    }
    /* What was tested ahead in vain is cut short: nothing is known about it. */
    pool_cancel(judge->pool);
    for (Case *a_case; (a_case = pool_next(judge->pool));)
        free_case(a_case);
    return ok;
}

static bool only_one(void *context, size_t number, Str *ret_text) {
    const Str *text = context;
    if (number)
        return false;
    str_append_n(ret_text, str_text(text), text->len);
    return true;
}

size_t judge_file_count(const Judge *judge) { return judge->files.files.len; }

const char *judge_text(const Judge *judge, size_t *ret_len) {
    *ret_len = judge->files.files.items[judge->focus].len;
    return judge->files.files.items[judge->focus].text;
}

void judge_set_text(Judge *judge, const Str *text) {
    Program changed = {0};
    place_text(judge, text, &changed);
    program_release(&judge->files);
    judge->files = changed;
}

void judge_focus(Judge *judge, size_t file) {
    judge->focus = file;
    map_release(&judge->refused); /* what was refused was so with the other files as they were */
    for (size_t i = 0; i < judge->jobs; i++)
        close_desk(&judge->desks[i]); /* parsers know the file's name */
    CLEANUP(parser_freep) Parser *parser = parser_new_strict(judge_name(judge), &judge->bug->fail_cmd);
    size_t len;
    const char *text = judge_text(judge, &len);
    strlist_clear(&judge->errors);
    parser_complaints(parser, text, len, &judge->errors);
}

bool judge_original(Judge *judge, bool *ret_interesting, const char **ret_why, Error *err) {
    size_t len;
    const char *text = judge_text(judge, &len);
    judge->overtime = true; /* however little time there is, nothing can be said without it */
    bool judged = judge_one(judge, text, len, ret_interesting, ret_why, err);
    judge->overtime = false;
    for (size_t i = 0; i < judge->jobs; i++)
        close_desk(&judge->desks[i]); /* to be opened again with the new limits */
    return judged;
}

void judge_overtime(Judge *judge, bool allowed) { judge->overtime = allowed; }

bool judge_verify(Judge *judge, const Str *text, bool *ret_sound, Error *err) {
    *ret_sound = true;
    if (!judge->guards || judge->guard_options.separate)
        return true;
    judge->guard_options.separate = judge->overtime = true;
    bool judged = judge_one(judge, str_text(text), text->len, ret_sound, NULL, err);
    judge->guard_options.separate = !*ret_sound;
    judge->overtime = false;
    return judged;
}

/* What the judge's strict parser refuses, asked of the newest clang. */
static void strict_command(const Judge *judge, StrList *ret_command) {
    CLEANUP(strlist_release) StrList installed = {0};
    compiler_discover(LANGUAGE_C, &installed);
    if (bug_language(judge->bug) != LANGUAGE_C || strlist_contains(&judge->errors, "error"))
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
    for (size_t i = 0; i < judge->errors.len; i++)
        strlist_addf(ret_command, "-Wno-%s", judge->errors.items[i] + strlen("-W"));
    strlist_add(ret_command, judge_name(judge));
}

void judge_script(const Judge *judge, Str *ret_script) {
    CLEANUP(strlist_release) StrList check_cmd = {0};
    strict_command(judge, &check_cmd);
    const Script script = {.id = judge->bug->id,
                           .verdict = judge->bug->kind,
                           .fail_cmd = &judge->bug->fail_cmd,
                           .pass_cmd = &judge->bug->pass_cmd,
                           .run_cmd = &judge->bug->run_cmd,
                           .words = &judge->words,
                           .compile_ms = execute_defaults().compile_limits.wall_ms,
                           .run_ms = 2 * judge->run_ms,
                           .difference = judge->difference,
                           .name = judge_name(judge),
                           .check_cmd = &check_cmd,
                           .guards = judge->guards,
                           .guard_options = &judge->guard_options};
    script_render(&script, ret_script);
}

const Program *judge_program(const Judge *judge) { return &judge->files; }

bool judge_one(Judge *judge, const char *text, size_t len, bool *ret_interesting, const char **ret_why, Error *err) {
    Str borrowed = {.data = (char *)text, .len = len};
    CLEANUP(str_release) Str kept = {0};
    size_t number;
    if (!judge_first(judge, only_one, &borrowed, &number, &kept, ret_interesting, err))
        return false;
    if (ret_why)
        *ret_why = judge->why;
    return true;
}

static void run_reference(Runner *runner, size_t worker, void *argument) {
    Case *a_case = argument;
    Desk *desk = &a_case->judge->desks[worker];
    place_text(a_case->judge, &a_case->text, &desk->program);
    OracleQuestion question = {.files = desk->program.files.items, .file_count = desk->program.files.len};
    a_case->failed = !open_desk(a_case->judge, runner, desk, &a_case->err) ||
                     !oracle_ask(desk->oracle, &question, &desk->answer, &a_case->err);
    str_clear(&a_case->text);
    a_case->interesting = !a_case->failed && desk->answer.compared && proc_ok(&desk->answer.reference);
    if (a_case->interesting)
        str_append_n(&a_case->text, str_text(&desk->answer.reference.err), desk->answer.reference.err.len);
}

bool judge_run_reference(Judge *judge, const char *text, size_t len, Str *ret_messages, bool *ret_ran, Error *err) {
    Case a_case = {.judge = judge};
    str_append_n(&a_case.text, text, len);
    pool_submit(judge->pool, run_reference, &a_case);
    pool_next(judge->pool);
    if (a_case.failed && err)
        *err = a_case.err;
    *ret_ran = a_case.interesting;
    str_append_n(ret_messages, str_text(&a_case.text), a_case.text.len);
    str_release(&a_case.text);
    return !a_case.failed;
}

/* What a program printed, and how it ended where that is worth a word. */
static void append_run(const ProcResult *run, Str *ret_text) {
    str_append_n(ret_text, str_text(&run->out), run->out.len);
    if (proc_ok(run))
        return;
    if (ret_text->len && ret_text->data[ret_text->len - 1] != '\n')
        str_append_char(ret_text, '\n');
    if (run->limit != PROC_LIMIT_NONE)
        str_append(ret_text, "(does not end in time)\n");
    else if (run->signal)
        str_printf(ret_text, "(ends with signal %d, %s)\n", run->signal, strsignal(run->signal));
    else
        str_printf(ret_text, "(exits with %d)\n", run->exit_code);
}

typedef struct Showing {
    Judge *judge;
    ReduceOutputs *outputs;
    bool failed;
    Error err;
} Showing;

static void show_program(Runner *runner, size_t worker, void *argument) {
    Showing *showing = argument;
    Judge *judge = showing->judge;
    Desk *desk = &judge->desks[worker];
    const Program *files = &judge->files;
    OracleQuestion question = {.files = files->files.items, .file_count = files->files.len};
    showing->failed = !open_desk(judge, runner, desk, &showing->err) ||
                      !oracle_ask(desk->oracle, &question, &desk->answer, &showing->err);
    if (showing->failed)
        return;
    const OracleAnswer *answer = &desk->answer;
    const Str *messages = answer->compile.err.len ? &answer->compile.err : &answer->compile.out;
    str_append_n(&showing->outputs->messages, str_text(messages), messages->len);
    if (!answer->ran || !answer->compared)
        return;
    append_run(&answer->run, &showing->outputs->actual);
    append_run(&answer->reference, &showing->outputs->expected);
}

bool judge_show(Judge *judge, ReduceOutputs *ret_outputs, Error *err) {
    Showing showing = {.judge = judge, .outputs = ret_outputs};
    pool_submit(judge->pool, show_program, &showing);
    pool_next(judge->pool);
    if (showing.failed && err)
        *err = showing.err;
    return !showing.failed;
}
