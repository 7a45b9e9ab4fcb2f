#include <string.h>

#include "base/file.h"
#include "base/table.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/recbi_options.h"
#include "cli/suspects.h"
#include "explain/explain.h"
#include "isolate/recording.h"
#include "judge/bug_from_file.h"
#include "proc/interrupt.h"
#include "subject/sources.h"

typedef struct IsolateArgs {
    const char *subject, *fail, *pass, *method, *formula, *pool, *source, *annotate, *output, *guards, *fakes,
        *aggregate, *fitness, *record, *good_source;
    int64_t time_ms;
    uint64_t mutants, witnesses, stable, top;
    bool list_rules, explain;
    RecbiArgs recbi;
} IsolateArgs;

static const IsolateArgs defaults = {
    .method = "fusion", .formula = "ochiai", .guards = "ubsan", .fakes = "keep", .fitness = "continuous", .top = 20};

static const Option options[] = {
    OPTION(IsolateArgs, subject, "subject", 0, OPTION_TEXT, "NAME|DIR|stock:CC",
           "the compiler whose files are ranked (default: of the bug's version, a built one if there is one)"),
    OPTION(IsolateArgs, method, "method", 0, OPTION_TEXT, "M", "how witnesses are found (default fusion)"),
    OPTION(IsolateArgs, time_ms, "time", 0, OPTION_DURATION, "T", "search for so long (default 60s)"),
    OPTION(IsolateArgs, mutants, "mutants", 0, OPTION_COUNT, "N", "stop after so many programs were tested"),
    OPTION(IsolateArgs, witnesses, "witnesses", 0, OPTION_COUNT, "N", "stop at so many witnesses"),
    OPTION(IsolateArgs, stable, "stable", 0, OPTION_COUNT, "N",
           "stop when the first ten files have not moved for so many programs (fusion: 100)"),
    OPTION(IsolateArgs, formula, "formula", 0, OPTION_CHOICE, FORMULA_CHOICES, "suspicion of a statement"),
    OPTION(IsolateArgs, aggregate, "aggregate", 0, OPTION_CHOICE, AGGREGATION_CHOICES,
           "score of a file from its statements' (default: the method's)"),
    OPTION(IsolateArgs, fail, "fail", 0, OPTION_TEXT, "FLAGS", "for a FILE: the options that fail"),
    OPTION(IsolateArgs, pass, "pass", 0, OPTION_TEXT, "FLAGS", "for a FILE: the options that work (default -O0)"),
    OPTION(IsolateArgs, pool, "pool", 0, OPTION_TEXT, "DIR",
           "programs to take ingredients and witnesses from (.c, or .ll)"),
    OPTION(IsolateArgs, source, "source", 0, OPTION_TEXT, "DIR", "the compiler's source tree"),
    OPTION(IsolateArgs, good_source, "good-source", 0, OPTION_TEXT, "DIR",
           "the sources of an older version that is free of the bug (default: of an installed one)"),
    OPTION(IsolateArgs, explain, "explain", 0, OPTION_FLAG, NULL, "say in words what speaks against the first files"),
    OPTION(IsolateArgs, annotate, "annotate", 0, OPTION_TEXT, "FILE", "print this source file with its scores"),
    OPTION(IsolateArgs, guards, "guards", 0, OPTION_TEXT, "LIST", "checks of passing mutants: ubsan,msan,… or none"),
    OPTION(IsolateArgs, fakes, "fakes", 0, OPTION_CHOICE, "keep|drop", "witnesses that may still have the bug"),
    RECBI_OPTIONS(IsolateArgs, recbi),
    OPTION(IsolateArgs, fitness, "fitness", 0, OPTION_CHOICE, FITNESS_CHOICES,
           "locseq: of a sequence that covers the failing one's files"),
    OPTION(IsolateArgs, top, "top", 0, OPTION_COUNT, "N", "print so many files (default 20)"),
    OPTION(IsolateArgs, output, "output", 'o', OPTION_TEXT, "FILE", "write the result there, as JSON"),
    OPTION(IsolateArgs, record, "record", 0, OPTION_TEXT, "FILE", "keep all evidence there, for `culprit rank`"),
    OPTION(IsolateArgs, list_rules, "list-rules", 0, OPTION_FLAG, NULL, "print the mutation rules and stop"),
    {0},
};

