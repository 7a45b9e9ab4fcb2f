/* Fusion: every kind of evidence has its say.
 *
 * The papers have one kind of witness: mutants of the failing program. They are alike, so that whole phases of the compiler
 * run for the failing program and for all of them, and their number says little. Other runs tell more, each in its own way:
 *
 *     mutant     the same configuration, another program      what of the program matters
 *     option     the same program, another configuration      which phase of the compiler matters
 *     ordinary   any program                                  what runs for everything is seldom guilty
 *     failing    other programs and configurations that       what they do not cover is not needed for the bug
 *                show the bug too
 *
 * Adding up witnesses of all kinds would let the most numerous kind decide. Each kind has a suspicion of its own, and
 * they are multiplied, so that a statement is suspicious only if no kind clears it:
 *
 *     score(s) = ef_s / failing_runs * product over kinds k of formula(1, 0, ep_k_s, n_k - ep_k_s)
 *              - product over kinds k of formula(1, 0, n_k, 0)                              0 if that is negative
 *
 * With one kind of witness and one failing run the first line is the papers' Formula 10, and they stop there. No weights were
 * fitted: each kind counts once. Failing runs are cheap, as they come up in every search; compare Ochiai's ef / (ef + nf)
 * under the root.
 *
 * For mutants, formula is a likelihood. Say the guilty statement makes a run that executes it fail with a chance t of which
 * nothing is known. Then ef failing and ep passing mutants that execute it have the probability of
 *
 *     integral over t from 0 to 1 of t^ef (1 - t)^ep = ef! ep! / (ef + ep + 1)!      divided by that for ep = 0
 *
 * Without failing runs this is 1 / (1 + ep), Ochiai squared. With them, it knows that when most mutants fail, few passing ones
 * that execute a statement clear it, and that two of thirty that do not execute it tell much. Mutants are alike, though,
 * and no thirty observations: each counts an eighth, the likelihood is raised to the power of LIKENESS.
 *
 * The second line is what a statement scores that every run covers, so that nothing at all speaks against it. It is small,
 * but a function of hundreds of such statements, a parser's or a driver's, would still beat a guilty one of ten.
 *
 * The kinds are taken by turns while they last: options, ordinary programs, mutants. Options are tried one group at a time,
 * because each answer changes the configuration that the next one is tried in; mutants are tested in the leanest one known.
 */
#include <math.h>
#include <stdlib.h>

#include "isolate/lean.h"
#include "isolate/mutants.h"
#include "isolate/programs.h"
#include "isolate/score.h"
#include "isolate/strategy.h"

enum { ORDINARY_MOST = 30 }; /* ordinary programs; twice as many changed nothing */

typedef struct Fusion {
    Mutants mutants;
    Programs programs;
    LeanSearch lean;
    Bitset linking;    /* what the compiler covers to link; runs of programs that were not linked have it added */
    uint64_t ordinary; /* programs proposed */
    uint64_t turn;
} Fusion;

/* --- Opening --- */

/* Asks the failing compiler what it can turn off; if it does not tell, triage may have found something. */
static bool open_lean(Fusion *fusion, Search *search, Tester *tester, Error *err) {
    const Bug *bug = search->bug;
    SwitchQuery query = tester_query(tester);
    if (!lean_search_ask(&fusion->lean, &query, err))
        return false;
    if (fusion->lean.switches.len == 0)
        lean_search_extend(&fusion->lean, &bug->fail_cmd, bug->passing.items, bug->passing.len);
    lean_search_start(&fusion->lean, &bug->fail_cmd, &search->rng);
    return true;
}

/* Without a test suite, ordinary programs are random ones; there are none of LLVM IR. */
static bool open_programs(Fusion *fusion, Search *search, Error *err) {
    if (search->pool_dir)
        return programs_open_pool(&fusion->programs, search, err);
    fusion->programs.over = search->ir;
    if (!search->ir)
        programs_open_random(&fusion->programs, search);
    return true;
}

static bool open_fusion(Search *search, Tester *tester, Error *err) {
    Fusion *fusion = search->state = mem_zalloc(1, sizeof *fusion);
    search->tester_config->cover_failing = true;
    bitset_init(&fusion->linking, search->isolation->units->unit_count);
    if (search->bug->run && !tester_linking(tester, &fusion->linking, err))
        return false;
    if (!open_lean(fusion, search, tester, err) || !open_programs(fusion, search, err) ||
        !mutants_open(&fusion->mutants, search, search->options->method->structural, err))
        return false;
    /* If the program cannot be mutated, the other kinds of evidence must do. */
    fusion->mutants.over = !mutants_check(&fusion->mutants, search, NULL);
    return true;
}

static void close_fusion(Search *search) {
    Fusion *fusion = search->state;
    if (!fusion)
        return;
    if (fusion->lean.lean.len)
        search->isolation->lean = strlist_join(&fusion->lean.lean, " ");
    mutants_close(&fusion->mutants, search);
    programs_close(&fusion->programs);
    lean_search_release(&fusion->lean);
    bitset_release(&fusion->linking);
    free(fusion);
}

/* --- Proposing --- */

