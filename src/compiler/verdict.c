#include "compiler/verdict.h"

#include "base/str.h"

typedef struct VerdictFacts {
    const char *name, *kind, *phrase;
} VerdictFacts;

static const VerdictFacts facts[VERDICT_COUNT] = {
    [VERDICT_OK] = {"ok", "ok", "nothing is wrong"},
    [VERDICT_CRASH] = {"crash", "crash", "the compiler crashes"},
    [VERDICT_HANG] = {"hang", "hang", "the compiler does not end in time"},
    [VERDICT_OUT_OF_MEMORY] = {"out-of-memory", "out-of-memory", "the compiler runs out of memory"},
    [VERDICT_REJECTS_VALID] = {"rejects-valid", "rejects-valid", "the compiler rejects a valid program"},
    [VERDICT_WRONG_CODE] = {"wrong-code", "wrong-code", "the compiled program gives a wrong result"},
    [VERDICT_RUN_CRASH] = {"run-crash", "run-crash", "the compiled program crashes"},
    [VERDICT_RUN_HANG] = {"run-hang", "run-hang", "the compiled program does not end in time"},
    [VERDICT_SANITIZER] = {"sanitizer", "wrong-code", "a sanitizer reports undefined behaviour at run time"},
    [VERDICT_INVALID_IR] = {"invalid-ir", "invalid-ir", "the passes leave a module that the verifier refuses"},
    [VERDICT_CODEGEN] = {"codegen", "codegen", "the optimised module cannot be compiled"},
    [VERDICT_FLAKY] = {"flaky", "flaky", "repeating the test gives different results"},
};

static const char *const outcome_names[OUTCOME_COUNT] = {
    [OUTCOME_OTHER] = "other", [OUTCOME_FAILS] = "fails",         [OUTCOME_PASSES] = "passes",
    [OUTCOME_FLAKY] = "flaky", [OUTCOME_UNDEFINED] = "undefined",
};

static const char *const basis_names[BASIS_COUNT] = {
    [BASIS_NONE] = "another configuration",  [BASIS_EXPECTED] = "expected value",
    [BASIS_MAJORITY] = "majority",           [BASIS_OWN_O0] = "own -O0",
    [BASIS_REFERENCE] = "reference command",
};

const char *verdict_name(Verdict verdict) { return facts[verdict].name; }
const char *verdict_kind(Verdict verdict) { return facts[verdict].kind; }
const char *verdict_phrase(Verdict verdict) { return facts[verdict].phrase; }
const char *outcome_name(Outcome outcome) { return outcome_names[outcome]; }
const char *basis_name(Basis basis) { return basis_names[basis]; }

bool verdict_is_compile_time(Verdict verdict) {
    return verdict == VERDICT_CRASH || verdict == VERDICT_HANG || verdict == VERDICT_OUT_OF_MEMORY ||
           verdict == VERDICT_REJECTS_VALID || verdict == VERDICT_INVALID_IR || verdict == VERDICT_CODEGEN;
}

/* Every kind is also the name of a verdict, so looking at the names is enough. */
bool verdict_parse(const char *name_or_kind, Verdict *ret_verdict, Error *err) {
    for (Verdict verdict = 0; verdict < VERDICT_COUNT; verdict++) {
        if (str_equal(facts[verdict].name, name_or_kind)) {
            *ret_verdict = verdict;
            return true;
        }
    }
    return error_set(err,
                     "\"%s\" is no kind of bug; kinds are crash, hang, wrong-code, run-crash, run-hang, "
                     "rejects-valid, out-of-memory, invalid-ir, codegen and flaky",
                     name_or_kind);
}
