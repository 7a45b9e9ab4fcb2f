/* Which configurations are wrong? Differential testing (McKeeman, 1998) as the YARPGen paper uses it, section 3.4: the
 * program means one thing, so configurations that answer differently from the generator's own value, or from most
 * others, are suspects. Bases of decreasing strength: expected value, strict majority, the same compiler's -O0. */
#include "judge/vote.h"

#include <string.h>

/* A time-out counts where every other configuration needed less than this share of its time. */
#define HANG_FACTOR 10

/* Executions that answered: they ran, ended by themselves, and no sanitizer spoke. */
static bool answered(const Execution *execution) {
    return execution->ran && (execution->verdict == VERDICT_OK || execution->verdict == VERDICT_RUN_CRASH);
}

static void excuse_slow(Execution *executions, size_t count) {
    int64_t slowest = -1;
    for (size_t i = 0; i < count; i++) {
        if (answered(&executions[i]))
            slowest = MAX_OF(slowest, executions[i].run.wall_us);
    }
    for (size_t i = 0; i < count; i++) {
        bool merely_slow = slowest < 0 || slowest * HANG_FACTOR > executions[i].run.wall_us;
        if (executions[i].verdict == VERDICT_RUN_HANG && merely_slow)
            executions[i].verdict = VERDICT_OK;
    }
}

/* A crash that disagrees keeps its own verdict, which says more than "wrong". */
static void mark(Execution *execution, bool right, Basis basis) {
    if (right) {
        execution->verdict = VERDICT_OK;
        return;
    }
    if (execution->verdict == VERDICT_OK)
        execution->verdict = VERDICT_WRONG_CODE;
    execution->basis = basis;
}

/* The commonest answer; the earliest of several. Quadratic in configurations, which are few. */
static const Execution *commonest(const Execution *executions, size_t count, double tolerance, size_t *ret_votes,
                                  size_t *ret_voters) {
    const Execution *best = NULL;
    *ret_votes = *ret_voters = 0;
    for (size_t i = 0; i < count; i++) {
        if (!answered(&executions[i]))
            continue;
        size_t votes = 0;
        for (size_t k = 0; k < count; k++)
            votes += answered(&executions[k]) && !run_difference(&executions[i].run, &executions[k].run, tolerance);
        ++*ret_voters;
        if (votes > *ret_votes) {
            *ret_votes = votes;
            best = &executions[i];
        }
    }
    return best;
}

/* The same compiler's execution without optimisation, or NULL. */
static const Execution *own_reference(const Execution *executions, size_t count, const Execution *of) {
    for (size_t i = 0; i < count; i++) {
        const Config *config = executions[i].config;
        if (config->compiler == of->config->compiler && strcmp(config_level(&config->flags), "0") == 0 &&
            answered(&executions[i]))
            return &executions[i];
    }
    return NULL;
}

/* Compiler against compiler, none outvoted: where each agrees with its own -O0 nobody can be accused by that basis, and
 * everything that differs from the commonest answer is reported for a person to judge. */
static void vote_without_majority(Execution *executions, size_t count, double tolerance, const Execution *best) {
    bool accused = false;
    for (size_t i = 0; i < count; i++) {
        const Execution *own = own_reference(executions, count, &executions[i]);
        if (!answered(&executions[i]) || !own || !run_difference(&executions[i].run, &own->run, tolerance))
            continue;
        mark(&executions[i], false, BASIS_OWN_O0);
        accused = true;
    }
    for (size_t i = 0; i < count && !accused; i++) {
        if (answered(&executions[i]) && &executions[i] != best &&
            run_difference(&executions[i].run, &best->run, tolerance))
            mark(&executions[i], false, BASIS_NONE);
    }
}

void vote(Execution *executions, size_t count, const Expectation *expectation, double tolerance) {
    excuse_slow(executions, count);
    size_t votes, voters;
    const Execution *best = commonest(executions, count, tolerance, &votes, &voters);
    if (!best)
        return;
    if (!expectation && votes * 2 <= voters) {
        vote_without_majority(executions, count, tolerance, best);
        return;
    }
    const ProcResult *reference = &best->run;
    for (size_t i = 0; i < count; i++) {
        Execution *execution = &executions[i];
        if (!answered(execution))
            continue;
        if (expectation)
            mark(execution, !expectation_difference(&execution->run, expectation), BASIS_EXPECTED);
        else
            mark(execution, !run_difference(&execution->run, reference, tolerance), BASIS_MAJORITY);
    }
}
