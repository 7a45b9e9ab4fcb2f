#include "cli/gen_switches.h"
#include "gen/gen.h"

typedef struct GenArgs {
    const char *model, *output;
    uint64_t count;
    GenSwitches program;
} GenArgs;

static const GenArgs defaults = {.model = "lp64", .program.size = GEN_SIZE_DEFAULT};

static const Option options[] = {
    OPTION(GenArgs, output, "output", 'o', OPTION_TEXT, "DIR", "directory to create for the program"),
    OPTION(GenArgs, count, "count", 'n', OPTION_COUNT, "N",
           "write N programs, of this seed and those after it, each to DIR/SEED"),
    GEN_SWITCHES(GenArgs, program),
    OPTION(GenArgs, model, "model", 0, OPTION_CHOICE, "lp64|llp64|ilp32", "data model that the expected output is for"),
    {0},
};

static bool read_options(const GenArgs *args, const Cli *cli, GenOptions *gen, Error *err) {
    const GenSwitches *program = &args->program;
    CLEANUP(strlist_release) StrList switches = {0};
    *gen = gen_defaults(cli->seed);
    gen->language = str_equal(program->lang, "c++") ? GEN_CXX : GEN_C;
    gen->size = program->size;
    gen->standard = program->standard;
    GenOptions unused = *gen; /* where a language is given too, gen_program asks whether they fit */
    if (program->standard && !gen_standard_parse(program->standard, program->lang ? &unused : gen, err))
        return false;
    if (!gen_model_parse(args->model, &gen->model, err) || !gen_switches_words(program, &switches, err))
        return false;
    for (size_t i = 0; i < switches.len; i++)
        if (!gen_switch_parse(switches.items[i], gen, err))
            return false;
    return true;
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
        "seed.\n\n" GEN_FEATURES_HELP,
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
