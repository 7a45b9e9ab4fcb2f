#include "reduce/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/map.h"
#include "proc/interrupt.h"
#include "proc/pool.h"
#include "toolchain/oracle.h"
#include "clang/tree.h"

/* What a worker needs for itself; made at its first job, on its own runner. */
typedef struct Desk {
    Oracle *oracle;
    OracleAnswer answer;
    Parser *parser;
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
    StrList guard_flags;
    size_t errors;  /* that the parser finds in the original: a candidate may have no more */
    int64_t run_ms; /* CPU time for a candidate's program: a multiple of the original's; 0 until that is known */
    const char *name;
    Map refused; /* content hashes of texts that are not interesting */
    int64_t deadline_ms;
    ReduceCounts counts;
    int64_t last_run_us;
    unsigned last_difference, difference; /* of the last case, of the original; 0: not known */
    char why[400];
};

/* How the failing program's run differs from the reference's. A wrong output that turns into a wrong exit status is, as a
 * rule, another bug: compilers that forget what main returns would attract every reduction. */
enum { DIFFERS_IN_OUTPUT = 1, DIFFERS_IN_END = 2 };

typedef struct Case {
    Judge *judge;
    Str text;
    size_t number;
    Hash hash;
    int64_t run_us;      /* CPU time of the reference program */
    unsigned difference; /* between the two programs' runs, DIFFERS_… */
    bool interesting, unparsed, guarded, failed;
    char why[400];
    Error err;
} Case;

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
        desk->parser = parser_new(judge->name, &judge->bug->fail_cmd);
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
    CLEANUP(tree_freep) Tree *tree = parser_parse(desk->parser, str_text(text), text->len, NULL);
    return tree && tree->errors <= judge->errors;
}

static bool pass_guards(Judge *judge, Runner *runner, Desk *desk, Case *a_case) {
    CLEANUP(guard_report_release) GuardReport report = {0};
    program_clear(&desk->program);
    program_add(&desk->program, judge->name, str_text(&a_case->text), a_case->text.len);
    if (!guard_run(judge->guards, runner, &desk->program, &judge->guard_options, &report, &a_case->err)) {
        a_case->failed = true;
        return false;
    }
    if (report.complaint == GUARD_NONE)
        return true;
    a_case->guarded = true;
    snprintf(a_case->why, sizeof a_case->why, "%s complains: %.300s", guard_name(report.complaint),
             str_text(&report.results[report.complaint].text));
    return false;
}

static unsigned difference_of(const OracleAnswer *answer) {
    const ProcResult *run = &answer->run, *reference = &answer->reference;
    if (!answer->ran || !answer->compared)
        return 0;
    bool same_output =
        run->out.len == reference->out.len && memcmp(str_text(&run->out), str_text(&reference->out), run->out.len) == 0;
    bool same_end =
        run->exit_code == reference->exit_code && run->signal == reference->signal && run->limit == reference->limit;
    return (same_output ? 0 : DIFFERS_IN_OUTPUT) | (same_end ? 0 : DIFFERS_IN_END);
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
    OracleQuestion question = {.text = str_text(&a_case->text), .len = a_case->text.len};
    if (!oracle_ask(desk->oracle, &question, &desk->answer, &a_case->err)) {
        a_case->failed = true;
        return;
    }
    if (desk->answer.outcome != ORACLE_FAILS) {
        snprintf(a_case->why, sizeof a_case->why, "the bug does not show: %s",
                 desk->answer.why ? desk->answer.why : oracle_outcome_name(desk->answer.outcome));
        return;
    }
    a_case->difference = difference_of(&desk->answer);
    if (judge->difference && a_case->difference != judge->difference) {
        snprintf(a_case->why, sizeof a_case->why, "it goes wrong in another way");
        return;
    }
    a_case->run_us = desk->answer.reference.user_us + desk->answer.reference.system_us;
    a_case->interesting = !judge->guards || pass_guards(judge, runner, desk, a_case);
}

