#include "isolate/sequences.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

/* --- The passes --- */

/* The paper's Table I, and what a name became where the LLVM of today has another: -early-cse-memssa is a parameter of
 * early-cse; -loop-unswitch left with the old pass manager in LLVM 15, and simple-loop-unswitch took its place. */
static const struct {
    const char *name, *successor;
} table_one[] = {
    {"adce", NULL},
    {"argpromotion", NULL},
    {"bdce", NULL},
    {"correlated-propagation", NULL},
    {"constmerge", NULL},
    {"dse", NULL},
    {"early-cse", NULL},
    {"early-cse-memssa", "early-cse<memssa>"},
    {"globaldce", NULL},
    {"globalopt", NULL},
    {"gvn", NULL},
    {"indvars", NULL},
    {"instcombine", NULL},
    {"instsimplify", NULL},
    {"ipsccp", NULL},
    {"lcssa", NULL},
    {"licm", NULL},
    {"loop-deletion", NULL},
    {"loop-distribute", NULL},
    {"loop-idiom", NULL},
    {"loop-load-elim", NULL},
    {"loop-rotate", NULL},
    {"loop-simplify", NULL},
    {"loop-sink", NULL},
    {"loop-unroll", NULL},
    {"loop-unswitch", "simple-loop-unswitch"},
    {"loop-vectorize", NULL},
    {"reassociate", NULL},
    {"sccp", NULL},
    {"simplifycfg", NULL},
    {"slp-vectorizer", NULL},
    {"sroa", NULL},
};

void sequences_table_one(const Catalogue *catalogue, Pipeline *ret_passes, StrList *ret_missing) {
    for (size_t i = 0; i < ARRAY_LEN(table_one); i++) {
        const char *text = table_one[i].name;
        const CataloguePass *pass = catalogue_find(catalogue, text, PASS_KINDS);
        if (!pass && table_one[i].successor) {
            text = table_one[i].successor;
            pass = catalogue_find(catalogue, text, PASS_KINDS);
        }
        if (pass)
            vec_push(ret_passes, (Pass){pass->kind, text});
        else if (ret_missing)
            strlist_add(ret_missing, table_one[i].name);
    }
}

static Gene gene_of(Sequences *sequences, Pass pass) {
    for (size_t i = 0; i < sequences->passes.len; i++)
        if (sequences->passes.items[i].kind == pass.kind && str_equal(sequences->passes.items[i].text, pass.text))
            return (Gene)i;
    vec_push(&sequences->passes, pass);
    return (Gene)(sequences->passes.len - 1);
}

static bool read_passes(Sequences *sequences, const char *opt, Runner *runner, Console *console, Error *err) {
    Pipeline failing = {0}, candidates = {0};
    bool ok = catalogue_open(runner, opt, NULL, console, &sequences->catalogue, err) &&
              pipeline_parse(sequences->command.passes, &sequences->arena, &failing, err) &&
              catalogue_resolve(sequences->catalogue, &failing, err);
    if (ok && failing.len == 0)
        ok = error_set(err, "the failing sequence has no passes");
    if (ok)
        sequences_table_one(sequences->catalogue, &candidates, NULL);
    if (ok && candidates.len == 0)
        ok = error_set(err, "%s has none of the passes that sequences are made of", opt);
    for (size_t i = 0; ok && i < failing.len; i++)
        vec_push(&sequences->buggy, gene_of(sequences, failing.items[i]));
    for (size_t i = 0; ok && i < candidates.len; i++)
        vec_push(&sequences->candidates, gene_of(sequences, candidates.items[i]));
    vec_release(&failing);
    vec_release(&candidates);
    return ok;
}

static void print_genome(const Sequences *sequences, const Genome *genome, Str *ret_text) {
    Pipeline pipeline = {0};
    for (size_t i = 0; i < genome->len; i++)
        vec_push(&pipeline, sequences->passes.items[genome->items[i]]);
    pipeline_print(&pipeline, (PipelineStyle){0}, ret_text);
    vec_release(&pipeline);
}

