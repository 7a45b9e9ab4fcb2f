/* CTOS' five steps (section 3.1), for one program:
 *
 *   1  choose the program and the sequences                          seq_round.c
 *   2  the front end emits the program's IR without optimisation
 *   3  each sequence optimises the IR: half of them flat, half as branches of one tree, in the fork server
 *   4  the back end makes programs of the optimised IRs              in the same children
 *   5  the programs' outputs are compared                            sequence/judge.c
 *
 * then what is wrong is looked into (seq_find.c). Where the paper compares sequences of one LLVM, those of all LLVMs vote
 * together. A tree drops LLVM's cached analyses after each pass, which hides bugs of stale ones; flat runs keep them.
 */
#include "campaign/seq_test.h"

#include <stdlib.h>

#include "base/file.h"
#include "campaign/seq_find.h"
#include "sequence/sample.h"

#define SUSPECTS_MOST 6       /* that are looked into for one program and LLVM; a bug that is everywhere comes again */
#define BASELINE_CPU_MS 3000  /* in which an unoptimised program must end */
#define BATCH_WALL_MS 1800000 /* of a whole batch, against what nobody thought of */

/* What one LLVM did with the program. */
typedef struct Trial {
    const SeqLlvm *llvm;
    Vec(ServerNode) nodes;   /* flat ones, then the tree's */
    Vec(Pipeline) passes;    /* per node: the whole sequence, from the root */
    Vec(bool) shared;        /* per node: its style */
    size_t flat;             /* nodes in front that are flat */
    SequenceResult *results; /* one more than nodes: the last is the program without any pass */
    bool usable;
} Trial;

SeqTest *seq_test_new(const SeqPlan *plan) {
    SeqTest *test = mem_zalloc(1, sizeof *test);
    test->plan = plan;
    test->known = mem_zalloc(plan->settings->llvms.len, sizeof *test->known);
    test->verdicts = mem_zalloc(plan->settings->llvms.len, sizeof *test->verdicts);
    return test;
}

void seq_test_free(SeqTest *test) {
    for (size_t i = 0; i < test->plan->settings->llvms.len; i++) {
        vec_release(&test->known[i].exclusions);
        for (size_t k = 0; k < test->known[i].reduced.len; k++)
            vec_release(&test->known[i].reduced.items[k]);
        vec_release(&test->known[i].reduced);
        strlist_release(&test->known[i].often);
    }
    for (size_t i = 0; i < test->findings.len; i++)
        seq_finding_free(test->findings.items[i]);
    vec_release(&test->findings);
    generated_release(&test->generated);
    free(test->known);
    free(test->verdicts);
    free(test);
}

static void trial_release(Trial *trial) {
    for (size_t i = 0; i < trial->passes.len; i++)
        vec_release(&trial->passes.items[i]);
    vec_release(&trial->passes);
    vec_release(&trial->nodes);
    vec_release(&trial->shared);
    free(trial->results);
}

/* --- Step 2 --- */

static bool emit_ir(SeqTest *test, Runner *runner, const char *dir, const SeqLlvm *llvm, bool *ret_made, Error *err) {
    CLEANUP(strlist_release) StrList command = {0};
    CLEANUP(proc_result_release) ProcResult result = {0};
    seq_front_command(llvm, &test->generated.program, test->program_seed, BUG_TEST,
                      generator_flags(test->plan->generator), &command);
    if (!compiler_run(runner, dir, &command, NULL, &result, err))
        return false;
    test->verdicts[llvm - test->plan->settings->llvms.items].compile_us += result.user_us + result.system_us;
    *ret_made = proc_ok(&result);
    return true;
}

/* --- Step 3: the batch --- */

static void add_node(SeqTest *test, Trial *trial, int parent, int level, const Pipeline *own, PipelineStyle style) {
    CLEANUP(str_release) Str text = {0};
    pipeline_print(own, style, &text);
    vec_push(&trial->nodes, (ServerNode){parent, level, arena_strdup(&test->base.arena, str_text(&text))});
    vec_push(&trial->shared, style.shared);
}

static void add_flat(SeqTest *test, Trial *trial, const Corpus *sequences, size_t number, const Exclusions *exclusions,
                     Rng *rng) {
    size_t first = number ? sequences->ends.items[number - 1] : 0;
    Pipeline passes = {0};
    for (size_t i = first; i < sequences->ends.items[number]; i++)
        vec_push(&passes, trial->llvm->passes.items[sequences->words.items[i]]);
    exclusions_apply(exclusions, rng, &passes);
    const PipelineStyle style = {.shared = rng_chance(rng, 50), .verify = true};
    add_node(test, trial, -1, (int)rng_below(rng, 4), &passes, style);
    vec_push(&trial->passes, passes);
}

static bool is_excluded(const Exclusions *exclusions, const Pipeline *passes) {
    for (size_t i = 0; i < exclusions->len; i++)
        if (exclusion_matches(&exclusions->items[i], passes))
            return true;
    return false;
}

