#include "campaign/seq_settings.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "campaign/stored.h"
#include "subject/subject.h"

/* CTOS' sizes are for two weeks: 3,000 of 300,000 sequences and 1,000 of 100,000 programs. Ours are for hours; each round of
 * tests chooses anew, as "each iteration of testing" does in the paper. */
#define ROUND 32 /* programs */
#define BATCH 8
#define OWN_SIZE 10000     /* bytes of our own programs: a test of 30 KB keeps four LLVMs busy for most of a minute */
#define POOL 10            /* candidates for each that is chosen */
#define SHORT_MS 60000     /* campaigns shorter than this have no time to choose */
#define POOL_STEP_MS 60000 /* one more candidate for each sequence and minute, up to POOL */
#define PROGRAM_STEP_MS 150000 /* the same for programs, which must be compiled to be looked at … */
#define FOREIGN_STEP_MS 600000 /* … and which csmith takes ten times as long to make as our own generator */

#define OLDEST 14 /* the first LLVM whose C interface runs pipelines */
#define NEWEST 40

static const char *const sequence_names[] = {"random", "covering", "representative", NULL};
static const char *const program_names[] = {"random", "swarm", "swarm-values", "selected", "features", NULL};

/* --- LLVMs --- */

/* The library belongs to the opt that a link leads to. */
static bool find_library(const char *opt, const char *version, Str *ret_path, Error *err) {
    char real[PATH_MAX];
    return server_find_library(realpath(opt, real) ? real : opt, version, ret_path, err);
}

void seq_llvms_installed(StrList *ret_names) {
    for (int number = OLDEST; number <= NEWEST; number++) {
        CLEANUP(str_release) Str opt = {0}, clang = {0}, path = {0}, library = {0}, version = {0};
        str_printf(&opt, "opt-%d", number);
        str_printf(&clang, "clang-%d", number);
        str_printf(&version, "%d", number);
        if (path_find_program(opt.data, &path, NULL) && find_library(path.data, version.data, &library, NULL)) {
            str_clear(&path);
            if (path_find_program(clang.data, &path, NULL))
                strlist_add(ret_names, version.data);
        }
    }
}

static bool is_number(const char *text) { return *text && text[strspn(text, "0123456789")] == '\0'; }

/* "14", "opt-14", a directory with bin/opt in it, or a subject. */
static bool find_tools(const char *which, SeqLlvm *llvm, Str *library, Error *err) {
    const char *number = str_starts(which, "opt-") ? which + strlen("opt-") : which;
    CLEANUP(mem_freep) char *opt = path_of(which, "bin/opt");
    CLEANUP(mem_freep) char *clang = path_of(which, "bin/clang");
    CLEANUP(mem_freep) char *json = path_of(which, "subject.json");
    if (is_number(number)) {
        strlist_addf(&llvm->opt, "opt-%s", number);
        strlist_addf(&llvm->clang, "clang-%s", number);
        llvm->name = mem_strdup(llvm->opt.items[0]);
    } else if (strchr(which, '/') && file_exists(opt) && !file_exists(json)) {
        CLEANUP(str_release) Str opt_path = {0}, clang_path = {0}; /* commands run elsewhere */
        if (!path_absolute(opt, &opt_path, err) || !path_absolute(clang, &clang_path, err))
            return false;
        strlist_add(&llvm->opt, opt_path.data);
        strlist_add(&llvm->clang, clang_path.data);
        llvm->name = mem_strdup(opt_path.data);
    } else {
        Subject subject = {0};
        bool ok = subject_open(which, NULL, &subject, err);
        if (ok && (!subject.opt.len || !subject.cc.len || !subject.libllvm))
            ok = error_set(err, "the subject %s has not all of opt, clang and libLLVM: try llvm-19-passes", which);
        if (ok) {
            strlist_add_all(&llvm->opt, &subject.opt);
            strlist_add_all(&llvm->clang, &subject.cc);
            str_append(library, subject.libllvm);
            llvm->name = mem_strdup(subject.name);
        }
        subject_release(&subject);
        return ok;
    }
    CLEANUP(str_release) Str path = {0};
    return path_find_program(llvm->opt.items[0], &path, err) &&
           path_find_program(llvm->clang.items[0], (str_clear(&path), &path), err);
}

