/* One test of a campaign: a program, every configuration of the matrix, and what that says about the compilers. */
#ifndef CAMPAIGN_TEST_H
#define CAMPAIGN_TEST_H

#include "campaign/campaign.h"
#include "campaign/finding.h"
#include "campaign/generator.h"
#include "compiler/emulator.h"

/* What all tests of a campaign share; threads only read it. */
typedef struct TestPlan {
    const Matrix *matrix;
    const Config *reference; /* for bug directories without a configuration that passes; may be NULL */
    const Generator *generator;
    ExecuteOptions execute;
    BuildOptions build; /* of the bug's own command: what is stored is what ran */
    Emulator emulator;
    unsigned repeats; /* of every suspicious result, before it counts */
} TestPlan;

typedef struct Test {
    CampaignTest base;
    const TestPlan *plan;

    Generated generated;
    Vec(Execution) executions; /* in the order of the matrix; fewer where the program turned out to be useless */
    Findings findings;         /* in base.arena */
    int64_t repeat_us;         /* CPU time of the repetitions */
} Test;

Test *test_new(const TestPlan *plan);
void test_free(Test *test); /* but for its base */

/* Generate, run, compare, verify, conclude. `scratch` is emptied first. */
void test_run(Test *test, Runner *runner, Scratch *scratch);

int64_t test_compile_us(const Test *test); /* CPU time, without the repetitions */
int64_t test_run_us(const Test *test);

#endif
