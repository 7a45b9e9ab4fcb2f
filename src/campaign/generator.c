#include "campaign/generator.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/rng.h"
#include "gen/gen.h"
#include "mutate/llvm_ir.h"

#define EXPECTED "expected"
#define TOLERANCE "tolerance"
#define PLAIN_PERCENT 10 /* programs without generation policies, unless the switches say otherwise */
#define RARE_PERCENT 25  /* programs with a feature that is off by default */
#define MODULE_BYTES 300000 /* larger ones are mostly tables of constants */
#define MUTATIONS_MOST 3    /* of one module */
#define MODULE_TRIPLE "target triple = \""
#define COMMAND_WALL_MS 60000
#define COMMAND_MEMORY ((uint64_t)4 << 30)
#define COMMAND_FILE_BYTES ((uint64_t)64 << 20)

struct Generator {
    bool own;
    StrList modules;  /* paths, instead of all that a command needs */
    StrList argv;     /* of our own generator: without the seed and the switches, which follow */
    StrList switches; /* of our own */
    bool mixed;       /* programs with and without policies, by the seed */
    bool rare;        /* some programs with what is off by default, by the seed */
    char *command;    /* the same for people */
    Language language;
    char *standard;
    int64_t wall_ms;
    GeneratorVariety variety;
    StrList flags, link_flags;
};

/* csmith's header directory differs between versions and distributions. */
static void add_csmith_includes(StrList *flags) {
    static const char *const patterns[] = {"/usr/include/csmith*", "/usr/local/include/csmith*"};
    for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
        glob_t found;
        if (glob(patterns[i], 0, NULL, &found) == 0)
            strlist_addf(flags, "-I%s", found.gl_pathv[found.gl_pathc - 1]);
        globfree(&found);
    }
}

static GenModel model_of(const DataModel *model) {
    return model->long_size == 8 ? GEN_LP64 : model->pointer_size == 8 ? GEN_LLP64 : GEN_ILP32;
}

/* lib/culprit/generate, see runtime/generate.c. */
static bool set_up_own(Generator *generator, const GeneratorOptions *options, Error *err) {
    CLEANUP(str_release) Str path = {0};
    GenOptions parsed = {.language = options->language == LANGUAGE_CXX ? GEN_CXX : GEN_C};
    if (options->standard && !gen_standard_parse(options->standard, &parsed, err))
        return false;
    if ((parsed.language == GEN_CXX) != (options->language == LANGUAGE_CXX))
        return error_set(err, "%s is no standard of %s; give --lang too", options->standard,
                         language_name(options->language));
    if (!path_runtime("generate", &path, err))
        return error_context(err, "cannot generate programs");
    strlist_add(&generator->argv, str_text(&path));
    strlist_add(&generator->argv, language_name(options->language));
    strlist_add(&generator->argv, options->standard ? options->standard : "");
    strlist_addf(&generator->argv, "%llu", (unsigned long long)options->size);
    strlist_add(&generator->argv, gen_model_name(model_of(&options->model)));
    strlist_add(&generator->argv, options->single ? "single" : "several");
    strlist_addf(&generator->argv, "%d", (int)options->variety);
    for (size_t i = 0; options->switches && i < options->switches->len; i++)
        if (!gen_switch_parse(options->switches->items[i], &parsed, err))
            return false;
    if (options->switches)
        strlist_add_all(&generator->switches, options->switches);
    generator->mixed = options->variety == VARIETY_USUAL && !strlist_contains(&generator->switches, "policies") &&
                       !strlist_contains(&generator->switches, "no-policies");
    generator->rare = options->rare && options->variety == VARIETY_USUAL;
    generator->command = mem_strdup("culprit gen");
    return true;
}

static void set_command(Generator *generator, const char *command) {
    generator->command = mem_strdup(command);
    strlist_add(&generator->argv, "/bin/sh");
    strlist_add(&generator->argv, "-c");
    strlist_add(&generator->argv, command);
}

static bool set_up_csmith(Generator *generator, const GeneratorOptions *options, Error *err) {
    CLEANUP(str_release) Str path = {0};
    if (!path_find_program("csmith", &path, err))
        return error_context(err, "cannot generate with csmith; install it or leave out --generator");
    set_command(generator, options->language == LANGUAGE_CXX
                               ? "csmith $CULPRIT_OPTIONS --lang-cpp --seed \"$CULPRIT_SEED\" --output test.cpp"
                               : "csmith $CULPRIT_OPTIONS --seed \"$CULPRIT_SEED\" --output test.c");
    add_csmith_includes(&generator->flags);
    strlist_add(&generator->link_flags, "-lm");
    return true;
}

static bool set_up_modules(Generator *generator, const char *dir, Error *err) {
    generator->command = mem_strdup(dir);
    if (!dir_walk(dir, ".ll", MODULE_BYTES, &generator->modules, err))
        return error_context(err, "cannot take modules from %s", dir);
    return generator->modules.len || error_set(err, "%s has no modules (.ll)", dir);
}

