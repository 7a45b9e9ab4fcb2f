/* LocSeq (Zhou et al., IEEE Transactions on Reliability, 2022): the failing program is kept, and its pass sequence varied.
 *
 *     until a limit
 *         a generation of sequences that hold all passes of the failing one         cga.c, sequences.c
 *         run each on the failing program, cover its passes                         sequence_server.c
 *         bug-free: a witness; its fitness says how much it resembles the failing   fitness.c
 *     score(s) = 1 / sqrt(1 + ep_s)                                                 (7), Ochiai with ef = 1, nf = 0
 *     SCORE(f) = mean of its covered statements' scores                             (8), AGGREGATE_MEAN
 *
 * Every bug-free sequence is a witness once, however often it comes up again. One that shows the bug, or another failure, has
 * fitness 0 and is none.
 *
 * The paper's sequences are minimal: without any of its passes the bug is gone. Those that are not are made so first, and the
 * failing run is that of what remains.
 *
 * The suspects are what the failing run covers from its first pass on: the paper's gcov counts all of opt, which adds what
 * reads a module and prints it to failing and bug-free runs alike.
 */
#include "isolate/score.h"
#include "isolate/sequences.h"
#include "isolate/strategy.h"

/* The failing run's suspects, without what only starting opt covers. */
static void narrow_suspects(Isolation *isolation, const Bitset *failing) {
    Bitset suspects;
    bitset_init_copy(&suspects, &isolation->set.failing);
    bitset_and(&suspects, failing);
    double alpha = isolation->set.alpha;
    witness_set_release(&isolation->set);
    spectrum_release(&isolation->spectrum);
    witness_set_init(&isolation->set, &suspects, alpha);
    spectrum_init(&isolation->spectrum, &suspects);
    isolation->statistics.failing_statements = bitset_count(&suspects);
    bitset_release(&suspects);
}

static void minimise(Sequences *sequences, Search *search, Tester *tester) {
    CLEANUP(str_release) Str passes = {0}, option = {0};
    Bitset cover;
    bitset_init(&cover, search->isolation->units->unit_count);
    if (sequences_lean(sequences, search, tester, &passes, &cover)) {
        narrow_suspects(search->isolation, &cover);
        str_printf(&option, "-passes=%s", str_text(&passes));
        search->isolation->lean = str_detach(&option);
    }
    bitset_release(&cover);
}

static bool open_with(Search *search, Tester *tester, bool constrained, bool evolves, Error *err) {
    Sequences *sequences = search->state = mem_zalloc(1, sizeof *sequences);
    if (!sequences_open(sequences, search, tester, err))
        return false;
    sequences->cga.constrained = constrained;
    sequences->evolves = evolves;
    if (sequences->server)
        narrow_suspects(search->isolation, &sequences->failing);
    minimise(sequences, search, tester);
    sequences_begin(sequences, search);
    return true;
}

static bool open_locseq(Search *search, Tester *tester, Error *err) {
    return open_with(search, tester, true, true, err);
}
static bool open_wc(Search *search, Tester *tester, Error *err) { return open_with(search, tester, false, true, err); }
static bool open_r(Search *search, Tester *tester, Error *err) { return open_with(search, tester, true, false, err); }
static bool open_rwc(Search *search, Tester *tester, Error *err) {
    return open_with(search, tester, false, false, err);
}

static void close_locseq(Search *search) {
    if (search->state)
        sequences_close(search->state);
    free(search->state);
}

static Candidate *propose(Search *search) {
    Candidate *batch = sequences_propose(search->state, search);
    search->idle = !batch;
    return batch;
}

static void absorb(Search *search, Candidate *batch) {
    sequences_learn(search->state, batch);
    for (size_t i = 0; i < batch->runs.len; i++)
        if (batch->runs.items[i].outcome == OUTCOME_PASSES)
            search_keep_sequence(search, &batch->runs.items[i]);
}

const Strategy strategy_locseq = {open_locseq, close_locseq, propose, absorb, score_by_witnesses};
const Strategy strategy_locseq_wc = {open_wc, close_locseq, propose, absorb, score_by_witnesses};
const Strategy strategy_locseq_r = {open_r, close_locseq, propose, absorb, score_by_witnesses};
const Strategy strategy_locseq_rwc = {open_rwc, close_locseq, propose, absorb, score_by_witnesses};
