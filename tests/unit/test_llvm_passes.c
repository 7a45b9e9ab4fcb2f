/* Pipelines survive printing and reading, and the catalogue of a real LLVM says what that LLVM accepts. */
#include "unit.h"

#include <unistd.h>

#include "base/file.h"
#include "base/rng.h"
#include "proc/scratch.h"
#include "llvm/catalogue.h"

typedef struct Fixture {
    Runner *runner;
    Scratch scratch;
    Catalogue *catalogue; /* of the LLVM under test */
    const char *opt;
    Console *console; /* writes to `stream`, and so to `shown` */
    FILE *stream;
    char *shown;
    size_t shown_len;
} Fixture;

static const char *const opts[] = {"/usr/lib/llvm-14/bin/opt", "/usr/lib/llvm-15/bin/opt", "/usr/lib/llvm-16/bin/opt",
                                   "/usr/lib/llvm-19/bin/opt"};

/* --- Pipelines alone --- */

/* The verifier's result must not stay cached: a pass that wrongly says that it changed nothing would get away. */
#define V "verify,invalidate<verify>"

static void test_styles(void **state) {
    (void)state;
    Pass passes[] = {{PASS_MODULE, "globalopt"}, {PASS_FUNCTION, "sroa"},  {PASS_FUNCTION, "simplifycfg<keep-loops>"},
                     {PASS_LOOP, "loop-rotate"}, {PASS_LOOP_MSSA, "licm"}, {PASS_LOOP_MSSA, "lnicm"},
                     {PASS_CGSCC, "inline"}};
    Pipeline pipeline = {.items = passes, .len = ARRAY_LEN(passes)};
    static const struct {
        PipelineStyle style;
        const char *text;
    } cases[] = {
        {{0},
         "globalopt,function(sroa),function(simplifycfg<keep-loops>),function(loop(loop-rotate)),"
         "function(loop-mssa(licm)),function(loop-mssa(lnicm)),cgscc(inline)"},
        {{.shared = true},
         "globalopt,function(sroa,simplifycfg<keep-loops>),function(loop(loop-rotate)),function(loop-mssa(licm,lnicm)),"
         "cgscc(inline)"},
        {{.verify = true},
         "globalopt," V ",function(sroa)," V ",function(simplifycfg<keep-loops>)," V ",function(loop(loop-rotate))," V
         ",function(loop-mssa(licm))," V ",function(loop-mssa(lnicm))," V ",cgscc(inline)," V},
        {{.shared = true, .verify = true},
         "globalopt," V ",function(sroa," V ",simplifycfg<keep-loops>," V "),function(loop(loop-rotate)," V
         "),function(loop-mssa(licm,lnicm)," V "),cgscc(inline)," V},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(str_release) Str text = {0};
        pipeline_print(&pipeline, cases[i].style, &text);
        assert_string_equal(str_text(&text), cases[i].text);
    }
}

static void test_malformed_pipelines_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *complaint;
    } cases[] = {
        {"function(sroa", "missing ')'"},
        {"sroa)", "stray ')'"},
        {"sroa,,adce", "no pass"},
        {"gvn<pre", "'<' without"},
        {"function(cgscc(inline))", "cannot stand"},
        {"what(sroa)", "cannot stand"},
        {"function()", "no pass"},
        {",", "no pass"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(arena_release) Arena arena = {0};
        Error err = {0};
        Pipeline pipeline;
        assert_fails(pipeline_parse(cases[i].text, &arena, &pipeline, &err), err, cases[i].complaint);
    }
}

static void test_managers_dissolve(void **state) {
    (void)state;
    CLEANUP(arena_release) Arena arena = {0};
    Error err = {0};
    Pipeline pipeline, expected = {.items = (Pass[]){{PASS_CGSCC, "inline<only-mandatory>"},
                                                     {PASS_FUNCTION, "early-cse<memssa>"},
                                                     {PASS_LOOP_MSSA, "licm"},
                                                     {PASS_MODULE, "globaldce"}},
                                   .len = 4};
    assert_ok(pipeline_parse("cgscc(devirt<4>(inline<only-mandatory>,function<eager-inv;no-rerun>(early-cse<memssa>,"
                             "loop-mssa(licm)))),verify,globaldce",
                             &arena, &pipeline, &err),
              err);
    assert_true(pipeline_equal(&pipeline, &expected));
    vec_release(&pipeline);
}

/* --- With a real LLVM --- */