/* Whose rule it is, by its place in the table. */
static const char *rule_set(size_t rule) {
    return rule < mutation_diwi_rule_count ? "diwi" : rule < mutation_recbi_rule_count ? "recbi" : "added";
}

static ExitStatus list_rules(Cli *cli) {
    if (cli->json) {
        Json *rules = json_new_array();
        for (size_t i = 0; i < mutation_rule_count; i++) {
            Json *rule = json_new_object();
            json_put_text(rule, "name", mutation_rules[i].name);
            json_put_text(rule, "operator", mutation_operator_name(mutation_rules[i].operator));
            json_put_text(rule, "hole", hole_kind_name(mutation_rules[i].hole));
            json_put_text(rule, "set", rule_set(i));
            json_push(rules, rule);
        }
        return cli_print_json(cli, rules, STATUS_OK);
    }
    CLEANUP(table_freep) Table *table = table_new((const char *const[]){">", "set", "operator", "hole", "rule", NULL});
    CLEANUP(str_release) Str text = {0};
    for (size_t i = 0; i < mutation_rule_count; i++) {
        table_row(table);
        table_cell(table, "%zu", i + 1);
        table_cell(table, "%s", rule_set(i));
        table_cell(table, "%s", mutation_operator_name(mutation_rules[i].operator));
        table_cell(table, "%s", hole_kind_name(mutation_rules[i].hole));
        table_cell(table, "%s", mutation_rules[i].name);
    }
    table_format(table, cli->width, cli->color, &text);
    fprintf(cli->out, "%s%zu rules: %zu local (DiWi), %zu structural (RecBi), %zu added, for fusion\n", str_text(&text),
            mutation_rule_count, mutation_diwi_rule_count, mutation_recbi_rule_count - mutation_diwi_rule_count,
            mutation_rule_count - mutation_recbi_rule_count);
    return STATUS_OK;
}

static void print_witnesses(Cli *cli, const Isolation *isolation) {
    size_t chosen[3];
    size_t count = isolation_instructive(isolation, ARRAY_LEN(chosen), chosen);
    if (count)
        fprintf(cli->out, "Witnesses that teach most: with this change the bug is gone\n");
    for (size_t i = 0; i < count; i++) {
        const Witness *witness = &isolation->witnesses.items[chosen[i]];
        CLEANUP(str_release) Str diff = {0};
        if (witness->order > 0)
            isolation_diff(isolation, chosen[i], &diff);
        fprintf(cli->out, "%zu. %s (similarity %.4f%s)\n%s", i + 1, witness->summary, witness->similarity,
                witness->fake ? ", perhaps the output only hides the bug" : "", str_text(&diff));
    }
}

static void print_statistics(Cli *cli, const Isolation *isolation) {
    const IsolateStatistics *s = &isolation->statistics;
    double minutes = (double)MAX_OF(s->wall_ms, (int64_t)1) / 60000;
    CLEANUP(str_release) Str time = {0};
    units_format_duration(&time, s->wall_ms);
    fprintf(cli->out,
            "%llu programs in %s (%.0f a minute): %llu still fail, %llu pass, %llu are invalid, %llu have undefined "
            "behaviour; %zu witnesses (%.0f a minute); stopped by %s\n\n",
            (unsigned long long)s->tested, str_text(&time), (double)s->tested / minutes,
            (unsigned long long)s->outcomes[OUTCOME_FAILS], (unsigned long long)s->outcomes[OUTCOME_PASSES],
            (unsigned long long)s->outcomes[OUTCOME_OTHER], (unsigned long long)s->outcomes[OUTCOME_UNDEFINED],
            isolation->witnesses.len, (double)isolation->witnesses.len / minutes, s->stopped_by);
}

static void print_isolation(Cli *cli, const Isolation *isolation, size_t top, bool explain) {
    print_statistics(cli, isolation);
    if (isolation->witnesses.len == 0)
        fprintf(cli->out, "No witness was found, so that nothing tells the files apart: give it more --time, or try "
                          "--method dev\n\n");
    print_suspects(cli, isolation, top);
    if (explain)
        print_reasons(cli, isolation);
    print_witnesses(cli, isolation);
}

