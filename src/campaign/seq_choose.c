#include "campaign/seq_choose.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/file.h"
#include "sequence/choose.h"
#include "sequence/features.h"
#include "sequence/represent.h"
#include "sequence/sample.h"

#define DEBUG_PERCENT 15 /* programs with debug information */
#define WIDE_PERCENT 25  /* programs for a machine with vectors of 32 bytes, if this is one */

/* A program of the pool. */
typedef struct Candidate {
    uint64_t seed;
    bool read, made; /* by whoever had its task; whether generator and front end want it */
    IrGraph graph;   /* until it went into the batch */
} Candidate;

struct SeqChoice {
    const SeqSettings *settings;
    const Generator *generator;
    Rng rng; /* of the round */
    Candidate *candidates;
    size_t candidate_count; /* 0: programs are random ones */

    pthread_mutex_t lock; /* of what follows */
    size_t added;         /* candidates that went into the batch, in their order */
    ProgramBatch *batch;
    Vec(float) features;

    SeqSeeds seeds;
    Corpus *sequences; /* per LLVM */
};

static bool chooses_programs(const SeqSettings *settings) {
    return settings->programs == PROGRAMS_SELECTED || settings->programs == PROGRAMS_FEATURES;
}

SeqChoice *seq_choice_new(const SeqSettings *settings, const Generator *generator, uint64_t round) {
    SeqChoice *choice = mem_zalloc(1, sizeof *choice);
    Rng campaign = rng_from_seed(settings->seed);
    *choice = (SeqChoice){.settings = settings, .generator = generator, .rng = rng_split(&campaign, round)};
    choice->batch = program_batch_new();
    choice->sequences = mem_zalloc(settings->llvms.len, sizeof *choice->sequences);
    choice->candidate_count = chooses_programs(settings) ? settings->program_pool : 0;
    choice->candidates = mem_zalloc(choice->candidate_count + 1, sizeof *choice->candidates);
    pthread_mutex_init(&choice->lock, NULL);
    Rng stream = rng_split_named(&choice->rng, "candidates");
    for (size_t i = 0; i < choice->candidate_count; i++)
        choice->candidates[i].seed = rng_next(&stream) >> 33; /* csmith takes no more than 31 bits */
    for (uint64_t i = 0; !chooses_programs(settings) && i < settings->round; i++)
        vec_push(&choice->seeds, (settings->seed + round * settings->round + i) & INT32_MAX);
    return choice;
}

void seq_choice_free(SeqChoice *choice) {
    if (!choice)
        return;
    for (size_t i = 0; i < choice->candidate_count; i++)
        ir_graph_release(&choice->candidates[i].graph);
    for (size_t i = 0; i < choice->settings->llvms.len; i++)
        corpus_release(&choice->sequences[i]);
    program_batch_free(choice->batch);
    vec_release(&choice->features);
    vec_release(&choice->seeds);
    pthread_mutex_destroy(&choice->lock);
    free(choice->candidates);
    free(choice->sequences);
    free(choice);
}

