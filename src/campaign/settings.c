#include "campaign/settings.h"

#include <string.h>

#include "base/file.h"
#include "campaign/stored.h"
#include "compiler/setfile.h"

#define INSTALLED "installed" /* as a compiler: all that a campaign tests where none is given */

/* A standard of C++ asks for C++. */
static const char *given_language(const HuntOptions *options) {
    bool is_cxx = options->standard && strstr(options->standard, "++");
    return options->language || !is_cxx ? options->language : language_name(LANGUAGE_CXX);
}

static bool resolve_programs(Stored *r, const HuntOptions *options, HuntSettings *settings) {
    const char *language, *standard, *switches;
    const CampaignOptions *campaign = &options->campaign;
    CLEANUP(mem_freep)
    char *given = options->switches && options->switches->len ? strlist_join(options->switches, " ") : NULL;
    if (!stored_fixed(r, "generator", options->generator, "own", &settings->generator) ||
        !stored_fixed(r, "language", given_language(options), "c", &language) ||
        !stored_fixed(r, "standard", options->standard, "", &standard) ||
        !stored_fixed_number(r, "size", options->size > 0, options->size, 0, &settings->size) ||
        !stored_fixed(r, "switches", given, "", &switches) ||
        !stored_fixed_number(r, "seed", campaign->has_seed, campaign->seed, campaign->seed, &settings->seed))
        return false;
    settings->generator = arena_strdup(r->arena, settings->generator);
    settings->standard = *standard ? arena_strdup(r->arena, standard) : NULL;
    if (*switches)
        strlist_split(&settings->switches, switches, ' ');
    return language_parse(language, &settings->language, r->err);
}

static bool resolve_limits(Stored *r, const HuntOptions *options, HuntSettings *settings) {
    uint64_t compile_ms, run_ms;
    if (!stored_current_number(r, "compile limit", (uint64_t)options->compile_ms, &compile_ms) ||
        !stored_current_number(r, "run limit", (uint64_t)options->run_ms, &run_ms) ||
        !stored_current_number(r, "memory limit", options->memory_bytes, &settings->memory_bytes))
        return false;
    settings->compile_ms = (int64_t)compile_ms;
    settings->run_ms = (int64_t)run_ms;
    return true;
}

/* The command lines that the options ask for; none where they ask for nothing. */
static bool given_commands(const HuntOptions *options, StrList *ret_commands, Error *err) {
    if (options->compilers)
        strlist_add_all(ret_commands, options->compilers);
    if (!options->set_file)
        return true;
    CLEANUP(str_release) Str text = {0};
    return file_read(options->set_file, &text, err) &&
           setfile_commands(str_text(&text), options->set_file, options->set_name, ret_commands, err);
}

static bool remember_matrix(Stored *r, const Matrix *matrix) {
    CLEANUP(strlist_release) StrList names = {0};
    for (size_t i = 0; i < matrix->configs.len; i++)
        strlist_add(&names, matrix->configs.items[i].name);
    CLEANUP(mem_freep) char *lines = strlist_join(&names, "\n");
    return store_set_setting(r->store, "compilers", lines, r->err);
}

/* Given, else the campaign's, else what is installed. */
static bool resolve_matrix(Stored *r, const HuntOptions *options, Runner *runner, HuntSettings *settings) {
    CLEANUP(strlist_release) StrList commands = {0};
    const char *stored = NULL;
    if (!given_commands(options, &commands, r->err) || !store_setting(r->store, "compilers", r->arena, &stored, r->err))
        return false;
    if (commands.len == 0 && stored)
        strlist_split(&commands, stored, '\n');
    for (size_t i = 0; i < commands.len; i++)
        if (str_equal(commands.items[i], INSTALLED)
                ? !matrix_discover(&settings->matrix, runner, settings->language, r->err)
                : !matrix_add(&settings->matrix, runner, settings->language, commands.items[i], r->err))
            return error_context(r->err, "cannot test `%s`", commands.items[i]);
    if (commands.len == 0 && !matrix_discover(&settings->matrix, runner, settings->language, r->err))
        return false;
    return remember_matrix(r, &settings->matrix);
}

