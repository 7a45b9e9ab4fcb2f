/* Fusion: every kind of evidence has its say.
 *
 * The papers have one kind of witness: mutants of the failing program. They are alike, so that whole phases of the compiler
 * run for the failing program and for all of them, and their number says little. Other runs tell more, each in its own way:
 *
 *     mutant     the same configuration, another program      what of the program matters
 *     option     the same program, another configuration      which phase of the compiler matters
 *     step       the same, one transformation less            what that transformation alone executes
 *     ordinary   any program                                  what runs for everything is seldom guilty
 *     failing    other programs and configurations that       what they do not cover is not needed for the bug
 *                show the bug too
 *     clues      no run: what triage, the compiler's checks,  clue_evidence.c
 *                a stack, or the history of sources tell
 *
 * Adding up witnesses of all kinds would let the most numerous kind decide. Each kind has a suspicion of its own, and
 * they are multiplied, so that a statement is suspicious only if no kind clears it:
 *
 *     score(s) = product over kinds k of formula_k(s) * (ef_s / failing_runs)^NEEDED * clues(s)
 *              - product over kinds k of formula_k(what all runs cover)                      0 if that is negative
 *
 * For options and ordinary programs formula is the chosen one, of (1, 0, ep, n - ep); with one kind of witness and one failing
 * run that is the papers' Formula 10. Runs of one kind that cover the same suspects are one observation and count once.
 *
 * Mutants come in by the hundred and failing ones are as telling as passing ones; formula is a likelihood. Say the guilty
 * statement makes a run that executes it fail with a chance t of which nothing is known. Then ef failing and ep passing
 * mutants that execute it have the probability of
 *
 *     L(ef, ep) = integral over t from 0 to 1 of t^ef (1 - t)^ep = ef! ep! / (ef + ep + 1)!    divided by that for ep = 0
 *
 * if they are independent. They are not: n runs with a correlation r of each two are worth n / (1 + (n - 1) r) independent
 * ones (Kish's effective sample size), which never exceeds 1 / r. The likelihood is raised to the power that makes it one of so
 * many runs:
 *
 *     formula_mutants(s) = L(ef_s, ep_s) ^ (LIKENESS / (1 + (n - 1) r))
 *
 * So more mutants make the rates ef and ep more certain, and do not drown the other kinds: the ranking converges.
 *
 * A statement that the bug needs is in every run that shows it, but for chance. ef / failing_runs is a rate as well, whatever
 * the number of runs; NEEDED makes what half of the failing runs do without a sixteenth as suspicious.
 *
 * The tightest pair of runs is one transformation apart: triage finds the count N of a debug counter at which the bug appears.
 * The statements that run with a limit of N and not with N - 1 are what that transformation executes alone; the others are not
 * cleared, because earlier transformations execute the guilty ones as well, and keep SHARED. (0.2 to 1 were tried: the pair
 * tells little that options did not, and below 0.7 it does harm.)
 *
 * The second line is what a statement scores that every run covers, so that nothing at all speaks against it. It is small,
 * but a function of hundreds of such statements, a parser's or a driver's, would still beat a guilty one of ten.
 *
 * The kinds are taken by turns while they last, behind the pair: options, ordinary programs, mutants. Options are tried one group at a time,
 * because each answer changes the configuration that the next one is tried in; mutants are tested in the leanest one known.
 */
#include <math.h>
#include <stdlib.h>

#include "isolate/clue_evidence.h"
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
    unsigned steps;     /* runs of the tightest pair that were proposed */
    Bitset step_covers; /* what the run covers with which the bug just shows; no bits: nothing is known */
    uint64_t ordinary;  /* programs proposed */
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
    if (!programs_measure_linking(&fusion->programs, search, tester, err))
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
    bitset_release(&fusion->step_covers);
    free(fusion);
}

/* --- Proposing --- */

