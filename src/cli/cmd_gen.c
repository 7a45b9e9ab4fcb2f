#include "cli/command.h"
#include "gen/gen.h"

typedef struct GenArgs {
    const char *lang, *standard, *model, *output;
    uint64_t size, count;
    bool single, no_policies;
    StrList enable, disable;
} GenArgs;

static const GenArgs defaults = {.model = "lp64", .size = GEN_SIZE_DEFAULT};

static const Option options[] = {
    OPTION(GenArgs, output, "output", 'o', OPTION_TEXT, "DIR", "directory to create for the program"),
    OPTION(GenArgs, count, "count", 'n', OPTION_COUNT, "N",
           "write N programs, of this seed and those after it, each to DIR/SEED"),
    OPTION(GenArgs, lang, "lang", 0, OPTION_CHOICE, "c|c++", "language of the program; default: c"),
    OPTION(GenArgs, standard, "std", 0, OPTION_TEXT, "STD", "c99 to c17, c++11 to c++20; default: c99 or c++11"),
    OPTION(GenArgs, size, "size", 0, OPTION_SIZE, "BYTES",
           "about how long the program shall be, 64 MiB at most; default: 30 KB"),
    OPTION(GenArgs, single, "single", 0, OPTION_FLAG, NULL, "one file instead of init.h, func.c and driver.c"),
    OPTION(GenArgs, no_policies, "no-policies", 0, OPTION_FLAG, NULL,
           "draw every choice from fixed distributions, without special constants, operator contexts and idioms"),
    OPTION(GenArgs, enable, "enable", 0, OPTION_LIST, "FEATURE", "switch a feature on"),
    OPTION(GenArgs, disable, "disable", 0, OPTION_LIST, "FEATURE", "switch a feature off"),
    OPTION(GenArgs, model, "model", 0, OPTION_CHOICE, "lp64|llp64|ilp32", "data model that the expected output is for"),
    {0},
};

static bool switch_features(const StrList *names, bool on, GenOptions *gen, Error *err) {
    for (size_t i = 0; i < names->len; i++) {
        GenFeature feature;
        if (!gen_feature_parse(names->items[i], &feature, err))
            return false;
        gen->features = on ? gen->features | 1u << feature : gen->features & ~(1u << feature);
    }
    return true;
}

static bool read_options(const GenArgs *args, const Cli *cli, GenOptions *gen, Error *err) {
    *gen = gen_defaults(cli->seed);
    gen->language = str_equal(args->lang, "c++") ? GEN_CXX : GEN_C;
    gen->size = args->size;
    gen->single = args->single;
    gen->policies = !args->no_policies;
    gen->standard = args->standard;
    GenOptions unused = *gen; /* where a language is given too, gen_program asks whether they fit */
    if (args->standard && !gen_standard_parse(args->standard, args->lang ? &unused : gen, err))
        return false;
    return gen_model_parse(args->model, &gen->model, err) && switch_features(&args->enable, true, gen, err) &&
           switch_features(&args->disable, false, gen, err);
}

static bool check(const Cli *cli, const void *arguments, Error *err) {
    GenOptions gen;
    return read_options(arguments, cli, &gen, err);
}

static Json *features_json(GenFeatures features) {
    Json *list = json_new_array();
    for (unsigned i = 0; i < GEN_FEATURE_COUNT; i++)
        if (features >> i & 1)
            json_push(list, json_new_text(gen_feature_name(i)));
    return list;
}

static Json *program_json(const GenProgram *p, uint64_t seed, const char *dir) {
    const GenStatistics *s = &p->statistics;
    Json *json = json_new_object(), *files = json_new_array();
    for (size_t i = 0; i < p->file_count; i++)
        json_push(files, json_new_text(p->files[i].name));
    json_put_text(json, "dir", dir);
    json_put(json, "files", files);
    json_put_int(json, "seed", (int64_t)seed);
    json_put_text(json, "standard", p->standard);
    json_put_text(json, "model", gen_model_name(p->model));
    json_put_text(json, "expected", p->expected);
    json_put_int(json, "bytes", (int64_t)s->bytes);
    json_put_int(json, "executed_bytes", (int64_t)s->executed_bytes);
    json_put_int(json, "statements", (int64_t)s->statements);
    json_put_int(json, "steps", (int64_t)s->steps);
    json_put_int(json, "repairs", (int64_t)s->repairs);
    json_put_int(json, "safe_forms", (int64_t)s->safe_forms);
    json_put_int(json, "reruns", (int64_t)s->reruns);
    json_put(json, "features", features_json(s->features));
    return json;
}

static ExitStatus run(Cli *cli, const void *arguments, const StrList *operands) {
    (void)operands;
    const GenArgs *args = arguments;
    if (!args->output || !*args->output)
        return cli_usage(cli, "say where the program shall go: -o DIR");
    Error err;
    GenOptions gen;
    if (!read_options(args, cli, &gen, &err))
        return cli_usage(cli, "%s", err.text);
    CLEANUP(arena_release) Arena arena = {0};
    CLEANUP(json_freep) Json *rows = json_new_array();
    for (uint64_t i = 0; i < MAX_OF(args->count, (uint64_t)1); i++, gen.seed++) {
        CLEANUP(str_release) Str dir = {0};
        GenProgram program;
        str_append(&dir, args->output);
        if (args->count)
            str_printf(&dir, "/%llu", (unsigned long long)gen.seed);
        arena_clear(&arena);
        if (!gen_program(&gen, &arena, &program, &err))
            return cli_usage(cli, "%s", err.text);
        if (!gen_write(&program, str_text(&dir), &err))
            return cli_fail(cli, &err);
        if (cli->json)
            json_push(rows, program_json(&program, gen.seed, str_text(&dir)));
        for (size_t k = 0; !cli->json && k < program.file_count; k++)
            fprintf(cli->out, "%s/%s\n", str_text(&dir), program.files[k].name);
    }
    if (!cli->json)
        return STATUS_OK;
    return cli_print_json(cli, json_copy_deep(args->count ? rows : json_item(rows, 0)), STATUS_OK);
}

const Command cmd_gen = {
    .name = "gen",
    .group = "Find bugs",
    .summary = "write a random program that is free of undefined behaviour",
    .operands = "-o DIR",
    .details =
        "The program is valid, terminates, executes no undefined behaviour and prints one line, the same with every "
        "correct compiler at every level. That line is known beforehand and stands in DIR/expected. The same seed and "
        "options give the same bytes on every machine. With --count each program has a directory below DIR, named by "
        "its "
        "seed.\n\n"
        "Features: loops calls recursion arrays pointers structs bit-fields unions switch goto compound comma volatile "
        "const bool enums designated static-members containers static-locals pointer-members inline; off by default: "
        "floats vectors.",
    .examples = "  $ culprit gen --seed 1 -o prog\n"
                "  $ gcc -O3 prog/*.c -o prog/a.out && prog/a.out | cmp - prog/expected\n"
                "  $ culprit gen --std c++17 --single --size 5K -o prog\n"
                "  $ culprit gen --seed 1 --count 1000 -o programs\n",
    .options = options,
    .args_size = sizeof(GenArgs),
    .defaults = &defaults,
    .check = check,
    .run = run,
};