static bool same_sizes(const DataModel *a, const DataModel *b) {
    return a->short_size == b->short_size && a->int_size == b->int_size && a->long_size == b->long_size &&
           a->long_long_size == b->long_long_size && a->pointer_size == b->pointer_size;
}

static bool check_matrix(const HuntSettings *settings, Error *err) {
    const Matrix *matrix = &settings->matrix;
    for (size_t i = 0; i < matrix->compilers.len; i++) {
        const Compiler *compiler = matrix->compilers.items[i], *first = matrix->compilers.items[0];
        if (!same_sizes(&compiler->model, &first->model))
            return error_set(err,
                             "%s and %s have types of different sizes, so that one program means different things to "
                             "them: hunt in them in separate directories",
                             first->command.items[0], compiler->command.items[0]);
        if (compiler->model.char_signed != first->model.char_signed && !str_equal(settings->generator, "own"))
            return error_set(err,
                             "char is signed to one of %s and %s and not to the other, which our own generator's "
                             "programs bear, but perhaps not those of `%s`: add -fsigned-char to both",
                             first->command.items[0], compiler->command.items[0], settings->generator);
        if (compiler->cross && settings->emulator.len == 0)
            return error_set(err,
                             "programs of %s (for %s) do not run here: give an emulator, such as --run \"qemu-aarch64 "
                             "-L /usr/aarch64-linux-gnu\"",
                             compiler->command.items[0], compiler->target);
    }
    return true;
}

/* Whoever hunts in a single compiler has nothing that passes, without which a wrong result can be neither replayed nor
 * reduced. Another installed compiler of good standing vouches then, else the same one at -O0. None is no error. */
static void find_reference(Runner *runner, HuntSettings *settings) {
    const Compiler *only = settings->matrix.compilers.items[0];
    CLEANUP(strlist_release) StrList names = {0};
    if (settings->matrix.compilers.len > 1 || only->cross || only->command.len > 1)
        return;
    compiler_discover(settings->language, &names);
    strlist_add(&names, only->command.items[0]);
    for (size_t i = 0; i < names.len && !settings->reference; i++) {
        CLEANUP(str_release) Str command = {0};
        str_printf(&command, "%s -O0", names.items[i]);
        if (!matrix_add(&settings->references, runner, settings->language, str_text(&command), NULL))
            continue;
        const Config *config = &vec_last(&settings->references.configs);
        const Compiler *compiler = config->compiler;
        bool trusted = compiler->family == FAMILY_GCC || compiler->family == FAMILY_CLANG;
        if (trusted && (compiler->family != only->family || i + 1 == names.len) &&
            same_sizes(&compiler->model, &only->model))
            settings->reference = config;
    }
}

bool settings_resolve(const HuntOptions *options, Store *store, Runner *runner, HuntSettings *settings, Error *err) {
    Stored r = {store, &settings->arena, err};
    CLEANUP(strlist_release) StrList emulator = {0};
    if (options->emulator && !strlist_split_shell(&emulator, options->emulator, err))
        return false;
    const char *method;
    bool ok = stored_fixed(&r, "method", "hunt", "hunt", &method) && resolve_programs(&r, options, settings) &&
              resolve_limits(&r, options, settings) &&
              stored_current_list(&r, "flags", options->flags, &settings->flags) &&
              stored_current_list(&r, "link flags", options->link_flags, &settings->link_flags) &&
              stored_current_list(&r, "emulator", &emulator, &settings->emulator) &&
              resolve_matrix(&r, options, runner, settings) && check_matrix(settings, err);
    if (ok)
        find_reference(runner, settings);
    return ok;
}

void settings_release(HuntSettings *settings) {
    strlist_release(&settings->switches);
    strlist_release(&settings->flags);
    strlist_release(&settings->link_flags);
    strlist_release(&settings->emulator);
    matrix_release(&settings->matrix);
    matrix_release(&settings->references);
    arena_release(&settings->arena);
}