/* A node for each pass of the tree. One that would complete an excluded subsequence is left out, and what follows it goes on
 * from its parent. */
static void add_tree(SeqTest *test, Trial *trial, const Corpus *sequences, size_t first, size_t count,
                     const Exclusions *exclusions, Rng *rng) {
    SequenceTree tree = {0};
    int level = (int)rng_below(rng, 4);
    sample_graft(sequences, first, count, rng, &tree);
    CLEANUP(mem_freep)
    int *place = mem_zalloc(tree.len + 1, sizeof *place); /* the server's node of each of the tree's */
    for (size_t i = 0; i < tree.len; i++) {
        int parent = tree.items[i].parent == SEQUENCE_ROOT ? -1 : place[tree.items[i].parent];
        const Pass pass = trial->llvm->passes.items[tree.items[i].pass];
        Pipeline passes = {0}, own = {0};
        for (size_t k = 0; parent >= 0 && k < trial->passes.items[parent].len; k++)
            vec_push(&passes, trial->passes.items[parent].items[k]);
        vec_push(&passes, pass);
        place[i] = parent;
        if (is_excluded(exclusions, &passes)) {
            vec_release(&passes);
            continue;
        }
        place[i] = (int)trial->nodes.len;
        vec_push(&own, pass);
        add_node(test, trial, parent, sample_level(&tree.items[i], level), &own, (PipelineStyle){.verify = true});
        vec_push(&trial->passes, passes);
        vec_release(&own);
    }
    vec_release(&tree);
}

static void make_batch(SeqTest *test, Trial *trial, size_t llvm, const Corpus *sequences) {
    const SeqSettings *settings = test->plan->settings;
    Rng seed = rng_from_seed(test->base.seed), rng = rng_split(&seed, llvm);
    size_t count = corpus_documents(sequences);
    /* Covering sequences would lose their order in a tree, and opt has none. */
    bool has_tree = !settings->by_opt && settings->sequences != SEQUENCES_COVERING;
    size_t flat = has_tree ? (count + 1) / 2 : count;
    for (size_t i = 0; i < flat; i++)
        add_flat(test, trial, sequences, i, &test->known[llvm].exclusions, &rng);
    trial->flat = trial->nodes.len;
    if (has_tree)
        add_tree(test, trial, sequences, flat, count - flat, &test->known[llvm].exclusions, &rng);
}

/* --- Steps 3 and 4 --- */

static SequenceRun run_of(const SeqTest *test, Runner *runner, const char *dir, const SeqLlvm *llvm) {
    SequenceRun run = {.runner = runner,
                       .tools = &llvm->tools,
                       .by_opt = test->plan->settings->by_opt,
                       .dir = dir,
                       .module = SEQ_MODULE,
                       .passes_only = test->generated.program.language == LANGUAGE_LLVM_IR,
                       .limits = test->plan->settings->limits};
    run.limits.batch_wall_ms = BATCH_WALL_MS;
    return run;
}

/* A program that does not even end without a pass tells nothing about passes, nor does a module of somebody's that this LLVM
 * has no processor for: the latter is asked with the batch, through a pass that does little but ask about the processor. */
static bool run_baseline(SeqTest *test, SequenceRun run, Trial *trial, Error *err) {
    SequenceResult *result = &trial->results[trial->nodes.len];
    if (!run.limits.cpu_ms || run.limits.cpu_ms > BASELINE_CPU_MS)
        run.limits.cpu_ms = BASELINE_CPU_MS;
    if (run.passes_only)
        return trial->usable = true;
    if (!sequence_run(&run, &(ServerNode){-1, 0, ""}, 1, &test->base.arena, result, err))
        return false;
    trial->usable = result->tested && result->verdict == VERDICT_OK;
    return true;
}

static bool optimise(SeqTest *test, Runner *runner, const char *dir, size_t number, Trial *trial, Error *err) {
    SequenceRun run = run_of(test, runner, dir, trial->llvm);
    StoreVerdict *row = &test->verdicts[number];
    trial->results = mem_zalloc(trial->nodes.len + 1, sizeof *trial->results);
    if (!run_baseline(test, run, trial, err))
        return false;
    if (!trial->usable || trial->nodes.len == 0)
        return true;
    vec_push(&trial->nodes, (ServerNode){-1, 0, "function(div-rem-pairs)"});
    size_t baseline = --trial->nodes.len;
    trial->usable = sequence_run(&run, trial->nodes.items, baseline + run.passes_only, &test->base.arena,
                                 trial->results, err);
    if (!trial->usable) /* it may be a module that this library does not even read */
        return run.passes_only && !runner_is_stopped(runner);
    for (size_t i = 0; i < trial->nodes.len; i++) {
        const SequenceResult *result = &trial->results[i];
        test->sequences += result->tested;
        test->refused += result->refused;
        if (result->refused)
            test->refusal = trial->nodes.items[i].passes;
        row->compile_us += result->passes_us + result->codegen_us;
        row->run_us += result->run_us;
    }
    return true;
}

