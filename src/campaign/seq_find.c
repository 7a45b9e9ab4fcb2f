/* After a failure was seen:
 *
 *   repeat      as a flat sequence, in new processes; what does not repeat is flaky
 *   minimise    with the server, which answers a batch of candidates at the price of one (reduce/sequence.h)
 *   confirm     with opt and clang, by the very commands that bug.json will hold, through the oracle
 *   reach       the same program under default<O2>, default<O3>, clang -O2 and clang -O3
 *
 * What a tree showed may need dropped analyses: `invalidate<all>` behind every pass says the same to plain opt. A failure that
 * the server shows and plain opt does not is kept as flaky, and says so.
 */
#include "campaign/seq_find.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "judge/oracle.h"
#include "reduce/sequence.h"

#define MINIMISE_US 120000000 /* CPU time after which the smallest sequence so far will do */
#define SUFFIXES 6            /* ends of a sequence that are tried: 1, 2, 4 … 32 passes */
#define PROGRAM "a.out"
#define DROP_ANALYSES "invalidate<all>"

void seq_finding_free(SeqFinding *finding) {
    vec_release(&finding->reduced);
    bug_release(&finding->draft.bug);
    str_release(&finding->messages);
    str_release(&finding->actual);
    str_release(&finding->expected);
    free(finding);
}

bool seq_contains(const Pipeline *whole, const Pipeline *part) {
    size_t found = 0;
    for (size_t i = 0; i < whole->len && found < part->len; i++) {
        const Pass *a = &whole->items[i], *b = &part->items[found];
        size_t len = pass_name_len(b->text);
        found += pass_name_len(a->text) == len && memcmp(a->text, b->text, len) == 0;
    }
    return found == part->len;
}

/* --- Asking the server --- */

typedef struct Minimiser {
    const SeqSuspect *suspect;
    Arena arena; /* of one batch */
    int64_t spent_us;
    bool shares_time; /* false while the failure is only repeated: every question is asked */
} Minimiser;

/* Which of the pipelines show what was seen? */
static bool ask_server(void *context, const Pipeline *candidates, size_t count, bool *ret_shows, Error *err) {
    Minimiser *minimiser = context;
    const SeqSuspect *suspect = minimiser->suspect;
    if (minimiser->shares_time && minimiser->spent_us > MINIMISE_US)
        return true;
    arena_clear(&minimiser->arena);
    ServerNode *nodes = arena_array(&minimiser->arena, ServerNode, count);
    SequenceResult *results = arena_array(&minimiser->arena, SequenceResult, count);
    for (size_t i = 0; i < count; i++) {
        CLEANUP(str_release) Str text = {0};
        pipeline_print(&candidates[i], suspect->style, &text);
        nodes[i] = (ServerNode){-1, suspect->level, arena_strdup(&minimiser->arena, str_text(&text))};
    }
    if (!sequence_run(&suspect->run, nodes, count, &minimiser->arena, results, err))
        return false;
    sequence_compare(suspect->answer, results, count);
    sequence_mark_slow(suspect->slow_us, results, count);
    for (size_t i = 0; i < count; i++) {
        ret_shows[i] = sequence_same_failure(&suspect->seen, &results[i]);
        minimiser->spent_us += results[i].passes_us + results[i].codegen_us + results[i].run_us;
    }
    return true;
}

/* Whether the sequence shows it in every one of several processes. */
static bool repeats(Minimiser *minimiser, const Pipeline *passes, bool *ret_shows, Error *err) {
    *ret_shows = true;
    for (unsigned i = 0; i < MAX_OF(minimiser->suspect->test->plan->repeats, 1u) && *ret_shows; i++) {
        *ret_shows = false;
        if (!ask_server(minimiser, passes, 1, ret_shows, err))
            return false;
    }
    return true;
}

static void drop_analyses(const Pipeline *passes, Pipeline *ret_passes) {
    for (size_t i = 0; i < passes->len; i++) {
        vec_push(ret_passes, passes->items[i]);
        vec_push(ret_passes, (Pass){PASS_MODULE, DROP_ANALYSES});
    }
}

static void copy_pipeline(const Pipeline *from, Pipeline *ret_copy) {
    for (size_t i = 0; i < from->len; i++)
        vec_push(ret_copy, from->items[i]);
}

