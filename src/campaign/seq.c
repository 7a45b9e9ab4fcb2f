/* The method of a campaign of pass sequences: its settings, its tests (seq_test.c), what is kept of their findings. */
#include "campaign/seq.h"

#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "campaign/keep.h"
#include "campaign/seq_table.h"

#define RETRY_TESTS 500 /* tests between two looks at whether the bugs behind left-out subsequences are still there */

typedef struct Seq {
    Campaign campaign;
    const SeqOptions *options;
    SeqSettings settings;
    Generator *generator;
    SeqRounds rounds;
    SeqPlan plan;
    bool told_of_refusal;
} Seq;

SeqOptions seq_defaults(void) { return (SeqOptions){.campaign = campaign_defaults()}; }

/* --- Setting up --- */

static bool make_generator(Seq *seq, Error *err) {
    static const DataModel lp64 = {2, 4, 8, 8, 8, true, true};
    const SeqSettings *settings = &seq->settings;
    GeneratorOptions options = {
        .name = settings->generator,
        .size = settings->size,
        .model = lp64,
        .single = true,
        .rare = true,
        .modules = dir_exists(settings->generator),
        .variety = settings->programs == PROGRAMS_SWARM          ? VARIETY_SWARM
                   : settings->programs == PROGRAMS_SWARM_VALUES ? VARIETY_SWARM_VALUES
                                                                 : VARIETY_USUAL,
    };
    if (!generator_new(&options, &seq->generator, err))
        return false;
    strlist_add_all(&seq->settings.link_flags, generator_link_flags(seq->generator));
    return true;
}

static bool enter_configs(Seq *seq, Error *err) {
    for (size_t i = 0; i < seq->settings.llvms.len; i++) {
        SeqLlvm *llvm = &seq->settings.llvms.items[i];
        const StoreConfig row = {.command = llvm->name, .compiler = llvm->name, .version = llvm->catalogue->version};
        if (!store_config(seq->campaign.store, &row, &llvm->config_id, err))
            return false;
    }
    return true;
}

static void say_what(const SeqSettings *settings, Str *ret_about) {
    static const char *const sequences[] = {"random", "covering", "representative"};
    static const char *const programs[] = {"random", "swarm", "swarm-values", "selected", "selected by features"};
    for (size_t i = 0; i < settings->llvms.len; i++)
        str_printf(ret_about, "%s%s (%zu passes)", i ? ", " : "", settings->llvms.items[i].name,
                   settings->llvms.items[i].passes.len);
    str_printf(ret_about, "; %s sequences of %llu to %llu, %llu for each of the %s programs",
               sequences[settings->sequences], (unsigned long long)settings->least, (unsigned long long)settings->most,
               (unsigned long long)settings->batch, programs[settings->programs]);
}

static bool set_up(Campaign *campaign, Str *ret_about, uint64_t *ret_seed, Error *err) {
    Seq *seq = (Seq *)campaign;
    SeqSettings *settings = &seq->settings;
    if (!seq_settings_resolve(seq->options, campaign->store, campaign->runner, campaign->console, settings, err) ||
        !make_generator(seq, err) || !enter_configs(seq, err) || !seq_table_retry(campaign, settings, err))
        return false;
    /* A single worker, or one round, gains nothing from work on the next. */
    const CampaignOptions *options = campaign->options;
    bool ahead = options->workers > 1 && (options->count == 0 || options->count > settings->round);
    seq_rounds_init(&seq->rounds, settings, seq->generator, ahead);
    seq->plan = (SeqPlan){.settings = settings,
                          .generator = seq->generator,
                          .rounds = &seq->rounds,
                          .execute = execute_defaults(),
                          .repeats = campaign->options->repeats};
    say_what(settings, ret_about);
    *ret_seed = settings->seed;
    return true;
}

/* --- Tests --- */

static CampaignTest *new_test(Campaign *campaign) {
    Seq *seq = (Seq *)campaign;
    SeqTest *test = seq_test_new(&seq->plan);
    /* A store that cannot be read now will say so when the test is recorded. */
    for (size_t i = 0; i < seq->settings.llvms.len; i++)
        seq_table_copy(campaign, &seq->settings.llvms.items[i], &test->base.arena, &test->known[i], NULL);
    return &test->base;
}

static void run_test(CampaignTest *test, Runner *runner, Scratch *scratch) {
    seq_test_run((SeqTest *)test, runner, scratch);
}

static const char *doing(Campaign *campaign) {
    return atomic_load(&((Seq *)campaign)->rounds.waiting) ? "choosing programs and sequences" : NULL;
}

static void free_test(CampaignTest *test) { seq_test_free((SeqTest *)test); }

static bool write_bug(Campaign *campaign, CampaignTest *test, size_t finding, const char *bugs_dir, const char *name,
                      Error *err) {
    (void)campaign;
    return bugdir_write(&((SeqTest *)test)->findings.items[finding]->draft, bugs_dir, name, err);
}

