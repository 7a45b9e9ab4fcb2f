#include "campaign/generator.h"

#include <glob.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/file.h"
#include "gen/gen.h"

#define EXPECTED "expected"
#define COMMAND_WALL_MS 60000
#define COMMAND_MEMORY ((uint64_t)4 << 30)

struct Generator {
    char *command; /* for the shell; NULL: our own */
    Language language;
    char *standard;
    GenOptions own;
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

static bool set_up_own(Generator *generator, const GeneratorOptions *options, Error *err) {
    generator->own = gen_defaults(0);
    generator->own.language = options->language == LANGUAGE_CXX ? GEN_CXX : GEN_C;
    generator->own.model = model_of(&options->model);
    if (options->size)
        generator->own.size = options->size;
    if (options->standard && !gen_standard_parse(options->standard, &generator->own, err))
        return false;
    if ((generator->own.language == GEN_CXX) != (options->language == LANGUAGE_CXX))
        return error_set(err, "%s is no standard of %s", options->standard, language_name(options->language));
    return true;
}

static bool set_up_command(Generator *generator, const GeneratorOptions *options, Error *err) {
    if (!str_equal(options->name, "csmith")) {
        generator->command = mem_strdup(options->name);
        return true;
    }
    CLEANUP(str_release) Str path = {0};
    if (!path_find_program("csmith", &path, err))
        return error_context(err, "cannot generate with csmith; install it or leave out --generator");
    generator->command =
        mem_strdup(options->language == LANGUAGE_CXX ? "csmith --lang-cpp --seed \"$CULPRIT_SEED\" --output test.cpp"
                                                     : "csmith --seed \"$CULPRIT_SEED\" --output test.c");
    add_csmith_includes(&generator->flags);
    strlist_add(&generator->link_flags, "-lm");
    return true;
}

bool generator_new(const GeneratorOptions *options, Generator **ret_generator, Error *err) {
    Generator *generator = mem_zalloc(1, sizeof *generator);
    generator->language = options->language;
    generator->standard = mem_strdup(options->standard);
    bool own = str_equal(options->name, "own");
    if (own ? !set_up_own(generator, options, err) : !set_up_command(generator, options, err)) {
        generator_free(generator);
        return false;
    }
    *ret_generator = generator;
    return true;
}

void generator_free(Generator *generator) {
    if (!generator)
        return;
    free(generator->command);
    free(generator->standard);
    strlist_release(&generator->flags);
    strlist_release(&generator->link_flags);
    free(generator);
}

const StrList *generator_flags(const Generator *generator) { return &generator->flags; }
const StrList *generator_link_flags(const Generator *generator) { return &generator->link_flags; }
bool generator_is_trusted(const Generator *generator) { return generator->command == NULL; }

void generated_release(Generated *generated) {
    program_release(&generated->program);
    str_release(&generated->expected);
    str_release(&generated->why);
}

static int64_t thread_cpu_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static bool make_own(const Generator *generator, uint64_t seed, const char *dir, Generated *generated, Error *err) {
    CLEANUP(arena_release) Arena arena = {0};
    GenOptions options = generator->own;
    GenProgram program;
    int64_t start = thread_cpu_us();
    options.seed = seed;
    if (!gen_program(&options, &arena, &program, err))
        return false;
    for (size_t i = 0; i < program.file_count; i++)
        program_add(&generated->program, program.files[i].name, program.files[i].text, program.files[i].len);
    generated->program.standard = mem_strdup(program.standard);
    generated->has_expected = true;
    str_append(&generated->expected, program.expected);
    generated->cpu_us = thread_cpu_us() - start;
    return program_write(&generated->program, dir, err);
}

static bool run_command(const Generator *generator, Runner *runner, uint64_t seed, const char *dir, ProcResult *result,
                        Error *err) {
    const char *argv[] = {"/bin/sh", "-c", generator->command, NULL};
    CLEANUP(strlist_release) StrList env = {0};
    strlist_addf(&env, "CULPRIT_SEED=%llu", (unsigned long long)seed);
    strlist_addf(&env, "CULPRIT_LANGUAGE=%s", language_name(generator->language));
    ProcRequest request = {
        .argv = argv,
        .dir = dir,
        .env = (const char *const *)env.items,
        .limits = {.wall_ms = COMMAND_WALL_MS, .memory_bytes = COMMAND_MEMORY},
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

/* Takes `expected` out of the loaded files: it is no part of the program. */
static void take_expected(Generated *generated) {
    Program *program = &generated->program;
    for (size_t i = 0; i < program->files.len; i++) {
        ProgramFile *file = &program->files.items[i];
        if (!str_equal(file->name, EXPECTED))
            continue;
        generated->has_expected = true;
        str_append_n(&generated->expected, file->text, file->len);
        free(file->name);
        free(file->text);
        vec_remove(&program->files, i);
        return;
    }
}

static bool has_source(const Program *program) {
    for (size_t i = 0; i < program->files.len; i++)
        if (program_is_source(program->files.items[i].name))
            return true;
    return false;
}

static bool read_expected(const char *dir, Generated *generated, Error *err) {
    CLEANUP(mem_freep) char *path = path_of(dir, EXPECTED);
    if (generated->has_expected || !file_exists(path))
        return true;
    generated->has_expected = true;
    return file_read(path, &generated->expected, err);
}

static bool make_by_command(const Generator *generator, Runner *runner, uint64_t seed, const char *dir,
                            Generated *generated, Error *err) {
    CLEANUP(proc_result_release) ProcResult result = {0};
    if (!run_command(generator, runner, seed, dir, &result, err))
        return error_context(err, "cannot run the generator `%s`", generator->command);
    generated->cpu_us = result.user_us + result.system_us;
    generated->cancelled = result.limit == PROC_LIMIT_CANCELLED;
    if (generated->cancelled)
        return true;
    if (!proc_ok(&result)) {
        str_trim(&result.err);
        return refuse(generated, "`%s` ended with status %d%s%s", generator->command, result.exit_code,
                      result.err.len ? ": " : "", str_text(&result.err));
    }
    Error problem = {0};
    if (!program_load(dir, &generated->program, &problem))
        return refuse(generated, "%s", problem.text);
    take_expected(generated);
    if (!has_source(&generated->program))
        return refuse(generated, "`%s` wrote no source file into its working directory", generator->command);
    generated->program.language = generator->language;
    if (generator->standard && !generated->program.standard)
        generated->program.standard = mem_strdup(generator->standard);
    return read_expected(dir, generated, err);
}

bool generator_make(const Generator *generator, Runner *runner, uint64_t seed, const char *dir, Generated *generated,
                    Error *err) {
    program_clear(&generated->program);
    str_clear(&generated->expected);
    str_clear(&generated->why);
    generated->has_expected = generated->refused = generated->cancelled = false;
    generated->program.language = generator->language;
    return generator->command ? make_by_command(generator, runner, seed, dir, generated, err)
                              : make_own(generator, seed, dir, generated, err);
}