/* Some analyses outlive invalidate<all> (the profile's summary, for one), so that a node of a tree, where a pass had none, may
 * have no like in any flat run of all its passes. The last few of them alone come near it. */
static bool start_from_end(Minimiser *minimiser, Pipeline *start, bool *ret_repeats, Error *err) {
    const Pipeline *passes = &minimiser->suspect->passes;
    Pipeline ends[SUFFIXES];
    bool shows[SUFFIXES] = {0};
    size_t count = 0;
    for (size_t len = 1; len < passes->len && count < SUFFIXES; len *= 2)
        ends[count++] = (Pipeline){.items = passes->items + passes->len - len, .len = len};
    if (!ask_server(minimiser, ends, count, shows, err))
        return false;
    for (size_t i = 0; i < count; i++)
        if (shows[i]) {
            vec_clear(start);
            copy_pipeline(&ends[i], start);
            return repeats(minimiser, start, ret_repeats, err);
        }
    return true;
}

/* A short sequence that showed a bug before may show this one: then little is left to minimise. */
static bool start_from_known(Minimiser *minimiser, Pipeline *start, Error *err) {
    const SeqSuspect *suspect = minimiser->suspect;
    const SeqKnown *known = &suspect->test->known[suspect->llvm];
    Vec(Pipeline) candidates = {0};
    for (size_t i = 0; i < known->reduced.len; i++)
        if (known->reduced.items[i].len && seq_contains(start, &known->reduced.items[i]))
            vec_push(&candidates, known->reduced.items[i]);
    CLEANUP(mem_freep) bool *shows = mem_zalloc(candidates.len + 1, sizeof *shows);
    bool ok = candidates.len == 0 || ask_server(minimiser, candidates.items, candidates.len, shows, err);
    for (size_t i = 0; ok && i < candidates.len; i++)
        if (shows[i]) {
            vec_clear(start);
            copy_pipeline(&candidates.items[i], start);
            break;
        }
    vec_release(&candidates);
    return ok;
}

static bool minimise(Minimiser *minimiser, Pipeline *start, Pipeline *ret_reduced, Error *err) {
    Pipeline smallest = {0};
    minimiser->shares_time = true;
    bool ok =
        start_from_known(minimiser, start, err) && sequence_reduce(start, ask_server, minimiser, &smallest, err) &&
        sequence_simplify(&smallest, &minimiser->suspect->test->base.arena, ask_server, minimiser, ret_reduced, err);
    vec_release(&smallest);
    return ok;
}

/* --- Confirming with plain commands --- */

static bool runs_program(Verdict verdict) { return verdict == VERDICT_WRONG_CODE; }

/* bug.json for the sequence, but for its name, place and outputs. */
static void make_bug(const SeqSuspect *suspect, const Pipeline *passes, PipelineStyle style, Bug *bug) {
    const SeqTest *test = suspect->test;
    const SeqLlvm *llvm = &test->plan->settings->llvms.items[suspect->llvm];
    CLEANUP(str_release) Str text = {0}, module = {0};
    bool is_module = suspect->run.passes_only; /* then opt reads what was given, and nothing comes before it */
    pipeline_print(passes, style, &text);
    if (is_module)
        str_printf(&module, BUG_TEST "/%s", test->generated.program.files.items[0].name);
    else
        str_append(&module, SEQ_MODULE);
    strlist_clear(&bug->fail_cmd);
    sequence_opt_command(&llvm->tools, str_text(&module), str_text(&text), &bug->fail_cmd);
    if (bug->compiler)
        return; /* the rest does not depend on the sequence */
    bug->id = mem_strdup("bug");
    bug->compiler = mem_strdup(llvm->name);
    bug->version = mem_strdup(llvm->catalogue->version);
    CLEANUP(str_release) Str version = {0};
    str_printf(&version, "LLVM version %s", llvm->catalogue->version);
    bug->version_text = mem_strdup(str_text(&version));
    bug->kind = suspect->seen.verdict;
    bug->dir = mem_strdup(suspect->run.dir);
    if (!is_module)
        seq_front_command(llvm, &test->generated.program, test->program_seed, BUG_TEST,
                          generator_flags(test->plan->generator), &bug->front_cmd);
    sequence_opt_command(&llvm->tools, str_text(&module), "verify", &bug->pass_cmd);
    if (runs_program(bug->kind) || bug->kind == VERDICT_CODEGEN)
        sequence_codegen_command(&llvm->tools, suspect->level, &bug->codegen_cmd);
    bug->run = runs_program(bug->kind);
    bug->generator = mem_strdup(test->plan->settings->generator);
    bug->has_seed = true;
    bug->seed = test->program_seed;
    bug->guilty.number = -1;
}