/* --- Step 5 --- */

static SequenceAnswer right_answer(const SeqTest *test, const Trial *trials) {
    const Generated *generated = &test->generated;
    if (generated->has_expected && generated->tolerance == 0)
        return sequence_expected(str_text(&generated->expected), generated->expected.len);
    Vec(SequenceResult) all = {0};
    for (size_t i = 0; i < test->plan->settings->llvms.len; i++)
        for (size_t k = 0; trials[i].usable && k <= trials[i].nodes.len; k++)
            vec_push(&all, trials[i].results[k]);
    SequenceAnswer answer = sequence_majority(all.items, all.len);
    vec_release(&all);
    return answer;
}

/* In a tree the failure began at the node whose nearest tested ancestor is right. */
static bool failure_begins(const Trial *trial, size_t node) {
    const SequenceResult *result = &trial->results[node];
    if (!result->tested || result->verdict == VERDICT_OK)
        return false;
    int parent = trial->nodes.items[node].parent;
    while (parent >= 0 && !trial->results[parent].tested)
        parent = trial->nodes.items[parent].parent;
    return parent < 0 || trial->results[parent].verdict == VERDICT_OK;
}

static bool look_into(SeqTest *test, Runner *runner, const char *dir, size_t number, Trial *trial,
                      const SequenceAnswer *answer, Error *err) {
    size_t looked = 0;
    int64_t slow_us = sequence_slow_us(trial->results, trial->flat);
    sequence_compare(answer, trial->results, trial->nodes.len + 1);
    if (trial->results[trial->nodes.len].verdict != VERDICT_OK)
        return true; /* wrong without any pass: the back end's bug, or the program's */
    sequence_mark_slow(slow_us, trial->results, trial->flat);
    SequenceRun run = run_of(test, runner, dir, trial->llvm);
    run.limits.cpu_ms = slow_us / 1000 + 1000; /* longer than that nobody needs to wait for an endless program */
    for (size_t i = 0; i < trial->nodes.len; i++) {
        if (!failure_begins(trial, i))
            continue;
        if (looked++ >= SUSPECTS_MOST) {
            test->set_aside++;
            continue;
        }
        SeqSuspect suspect = {
            .test = test,
            .llvm = number,
            .run = run,
            .passes = trial->passes.items[i],
            .style = {.shared = trial->shared.items[i], .verify = true},
            .in_tree = i >= trial->flat,
            .level = trial->nodes.items[i].level,
            .seen = trial->results[i],
            .answer = answer,
            .slow_us = slow_us,
        };
        if (!seq_find(&suspect, err))
            return false;
    }
    return true;
}

/* --- The test --- */

static bool test_all(SeqTest *test, Runner *runner, const char *dir, const Corpus *sequences, Trial *trials,
                     Error *err) {
    const SeqSettings *settings = test->plan->settings;
    bool made;
    for (size_t i = 0; i < settings->llvms.len; i++) {
        trials[i].llvm = &settings->llvms.items[i];
        make_batch(test, &trials[i], i, &sequences[i]);
        if (!emit_ir(test, runner, dir, trials[i].llvm, &made, err) ||
            (made && !optimise(test, runner, dir, i, &trials[i], err)))
            return false;
    }
    const SequenceAnswer answer = right_answer(test, trials);
    for (size_t i = 0; i < settings->llvms.len; i++) { /* each has its own module again */
        if (trials[i].usable && (!emit_ir(test, runner, dir, trials[i].llvm, &made, err) ||
                                 !look_into(test, runner, dir, i, &trials[i], &answer, err)))
            return false;
    }
    return true;
}

void seq_test_run(SeqTest *test, Runner *runner, Scratch *scratch) {
    CampaignTest *base = &test->base;
    size_t count = test->plan->settings->llvms.len;
    CLEANUP(mem_freep) Corpus *sequences = mem_zalloc(count, sizeof *sequences);
    CLEANUP(mem_freep) Trial *trials = mem_zalloc(count, sizeof *trials);
    CLEANUP(mem_freep) char *sources = path_of(scratch->path, BUG_TEST);
    base->started = true;
    base->cancelled = false;
    bool ok = scratch_empty(scratch, &base->err) &&
              seq_rounds_take(test->plan->rounds, runner, scratch->path, base->number, &test->program_seed, sequences,
                              &base->err) &&
              scratch_empty(scratch, &base->err) && dir_make(sources, &base->err) &&
              generator_make(test->plan->generator, runner, test->program_seed, sources, &test->generated, &base->err);
    if (ok && !test->generated.cancelled && !test->generated.refused)
        ok = test_all(test, runner, scratch->path, sequences, trials, &base->err);
    base->cancelled = test->generated.cancelled || (!ok && runner_is_stopped(runner));
    base->failed = !ok && !base->cancelled;
    for (size_t i = 0; i < count; i++) {
        corpus_release(&sequences[i]);
        trial_release(&trials[i]);
    }
}