/* --- Opening --- */

static bool open_server(Sequences *sequences, Search *search, Tester *tester, Runner *runner, Error *err) {
    const TesterConfig *tester_config = search->tester_config;
    CLEANUP(str_release) Str sequence = {0};
    print_genome(sequences, &sequences->buggy, &sequence);
    SequenceConfig config = {.bug = tester_config->bug,
                             .cover = tester_config->cover,
                             .command = &sequences->command,
                             .sequence = str_text(&sequence)};
    bitset_init(&sequences->failing, search->isolation->units->unit_count);
    sequences->server = sequence_server_new(&config, tester_failure(tester), runner, &sequences->failing, err);
    if (!sequences->server)
        bitset_release(&sequences->failing);
    return sequences->server != NULL;
}

bool sequences_open(Sequences *sequences, Search *search, Tester *tester, Error *err) {
    const StrList *command = &search->tester_config->bug->fail_cmd;
    Runner *runner = tester_query(tester).runner;
    Error why;
    if (!search->ir)
        return error_set(err, "pass sequences are searched for bugs of opt: a module of LLVM IR and -passes=…");
    if (!opt_command_read(command, &sequences->command, err) ||
        !read_passes(sequences, command->items[0], runner, search->console, err))
        return error_context(err, "cannot search for bug-free pass sequences");
    sequences->cga = cga_defaults();
    sequences->cga.buggy = &sequences->buggy;
    sequences->cga.candidates = &sequences->candidates;
    sequences->evolves = true;
    sequences->rng = rng_split_named(&search->rng, "sequences");
    if (!open_server(sequences, search, tester, runner, &why))
        console_info(search->console, "every sequence gets a process of opt, which is slower: %s", why.text);
    return true;
}

void sequences_begin(Sequences *sequences, const Search *search) {
    fitness_init(&sequences->fitness, search->isolation->units, &search->isolation->set.failing,
                 search->options->fitness);
}

void sequences_close(Sequences *sequences) {
    sequence_server_free(sequences->server);
    catalogue_free(sequences->catalogue);
    opt_command_release(&sequences->command);
    bitset_release(&sequences->failing);
    vec_release(&sequences->passes);
    vec_release(&sequences->buggy);
    vec_release(&sequences->candidates);
    fitness_release(&sequences->fitness);
    population_release(&sequences->parents);
    population_release(&sequences->children);
    map_release(&sequences->seen);
    vec_release(&sequences->tested);
    vec_release(&sequences->queue);
    arena_release(&sequences->arena);
    *sequences = (Sequences){0};
}

/* --- Generations --- */

/* The sequence's entry; a new one is queued. */
static TestedSequence *entry_of(Sequences *sequences, const Genome *genome) {
    CLEANUP(str_release) Str text = {0};
    bool is_new;
    print_genome(sequences, genome, &text);
    MapEntry *entry = map_insert_str(&sequences->seen, str_text(&text), &is_new);
    if (is_new) {
        entry->value = sequences->tested.len;
        vec_push(&sequences->queue, sequences->tested.len);
        vec_push(&sequences->tested, (TestedSequence){.passes = entry->key});
    }
    return &sequences->tested.items[entry->value];
}

/* The generation that was tested takes its place, and the next one is queued. */
static void next_generation(Sequences *sequences) {
    const Cga *cga = &sequences->cga;
    for (size_t i = 0; i < sequences->children.len; i++)
        sequences->children.items[i].fitness = entry_of(sequences, &sequences->children.items[i].genome)->fitness;
    if (sequences->evolves)
        cga_select(cga, &sequences->parents, &sequences->children);
    population_release(&sequences->children);
    vec_clear(&sequences->queue);
    sequences->next = 0;
    if (sequences->parents.len > 0)
        cga_breed(cga, &sequences->parents, &sequences->rng, &sequences->children);
    else
        cga_initialize(cga, &sequences->rng, &sequences->children);
    for (size_t i = 0; i < sequences->children.len; i++)
        entry_of(sequences, &sequences->children.items[i].genome);
}