static bool set_up(Generator *generator, const GeneratorOptions *options, Error *err) {
    if (options->modules)
        return set_up_modules(generator, options->name, err);
    generator->own = str_equal(options->name, "own");
    if (generator->own)
        return set_up_own(generator, options, err);
    if (options->switches && options->switches->len)
        return error_set(err,
                         "--single, --policies, --no-policies, --enable and --disable are switches of culprit's own "
                         "generator; `%s` has others",
                         options->name);
    if (str_equal(options->name, "csmith"))
        return set_up_csmith(generator, options, err);
    set_command(generator, options->name);
    return true;
}

bool generator_new(const GeneratorOptions *options, Generator **ret_generator, Error *err) {
    Generator *generator = mem_zalloc(1, sizeof *generator);
    generator->language = options->language;
    generator->standard = mem_strdup(options->standard);
    generator->variety = options->variety;
    generator->wall_ms = options->wall_ms ? options->wall_ms : COMMAND_WALL_MS;
    if (!set_up(generator, options, err)) {
        generator_free(generator);
        return false;
    }
    *ret_generator = generator;
    return true;
}

void generator_free(Generator *generator) {
    if (!generator)
        return;
    strlist_release(&generator->modules);
    strlist_release(&generator->argv);
    strlist_release(&generator->switches);
    free(generator->command);
    free(generator->standard);
    strlist_release(&generator->flags);
    strlist_release(&generator->link_flags);
    free(generator);
}

const StrList *generator_flags(const Generator *generator) { return &generator->flags; }
const StrList *generator_link_flags(const Generator *generator) { return &generator->link_flags; }
bool generator_is_trusted(const Generator *generator) { return generator->own; }

void generated_release(Generated *generated) {
    program_release(&generated->program);
    str_release(&generated->expected);
    str_release(&generated->why);
}

/* Switches of csmith that only take features away. */
static void add_csmith_swarm(GeneratorVariety variety, uint64_t seed, Str *ret_options) {
    static const char *const features[] = {"arrays",
                                           "bitfields",
                                           "comma-operators",
                                           "compound-assignment",
                                           "consts",
                                           "divs",
                                           "embedded-assigns",
                                           "jumps",
                                           "longlong",
                                           "int8",
                                           "uint8",
                                           "math64",
                                           "muls",
                                           "packed-struct",
                                           "pointers",
                                           "structs",
                                           "unions",
                                           "volatiles",
                                           "volatile-pointers",
                                           "const-pointers",
                                           "global-variables",
                                           "inline-function"};
    Rng rng = rng_from_seed(seed);
    for (size_t i = 0; variety == VARIETY_SWARM && i < ARRAY_LEN(features); i++)
        if (rng_chance(&rng, 50))
            str_printf(ret_options, " --no-%s", features[i]);
    if (variety == VARIETY_SWARM_VALUES)
        str_append(ret_options, "--random-random");
}

static bool run_command(const Generator *generator, Runner *runner, uint64_t seed, const char *dir, ProcResult *result,
                        Error *err) {
    CLEANUP(strlist_release) StrList argv = {0}, env = {0};
    strlist_add_all(&argv, &generator->argv);
    if (generator->own) {
        Rng choice = rng_from_seed(seed);
        choice = rng_split_named(&choice, "policies");
        strlist_addf(&argv, "%llu", (unsigned long long)seed);
        strlist_add_all(&argv, &generator->switches);
        if (generator->mixed && rng_chance(&choice, PLAIN_PERCENT))
            strlist_add(&argv, "no-policies");
        static const char *const rare[] = {"+floats", "+vectors"};
        for (size_t i = 0; generator->rare && i < ARRAY_LEN(rare); i++)
            if (rng_chance(&choice, RARE_PERCENT))
                strlist_add(&argv, rare[i]);
    }
    strlist_addf(&env, "CULPRIT_SEED=%llu", (unsigned long long)seed);
    CLEANUP(str_release) Str swarm = {0};
    add_csmith_swarm(generator->variety, seed, &swarm);
    strlist_addf(&env, "CULPRIT_OPTIONS=%s", str_text(&swarm));
    strlist_addf(&env, "CULPRIT_LANGUAGE=%s", language_name(generator->language));
    ProcRequest request = {
        .argv = (const char *const *)argv.items,
        .dir = dir,
        .env = (const char *const *)env.items,
        .limits = {.wall_ms = generator->wall_ms,
                   .memory_bytes = COMMAND_MEMORY,
                   .sanitized = true, /* as ours is in a build with sanitizers */
                   .file_bytes = COMMAND_FILE_BYTES},
    };
    return runner_run(runner, &request, result, err);
}

static bool refuse(Generated *generated, const char *format, ...) PRINTF_LIKE(2, 3);
static bool refuse(Generated *generated, const char *format, ...) {
    va_list args;
    va_start(args, format);
    str_vprintf(&generated->why, format, args);
    va_end(args);
    generated->refused = true;
    return true;
}