static int set_up(void **state) {
    static Fixture fixture;
    Error err = {0};
    if (!scratch_new(&fixture.scratch, &err) || !(fixture.runner = runner_new(&err)))
        return -1;
    fixture.stream = open_memstream(&fixture.shown, &fixture.shown_len);
    fixture.console = console_new(fixture.stream, CONSOLE_INFO, COLOR_NEVER);
    console_set_plain_interval(fixture.console, 0);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state) {
    Fixture *fixture = *state;
    console_free(fixture->console);
    fclose(fixture->stream);
    free(fixture->shown);
    catalogue_free(fixture->catalogue);
    runner_free(fixture->runner);
    scratch_release(&fixture->scratch);
    return 0;
}

/* The catalogue is made once per LLVM; the cache serves the later tests. */
static void open_catalogue(Fixture *fixture, const char *opt) {
    Error err = {0};
    if (fixture->catalogue && fixture->opt == opt)
        return;
    catalogue_free(fixture->catalogue);
    fixture->catalogue = NULL;
    assert_ok(catalogue_open(fixture->runner, opt, fixture->scratch.path, fixture->console, &fixture->catalogue, &err),
              err);
    fixture->opt = opt;
}

static const char *oldest_opt(void) {
    for (size_t i = 0; i < ARRAY_LEN(opts); i++)
        if (access(opts[i], X_OK) == 0)
            return opts[i];
    skip_because("no LLVM from 14 on is installed");
    return NULL;
}

static const CataloguePass *pass_named(const Catalogue *catalogue, const char *name, PassKind kind) {
    const CataloguePass *pass = catalogue_find(catalogue, name, kind);
    if (!pass)
        fail_msg("no pass %s", name);
    return pass;
}

static void test_catalogue_knows_kinds_and_production(void **state) {
    Fixture *fixture = *state;
    open_catalogue(fixture, oldest_opt());
    static const struct {
        const char *name;
        PassKind kind;
        bool production, kept;
    } cases[] = {
        {"globalopt", PASS_MODULE, true, true},
        {"inline", PASS_CGSCC, true, true},
        {"sroa", PASS_FUNCTION, true, true},
        {"simplifycfg", PASS_FUNCTION, true, true},
        {"indvars", PASS_LOOP, true, true},
        {"loop-deletion", PASS_LOOP, true, true},
        {"licm", PASS_LOOP_MSSA, true, true},
        {"lnicm", PASS_LOOP_MSSA, false, true},
        {"structurizecfg", PASS_FUNCTION, false, true},
        {"chr", PASS_FUNCTION, false, true},
        {"tsan", PASS_FUNCTION, false, false},
        {"print<loops>", PASS_FUNCTION, false, false},
        {"verify<domtree>", PASS_FUNCTION, false, false},
        {"objc-arc", PASS_FUNCTION, false, false},
        {"pgo-instr-gen", PASS_MODULE, false, false},
        {"coro-split", PASS_CGSCC, true, false},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const CataloguePass *pass = pass_named(fixture->catalogue, cases[i].name, PASS_KINDS);
        print_message("%s: %s\n", pass->name, pass->left_out ? pass->left_out : "kept");
        assert_string_equal(pass_kind_name(pass->kind), pass_kind_name(cases[i].kind));
        assert_int_equal(pass->production, cases[i].production);
        assert_int_equal(!pass->left_out, cases[i].kept);
    }
    assert_true(pass_named(fixture->catalogue, "loop-instsimplify", PASS_KINDS)->takes_mssa);
    assert_false(pass_named(fixture->catalogue, "indvars", PASS_KINDS)->takes_mssa);
    assert_true(strlist_contains(&pass_named(fixture->catalogue, "early-cse", PASS_KINDS)->variants, "memssa"));
    assert_true(strlist_contains(&pass_named(fixture->catalogue, "simplifycfg", PASS_KINDS)->variants,
                                 "bonus-inst-threshold=2"));
}

/* Production passes stand as the pipelines have them: simple-loop-unswitch alone, for one, leaves most of its work undone. */
static void test_production_has_the_parameters_of_pipelines(void **state) {
    Fixture *fixture = *state;
    open_catalogue(fixture, oldest_opt());
    Pipeline choice = {0};
    size_t unswitch = 0;
    catalogue_choose(fixture->catalogue, false, &choice);
    for (size_t i = 0; i < choice.len; i++) {
        const char *text = choice.items[i].text;
        assert_true(catalogue_is_production(fixture->catalogue, text));
        unswitch += str_starts(text, "simple-loop-unswitch<nontrivial");
        assert_string_not_equal(text, "simple-loop-unswitch");
    }
    vec_release(&choice);
    assert_int_not_equal(unswitch, 0);
    assert_true(catalogue_is_production(fixture->catalogue, "simplifycfg"));
    assert_false(catalogue_is_production(fixture->catalogue, "simplifycfg<bonus-inst-threshold=2>"));
    assert_false(catalogue_is_production(fixture->catalogue, "structurizecfg"));
    assert_false(catalogue_is_production(fixture->catalogue, "frobnicate"));
}

