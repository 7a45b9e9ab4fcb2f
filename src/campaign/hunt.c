/* The method of a hunt: its settings, its tests (test.c), what is kept of their findings. */
#include "campaign/hunt.h"

#include "campaign/keep.h"
#include "campaign/settings.h"
#include "campaign/test_bug.h"

typedef struct Hunt {
    Campaign campaign;
    const HuntOptions *options;
    HuntSettings settings;
    Generator *generator;
    TestPlan plan;
    Vec(int64_t) config_ids; /* in the store, in the order of the matrix */
} Hunt;

HuntOptions hunt_defaults(void) { return (HuntOptions){.campaign = campaign_defaults()}; }

/* --- Setting up --- */

static bool make_plan(Hunt *hunt, Error *err) {
    const HuntSettings *settings = &hunt->settings;
    ExecuteOptions *execute = &hunt->plan.execute;
    *execute = execute_defaults();
    hunt->plan.matrix = &settings->matrix;
    hunt->plan.reference = settings->reference;
    hunt->plan.repeats = hunt->options->campaign.repeats;
    hunt->plan.build = (BuildOptions){&settings->flags, &settings->link_flags, "test", "a.out"};
    if (settings->compile_ms)
        execute->compile_limits.wall_ms = settings->compile_ms;
    if (settings->run_ms)
        execute->run_limits.wall_ms = settings->run_ms;
    if (settings->memory_bytes)
        execute->compile_limits.memory_bytes = execute->run_limits.memory_bytes = settings->memory_bytes;
    return emulator_probe(hunt->campaign.runner, &settings->emulator, &hunt->plan.emulator, err);
}

static bool make_generator(Hunt *hunt, Error *err) {
    GeneratorOptions options = {
        .name = hunt->settings.generator,
        .language = hunt->settings.language,
        .standard = hunt->settings.standard,
        .size = hunt->settings.size,
        .switches = &hunt->settings.switches,
        .model = hunt->settings.matrix.compilers.items[0]->model,
        .wall_ms = hunt->settings.compile_ms,
    };
    if (!generator_new(&options, &hunt->generator, err))
        return false;
    hunt->plan.generator = hunt->generator;
    strlist_add_all(&hunt->settings.flags, generator_flags(hunt->generator));
    strlist_add_all(&hunt->settings.link_flags, generator_link_flags(hunt->generator));
    return true;
}

static bool enter_configs(Hunt *hunt, Error *err) {
    const Matrix *matrix = &hunt->settings.matrix;
    for (size_t i = 0; i < matrix->configs.len; i++) {
        const Config *config = &matrix->configs.items[i];
        StoreConfig row = {
            .command = config->name,
            .compiler = config_compiler(config),
            .version = config->compiler->version_text,
            .target = config->compiler->target,
        };
        int64_t id = 0;
        if (!store_config(hunt->campaign.store, &row, &id, err))
            return false;
        vec_push(&hunt->config_ids, id);
    }
    return true;
}

static bool set_up(Campaign *campaign, Str *ret_about, uint64_t *ret_seed, Error *err) {
    Hunt *hunt = (Hunt *)campaign;
    if (!settings_resolve(hunt->options, campaign->store, campaign->runner, &hunt->settings, err) ||
        !make_plan(hunt, err) || !make_generator(hunt, err) || !enter_configs(hunt, err))
        return false;
    size_t configs = hunt->settings.matrix.configs.len, compilers = hunt->settings.matrix.compilers.len;
    str_printf(ret_about, "%zu configuration%s of %zu compiler%s", configs, configs == 1 ? "" : "s", compilers,
               compilers == 1 ? "" : "s");
    *ret_seed = hunt->settings.seed;
    return true;
}

/* --- Tests --- */

static CampaignTest *new_test(Campaign *campaign) { return &test_new(&((Hunt *)campaign)->plan)->base; }

static void run_test(CampaignTest *test, Runner *runner, Scratch *scratch) { test_run((Test *)test, runner, scratch); }