/* A batch takes about this long: a worker that starts a server should have something to do, and little is lost when the time
 * is over. Without a limit of time its size must not depend on the clock: the neighbours in a batch move LLVM's memory, and
 * the order of addresses decides little things in it. */
enum { BATCH_MS = 1500, FIRST_BATCH = 4, TIMELESS_BATCH = 16, FRUITLESS_GENERATIONS = 200 };

static size_t batch_size(const Sequences *sequences, const Search *search, size_t left) {
    size_t size = search->options->time_ms ? FIRST_BATCH : TIMELESS_BATCH;
    if (search->options->time_ms && sequences->spent_runs > 0)
        size = (size_t)(BATCH_MS * (int64_t)sequences->spent_runs / MAX_OF(sequences->spent_ms, (int64_t)1));
    size_t share = (left + search->options->jobs - 1) / search->options->jobs;
    size = MAX_OF(MIN_OF(size, share), (size_t)1);
    if (search->options->mutants)
        size = MIN_OF(size, (size_t)(search->options->mutants - search->submitted));
    return sequences->server ? size : 1;
}

Candidate *sequences_propose(Sequences *sequences, Search *search) {
    for (unsigned i = 0; sequences->next == sequences->queue.len; i++) {
        if (search->under_way[CANDIDATE_SEQUENCES] > 0)
            return NULL;
        if (i == FRUITLESS_GENERATIONS) {
            sequences->over = true;
            return NULL;
        }
        next_generation(sequences);
    }
    Candidate *batch = candidate_new(search, CANDIDATE_SEQUENCES);
    batch->sequences = sequences;
    size_t left = sequences->queue.len - sequences->next, size = batch_size(sequences, search, left);
    for (size_t i = 0; i < size && i < left; i++) {
        size_t entry = sequences->queue.items[sequences->next++];
        vec_push(&batch->runs, (SequenceRun){.passes = sequences->tested.items[entry].passes,
                                             .cover_failing = search->tester_config->cover_failing});
    }
    return batch;
}

void sequences_learn(Sequences *sequences, const Candidate *batch) {
    for (size_t i = 0; i < batch->runs.len; i++) {
        const SequenceRun *run = &batch->runs.items[i];
        size_t entry = map_find_str(&sequences->seen, run->passes)->value;
        bool bug_free = run->outcome == OUTCOME_PASSES;
        sequences->tested.items[entry].fitness = bug_free ? fitness_of(&sequences->fitness, &run->cover) : 0;
    }
    sequences->spent_ms += batch->wall_ms;
    sequences->spent_runs += batch->runs.len;
}

static bool run_all(const Sequences *sequences, Search *search, Tester *tester, Runner *runner, SequenceRun *runs,
                    size_t count, Error *err) {
    if (sequences->server)
        return sequence_server_run(sequences->server, runner, runs, count, err);
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        CLEANUP(strlist_release) StrList command = {0};
        opt_command_set_passes(&search->tester_config->bug->fail_cmd, runs[i].passes, &command);
        bitset_init(&runs[i].cover, search->isolation->units->unit_count);
        ok = tester_command(tester, &command, &runs[i].cover, &runs[i].outcome, err);
    }
    return ok;
}

bool sequences_test(const Sequences *sequences, Tester *tester, Runner *runner, Candidate *batch, Error *err) {
    int64_t start = clock_ms();
    bool ok = run_all(sequences, batch->search, tester, runner, batch->runs.items, batch->runs.len, err);
    batch->wall_ms = clock_ms() - start;
    return ok;
}

/* --- The lean sequence --- */