static void test_catalogue_survives_json(void **state) {
    Fixture *fixture = *state;
    open_catalogue(fixture, oldest_opt());
    Error err = {0};
    CLEANUP(catalogue_freep) Catalogue *again = NULL;
    CLEANUP(json_freep) Json *json = catalogue_to_json(fixture->catalogue), *json_again = NULL;
    assert_ok(catalogue_from_json(json, &again, &err), err);
    CLEANUP(str_release) Str a = {0}, b = {0};
    json_again = catalogue_to_json(again);
    json_format(json, true, &a);
    json_format(json_again, true, &b);
    assert_string_equal(str_text(&a), str_text(&b));
    CLEANUP(str_release) Str table = {0};
    catalogue_table(again, 0, false, &table);
    assert_non_null(strstr(str_text(&table), "simplifycfg"));
    assert_non_null(strstr(str_text(&table), "instruments the program"));
}

static void test_the_cache_is_read(void **state) {
    Fixture *fixture = *state;
    open_catalogue(fixture, oldest_opt());
    CLEANUP(strlist_release) StrList files = {0};
    assert_true(dir_walk(fixture->scratch.path, ".json", 1 << 30, &files, NULL));
    assert_int_not_equal(files.len, 0);
    /* What the cache says is believed: a pass of no LLVM, written there, comes back. */
    Error err = {0};
    CLEANUP(str_release) Str text = {0};
    assert_ok(file_read(files.items[0], &text, &err), err);
    char *name = strstr(text.data, "\"structurizecfg\"");
    assert_non_null(name);
    name[1] = 'S';
    assert_ok(file_write(files.items[0], text.data, text.len, &err), err);
    CLEANUP(catalogue_freep) Catalogue *cached = NULL;
    assert_ok(catalogue_open(fixture->runner, fixture->opt, fixture->scratch.path, NULL, &cached, &err), err);
    assert_non_null(catalogue_find(cached, "Structurizecfg", PASS_KINDS));
    name[1] = 's';
    assert_ok(file_write(files.items[0], text.data, text.len, &err), err);
}

static void test_making_a_catalogue_shows_progress(void **state) {
    Fixture *fixture = *state;
    CLEANUP(str_release) Str last = {0};
    open_catalogue(fixture, oldest_opt());
    size_t passes = fixture->catalogue->passes.len;
    str_printf(&last, "trying the passes of %s, once: %zu of %zu\n", fixture->catalogue->opt, passes, passes);
    fflush(fixture->stream);
    assert_non_null(strstr(fixture->shown, str_text(&last)));
}

static void test_a_missing_opt_is_an_error(void **state) {
    Fixture *fixture = *state;
    Error err = {0};
    Catalogue *catalogue;
    assert_fails(catalogue_open(fixture->runner, "/nowhere/opt", "", NULL, &catalogue, &err), err, "/nowhere/opt");
    assert_fails(catalogue_open(fixture->runner, "/bin/cat", "", NULL, &catalogue, &err), err, "/bin/cat");
}

static void test_user_strings_are_resolved(void **state) {
    Fixture *fixture = *state;
    open_catalogue(fixture, oldest_opt());
    CLEANUP(arena_release) Arena arena = {0};
    CLEANUP(str_release) Str text = {0};
    Error err = {0};
    Pipeline pipeline;
    assert_ok(pipeline_parse("globalopt,sroa,licm,simplifycfg<keep-loops>", &arena, &pipeline, &err), err);
    assert_ok(catalogue_resolve(fixture->catalogue, &pipeline, &err), err);
    pipeline_print(&pipeline, (PipelineStyle){0}, &text);
    assert_string_equal(str_text(&text),
                        "globalopt,function(sroa),function(loop-mssa(licm)),function(simplifycfg<keep-loops>)");
    vec_release(&pipeline);
    assert_ok(pipeline_parse("function(globalopt)", &arena, &pipeline, &err), err);
    assert_fails(catalogue_resolve(fixture->catalogue, &pipeline, &err), err, "a module pass");
    vec_release(&pipeline);
    assert_ok(pipeline_parse("frobnicate", &arena, &pipeline, &err), err);
    assert_fails(catalogue_resolve(fixture->catalogue, &pipeline, &err), err, "is no pass of LLVM");
    vec_release(&pipeline);
}