static bool choose_passes(const char *passes, SeqLlvm *llvm, Error *err) {
    if (str_equal(passes, "production") || str_equal(passes, "all")) {
        catalogue_choose(llvm->catalogue, str_equal(passes, "all"), &llvm->passes);
    } else if (!pipeline_parse(passes, &llvm->catalogue->arena, &llvm->passes, err) ||
               !catalogue_resolve(llvm->catalogue, &llvm->passes, err)) {
        return error_context(err, "cannot take the passes of %s", llvm->name);
    }
    return llvm->passes.len || error_set(err, "%s has no passes to test", llvm->name);
}

bool seq_llvm_open(const char *which, const char *passes, Runner *runner, Console *console, SeqLlvm *llvm, Error *err) {
    CLEANUP(str_release) Str library = {0}, path = {0};
    if (!find_tools(which, llvm, &library, err))
        return error_context(err, "cannot test LLVM %s", which);
    if (!catalogue_open(runner, llvm->opt.items[0], NULL, console, &llvm->catalogue, err))
        return false;
    if (library.len == 0 && (!path_find_program(llvm->opt.items[0], &path, err) ||
                             !find_library(path.data, llvm->catalogue->version, &library, err)))
        return error_context(err, "cannot test LLVM %s", which);
    llvm->library = str_detach(&library);
    return choose_passes(passes, llvm, err);
}

void seq_llvm_release(SeqLlvm *llvm) {
    free(llvm->name);
    strlist_release(&llvm->opt);
    strlist_release(&llvm->clang);
    free(llvm->library);
    catalogue_free(llvm->catalogue);
    vec_release(&llvm->passes);
}

/* Given, else the campaign's, else what is installed. */
static bool resolve_llvms(Stored *r, const SeqOptions *options, Runner *runner, Console *console,
                          SeqSettings *settings) {
    CLEANUP(strlist_release) StrList names = {0};
    const char *passes;
    if (!stored_current_list(r, "llvms", options->llvms, &names) ||
        !stored_fixed(r, "passes", options->passes, "production", &passes))
        return false;
    if (names.len == 0)
        seq_llvms_installed(&names);
    if (names.len == 0)
        return error_set(r->err,
                         "no LLVM from %d on is installed with opt-N, clang-N and libLLVM: install for example "
                         "llvm-19 and clang-19, or give --llvm DIR",
                         OLDEST);
    vec_reserve(&settings->llvms, names.len);
    for (size_t i = 0; i < names.len; i++) {
        settings->llvms.items[settings->llvms.len] = (SeqLlvm){0};
        SeqLlvm *llvm = &settings->llvms.items[settings->llvms.len++];
        if (!seq_llvm_open(names.items[i], passes, runner, console, llvm, r->err))
            return false;
        llvm->tools = (SequenceTools){&llvm->opt, &llvm->clang, llvm->library, &settings->link_flags};
    }
    CLEANUP(strlist_release) StrList remembered = {0};
    return stored_current_list(r, "llvms", &names, &remembered);
}

/* --- The rest --- */

static bool index_of(const char *name, const char *const *names, const char *what, size_t *ret_index, Error *err) {
    for (size_t i = 0; names[i]; i++)
        if (str_equal(name, names[i])) {
            *ret_index = i;
            return true;
        }
    return error_set(err, "there are no %s `%s`", what, name);
}