/* "opt-14-wrong-code-structurizecfg-17" */
static const char *bug_name(SeqTest *test, size_t number) {
    const SeqFinding *finding = test->findings.items[number];
    size_t earlier = 0;
    for (size_t i = 0; i < number; i++) {
        const SeqFinding *other = test->findings.items[i];
        earlier += other->llvm == finding->llvm && other->verdict == finding->verdict &&
                   str_equal(other->draft.bug.guilty.pass, finding->draft.bug.guilty.pass);
    }
    const char *llvm = test->plan->settings->llvms.items[finding->llvm].name;
    const char *slash = strrchr(llvm, '/');
    char *name = arena_printf(&test->base.arena, "%s-%s-%s-%" PRIu64, slash ? slash + 1 : llvm,
                              verdict_kind(finding->verdict), finding->draft.bug.guilty.pass, test->base.number);
    return earlier ? arena_printf(&test->base.arena, "%s-%zu", name, earlier + 1) : name;
}

static KeptFinding describe(SeqTest *test, size_t number) {
    const SeqFinding *finding = test->findings.items[number];
    const SeqLlvm *llvm = &test->plan->settings->llvms.items[finding->llvm];
    return (KeptFinding){
        .hit = {.key = finding->key,
                .kind = verdict_kind(finding->verdict),
                .compiler = llvm->name,
                .version = llvm->catalogue->version,
                .command = finding->command,
                .signature = finding->reason,
                .oracle = finding->basis == BASIS_NONE ? NULL : basis_name(finding->basis),
                .sequence = finding->verdict == VERDICT_FLAKY ? NULL : finding->sequence},
        .name = bug_name(test, number),
        .message = arena_printf(&test->base.arena, "new %s: %s%s%s", verdict_kind(finding->verdict), finding->command,
                                *finding->reason ? ": " : "", finding->reason),
        .is_bug = finding->verdict != VERDICT_FLAKY,
    };
}

static bool keep_test(Campaign *campaign, CampaignTest *base, Error *err) {
    Seq *seq = (Seq *)campaign;
    SeqTest *test = (SeqTest *)base;
    size_t llvms = seq->settings.llvms.len;
    StoreTest row = {.number = base->number,
                     .program_bytes = program_bytes(&test->generated.program),
                     .sequences = test->sequences,
                     .generate_us = test->generated.cpu_us,
                     .verdicts = test->verdicts,
                     .verdict_count = test->generated.refused ? 0 : llvms};
    for (size_t i = 0; i < llvms; i++) {
        StoreVerdict *verdict = &test->verdicts[i];
        verdict->config = seq->settings.llvms.items[i].config_id;
        verdict->verdict = verdict_name(VERDICT_OK);
        for (size_t k = 0; k < test->findings.len; k++)
            if (test->findings.items[k]->llvm == i)
                verdict->verdict = verdict_name(test->findings.items[k]->verdict);
        row.compile_us += verdict->compile_us;
        row.run_us += verdict->run_us;
    }
    campaign->summary.sequences += test->sequences;
    campaign->summary.repeat_us += test->repeat_us;
    if (test->refused && !seq->told_of_refusal) {
        console_warn(campaign->console, "%llu pipelines were refused by LLVM, which is a mistake of culprit: %.300s",
                     (unsigned long long)test->refused, test->refusal);
        seq->told_of_refusal = true;
    }
    if (test->generated.refused)
        return keep_refusal(campaign, base, seq->settings.generator, str_text(&test->generated.why), &row, err);
    KeptFinding *findings = arena_array(&base->arena, KeptFinding, test->findings.len + 1);
    for (size_t i = 0; i < test->findings.len; i++)
        findings[i] = describe(test, i);
    if (!keep_findings(campaign, base, findings, test->findings.len, write_bug, &row, err))
        return false;
    for (size_t i = 0; i < test->findings.len; i++) {
        const SeqFinding *finding = test->findings.items[i];
        if (finding->verdict != VERDICT_FLAKY && !seq_table_learn(campaign, &seq->settings.llvms.items[finding->llvm],
                                                                  finding->key, verdict_kind(finding->verdict), err))
            return false;
    }
    return (base->number + 1) % RETRY_TESTS || seq_table_retry(campaign, &seq->settings, err);
}

bool seq(const SeqOptions *options, Console *console, CampaignSummary *ret_summary, Error *err) {
    static const CampaignMethod method = {
        .verb = "looking for bugs of pass sequences in",
        .resuming = "resuming the search in",
        .set_up = set_up,
        .test_new = new_test,
        .test_run = run_test,
        .test_keep = keep_test,
        .doing = doing,
        .test_free = free_test,
    };
    Seq seq = {.campaign = {.method = &method, .options = &options->campaign, .console = console}, .options = options};
    bool ok = campaign_run(&seq.campaign, ret_summary, err);
    seq_rounds_release(&seq.rounds);
    generator_free(seq.generator);
    seq_settings_release(&seq.settings);
    return ok;
}
