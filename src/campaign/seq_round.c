#include "campaign/seq_round.h"

#include <stdlib.h>

#include "base/file.h"
#include "sequence/choose.h"
#include "sequence/features.h"
#include "sequence/represent.h"
#include "sequence/sample.h"

void seq_rounds_init(SeqRounds *rounds, const SeqSettings *settings, const Generator *generator) {
    *rounds = (SeqRounds){.settings = settings, .generator = generator};
    pthread_mutex_init(&rounds->lock, NULL);
}

static void clear_round(SeqRound *round, size_t llvm_count) {
    for (size_t i = 0; round->sequences && i < llvm_count; i++)
        corpus_release(&round->sequences[i]);
    free(round->sequences);
    vec_release(&round->seeds);
    *round = (SeqRound){0};
}

void seq_rounds_release(SeqRounds *rounds) {
    if (!rounds->settings)
        return;
    for (size_t i = 0; i < ROUNDS_KEPT; i++)
        clear_round(&rounds->rounds[i], rounds->settings->llvms.len);
    pthread_mutex_destroy(&rounds->lock);
}

void seq_front_command(const SeqLlvm *llvm, const Program *program, const char *folder, const StrList *flags,
                       StrList *ret_command) {
    static const char *const words[] = {"-w", "-O0", "-Xclang", "-disable-O0-optnone", "-emit-llvm", "-c"};
    strlist_add_all(ret_command, &llvm->clang);
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        strlist_add(ret_command, words[i]);
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

/* The shape of the program of one seed; *ret_made is false where the generator or the front end wants none of it. */
static bool read_program(SeqRounds *rounds, Runner *runner, const char *dir, uint64_t seed, IrGraph *ret_graph,
                         bool *ret_made, Error *err) {
    const SeqLlvm *llvm = &rounds->settings->llvms.items[0];
    CLEANUP(mem_freep) char *sources = path_of(dir, "test");
    CLEANUP(mem_freep) char *module = path_of(dir, SEQ_MODULE);
    CLEANUP(generated_release) Generated generated = {0};
    CLEANUP(strlist_release) StrList command = {0};
    CLEANUP(proc_result_release) ProcResult result = {0};
    *ret_made = false;
    if (!dir_remove(dir, err) || !dir_make(sources, err) ||
        !generator_make(rounds->generator, runner, seed, sources, &generated, err))
        return false;
    if (generated.cancelled)
        return error_set(err, "interrupted");
    if (generated.refused)
        return true;
    seq_front_command(llvm, &generated.program, "test", generator_flags(rounds->generator), &command);
    if (!compiler_run(runner, dir, &command, NULL, &result, err))
        return false;
    IrGraphReader reader = {.runner = runner, .libllvm = llvm->library};
    *ret_made = proc_ok(&result) && ir_graph_read(&reader, module, ret_graph, NULL);
    return true;
}

/* Algorithm 3 over the vectors of a pool of random programs: those of Algorithms 1 and 2, or static features (SPS). */
static bool select_programs(SeqRounds *rounds, Runner *runner, const char *dir, Rng *rng, SeqRound *round, Error *err) {
    const SeqSettings *settings = rounds->settings;
    bool by_features = settings->programs == PROGRAMS_FEATURES;
    CLEANUP(program_batch_freep) ProgramBatch *batch = program_batch_new();
    Vec(uint64_t) seeds = {0};
    Vec(float) features = {0};
    Vectors points;
    bool ok = true;
    for (uint64_t i = 0; i < settings->program_pool && ok; i++) {
        IrGraph graph = {0};
        bool made;
        uint64_t seed = rng_next(rng) >> 33; /* csmith takes no more than 31 bits */
        ok = read_program(rounds, runner, dir, seed, &graph, &made, err);
        if (ok && made) {
            float row[FEATURE_COUNT];
            features_count(&graph, row);
            program_batch_add(batch, &graph);
            for (size_t f = 0; f < FEATURE_COUNT; f++)
                vec_push(&features, row[f]);
            vec_push(&seeds, seed);
        }
        ir_graph_release(&graph);
    }
    if (ok && seeds.len == 0)
        ok = error_set(err, "the generator made none of %llu programs that %s takes",
                       (unsigned long long)settings->program_pool, settings->llvms.items[0].clang.items[0]);
    if (ok) {
        if (by_features) {
            vectors_init(&points, seeds.len, FEATURE_COUNT);
            for (size_t i = 0; i < seeds.len; i++)
                for (size_t f = 0; f < FEATURE_COUNT; f++)
                    vectors_row(&points, i)[f] = features.items[i * FEATURE_COUNT + f];
            features_normalise(&points);
        } else {
            Doc2VecOptions options = represent_defaults();
            options.seed = rng_next(rng);
            options.threads = 1;
            program_batch_represent(batch, &options, &points);
        }
        CLEANUP(mem_freep) size_t *selected = mem_zalloc(seeds.len + 1, sizeof *selected);
        size_t chosen = choose_representatives(&points, MIN_OF(settings->round, seeds.len), 1, rng, selected);
        for (size_t i = 0; i < chosen; i++)
            vec_push(&round->seeds, seeds.items[selected[i]]);
        vectors_release(&points);
    }
    vec_release(&seeds);
    vec_release(&features);
    return ok;
}

/* --- Sequences --- */

static void choose_sequences(const SeqSettings *settings, uint32_t passes, Rng *rng, Corpus *ret_sequences) {
    size_t count = settings->chosen;
    switch (settings->sequences) {
    case SEQUENCES_RANDOM: sample_random(passes, count, settings->least, settings->most, rng, ret_sequences); break;
    case SEQUENCES_COVERING: sample_covering(passes, MAX_OF(settings->most, 2), rng, ret_sequences); break;
    case SEQUENCES_REPRESENTATIVE:
        sample_representative(passes, count, settings->sequence_pool, settings->least, settings->most, 1, rng,
                              ret_sequences);
        break;
    }
}

/* --- Rounds --- */

static bool make_round(SeqRounds *rounds, Runner *runner, const char *dir, uint64_t number, SeqRound *round,
                       Error *err) {
    const SeqSettings *settings = rounds->settings;
    Rng campaign = rng_from_seed(settings->seed), rng = rng_split(&campaign, number);
    round->number = number;
    round->sequences = mem_zalloc(settings->llvms.len, sizeof(Corpus));
    if (settings->programs == PROGRAMS_SELECTED || settings->programs == PROGRAMS_FEATURES) {
        Rng stream = rng_split_named(&rng, "programs");
        if (!select_programs(rounds, runner, dir, &stream, round, err))
            return error_context(err, "cannot choose programs");
    } else {
        for (uint64_t i = 0; i < settings->round; i++)
            vec_push(&round->seeds, (settings->seed + number * settings->round + i) & INT32_MAX);
    }
    for (size_t i = 0; i < settings->llvms.len; i++) {
        Rng stream = rng_split_named(&rng, settings->llvms.items[i].name);
        choose_sequences(settings, (uint32_t)settings->llvms.items[i].passes.len, &stream, &round->sequences[i]);
    }
    round->made = true;
    return true;
}

static SeqRound *find_round(SeqRounds *rounds, Runner *runner, const char *dir, uint64_t number, Error *err) {
    for (size_t i = 0; i < ROUNDS_KEPT; i++)
        if (rounds->rounds[i].made && rounds->rounds[i].number == number)
            return &rounds->rounds[i];
    SeqRound *round = &rounds->rounds[rounds->next];
    clear_round(round, rounds->settings->llvms.len);
    atomic_store(&rounds->choosing, true);
    bool ok = make_round(rounds, runner, dir, number, round, err);
    atomic_store(&rounds->choosing, false);
    if (!ok)
        return NULL;
    rounds->next = (rounds->next + 1) % ROUNDS_KEPT;
    return round;
}

bool seq_rounds_take(SeqRounds *rounds, Runner *runner, const char *scratch_dir, uint64_t test, uint64_t *ret_seed,
                     Corpus *ret_sequences, Error *err) {
    const SeqSettings *settings = rounds->settings;
    CLEANUP(mem_freep) char *dir = path_of(scratch_dir, "pool");
    uint64_t place = test % settings->round;
    pthread_mutex_lock(&rounds->lock);
    const SeqRound *round = find_round(rounds, runner, dir, test / settings->round, err);
    for (size_t i = 0; round && i < settings->llvms.len; i++) {
        const Corpus *all = &round->sequences[i];
        size_t count = corpus_documents(all), batch = MIN_OF(settings->batch, count);
        for (size_t k = 0; k < batch; k++) {
            size_t chosen = (place * batch + k) % count, first = chosen ? all->ends.items[chosen - 1] : 0;
            corpus_add(&ret_sequences[i], all->words.items + first, all->ends.items[chosen] - first);
        }
    }
    if (round)
        *ret_seed = round->seeds.items[place % round->seeds.len];
    pthread_mutex_unlock(&rounds->lock);
    return round != NULL;
}