/* Asks the oracle about the sequence as people would write it, then as it was found. *ret_shows is false where plain opt
 * shows it in neither form. */
static bool confirm(const SeqSuspect *suspect, const Pipeline *reduced, SeqFinding *finding, bool *ret_shows,
                    Error *err) {
    Bug *bug = &finding->draft.bug;
    const PipelineStyle styles[] = {{0}, {.verify = true}, suspect->style}; /* opt verifies what it writes */
    *ret_shows = false;
    for (size_t i = 0; i < ARRAY_LEN(styles) && !*ret_shows; i++) {
        CLEANUP(oracle_freep) Oracle *oracle = NULL;
        CLEANUP(oracle_answer_release) OracleAnswer answer = {0};
        make_bug(suspect, reduced, styles[i], bug);
        oracle = oracle_new(suspect->run.runner, bug, NULL, err);
        if (!oracle || !oracle_ask(oracle, &(OracleQuestion){.repeat = suspect->test->plan->repeats}, &answer, err))
            return false;
        *ret_shows = answer.outcome == OUTCOME_FAILS;
        finding->draft.signal = answer.compile.signal;
        str_clear(&finding->messages);
        str_append(&finding->messages, compiler_messages(&answer.compile));
        if (answer.ran && answer.compared) {
            str_clear(&finding->actual);
            str_append_n(&finding->actual, str_text(&answer.run.out), answer.run.out.len);
            str_clear(&finding->expected);
            str_append_n(&finding->expected, str_text(&answer.reference.out), answer.reference.out.len);
            finding->draft.actual = &finding->actual;
            finding->draft.expected = &finding->expected;
        }
        if (suspect->seen.verdict == VERDICT_CRASH && answer.signature.message)
            finding->reason = signature_text(&answer.signature, &suspect->test->base.arena);
    }
    return true;
}

/* --- Who can meet it --- */

/* Runs the program through other commands; whether they show the same kind of failure. */
static bool shows_with(const SeqSuspect *suspect, const StrList *compile, const StrList *codegen,
                       const SeqFinding *finding, Verdict *ret_verdict, bool *ret_shows, Error *err) {
    CLEANUP(execution_release) Execution execution = {0};
    CLEANUP(strlist_release) StrList run = {0};
    strlist_add(&run, "./" PROGRAM);
    ExecuteStep steps[3] = {{STEP_COMPILE, compile, command_output(compile)}};
    size_t count = 1;
    if (codegen && !suspect->run.passes_only)
        steps[count++] = (ExecuteStep){STEP_CODEGEN, codegen, PROGRAM};
    if (!suspect->run.passes_only)
        steps[count++] = (ExecuteStep){STEP_RUN, &run, NULL};
    if (!execute(suspect->run.runner, suspect->run.dir, steps, count, &suspect->test->plan->execute, &execution, err))
        return false;
    *ret_verdict = execution.verdict;
    Verdict kind = suspect->seen.verdict;
    if (runs_program(kind)) {
        Expectation right = {str_text(&finding->expected), finding->expected.len, suspect->answer->exit_code, 0};
        bool differs = execution.ran && expectation_difference(&execution.run, &right) != 0;
        if (differs && execution.verdict == VERDICT_OK)
            *ret_verdict = VERDICT_WRONG_CODE;
        *ret_shows = differs;
        return true;
    }
    CLEANUP(arena_release) Arena arena = {0};
    Failure seen = failure_of(execution.verdict, &execution.compile, &arena);
    *ret_shows = execution.verdict == kind && (!seen.reason || str_equal(seen.reason, finding->reason));
    if (kind == VERDICT_INVALID_IR && seen.reason && strstr(seen.reason, finding->reason)) { /* opt crashes on purpose */
        *ret_verdict = kind;
        *ret_shows = true;
    }
    return true;
}