static bool resolve_programs(Stored *r, const SeqOptions *options, SeqSettings *settings) {
    const CampaignOptions *campaign = &options->campaign;
    const char *sequences, *programs;
    size_t sequence_index, program_index;
    bool is_short = campaign->time_ms && campaign->time_ms < SHORT_MS;
    uint64_t time_ms = campaign->time_ms ? (uint64_t)campaign->time_ms : UINT32_MAX;
    uint64_t pool = MIN_OF(1 + time_ms / POOL_STEP_MS, (uint64_t)POOL);
    bool is_own = !options->generator || str_equal(options->generator, "own");
    uint64_t program_pool = MIN_OF(1 + time_ms / (is_own ? PROGRAM_STEP_MS : FOREIGN_STEP_MS), (uint64_t)POOL);
    bool has_choice = !is_short && program_pool > 1;
    uint64_t round = MIN_OF(8 + time_ms / 30000, (uint64_t)ROUND);
    if (!stored_fixed(r, "generator", options->generator, "own", &settings->generator) ||
        !stored_fixed_number(r, "size", options->size > 0, options->size, is_own ? OWN_SIZE : 0, &settings->size) ||
        !stored_fixed_number(r, "seed", campaign->has_seed, campaign->seed, campaign->seed, &settings->seed) ||
        !stored_fixed(r, "sequences", options->sequences, is_short ? "random" : "representative", &sequences) ||
        !stored_fixed(r, "programs", options->programs, has_choice ? "selected" : "random", &programs) ||
        !stored_fixed_number(r, "least passes", options->least > 0, options->least, 50, &settings->least) ||
        !stored_fixed_number(r, "most passes", options->most > 0, options->most, 200, &settings->most) ||
        !stored_fixed_number(r, "batch", options->batch > 0, options->batch, BATCH, &settings->batch) ||
        !stored_fixed_number(r, "round", options->round > 0, options->round, round, &settings->round) ||
        !stored_fixed_number(r, "chosen", options->chosen > 0, options->chosen, settings->round * settings->batch,
                             &settings->chosen) ||
        !stored_fixed_number(r, "sequence pool", options->sequence_pool > 0, options->sequence_pool,
                             pool * settings->chosen, &settings->sequence_pool) ||
        !stored_fixed_number(r, "program pool", options->program_pool > 0, options->program_pool,
                             program_pool * settings->round, &settings->program_pool) ||
        !index_of(sequences, sequence_names, "sequences", &sequence_index, r->err) ||
        !index_of(programs, program_names, "programs", &program_index, r->err))
        return false;
    settings->generator = arena_strdup(r->arena, settings->generator);
    settings->sequences = (SeqSequences)sequence_index;
    settings->programs = (SeqPrograms)program_index;
    if (settings->least > settings->most || settings->most > 10000)
        return error_set(r->err, "sequences of %llu to %llu passes cannot be made: give --length 50..200 or the like",
                         (unsigned long long)settings->least, (unsigned long long)settings->most);
    settings->sequence_pool = MAX_OF(settings->sequence_pool, settings->chosen);
    settings->program_pool = MAX_OF(settings->program_pool, settings->round);
    return true;
}

static bool resolve_execution(Stored *r, const SeqOptions *options, SeqSettings *settings) {
    const char *exec;
    uint64_t cpu_ms;
    if (!stored_current(r, "exec", options->exec, &exec) ||
        !stored_current_number(r, "sequence limit", (uint64_t)options->cpu_ms, &cpu_ms) ||
        !stored_current_number(r, "memory limit", options->memory_bytes, &settings->limits.memory_bytes))
        return false;
    settings->by_opt = str_equal(exec, "opt");
    settings->limits.cpu_ms = (int64_t)cpu_ms;
    return true;
}

bool seq_settings_resolve(const SeqOptions *options, Store *store, Runner *runner, Console *console,
                          SeqSettings *settings, Error *err) {
    Stored r = {store, &settings->arena, err};
    const char *method;
    return stored_fixed(&r, "method", "seq", "seq", &method) && resolve_programs(&r, options, settings) &&
           resolve_execution(&r, options, settings) && resolve_llvms(&r, options, runner, console, settings);
}

void seq_settings_release(SeqSettings *settings) {
    for (size_t i = 0; i < settings->llvms.len; i++)
        seq_llvm_release(&settings->llvms.items[i]);
    vec_release(&settings->llvms);
    strlist_release(&settings->link_flags);
    arena_release(&settings->arena);
}