Judge *judge_new(const Bug *bug, const ReduceOptions *options, Error *err) {
    Judge *judge = mem_zalloc(1, sizeof *judge);
    CLEANUP(strlist_release) StrList sources = {0};
    bug_sources(bug, &sources);
    judge->bug = bug;
    judge->options = options;
    judge->jobs = MAX_OF(options->jobs, (size_t)1);
    judge->desks = mem_zalloc(judge->jobs, sizeof *judge->desks);
    judge->name = mem_strdup(sources.len ? sources.items[0] : "fail.c");
    judge->errors = SIZE_MAX; /* until the original was parsed */
    judge->deadline_ms = options->time_ms ? clock_ms() + options->time_ms : INT64_MAX;
    judge->guard_options =
        (GuardOptions){.guards = options->guards, .flags = &judge->guard_flags, .suspect = bug_suspect(bug)};
    for (size_t i = 1; i < bug->fail_cmd.len; i++)
        if (str_starts(bug->fail_cmd.items[i], "-std=") || str_starts(bug->fail_cmd.items[i], "-f"))
            strlist_add(&judge->guard_flags, bug->fail_cmd.items[i]);
    judge->pool = pool_new(judge->jobs, POOL_IN_ORDER, err);
    bool ready = judge->pool != NULL;
    if (ready && acts_at_run_time(bug) && !options->no_guards) {
        CLEANUP(runner_freep) Runner *runner = runner_new(err);
        judge->guards = runner ? guard_tools_new(runner, LANGUAGE_C, err) : NULL;
        ready = judge->guards != NULL;
    }
    if (!ready) {
        judge_free(judge);
        return NULL;
    }
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
    strlist_release(&judge->guard_flags);
    map_release(&judge->refused);
    free(judge->desks);
    free((char *)judge->name);
    free(judge);
}

bool judge_stopped(Judge *judge) { return interrupt_count() > 0 || clock_ms() >= judge->deadline_ms; }

const ReduceCounts *judge_counts(const Judge *judge) { return &judge->counts; }

static void free_case(Case *a_case) {
    str_release(&a_case->text);
    free(a_case);
}

/* The next candidate that was not refused before; NULL at the end. */
static Case *next_case(Judge *judge, JudgeCandidate *candidate, void *context, size_t *number) {
    Case *a_case = mem_zalloc(1, sizeof *a_case);
    a_case->judge = judge;
    while (!judge_stopped(judge)) {
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
        judge->last_run_us = a_case->run_us;
        judge->last_difference = a_case->difference;
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

/* The original sets the bounds for what is made of it. Candidates that run away are common: loops lose their ends. */
static void learn_from_original(Judge *judge, const char *text, size_t len) {
    enum { LEAST_RUN_MS = 300, SLOWER = 20 };
    CLEANUP(parser_freep) Parser *parser = parser_new(judge->name, &judge->bug->fail_cmd);
    CLEANUP(tree_freep) Tree *tree = parser_parse(parser, text, len, NULL);
    judge->errors = tree ? tree->errors : SIZE_MAX - 1;
    judge->difference = judge->last_difference;
    if (judge->bug->kind == VERDICT_RUN_HANG)
        return;
    judge->run_ms = MAX_OF(LEAST_RUN_MS, SLOWER * judge->last_run_us / 1000);
    judge->guard_options.run_ms = judge->run_ms;
    for (size_t i = 0; i < judge->jobs; i++)
        close_desk(&judge->desks[i]); /* to be opened again with the new limits */
}

bool judge_one(Judge *judge, const char *text, size_t len, bool *ret_interesting, const char **ret_why, Error *err) {
    Str borrowed = {.data = (char *)text, .len = len};
    CLEANUP(str_release) Str kept = {0};
    size_t number;
    if (!judge_first(judge, only_one, &borrowed, &number, &kept, ret_interesting, err))
        return false;
    if (ret_why)
        *ret_why = judge->why;
    if (judge->errors == SIZE_MAX && *ret_interesting)
        learn_from_original(judge, text, len);
    return true;
}

static void run_reference(Runner *runner, size_t worker, void *argument) {
    Case *a_case = argument;
    Desk *desk = &a_case->judge->desks[worker];
    OracleQuestion question = {.text = str_text(&a_case->text), .len = a_case->text.len};
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