static void draw(Rng *rng, const Pipeline *choice, size_t len, Pipeline *ret_pipeline) {
    for (size_t i = 0; i < len; i++)
        vec_push(ret_pipeline, choice->items[rng_below(rng, choice->len)]);
}

static void test_print_and_parse_agree(void **state) {
    Fixture *fixture = *state;
    open_catalogue(fixture, oldest_opt());
    Pipeline choice = {0};
    catalogue_choose(fixture->catalogue, true, &choice);
    Rng rng = rng_from_seed(1);
    for (int round = 0; round < 400; round++) {
        CLEANUP(arena_release) Arena arena = {0};
        CLEANUP(str_release) Str text = {0};
        Error err = {0};
        Pipeline pipeline = {0}, again;
        draw(&rng, &choice, rng_below(&rng, 60), &pipeline);
        PipelineStyle style = {.shared = rng_chance(&rng, 50), .verify = rng_chance(&rng, 50)};
        pipeline_print(&pipeline, style, &text);
        assert_ok(pipeline_parse(str_text(&text), &arena, &again, &err), err);
        assert_true(pipeline_equal(&pipeline, &again));
        vec_release(&pipeline);
        vec_release(&again);
    }
    vec_release(&choice);
}

/* opt reads the whole string before it runs the first pass, so that an empty module is enough to hear its opinion; the
 * string holds every pass with every variant. */
static void check_accepted(Fixture *fixture, PipelineStyle style, uint64_t seed) {
    Pipeline choice = {0}, pipeline = {0};
    catalogue_choose(fixture->catalogue, true, &choice);
    Rng rng = rng_from_seed(seed);
    for (size_t left = choice.len; left > 0; left--) { /* all, in random order */
        size_t i = rng_below(&rng, left);
        vec_push(&pipeline, choice.items[i]);
        choice.items[i] = choice.items[left - 1];
    }
    CLEANUP(str_release) Str option = {0};
    str_append(&option, "-passes=");
    pipeline_print(&pipeline, style, &option);
    ProcRequest request = {.argv = (const char *const[]){fixture->opt, option.data, "-disable-output", "-", NULL},
                           .input = "\n",
                           .input_len = 1,
                           .limits = {.wall_ms = 60000}};
    CLEANUP(proc_result_release) ProcResult result = {0};
    Error err = {0};
    assert_ok(runner_run(fixture->runner, &request, &result, &err), err);
    if (!proc_ok(&result))
        fail_msg("%s refuses %zu passes: %.500s", fixture->opt, pipeline.len, str_text(&result.err));
    vec_release(&choice);
    vec_release(&pipeline);
}

static void test_opt_accepts_what_is_printed(void **state) {
    Fixture *fixture = *state;
    size_t newest = 0;
    open_catalogue(fixture, oldest_opt());
    for (uint64_t i = 0; i < 8; i++)
        check_accepted(fixture, (PipelineStyle){.shared = i & 1, .verify = i & 2}, i);
    for (size_t i = 0; i < ARRAY_LEN(opts); i++)
        newest = access(opts[i], X_OK) == 0 ? i : newest;
    open_catalogue(fixture, opts[newest]);
    for (uint64_t i = 0; i < 8; i++)
        check_accepted(fixture, (PipelineStyle){.shared = i & 1, .verify = i & 2}, i);
}

static void test_nesting_messages(void **state) {
    (void)state;
    assert_true(catalogue_is_nesting_message("LLVM ERROR: LICM requires MemorySSA (loop-mssa)\n"));
    assert_false(catalogue_is_nesting_message("Assertion `MSSA' failed"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_styles),
        cmocka_unit_test(test_malformed_pipelines_are_refused),
        cmocka_unit_test(test_managers_dissolve),
        cmocka_unit_test(test_nesting_messages),
        cmocka_unit_test(test_making_a_catalogue_shows_progress),
        cmocka_unit_test(test_a_missing_opt_is_an_error),
        cmocka_unit_test(test_catalogue_knows_kinds_and_production),
        cmocka_unit_test(test_production_has_the_parameters_of_pipelines),
        cmocka_unit_test(test_catalogue_survives_json),
        cmocka_unit_test(test_the_cache_is_read),
        cmocka_unit_test(test_user_strings_are_resolved),
        cmocka_unit_test(test_print_and_parse_agree),
        cmocka_unit_test(test_opt_accepts_what_is_printed),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
