#include "judge/failure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Runs --- */

/* Lines "name value" with the same names and close values. */
static bool values_match(const char *output, const char *reference, double tolerance) {
    while (*reference && *output) {
        const char *value = strchr(reference, ' '), *line_end = strchr(reference, '\n');
        size_t name = value ? (size_t)(value - reference) : 0;
        if (!value || !line_end || strncmp(reference, output, name) != 0 || output[name] != ' ')
            return false;
        char *end;
        double wanted = strtod(value, NULL), got = strtod(output + name, &end);
        if (*end != '\n' || !(fabs(wanted - got) <= tolerance * fabs(wanted)))
            return false;
        reference = line_end + 1;
        output = end + 1;
    }
    return *reference == *output;
}

static bool outputs_match(const Str *output, const char *reference, size_t len, double tolerance) {
    if (output->len == len && memcmp(str_text(output), reference, len) == 0)
        return true;
    size_t first = strcspn(reference, "\n") + 1;
    return tolerance > 0 && first <= len && strncmp(reference, str_text(output), first) == 0 &&
           values_match(str_text(output) + first, reference + first, tolerance);
}

unsigned run_difference(const ProcResult *run, const ProcResult *reference, double tolerance) {
    bool same_end =
        run->exit_code == reference->exit_code && run->signal == reference->signal && run->limit == reference->limit;
    bool same_output = outputs_match(&run->out, str_text(&reference->out), reference->out.len, tolerance);
    return (same_output ? 0 : DIFFERS_IN_OUTPUT) | (same_end ? 0 : DIFFERS_IN_END);
}

unsigned expectation_difference(const ProcResult *run, const Expectation *expectation) {
    const ProcResult right = {.exit_code = expectation->exit_code,
                              .out = {.data = (char *)expectation->output, .len = expectation->len}};
    return run_difference(run, &right, expectation->tolerance);
}

/* --- Compilers --- */

Failure failure_of(Verdict verdict, const ProcResult *compile, Arena *arena) {
    Failure failure = {.verdict = verdict};
    const char *messages = compiler_messages(compile);
    /* A back end may crash or refuse the module; either is its reason. */
    bool crash =
        verdict == VERDICT_CRASH || (verdict == VERDICT_CODEGEN && signature_is_crash(messages, compile->signal));
    if (crash) {
        failure.has_signature = signature_extract(messages, compile->signal, arena, &failure.signature);
        failure.reason = failure.has_signature ? signature_text(&failure.signature, arena) : NULL;
    } else if (verdict == VERDICT_REJECTS_VALID || verdict == VERDICT_CODEGEN) {
        failure.reason = signature_of_rejection(messages, arena);
    }
    return failure;
}

static bool same_kind(Verdict known, Verdict seen) {
    switch (known) {
    case VERDICT_WRONG_CODE:
        return seen == VERDICT_WRONG_CODE || seen == VERDICT_RUN_CRASH || seen == VERDICT_RUN_HANG ||
               seen == VERDICT_SANITIZER;
    case VERDICT_FLAKY: return seen == VERDICT_CRASH || !verdict_is_compile_time(seen);
    case VERDICT_INVALID_IR: return seen == VERDICT_INVALID_IR || seen == VERDICT_CRASH; /* as opt reports it */
    default: return seen == known;
    }
}

bool failure_same(const Failure *known, const Failure *seen) {
    if (!same_kind(known->verdict, seen->verdict))
        return false;
    return !known->reason || str_equal(known->reason, seen->reason) ||
           (known->has_signature && seen->has_signature && signature_equal(&known->signature, &seen->signature));
}

/* Adds the parts of a text that stand in the messages to the letter: a reason without what was normalised away
 * (addresses, names). Parts end between words. */
static void add_literal_parts(const char *text, const char *messages, StrList *ret_parts) {
    enum { LEAST = 4 };
    while (*text) {
        size_t len = strlen(text);
        while (len && !memmem(messages, strlen(messages), text, len))
            for (len--; len && text[len] != ' ';)
                len--;
        if (len >= LEAST)
            strlist_add_n(ret_parts, text, len);
        text += MAX_OF(len, strcspn(text, " "));
        text += strspn(text, " ");
    }
}

void failure_words(const Failure *failure, const char *messages, StrList *ret_words) {
    const Signature *signature = &failure->signature;
    if (!failure->has_signature) {
        add_literal_parts(failure->reason ? failure->reason : "", messages, ret_words);
        return;
    }
    char place[200] = "";
    if (signature->file && signature->line)
        snprintf(place, sizeof place, "%s:%d", signature->file, signature->line);
    const char *words[] = {signature->message, signature->function, place};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        add_literal_parts(words[i] ? words[i] : "", messages, ret_words);
}