static bool parse_options(const Cli *cli, const IsolateArgs *args, IsolateOptions *ret_options, Error *err) {
    IsolateOptions parsed = isolate_defaults();
    const Method *method = method_find(args->method, err);
    if (!method || !formula_parse(args->formula, &parsed.formula, err) ||
        !guard_parse_list(args->guards, &parsed.guards, err) || !recbi_options(&args->recbi, &parsed, err) ||
        !fitness_parse(args->fitness, &parsed.fitness, err))
        return false;
    isolate_use_method(&parsed, method);
    if (args->aggregate && !aggregation_parse(args->aggregate, &parsed.aggregation, err))
        return false;
    parsed.mutants = args->mutants;
    parsed.witnesses = args->witnesses;
    parsed.stable = args->stable;
    parsed.time_ms = args->time_ms ? args->time_ms : args->mutants ? 0 : parsed.time_ms;
    parsed.pool = args->pool;
    parsed.good_source = args->good_source;
    parsed.jobs = cli->jobs;
    parsed.seed = cli->seed;
    parsed.record = args->record != NULL;
    parsed.fakes = str_equal(args->fakes, "drop") ? FAKES_DROP : FAKES_KEEP;
    *ret_options = parsed;
    return true;
}

static bool check(const Cli *cli, const void *arguments, Error *err) {
    IsolateOptions unused;
    return parse_options(cli, arguments, &unused, err);
}

static bool load_bug(const IsolateArgs *args, const char *path, const Subject *subject, Runner *runner, Bug *ret_bug,
                     Error *err) {
    if (!args->fail)
        return bug_load(path, ret_bug, err);
    bool ir = language_of_file(path) == LANGUAGE_LLVM_IR;
    CLEANUP(mem_freep) char *cc = strlist_join_shell(ir ? &subject->opt : &subject->cc);
    if (!*cc)
        return error_set(err, "the subject %s has no %s for %s", subject->name, ir ? "opt" : "compiler", path);
    return bug_from_file(runner, path, cc, args->fail, args->pass, ret_bug, err);
}

/* The subject that the user named, else the best there is for the bug's compiler. */
static bool open_subject(Cli *cli, const IsolateArgs *args, const char *path, Runner *runner, Subject *ret_subject,
                         Error *err) {
    CLEANUP(str_release) Str which = {0};
    CLEANUP(bug_release) Bug bug = {0};
    if (args->subject) {
        str_append(&which, args->subject);
    } else if (bug_load(path, &bug, err)) {
        subject_choose(bug.fail_cmd.items[0], &which);
        console_info(cli->console, "the subject is %s%s", str_text(&which),
                     str_starts(str_text(&which), "stock:")
                         ? ", traced as it is; `culprit subject build` makes one that knows statements"
                         : "");
    } else {
        return false;
    }
    return subject_open_to_rank(str_text(&which), args->source, runner, cli->console, ret_subject, err);
}

static bool report(Cli *cli, const IsolateArgs *args, const IsolateOptions *parsed, const Bug *bug,
                   const Subject *subject, const Isolation *isolation, Error *err) {
    CLEANUP(json_freep) Json *json = isolation_json(isolation, bug, subject, parsed);
    if (args->output && !json_write_file(args->output, json, err))
        return false;
    if (cli->json) {
        cli_print_json(cli, json_copy_deep(json), STATUS_OK);
        return true;
    }
    if (!args->annotate) {
        print_isolation(cli, isolation, args->top, args->explain);
        return true;
    }
    CLEANUP(str_release) Str text = {0};
    if (!isolation_annotate(isolation, args->annotate, args->source ? args->source : subject->source_root, &text, err))
        return false;
    fputs(str_text(&text), cli->out);
    return true;
}

/* What was found is printed in any case: a bug set may be one that nobody may write to. */
static void save_in_bug(Cli *cli, const IsolateOptions *parsed, Bug *bug, const Subject *subject,
                        const Isolation *isolation) {
    Error err;
    bool stopped = str_equal(isolation->statistics.stopped_by, "interrupt");
    if (!explain_suspects(bug, isolation, subject, parsed, stopped, &err) || !bug_save(bug, &err) ||
        !explain_publish(bug, &err) || !explain_tell_store(bug, &err))
        console_warn(cli->console, "the result is not kept in the bug's directory: %s", err.text);
}