/* Whether the bug shows under each of the sequences. */
static bool show_bug(const Sequences *sequences, Search *search, Tester *tester, const Population *genomes,
                     bool *ret_shows, Error *err) {
    Str *texts = mem_zalloc(genomes->len, sizeof *texts);
    SequenceRun *runs = mem_zalloc(genomes->len, sizeof *runs);
    for (size_t i = 0; i < genomes->len; i++) {
        print_genome(sequences, &genomes->items[i].genome, &texts[i]);
        runs[i].passes = str_text(&texts[i]);
    }
    bool ok = run_all(sequences, search, tester, tester_query(tester).runner, runs, genomes->len, err);
    for (size_t i = 0; i < genomes->len; i++) {
        ret_shows[i] = ok && runs[i].outcome == OUTCOME_FAILS;
        bitset_release(&runs[i].cover);
        str_release(&texts[i]);
    }
    free(runs);
    free(texts);
    return ok;
}

/* The sequence without one of its passes each, and the sequence itself. */
static void removals(const Genome *genome, Population *ret_genomes) {
    for (size_t out = 0; out <= genome->len; out++) {
        vec_push(ret_genomes, (Individual){0});
        for (size_t i = 0; i < genome->len; i++)
            if (i != out)
                vec_push(&vec_last(ret_genomes).genome, genome->items[i]);
    }
}

/* One round: all passes go that can, if they can together, else the first of them. False: nothing can. */
static bool shorten(const Sequences *sequences, Search *search, Tester *tester, Genome *genome) {
    Population tries = {0};
    removals(genome, &tries);
    bool *shows = mem_zalloc(tries.len, sizeof *shows), shorter = false, together = false;
    if (show_bug(sequences, search, tester, &tries, shows, NULL) && shows[genome->len]) {
        Population needed = {0};
        size_t first = genome->len;
        vec_push(&needed, (Individual){0});
        for (size_t i = genome->len; i-- > 0;)
            if (shows[i])
                first = i;
        for (size_t i = 0; i < genome->len; i++)
            if (!shows[i])
                vec_push(&needed.items[0].genome, genome->items[i]);
        shorter = first < genome->len;
        if (shorter && needed.items[0].genome.len > 0)
            show_bug(sequences, search, tester, &needed, &together, NULL);
        if (together)
            genome_copy(genome, &needed.items[0].genome);
        else if (shorter)
            vec_remove(genome, first);
        population_release(&needed);
    }
    free(shows);
    population_release(&tries);
    return shorter;
}

/* What the passes of a failing sequence cover. */
static bool cover_sequence(const Sequences *sequences, Search *search, Tester *tester, const char *passes,
                           Bitset *ret_cover) {
    SequenceRun run = {.passes = passes, .cover_failing = true};
    bool wanted = search->tester_config->cover_failing;
    search->tester_config->cover_failing = true; /* of the tester, where that runs it */
    bool ok =
        run_all(sequences, search, tester, tester_query(tester).runner, &run, 1, NULL) && run.outcome == OUTCOME_FAILS;
    search->tester_config->cover_failing = wanted;
    if (ok)
        bitset_copy(ret_cover, &run.cover);
    bitset_release(&run.cover);
    return ok;
}

bool sequences_lean(Sequences *sequences, Search *search, Tester *tester, Str *ret_passes, Bitset *ret_cover) {
    CLEANUP(str_release) Str passes = {0};
    Genome lean = {0};
    genome_copy(&lean, &sequences->buggy);
    while (lean.len > 1 && shorten(sequences, search, tester, &lean))
        ;
    print_genome(sequences, &lean, &passes);
    bool leaner =
        lean.len < sequences->buggy.len && cover_sequence(sequences, search, tester, str_text(&passes), ret_cover);
    if (leaner) {
        genome_copy(&sequences->buggy, &lean);
        str_append(ret_passes, str_text(&passes));
    }
    vec_release(&lean);
    return leaner;
}