static void free_test(CampaignTest *test) { test_free((Test *)test); }

static bool is_generators(const Finding *finding) { return str_equal(finding->family, "generator"); }

static bool write_bug(Campaign *campaign, CampaignTest *test, size_t finding, const char *bugs_dir, const char *name,
                      Error *err) {
    return test_write_bug((Test *)test, finding, ((Hunt *)campaign)->settings.generator, bugs_dir, name, err);
}

/* What the campaign is told of a finding. */
static KeptFinding describe(Test *test, size_t i) {
    const Finding *finding = &test->findings.items[i];
    const Execution *first = &test->executions.items[finding->failing.items[0]];
    const char *signature = finding->signature;
    return (KeptFinding){
        .hit = {.key = finding->key,
                .kind = verdict_kind(finding->verdict),
                .compiler = is_generators(finding) ? finding->family : config_compiler(first->config),
                .version = first->config->compiler->version_text,
                .command = first->config->name,
                .signature = signature,
                .oracle = first->basis == BASIS_NONE ? NULL : basis_name(first->basis)},
        .name = test_bug_name(test, i),
        .is_warning = is_generators(finding),
        .is_bug = finding->verdict != VERDICT_FLAKY,
        .message = is_generators(finding)
                       ? arena_printf(&test->base.arena, "no compiler agrees with the generator about seed %llu",
                                      (unsigned long long)test->base.seed)
                       : arena_printf(&test->base.arena, "new %s: %s%s%s", verdict_kind(finding->verdict),
                                      first->config->name, *signature ? ": " : "", signature),
    };
}

static StoreVerdict *verdicts_of(const Hunt *hunt, Test *test) {
    StoreVerdict *verdicts = arena_array(&test->base.arena, StoreVerdict, test->executions.len + 1);
    for (size_t i = 0; i < test->executions.len; i++) {
        const Execution *execution = &test->executions.items[i];
        verdicts[i] = (StoreVerdict){
            .config = hunt->config_ids.items[i],
            .verdict = verdict_name(execution->verdict),
            .compile_us = execution->compile_us,
            .run_us = execution->run_us,
        };
    }
    return verdicts;
}

static bool keep_test(Campaign *campaign, CampaignTest *base, Error *err) {
    Hunt *hunt = (Hunt *)campaign;
    Test *test = (Test *)base;
    StoreTest row = {
        .number = base->number,
        .program_bytes = program_bytes(&test->generated.program),
        .generate_us = test->generated.cpu_us,
        .compile_us = test_compile_us(test),
        .run_us = test_run_us(test),
        .verdicts = verdicts_of(hunt, test),
        .verdict_count = test->executions.len,
    };
    campaign->summary.repeat_us += test->repeat_us;
    if (test->generated.refused)
        return keep_refusal(campaign, base, hunt->settings.generator, str_text(&test->generated.why), &row, err);
    KeptFinding *findings = arena_array(&base->arena, KeptFinding, test->findings.len + 1);
    for (size_t i = 0; i < test->findings.len; i++)
        findings[i] = describe(test, i);
    return keep_findings(campaign, base, findings, test->findings.len, write_bug, &row, err);
}

bool hunt(const HuntOptions *options, Console *console, CampaignSummary *ret_summary, Error *err) {
    static const CampaignMethod method = {
        .verb = "hunting in",
        .resuming = "resuming the hunt in",
        .set_up = set_up,
        .test_new = new_test,
        .test_run = run_test,
        .test_keep = keep_test,
        .test_free = free_test,
    };
    Hunt hunt = {.campaign = {.method = &method, .options = &options->campaign, .console = console},
                 .options = options};
    bool ok = campaign_run(&hunt.campaign, ret_summary, err);
    generator_free(hunt.generator);
    settings_release(&hunt.settings);
    emulator_release(&hunt.plan.emulator);
    vec_release(&hunt.config_ids);
    return ok;
}