static bool find_reach(const SeqSuspect *suspect, SeqFinding *finding, Error *err) {
    const SeqTest *test = suspect->test;
    const SeqLlvm *llvm = &test->plan->settings->llvms.items[suspect->llvm];
    Bug *bug = &finding->draft.bug;
    CLEANUP(str_release) Str meet = {0}, rare = {0};
    for (int i = 0; i < (suspect->run.passes_only ? 2 : 4); i++) { /* a module has no C for clang */
        CLEANUP(strlist_release) StrList compile = {0}, codegen = {0};
        CLEANUP(str_release) Str name = {0};
        Verdict verdict;
        bool shows, is_opt = i < 2;
        int level = 2 + i % 2;
        if (is_opt) {
            CLEANUP(str_release) Str pipeline = {0};
            str_printf(&pipeline, "default<O%d>", level);
            sequence_opt_command(&llvm->tools, SEQ_MODULE, str_text(&pipeline), &compile);
            sequence_codegen_command(&llvm->tools, level, &codegen);
            str_printf(&name, "%s '-passes=%s'", path_name(llvm->opt.items[0]), str_text(&pipeline));
        } else {
            strlist_add_all(&compile, &llvm->clang);
            strlist_addf(&compile, "-O%d", level);
            for (size_t k = 1; k < bug->front_cmd.len; k++) { /* sources and what they need */
                const char *word = bug->front_cmd.items[k];
                if (str_starts(word, BUG_TEST "/") || str_starts(word, "-I") || str_starts(word, "-std=") ||
                    str_starts(word, "-m") || str_equal(word, "-g") || str_equal(word, "-w"))
                    strlist_add(&compile, word);
            }
            strlist_add(&compile, "-o");
            strlist_add(&compile, PROGRAM);
            strlist_add_all(&compile, &test->plan->settings->link_flags);
            str_printf(&name, "%s -O%d", path_name(llvm->clang.items[0]), level);
        }
        if (!shows_with(suspect, &compile, is_opt ? &codegen : NULL, finding, &verdict, &shows, err))
            return false;
        bug_add_version(bug, str_text(&name), bug->version_text, verdict_name(verdict),
                        outcome_name(shows                   ? OUTCOME_FAILS
                                     : verdict == VERDICT_OK ? OUTCOME_PASSES
                                                             : OUTCOME_OTHER));
        if (shows)
            str_printf(&meet, "%s%s", meet.len ? ", " : "", str_text(&name));
    }
    for (size_t i = 0; i < finding->reduced.len; i++) {
        const Pass *pass = &finding->reduced.items[i];
        if (!catalogue_is_production(llvm->catalogue, pass->text) && !str_equal(pass->text, DROP_ANALYSES) &&
            !strstr(str_text(&rare), pass->text))
            str_printf(&rare, "%s%s", rare.len ? ", " : "", pass->text);
    }
    CLEANUP(str_release) Str text = {0};
    if (meet.len)
        str_printf(&text, "Ordinary users can meet it: %s shows it with this program.", str_text(&meet));
    else if (rare.len)
        str_printf(&text,
                   "It needs passes that no default pipeline has (%s), about which LLVM's maintainers want no reports.",
                   str_text(&rare));
    else
        str_append(&text, "Its passes are those of the default pipelines, in an order of its own: -O2 and -O3 do not "
                          "show it with this program.");
    bug_set_text(&bug->reach, str_text(&text));
    return true;
}

/* --- Findings --- */

/* The same failure on the same LLVM was found in this test already: by its reason, or by a sequence that this one has. */
static bool is_found(const SeqSuspect *suspect) {
    const SeqTest *test = suspect->test;
    for (size_t i = 0; i < test->findings.len; i++) {
        const SeqFinding *other = test->findings.items[i];
        if (other->llvm == suspect->llvm && other->draft.bug.kind == suspect->seen.verdict &&
            seq_contains(&suspect->passes, &other->reduced))
            return true;
    }
    return false;
}

static const char *last_pass(const Pipeline *passes) {
    size_t last = passes->len;
    while (last > 1 && str_equal(passes->items[last - 1].text, DROP_ANALYSES))
        last--;
    return last ? passes->items[last - 1].text : "none";
}

/* A crash or a complaint of the verifier in a node of a tree belongs to the node's own pass, so that the bug's key is known
 * before anything is minimised. */
static bool is_known_well(const SeqSuspect *suspect) {
    SeqTest *test = suspect->test;
    const SequenceResult *seen = &suspect->seen;
    return suspect->in_tree && *seen->reason &&
           (seen->verdict == VERDICT_CRASH || seen->verdict == VERDICT_INVALID_IR) &&
           strlist_contains(&test->known[suspect->llvm].often,
                            sequence_key(seen->verdict, last_pass(&suspect->passes), seen->reason, &test->base.arena));
}

