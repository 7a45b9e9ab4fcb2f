#include "isolate/programs.h"

#include <stdlib.h>

#include "base/file.h"
#include "isolate/score.h"
#include "isolate/strategy.h"

bool programs_open_pool(Programs *programs, Search *search, Error *err) {
    CLEANUP(str_release) Str path = {0};
    const char *pool = search->pool_dir;
    if (!pool && search->ir)
        return error_set(err, "there are no programs of LLVM IR to compare with: give LLVM's tests with --pool");
    if (!pool && !path_runtime("pool", &path, err))
        return false;
    programs->source = source_new_pool(pool ? pool : str_text(&path), search->ir ? ".ll" : ".c", &search->rng, err);
    return programs->source != NULL;
}

void programs_open_random(Programs *programs, Search *search) { programs->source = source_new_random(&search->rng); }

void programs_close(Programs *programs) {
    source_free(programs->source);
    bitset_release(&programs->linking);
}

bool programs_measure_linking(Programs *programs, const Search *search, Tester *tester, Error *err) {
    bitset_init(&programs->linking, search->isolation->units->unit_count);
    return !search->bug->run || tester_linking(tester, &programs->linking, err);
}

void programs_add_linking(const Programs *programs, Candidate *c) {
    bool compiled_only =
        c->kind == CANDIDATE_PROGRAM ||
        (c->kind == CANDIDATE_TEST && devtest_of(str_text(&c->name), str_text(&c->text)).kind == DEVTEST_COMPILE);
    if (compiled_only && programs->linking.bits)
        bitset_or(&c->cover, &programs->linking);
}

Candidate *programs_propose(Programs *programs, Search *search, CandidateKind kind) {
    Candidate *c = candidate_new(search, kind);
    if (!programs->over && source_next(programs->source, &c->text, &c->name))
        return c;
    programs->over = true;
    candidate_free(c);
    return NULL;
}

/* --- Strategies --- */

/* Developers' tests: SBFL_a^dev and SBFL of DiWi, section 5.4. */
static bool open_pool(Search *search, Tester *tester, Error *err) {
    search->state = mem_zalloc(1, sizeof(Programs));
    return programs_open_pool(search->state, search, err) &&
           programs_measure_linking(search->state, search, tester, err);
}

static bool open_random(Search *search, Tester *tester, Error *err) {
    (void)tester;
    search->state = mem_zalloc(1, sizeof(Programs));
    if (search->ir && !search->pool_dir)
        return error_set(err, "there are no programs of LLVM IR to compare with: give LLVM's tests with --pool");
    programs_open_random(search->state, search);
    return true;
}

static void close_programs(Search *search) {
    if (search->state)
        programs_close(search->state);
    free(search->state);
}

static Candidate *propose_from(Search *search, CandidateKind kind) {
    Programs *programs = search->state;
    Candidate *candidate = programs_propose(programs, search, kind);
    search->idle = programs->over;
    return candidate;
}

/* Tests of LLVM IR say in scripts what they ask for; of those, what compiles passes. */
static Candidate *propose_pool(Search *search) {
    return propose_from(search, search->ir ? CANDIDATE_PROGRAM : CANDIDATE_TEST);
}

static Candidate *propose_random(Search *search) { return propose_from(search, CANDIDATE_RANDOM); }

static void absorb(Search *search, Candidate *c) {
    programs_add_linking(search->state, c);
    Lesson lesson = search_judge(search, &search->isolation->set, c);
    if (!lesson.accepted)
        return;
    search_keep(search, c, &lesson.change, NULL)->counted = true;
    spectrum_add_passing(&search->isolation->spectrum, WITNESS_ORDINARY, &c->cover);
}

/* Traditional spectrum-based localisation: a file is one element, covered by a program that ran anything of it. */
static void absorb_files(Search *search, Candidate *c) {
    const UnitTable *units = search->isolation->units;
    programs_add_linking(search->state, c);
    Lesson lesson = search_judge(search, &search->isolation->set, c);
    if (!lesson.accepted)
        return;
    search_keep(search, c, &lesson.change, NULL);
    for (size_t s = bitset_next(&c->cover, 0); s < units->unit_count;) {
        const UnitFile *file = &units->files[units->units[s].file];
        for (s = file->first_unit; s < file->first_unit + file->unit_count; s++)
            bitset_set(&c->cover, s);
        s = bitset_next(&c->cover, s);
    }
    spectrum_add_passing(&search->isolation->spectrum, WITNESS_ORDINARY, &c->cover);
}

/* All statements of a file are alike, so that there is no evidence to tell them apart by. */
static void score_files(Isolation *isolation, const Spectrum *spectrum, Formula formula) {
    rank_statements(formula, spectrum, WITNESS_ORDINARY, isolation->scores);
}

const Strategy strategy_pool = {open_pool, close_programs, propose_pool, absorb, score_by_witnesses};
const Strategy strategy_random = {open_random, close_programs, propose_random, absorb, score_by_witnesses};
const Strategy strategy_files = {open_pool, close_programs, propose_pool, absorb_files, score_files};