static Candidate *propose_option(Fusion *fusion, Search *search) {
    Candidate *c = candidate_new(search, CANDIDATE_OPTION);
    lean_search_next(&fusion->lean, &c->options);
    CLEANUP(mem_freep) char *name = strlist_join(&c->options, " ");
    str_append(&c->name, name);
    strlist_add_all(&c->lean, &fusion->lean.lean);
    return c;
}

static Candidate *propose_program(Fusion *fusion, Search *search) {
    fusion->programs.over = fusion->ordinary++ >= ORDINARY_MOST;
    return programs_propose(&fusion->programs, search, CANDIDATE_PROGRAM);
}

static Candidate *propose_mutant(Fusion *fusion, Search *search) {
    Candidate *c = mutants_propose(&fusion->mutants, search);
    if (c)
        strlist_add_all(&c->lean, &fusion->lean.lean);
    return c;
}

static Candidate *propose(Search *search) {
    enum { OPTION, PROGRAM, MUTANT, TURNS };
    Fusion *fusion = search->state;
    for (unsigned kind = 0; kind < TURNS; kind++) {
        uint64_t turn = fusion->turn++ % TURNS;
        if (turn == OPTION && search->under_way[CANDIDATE_OPTION] == 0 && !lean_search_over(&fusion->lean))
            return propose_option(fusion, search);
        if (turn == PROGRAM && !fusion->programs.over)
            return propose_program(fusion, search);
        if (turn == MUTANT && !fusion->mutants.over)
            return propose_mutant(fusion, search);
    }
    search->idle = true;
    return NULL;
}

/* --- Absorbing --- */

/* If a witness covers all that the failing program covers, the difference is not in what ran. It clears every statement
 * alike, which would only make the other witnesses weigh less. */
static bool tells_nothing(const Spectrum *spectrum, const Bitset *run) {
    return bitset_count_and(run, &spectrum->suspects) == bitset_count(&spectrum->suspects);
}

static void absorb(Search *search, Candidate *c) {
    Fusion *fusion = search->state;
    Isolation *isolation = search->isolation;
    bool mutated = c->kind == CANDIDATE_MUTANT;
    if (c->outcome == OUTCOME_FAILS)
        spectrum_add_failing(&isolation->spectrum, &c->cover);
    if (c->kind == CANDIDATE_OPTION && !lean_search_learn(&fusion->lean, c->outcome))
        return; /* a group is no witness: its members will be */
    if (c->kind == CANDIDATE_PROGRAM)
        bitset_or(&c->cover, &fusion->linking);
    Lesson lesson = search_judge(search, &isolation->set, c);
    if (lesson.accepted) {
        const Seed *seed = mutated ? mutants_seed(&fusion->mutants, search, c) : NULL;
        Witness *witness = search_keep(search, c, &lesson.change, seed);
        witness->counted = !tells_nothing(&isolation->spectrum, &c->cover);
        if (witness->counted)
            spectrum_add_passing(&isolation->spectrum, witness->kind, &c->cover);
    }
    if (mutated)
        mutants_learn(&fusion->mutants, search, &lesson, c);
}

/* --- Scoring --- */

/* Of 1/2, 1/4 and 1/8 the one that served injected faults of tcc and pcc best and did GCC 11 bugs no harm. */
static const double LIKENESS = 0.125;

static double likelihood(double ef, double ep) {
    return exp(LIKENESS * (lgamma(ep + 1) + lgamma(ef + 2) - lgamma(ef + ep + 2)));
}

static void score(Isolation *isolation, const Spectrum *spectrum, Formula formula) {
    const Bitset *suspects = &spectrum->suspects;
    double cleared = 1; /* the score of what all runs cover */
    score_start(isolation, spectrum);
    for (WitnessKind kind = 0; kind < WITNESS_KINDS; kind++) {
        double witnesses = (double)spectrum->passing_runs[kind];
        if (witnesses == 0)
            continue;
        double *evidence = score_of_kind(spectrum, kind, formula);
        bool mutants = kind == WITNESS_MUTANT;
        for (size_t s = bitset_next(suspects, 0); mutants && s < suspects->bits; s = bitset_next(suspects, s + 1))
            evidence[s] = likelihood(spectrum->failed[s], spectrum->passed[kind][s]);
        cleared *= mutants ? likelihood((double)spectrum->failing_runs, witnesses)
                           : formula_score(formula, 1, 0, witnesses, 0);
        score_multiply_take(isolation, spectrum, kind, evidence);
    }
    if (spectrum->failing_runs > 1) { /* the failing program alone covers all of its own statements */
        double *evidence = mem_zalloc(suspects->bits + 1, sizeof *evidence);
        for (size_t s = bitset_next(suspects, 0); s < suspects->bits; s = bitset_next(suspects, s + 1))
            evidence[s] = (double)spectrum->failed[s] / (double)spectrum->failing_runs;
        score_multiply_take(isolation, spectrum, EVIDENCE_FAILING, evidence);
    }
    if (cleared == 1) /* no witness tells anything */
        return;
    for (size_t s = bitset_next(suspects, 0); s < suspects->bits; s = bitset_next(suspects, s + 1))
        isolation->scores[s] = MAX_OF(isolation->scores[s] - cleared, 0.0);
}

const Strategy strategy_fusion = {open_fusion, close_fusion, propose, absorb, score};
