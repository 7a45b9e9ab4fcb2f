#include "campaign/seq_round.h"

#include <stdlib.h>

#include "base/file.h"

#define ROUNDS_KEPT 3 /* a worker may still be with an earlier one; one that is needed again is made again */

void seq_rounds_init(SeqRounds *rounds, const SeqSettings *settings, const Generator *generator, bool ahead) {
    *rounds = (SeqRounds){.settings = settings, .generator = generator, .ahead = ahead};
    pthread_mutex_init(&rounds->lock, NULL);
    pthread_cond_init(&rounds->changed, NULL);
}

static void free_round(SeqRound *round, size_t llvm_count) {
    for (size_t i = 0; i < llvm_count; i++)
        corpus_release(&round->sequences[i]);
    seq_choice_free(round->choice);
    vec_release(&round->put_back);
    vec_release(&round->seeds);
    free(round->sequences);
    free(round);
}

void seq_rounds_release(SeqRounds *rounds) {
    if (!rounds->settings)
        return;
    for (size_t i = 0; i < rounds->rounds.len; i++)
        free_round(rounds->rounds.items[i], rounds->settings->llvms.len);
    vec_release(&rounds->rounds);
    pthread_cond_destroy(&rounds->changed);
    pthread_mutex_destroy(&rounds->lock);
}

/* --- The rounds there are; all with the lock held --- */

static void drop_old_rounds(SeqRounds *rounds, uint64_t number) {
    size_t kept = 0;
    for (size_t i = 0; i < rounds->rounds.len; i++) {
        SeqRound *round = rounds->rounds.items[i];
        if (round->users == 0 && round->number + ROUNDS_KEPT <= number)
            free_round(round, rounds->settings->llvms.len);
        else
            rounds->rounds.items[kept++] = round;
    }
    rounds->rounds.len = kept;
}

/* Finds or begins a round, and keeps it until leave_round. */
static SeqRound *enter_round(SeqRounds *rounds, uint64_t number) {
    SeqRound *round = NULL;
    for (size_t i = 0; i < rounds->rounds.len; i++)
        if (rounds->rounds.items[i]->number == number)
            round = rounds->rounds.items[i];
    if (!round) {
        drop_old_rounds(rounds, number);
        round = mem_zalloc(1, sizeof *round);
        round->number = number;
        round->choice = seq_choice_new(rounds->settings, rounds->generator, number);
        round->sequences = mem_zalloc(rounds->settings->llvms.len, sizeof *round->sequences);
        vec_push(&rounds->rounds, round);
    }
    round->users++;
    return round;
}

static void leave_round(SeqRound *round) { round->users--; }

/* --- Tasks --- */

/* A task that can be done now. The last one waits for all others. */
static bool take_task(SeqRound *round, size_t *ret_task) {
    size_t last = seq_choice_tasks(round->choice) - 1;
    if (round->put_back.len)
        *ret_task = round->put_back.items[--round->put_back.len];
    else if (round->next < last || (round->next == last && round->done == last))
        *ret_task = round->next++;
    else
        return false;
    round->begun++;
    return true;
}

/* Without the lock while it lasts. Whoever does the last task has the round made. */
static bool do_task(SeqRounds *rounds, SeqRound *round, size_t task, Runner *runner, const char *dir, Error *err) {
    pthread_mutex_unlock(&rounds->lock);
    bool ok = seq_choice_do(round->choice, task, runner, dir, err);
    pthread_mutex_lock(&rounds->lock);
    if (ok && task + 1 == seq_choice_tasks(round->choice)) {
        seq_choice_take(round->choice, &round->seeds, round->sequences);
        seq_choice_free(round->choice);
        round->choice = NULL;
    } else if (ok) {
        round->done++;
    } else {
        round->begun--;
        vec_push(&round->put_back, task);
    }
    pthread_cond_broadcast(&rounds->changed);
    return ok;
}

/* Helps until the round is there. What failed for another worker is tried again, and fails here too if it must. */
static bool make_round(SeqRounds *rounds, SeqRound *round, Runner *runner, const char *dir, Error *err) {
    bool ok = true;
    atomic_fetch_add(&rounds->waiting, 1);
    for (size_t task; ok && round->choice;) {
        if (take_task(round, &task))
            ok = do_task(rounds, round, task, runner, dir, err);
        else
            pthread_cond_wait(&rounds->changed, &rounds->lock);
    }
    atomic_fetch_sub(&rounds->waiting, 1);
    return ok;
}

/* The part of the next round that a test at `place` of this one does. A failure is met again by those who need that round. */
static void work_ahead(SeqRounds *rounds, SeqRound *next, uint64_t place, Runner *runner, const char *dir) {
    bool ok = true;
    for (size_t task; ok && next->choice;) {
        uint64_t due = seq_choice_tasks(next->choice) * (place + 1) * 5 / (4 * rounds->settings->round);
        if (next->begun > due || !take_task(next, &task))
            break;
        ok = do_task(rounds, next, task, runner, dir, NULL);
    }
}

/* --- A test --- */

static void copy_sequences(const SeqSettings *settings, const SeqRound *round, uint64_t place, Corpus *ret_sequences) {
    for (size_t i = 0; i < settings->llvms.len; i++) {
        const Corpus *all = &round->sequences[i];
        size_t count = corpus_documents(all), batch = MIN_OF(settings->batch, count);
        for (size_t k = 0; k < batch; k++) {
            size_t chosen = (place * batch + k) % count, first = chosen ? all->ends.items[chosen - 1] : 0;
            corpus_add(&ret_sequences[i], all->words.items + first, all->ends.items[chosen] - first);
        }
    }
}

bool seq_rounds_take(SeqRounds *rounds, Runner *runner, const char *scratch_dir, uint64_t test, uint64_t *ret_seed,
                     Corpus *ret_sequences, Error *err) {
    const SeqSettings *settings = rounds->settings;
    CLEANUP(mem_freep) char *dir = path_of(scratch_dir, "pool");
    uint64_t number = test / settings->round, place = test % settings->round;
    pthread_mutex_lock(&rounds->lock);
    SeqRound *round = enter_round(rounds, number);
    bool ok = make_round(rounds, round, runner, dir, err);
    if (ok) {
        copy_sequences(settings, round, place, ret_sequences);
        *ret_seed = round->seeds.items[place % round->seeds.len];
    }
    leave_round(round);
    if (ok && rounds->ahead) {
        SeqRound *next = enter_round(rounds, number + 1);
        work_ahead(rounds, next, place, runner, dir);
        leave_round(next);
    }
    pthread_mutex_unlock(&rounds->lock);
    return ok;
}