static void name_by_options(Candidate *c) {
    CLEANUP(mem_freep) char *name = strlist_join(&c->options, " ");
    str_append(&c->name, name);
}

static Candidate *propose_option(Fusion *fusion, Search *search) {
    Candidate *c = candidate_new(search, CANDIDATE_OPTION);
    lean_search_next(&fusion->lean, &c->options);
    /* The last of LLVM's passes with which the bug is hidden is one step away from it too. */
    c->one_step = fusion->lean.group.len == 0 && fusion->lean.hidden_is_asked;
    name_by_options(c);
    strlist_add_all(&c->lean, &fusion->lean.lean);
    return c;
}

/* With the limit that shows the bug first: what the other is compared with. Triage found both without the lean options. */
static Candidate *propose_step(Fusion *fusion, Search *search) {
    Candidate *c = candidate_new(search, CANDIDATE_STEP);
    c->one_step = true;
    strlist_add_all(&c->options, fusion->steps++ == 0 ? search->options->step_shows : search->options->step_hides);
    name_by_options(c);
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
    if (search->options->step_shows && search->options->step_hides && fusion->steps < 2)
        return propose_step(fusion, search);
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

/* Of the tightest pair, what the failing run does not execute speaks against nothing: as if the passing one did. */
static void complete_step(Fusion *fusion, Candidate *c) {
    if (c->outcome == OUTCOME_FAILS && !fusion->step_covers.bits) {
        bitset_init(&fusion->step_covers, c->cover.bits);
        bitset_or(&fusion->step_covers, &c->cover);
    } else if (c->outcome == OUTCOME_PASSES && fusion->step_covers.bits) {
        for (size_t s = 0; s < c->cover.bits; s++)
            if (!bitset_get(&fusion->step_covers, s))
                bitset_set(&c->cover, s);
    }
}

/* If a lower level of optimisation hides the bug, the front end, which does the same at every level, is hardly guilty. */
static void learn_from_level(Isolation *isolation, const Candidate *c) {
    static const char *const folders[] = {"gcc/c/", "gcc/c-family/", "gcc/cp/", "libcpp/", "clang/"};
    if (c->outcome != OUTCOME_PASSES || !c->options.len || !str_starts(c->options.items[0], "-O") ||
        clues_have(&isolation->clues, CLUE_FRONT_END))
        return;
    for (size_t i = 0; i < ARRAY_LEN(folders); i++)
        clues_add(&isolation->clues, CLUE_FRONT_END, 1, folders[i], NULL, NULL);
}

static void absorb(Search *search, Candidate *c) {
    Fusion *fusion = search->state;
    Isolation *isolation = search->isolation;
    bool mutated = c->kind == CANDIDATE_MUTANT;
    if (c->outcome == OUTCOME_FAILS)
        spectrum_add_failing(&isolation->spectrum, &c->cover);
    if (c->kind == CANDIDATE_STEP)
        complete_step(fusion, c);
    if (c->kind == CANDIDATE_OPTION && !lean_search_learn(&fusion->lean, c->outcome))
        return; /* a group is no witness: its members will be */
    if (c->kind == CANDIDATE_OPTION)
        learn_from_level(isolation, c);
    programs_add_linking(&fusion->programs, c);
    Lesson lesson = search_judge(search, &isolation->set, c);
    if (lesson.accepted) {
        const Seed *seed = mutated ? mutants_seed(&fusion->mutants, search, c) : NULL;
        Witness *witness = search_keep(search, c, &lesson.change, seed);
        witness->counted = !tells_nothing(&isolation->spectrum, &c->cover) &&
                           spectrum_add_passing(&isolation->spectrum, witness->kind, &c->cover);
    }
    if (mutated)
        mutants_learn(&fusion->mutants, search, &lesson, c);
}

/* --- Scoring --- */

/* The constants were chosen on GCC 11 bugs whose reports have even numbers, at 20 to 320 programs, among a few values each;
 * neighbouring ones give the same results but for one or two bugs. LIKENESS is older: of 1/2, 1/4 and 1/8 the one that served
 * injected faults of tcc and pcc best. */
static const double LIKENESS = 0.125, CORRELATION = 1.0 / 40;
static const double NEEDED = 4;
static const double SHARED = 0.8;

/* `weight` is the power. */
static double likelihood(double ef, double ep, double weight) {
    return exp(weight * (lgamma(ep + 1) + lgamma(ef + 2) - lgamma(ef + ep + 2)));
}

static double *evidence_of_mutants(const Spectrum *spectrum, double *ret_cleared) {
    const Bitset *suspects = &spectrum->suspects;
    double passing = (double)spectrum->passing_runs[WITNESS_MUTANT], failing = (double)spectrum->failing_runs;
    double weight = LIKENESS / (1 + (passing + failing - 1) * CORRELATION);
    double *evidence = mem_zalloc(suspects->bits + 1, sizeof *evidence);
    for (size_t s = bitset_next(suspects, 0); s < suspects->bits; s = bitset_next(suspects, s + 1))
        evidence[s] = likelihood(spectrum->failed[s], spectrum->passed[WITNESS_MUTANT][s], weight);
    *ret_cleared = likelihood(failing, passing, weight);
    return evidence;
}

static double *evidence_of_failing(const Spectrum *spectrum) {
    const Bitset *suspects = &spectrum->suspects;
    double *evidence = mem_zalloc(suspects->bits + 1, sizeof *evidence);
    for (size_t s = bitset_next(suspects, 0); s < suspects->bits; s = bitset_next(suspects, s + 1))
        evidence[s] = pow((double)spectrum->failed[s] / (double)spectrum->failing_runs, NEEDED);
    return evidence;
}

/* What the passing run of a tightest pair executes too. */
static double *evidence_of_steps(const Spectrum *spectrum) {
    const Bitset *suspects = &spectrum->suspects;
    double *evidence = mem_zalloc(suspects->bits + 1, sizeof *evidence);
    for (size_t s = bitset_next(suspects, 0); s < suspects->bits; s = bitset_next(suspects, s + 1))
        evidence[s] = spectrum->passed[WITNESS_STEP][s] ? SHARED : 1;
    return evidence;
}

static void score(Isolation *isolation, const Spectrum *spectrum, Formula formula) {
    const Bitset *suspects = &spectrum->suspects;
    double cleared = 1; /* the score of what all runs cover */
    score_start(isolation, spectrum);
    for (WitnessKind kind = 0; kind < WITNESS_KINDS; kind++) {
        double witnesses = (double)spectrum->passing_runs[kind];
        double all = kind == WITNESS_STEP ? SHARED : formula_score(formula, 1, 0, witnesses, 0);
        if (witnesses == 0)
            continue;
        double *evidence = kind == WITNESS_MUTANT ? evidence_of_mutants(spectrum, &all)
                           : kind == WITNESS_STEP ? evidence_of_steps(spectrum)
                                                  : score_of_kind(spectrum, kind, formula);
        cleared *= all;
        score_multiply_take(isolation, spectrum, kind, evidence);
    }
    if (spectrum->failing_runs > 1) /* the failing program alone covers all of its own statements */
        score_multiply_take(isolation, spectrum, EVIDENCE_FAILING, evidence_of_failing(spectrum));
    for (size_t s = bitset_next(suspects, 0); cleared < 1 && s < suspects->bits; s = bitset_next(suspects, s + 1))
        isolation->scores[s] = MAX_OF(isolation->scores[s] - cleared, 0.0);
    for (ClueKind kind = 0; kind < CLUE_KINDS; kind++) {
        double *evidence = clue_evidence(isolation, spectrum, kind);
        if (evidence)
            score_multiply_take(isolation, spectrum, (int)(EVIDENCE_CLUES + kind), evidence);
    }
}

const Strategy strategy_fusion = {open_fusion, close_fusion, propose, absorb, score};