static void describe(const SeqSuspect *suspect, bool repeated, bool confirmed, SeqFinding *finding) {
    SeqTest *test = suspect->test;
    Arena *arena = &test->base.arena;
    Bug *bug = &finding->draft.bug;
    const char *last = last_pass(&finding->reduced);
    Verdict kind = suspect->seen.verdict;
    CLEANUP(str_release) Str text = {0};
    pipeline_print(&finding->reduced, (PipelineStyle){0}, &text);
    finding->sequence = arena_strdup(arena, str_text(&text));
    finding->verdict = repeated && confirmed ? kind : VERDICT_FLAKY;
    finding->key = sequence_key(kind, last, finding->reason, arena);
    if (finding->verdict == VERDICT_FLAKY)
        finding->key = arena_printf(arena, "%s (%s)", finding->key, repeated ? "not with plain opt" : "not repeatable");
    finding->basis = runs_program(kind) ? suspect->answer->basis : BASIS_NONE;
    finding->command = arena_printf(arena, "%s -passes=%s", bug->compiler, finding->sequence);
    bug_set_text(&bug->key, finding->key);
    bug_set_text(&bug->signature, *finding->reason ? finding->reason : NULL);
    bug_set_text(&bug->basis, finding->basis == BASIS_NONE ? NULL : basis_name(finding->basis));
    CLEANUP(str_release) Str guilty = {0};
    str_append_n(&guilty, last, pass_name_len(last));
    bug_set_text(&bug->guilty.pass, str_text(&guilty));
    const char *note = !repeated ? "The failure did not repeat in a new process."
                       : !confirmed
                           ? "The fork server shows it every time, but opt and clang as programs of their own do not."
                           : "";
    CLEANUP(str_release) Str expected = {0};
    if (finding->reduced.len == 1)
        str_printf(&expected, "The pass %s is enough: %s.", str_text(&guilty), verdict_phrase(kind));
    else
        str_printf(&expected, "%zu passes of %zu are needed, the last of them %s: %s.", finding->reduced.len,
                   suspect->passes.len, str_text(&guilty), verdict_phrase(kind));
    str_printf(&expected, "%s%s", *note ? " " : "", note);
    bug_set_text(&bug->expected, str_text(&expected));
    if (!confirmed) /* what is in the directory then is the whole of what is known */
        bug->kind = VERDICT_FLAKY;
    finding->draft.verdict = finding->verdict;
    finding->draft.program = &test->generated.program;
    finding->draft.messages = &finding->messages;
    finding->draft.execute = test->plan->execute;
}

bool seq_find(SeqSuspect *suspect, Error *err) {
    SeqTest *test = suspect->test;
    Minimiser minimiser = {.suspect = suspect};
    SeqFinding *finding = NULL;
    Pipeline start = {0};
    bool repeated, confirmed = false, ok = true;
    if (is_found(suspect))
        return true;
    if (is_known_well(suspect)) {
        test->set_aside++;
        return true;
    }
    copy_pipeline(&suspect->passes, &start);
    ok = repeats(&minimiser, &start, &repeated, err);
    if (ok && !repeated && suspect->in_tree) {
        vec_clear(&start);
        drop_analyses(&suspect->passes, &start);
        ok = repeats(&minimiser, &start, &repeated, err) &&
             (repeated || start_from_end(&minimiser, &start, &repeated, err));
    }
    if (ok) {
        finding = mem_zalloc(1, sizeof *finding);
        finding->llvm = suspect->llvm;
        finding->reason = suspect->seen.reason;
        ok = repeated ? minimise(&minimiser, &start, &finding->reduced, err)
                      : (copy_pipeline(&suspect->passes, &finding->reduced), true);
    }
    if (ok)
        ok = confirm(suspect, &finding->reduced, finding, &confirmed, err) &&
             (!confirmed || find_reach(suspect, finding, err));
    if (ok) {
        describe(suspect, repeated, confirmed, finding);
        test->unconfirmed += repeated && !confirmed;
        vec_push(&test->findings, finding);
    } else if (finding) {
        seq_finding_free(finding);
    }
    test->repeat_us += minimiser.spent_us;
    arena_release(&minimiser.arena);
    vec_release(&start);
    return ok;
}