static bool read_expected(const Generator *generator, const char *dir, Generated *generated) {
    CLEANUP(mem_freep) char *path = path_of(dir, EXPECTED);
    CLEANUP(mem_freep) char *tolerance_path = path_of(dir, TOLERANCE);
    CLEANUP(str_release) Str tolerance = {0};
    generated->has_expected = file_exists(path);
    if (generated->has_expected && !file_read(path, &generated->expected, NULL))
        return refuse(generated, "`%s` wrote an `" EXPECTED "` that cannot be read", generator->command);
    if (file_exists(tolerance_path) && file_read(tolerance_path, &tolerance, NULL))
        generated->tolerance = strtod(str_text(&tolerance), NULL);
    return true;
}

/* Why there is no program, in words that are the same for every seed with the same trouble. */
static bool refuse_by_end(const Generator *generator, ProcResult *result, Generated *generated) {
    str_trim(&result->err);
    str_truncate(&result->err, strcspn(str_text(&result->err), "\n"));
    str_printf(&generated->why, "`%s` ", generator->command);
    proc_describe_end(result, &generated->why);
    if (result->limit == PROC_LIMIT_NONE && result->err.len > 0)
        str_printf(&generated->why, ": %s", str_text(&result->err));
    return generated->refused = true;
}

static void set_standard(const Generator *generator, ProcResult *result, Generated *generated) {
    str_trim(&result->out);
    const char *standard = generator->own ? str_text(&result->out) : generator->standard;
    if (standard && !generated->program.standard)
        generated->program.standard = mem_strdup(standard);
}

/* By its triple, by that of its test's command, by a data layout of its own, or by vectors of a length that x86-64 does not
 * have. */
static bool is_for_another_machine(const char *module) {
    static const char *const marks[] = {MODULE_TRIPLE, "-mtriple=", "-mtriple "};
    for (size_t i = 0; i < ARRAY_LEN(marks); i++)
        for (const char *at = module; (at = strstr(at, marks[i]));)
            if (!str_starts(at += strlen(marks[i]), "x86_64"))
                return true;
    return (strstr(module, "target datalayout") && !strstr(module, MODULE_TRIPLE)) || strstr(module, "<vscale x ");
}

/* Three in four modules are mutated in a few places: given ones may have been tested by many before. One that a mutation made
 * invalid is refused by opt, and its test ends. */
static void mutate_module(Rng *rng, Str *module) {
    CLEANUP(str_release) Str mutant = {0};
    Mutation mutation = {0};
    for (int64_t left = rng_range(rng, 0, MUTATIONS_MOST); left > 0; left--)
        if (ir_mutate(str_text(module), module->len, false, rng, &mutant, &mutation)) {
            str_clear(module);
            str_append_n(module, str_text(&mutant), mutant.len);
        }
    mutation_release(&mutation);
}

/* The seed's module, or the next one that is not for another machine. One for none is given ours, so that passes know costs
 * of instructions and widths of vectors. */
static bool take_module(const Generator *generator, uint64_t seed, const char *dir, Generated *generated, Error *err) {
    CLEANUP(str_release) Str text = {0};
    Rng rng = rng_from_seed(seed);
    size_t first = rng_below(&rng, generator->modules.len);
    for (size_t i = 0; i < generator->modules.len; i++) {
        const char *path = generator->modules.items[(first + i) % generator->modules.len];
        str_clear(&text);
        if (!file_read(path, &text, err))
            return false;
        if (is_for_another_machine(str_text(&text)) || !strstr(str_text(&text), "\ndefine "))
            continue;
        CLEANUP(str_release) Str whole = {0};
        if (!strstr(str_text(&text), MODULE_TRIPLE))
            str_append(&whole, MODULE_TRIPLE "x86_64-unknown-linux-gnu\"\n");
        str_append_n(&whole, str_text(&text), text.len);
        mutate_module(&rng, &whole);
        generated->program.language = LANGUAGE_LLVM_IR;
        program_add(&generated->program, path_name(path), str_text(&whole), whole.len);
        return program_write(&generated->program, dir, err);
    }
    return refuse(generated, "`%s` has no module for x86-64", generator->command);
}

bool generator_make(const Generator *generator, Runner *runner, uint64_t seed, const char *dir, Generated *generated,
                    Error *err) {
    CLEANUP(proc_result_release) ProcResult result = {0};
    program_clear(&generated->program);
    str_clear(&generated->expected);
    str_clear(&generated->why);
    generated->has_expected = generated->refused = generated->cancelled = false;
    generated->tolerance = 0;
    if (generator->modules.len)
        return take_module(generator, seed, dir, generated, err);
    if (!run_command(generator, runner, seed, dir, &result, err))
        return error_context(err, "cannot run the generator `%s`", generator->command);
    generated->cpu_us = result.user_us + result.system_us;
    generated->cancelled = result.limit == PROC_LIMIT_CANCELLED;
    if (generated->cancelled)
        return true;
    if (!proc_ok(&result))
        return refuse_by_end(generator, &result, generated);
    if (!program_load(dir, &generated->program, NULL))
        return refuse(generated, "`%s` wrote no source file into its working directory", generator->command);
    generated->program.language = generator->language;
    set_standard(generator, &result, generated);
    return read_expected(generator, dir, generated);
}