static bool has_wide_vectors(void) {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

/* Half of the programs, by their seeds, come as -O0 has them, as in CTOS; half as the optimising levels hand them to their
 * first pass: with types for alias analysis, lifetimes, and the attributes of -Os. Some have debug information, which passes
 * must keep up to date, and some a machine with wider vectors. */
void seq_front_command(const SeqLlvm *llvm, const Program *program, uint64_t seed, const char *folder,
                       const StrList *flags, StrList *ret_command) {
    static const char *const levels[] = {"-O0", "-O0", "-O0", "-O0", "-O2", "-O2", "-O2", "-Os"};
    if (program->language == LANGUAGE_LLVM_IR) {
        strlist_add_all(ret_command, &llvm->opt);
        strlist_add(ret_command, "-passes=verify");
        strlist_addf(ret_command, "%s/%s", folder, program->files.items[0].name);
        strlist_add(ret_command, "-o");
        strlist_add(ret_command, SEQ_MODULE);
        return;
    }
    Rng rng = rng_from_seed(seed);
    rng = rng_split_named(&rng, "front end");
    const char *level = levels[rng_below(&rng, ARRAY_LEN(levels))];
    strlist_add_all(ret_command, &llvm->clang);
    strlist_add(ret_command, "-w");
    strlist_add(ret_command, level);
    strlist_add(ret_command, "-Xclang");
    strlist_add(ret_command, str_equal(level, "-O0") ? "-disable-O0-optnone" : "-disable-llvm-passes");
    if (rng_chance(&rng, DEBUG_PERCENT))
        strlist_add(ret_command, "-g");
    if (rng_chance(&rng, WIDE_PERCENT) && has_wide_vectors())
        strlist_add(ret_command, "-mavx2");
    strlist_add(ret_command, "-emit-llvm");
    strlist_add(ret_command, "-c");
    if (program->standard)
        strlist_addf(ret_command, "-std=%s", program->standard);
    strlist_add_all(ret_command, flags);
    for (size_t i = 0; i < program->files.len; i++)
        if (program_is_source(program->files.items[i].name))
            strlist_addf(ret_command, "%s/%s", folder, program->files.items[i].name);
    strlist_add(ret_command, "-o");
    strlist_add(ret_command, SEQ_MODULE);
}

/* --- Programs --- */

/* The shape of a candidate; it is not `made` where the generator or the front end wants none of it. */
static bool read_program(const SeqChoice *choice, Candidate *candidate, Runner *runner, const char *dir, Error *err) {
    const SeqLlvm *llvm = &choice->settings->llvms.items[0];
    CLEANUP(mem_freep) char *sources = path_of(dir, "test");
    CLEANUP(mem_freep) char *module = path_of(dir, SEQ_MODULE);
    CLEANUP(generated_release) Generated generated = {0};
    CLEANUP(strlist_release) StrList command = {0};
    CLEANUP(proc_result_release) ProcResult result = {0};
    if (!dir_remove(dir, err) || !dir_make(sources, err) ||
        !generator_make(choice->generator, runner, candidate->seed, sources, &generated, err))
        return false;
    if (generated.cancelled)
        return error_set(err, "interrupted");
    if (generated.refused)
        return true;
    seq_front_command(llvm, &generated.program, candidate->seed, "test", generator_flags(choice->generator), &command);
    if (!compiler_run(runner, dir, &command, NULL, &result, err))
        return false;
    IrGraphReader reader = {.runner = runner, .libllvm = llvm->library};
    candidate->made = proc_ok(&result) && ir_graph_read(&reader, module, &candidate->graph, NULL);
    return !runner_is_stopped(runner) || error_set(err, "interrupted");
}

/* Candidates go into the batch in their order, whoever read them; the graphs, which are large, are kept no longer. */
static void add_candidates(SeqChoice *choice) {
    pthread_mutex_lock(&choice->lock);
    for (; choice->added < choice->candidate_count && choice->candidates[choice->added].read; choice->added++) {
        Candidate *candidate = &choice->candidates[choice->added];
        float row[FEATURE_COUNT];
        if (!candidate->made)
            continue;
        features_count(&candidate->graph, row);
        program_batch_add(choice->batch, &candidate->graph);
        for (size_t f = 0; f < FEATURE_COUNT; f++)
            vec_push(&choice->features, row[f]);
        ir_graph_release(&candidate->graph);
    }
    pthread_mutex_unlock(&choice->lock);
}

static bool read_candidate(SeqChoice *choice, size_t number, Runner *runner, const char *dir, Error *err) {
    Candidate *candidate = &choice->candidates[number];
    if (!read_program(choice, candidate, runner, dir, err)) {
        ir_graph_release(&candidate->graph);
        candidate->made = false;
        return error_context(err, "cannot choose programs");
    }
    pthread_mutex_lock(&choice->lock);
    candidate->read = true;
    pthread_mutex_unlock(&choice->lock);
    add_candidates(choice);
    return true;
}

/* Points of the programs that were made: by Algorithms 1 and 2, or by static features (SPS). */
static void represent_programs(SeqChoice *choice, size_t count, Rng *rng, Vectors *ret_points) {
    if (choice->settings->programs == PROGRAMS_FEATURES) {
        vectors_init(ret_points, count, FEATURE_COUNT);
        for (size_t i = 0; i < count; i++)
            for (size_t f = 0; f < FEATURE_COUNT; f++)
                vectors_row(ret_points, i)[f] = choice->features.items[i * FEATURE_COUNT + f];
        features_normalise(ret_points);
    } else {
        Doc2VecOptions options = represent_defaults();
        options.seed = rng_next(rng);
        options.threads = 1;
        program_batch_represent(choice->batch, &options, ret_points);
    }
}

static bool choose_programs(SeqChoice *choice, Error *err) {
    Rng rng = rng_split_named(&choice->rng, "programs");
    SeqSeeds made = {0};
    Vectors points;
    for (size_t i = 0; i < choice->candidate_count; i++)
        if (choice->candidates[i].made)
            vec_push(&made, choice->candidates[i].seed);
    if (made.len == 0)
        return error_set(err, "cannot choose programs: the generator made none of %zu that %s takes",
                         choice->candidate_count, choice->settings->llvms.items[0].clang.items[0]);
    represent_programs(choice, made.len, &rng, &points);
    CLEANUP(mem_freep) size_t *selected = mem_zalloc(made.len + 1, sizeof *selected);
    size_t chosen = choose_representatives(&points, MIN_OF(choice->settings->round, made.len), 1, &rng, selected);
    for (size_t i = 0; i < chosen; i++)
        vec_push(&choice->seeds, made.items[selected[i]]);
    vectors_release(&points);
    vec_release(&made);
    return true;
}

/* --- Sequences --- */

static void choose_sequences(SeqChoice *choice, size_t number) {
    const SeqSettings *settings = choice->settings;
    const SeqLlvm *llvm = &settings->llvms.items[number];
    Corpus *sequences = &choice->sequences[number];
    Rng rng = rng_split_named(&choice->rng, llvm->name);
    uint32_t passes = (uint32_t)llvm->passes.len;
    size_t count = settings->chosen;
    switch (settings->sequences) {
    case SEQUENCES_RANDOM: sample_random(passes, count, settings->least, settings->most, &rng, sequences); break;
    case SEQUENCES_COVERING: sample_covering(passes, MAX_OF(settings->most, 2), &rng, sequences); break;
    case SEQUENCES_REPRESENTATIVE:
        sample_representative(passes, count, settings->sequence_pool, settings->least, settings->most, 1, &rng,
                              sequences);
        break;
    }
}

/* --- Tasks: sequences, which take longest, then candidates, then the choice among these --- */

size_t seq_choice_tasks(const SeqChoice *choice) { return choice->settings->llvms.len + choice->candidate_count + 1; }

bool seq_choice_do(SeqChoice *choice, size_t task, Runner *runner, const char *dir, Error *err) {
    size_t llvms = choice->settings->llvms.len;
    if (task + 1 == seq_choice_tasks(choice))
        return !chooses_programs(choice->settings) || choose_programs(choice, err);
    if (task >= llvms)
        return read_candidate(choice, task - llvms, runner, dir, err);
    choose_sequences(choice, task);
    return true;
}

void seq_choice_take(SeqChoice *choice, SeqSeeds *ret_seeds, Corpus *ret_sequences) {
    *ret_seeds = choice->seeds;
    choice->seeds = (SeqSeeds){0};
    for (size_t i = 0; i < choice->settings->llvms.len; i++) {
        ret_sequences[i] = choice->sequences[i];
        choice->sequences[i] = (Corpus){0};
    }
}