static ExitStatus run(Cli *cli, const void *arguments, const StrList *operands) {
    const IsolateArgs *args = arguments;
    if (args->list_rules)
        return list_rules(cli);
    const char *path = operands->len == 1 ? operands->items[0] : NULL;
    bool is_file = path && file_exists(path) && !dir_exists(path);
    if (!path || (args->fail && !args->subject) || (is_file && !args->fail))
        return cli_usage(cli, "give a BUG directory, or a FILE with --fail FLAGS and a --subject; "
                              "`culprit subject list` shows the subjects");
    IsolateOptions parsed;
    Subject subject = {0};
    Bug bug = {0};
    Isolation isolation = {0};
    Error err;
    interrupt_catch();
    CLEANUP(runner_freep) Runner *runner = runner_new(&err);
    bool ok = runner && parse_options(cli, args, &parsed, &err) &&
              open_subject(cli, args, path, runner, &subject, &err) &&
              load_bug(args, path, &subject, runner, &bug, &err);
    CLEANUP(cover_freep) Cover *cover = ok ? cover_open(&subject, runner, cli->console, &err) : NULL;
    const Bug smallest = bug_smallest(&bug);
    ok = cover && explain_isolate(runner, &smallest, cover, &parsed, cli->console, &isolation, NULL, &err);
    if (ok && !bug.loose && !args->output)
        save_in_bug(cli, &parsed, &bug, &subject, &isolation);
    ok = ok && (!args->record || recording_write(&isolation, &bug, &subject, &parsed, args->record, &err)) &&
         report(cli, args, &parsed, &bug, &subject, &isolation, &err);
    ExitStatus status = ok ? STATUS_OK : cli_fail(cli, &err);
    if (!ok && interrupt_count() > 0)
        status = STATUS_INTERRUPTED;
    isolation_release(&isolation);
    bug_release(&bug);
    subject_release(&subject);
    return status;
}

const Command cmd_isolate = {
    .name = "isolate",
    .group = "Understand bugs",
    .summary = "rank the compiler's source files and functions by suspicion",
    .operands = "BUG | FILE --fail FLAGS [--pass FLAGS]",
    .details =
        "Compares what the compiler covers for the failing program with what it covers where the bug is gone:\n"
        "for mutants of the program, with options switched off, and for ordinary programs; what runs that show\n"
        "the bug have in common counts too, and so does what the compiler tells itself: the pass that triage names,\n"
        "the one behind which its own checks fail, the stack of a crash, earlier fixes, and what has changed since an\n"
        "older version without the bug. A column for each kind says how strongly it speaks against a file, from 0 to\n"
        "1; --explain says it in words. The result of a BUG is kept in its directory too, or in the file that -o\n"
        "names.\n\n"
        "Methods: fusion, which is all of that; diwi, recbi, and what their papers compare with: diwi-rand,\n"
        "recbi-mh, recbi-rand, recbi-filter, dev, rand, sbfl, synth. For a bug of opt's passes: locseq, which keeps\n"
        "the program and varies the sequence of passes, and its variants locseq-r, locseq-wc, locseq-rwc.\n"
        "docs/isolation.md describes them.\n",
    .examples = "  $ culprit isolate BUG\n"
                "  $ culprit isolate BUG --subject gcc-11 --time 2m --explain\n"
                "  $ culprit isolate BUG --good-source gcc-10.3.0\n"
                "  $ culprit isolate fail.c --fail '-O3' --subject stock:gcc-12 \\\n"
                "        --method diwi\n"
                "  $ culprit isolate fail.ll --fail '-passes=gvn' --subject stock:opt-14 \\\n"
                "        --source llvm-project\n"
                "  $ culprit isolate fail.ll --fail '-passes=sroa,licm,gvn' \\\n"
                "        --subject llvm-19-passes --method locseq\n"
                "  $ culprit isolate BUG --subject gcc-11 --annotate gcc/tree-ssa-pre.c\n",
    .options = options,
    .args_size = sizeof(IsolateArgs),
    .defaults = &defaults,
    .max_operands = 1,
    .check = check,
    .run = run,
};
