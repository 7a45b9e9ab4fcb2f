/* What is known beside coverage: how clues are kept, read from sources, weighed, and told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "isolate/clue_evidence.h"
#include "isolate/unchanged.h"
#include "isolate_helpers.h"
#include "proc/scratch.h"
#include "subject/fixes.h"

/* The factor of a file's first line; 1 if there is no clue of the kind. */
static double factor(const Isolation *isolation, ClueKind kind, size_t unit) {
    double *evidence = clue_evidence(isolation, &isolation->spectrum, kind);
    double value = evidence ? evidence[unit] : 1;
    free(evidence);
    return value;
}

static void test_clues_survive_json(void **unused) {
    (void)unused;
    Clues clues = {0}, again = {0};
    clues_add(&clues, CLUE_STACK, 3, NULL, "f", NULL);
    clues_add(&clues, CLUE_NAMED, 1, "a.c", NULL, "triage names it");
    CLEANUP(json_freep) Json *json = clues_json(&clues);
    json_push(json, json_new_text("no clue"));
    clues_read(json, &again);
    assert_int_equal(again.len, 2);
    assert_int_equal(again.items[0].kind, CLUE_STACK);
    assert_int_equal(again.items[0].number, 3);
    assert_null(again.items[0].file);
    assert_string_equal(again.items[0].function, "f");
    assert_string_equal(again.items[1].why, "triage names it");
    clues_release(&clues);
    clues_release(&again);
}

/* Frames of functions that every program executes say nothing; specific ones speak against their file. */
static void test_stack_counts_by_how_special_a_frame_is(void **unused) {
    (void)unused;
    Isolation isolation;
    UnitTable table;
    set_up(&isolation, &table); /* a.c: f, g; b.c: h, i */
    clues_add(&isolation.clues, CLUE_STACK, 1, NULL, "f", NULL);
    clues_add(&isolation.clues, CLUE_STACK, 2, NULL, "i", NULL);
    for (int run = 0; run < 30; run++) /* ordinary programs execute f */
        add(&isolation, WITNESS_ORDINARY, "1000");
    assert_true(factor(&isolation, CLUE_STACK, 3) > factor(&isolation, CLUE_STACK, 0));
    isolation_release(&isolation);
    unit_table_release(&table);
}

/* A crash in a check was caused by somebody else. */
static void test_stack_of_a_check_is_not_used(void **unused) {
    (void)unused;
    Isolation isolation;
    UnitTable table;
    set_up(&isolation, &table);
    clues_add(&isolation.clues, CLUE_STACK, 1, NULL, "f", NULL);
    assert_true(factor(&isolation, CLUE_STACK, 0) > factor(&isolation, CLUE_STACK, 2));
    clues_add(&isolation.clues, CLUE_STACK, 2, NULL, "verify_gimple_in_cfg", NULL);
    assert_null(clue_evidence(&isolation, &isolation.spectrum, CLUE_STACK));
    isolation_release(&isolation);
    unit_table_release(&table);
}

static void test_history_and_damage_weigh_files(void **unused) {
    (void)unused;
    Isolation isolation;
    UnitTable table;
    set_up(&isolation, &table);
    assert_null(clue_evidence(&isolation, &isolation.spectrum, CLUE_HISTORY));
    clues_add(&isolation.clues, CLUE_HISTORY, 9, "b.c", NULL, NULL);
    clues_add(&isolation.clues, CLUE_HISTORY, 99, "elsewhere.c", NULL, NULL);
    assert_true(factor(&isolation, CLUE_HISTORY, 2) > factor(&isolation, CLUE_HISTORY, 0));
    assert_true(factor(&isolation, CLUE_HISTORY, 2) < 1);
    clues_add(&isolation.clues, CLUE_DAMAGE, 1, "a.c", NULL, NULL);
    assert_true(factor(&isolation, CLUE_DAMAGE, 0) > factor(&isolation, CLUE_DAMAGE, 2));
    isolation_release(&isolation);
    unit_table_release(&table);
}

static void test_front_end_is_less_suspicious(void **unused) {
    (void)unused;
    Isolation isolation;
    UnitTable table;
    set_up(&isolation, &table);
    assert_null(clue_evidence(&isolation, &isolation.spectrum, CLUE_FRONT_END));
    clues_add(&isolation.clues, CLUE_FRONT_END, 1, "b.", NULL, NULL);
    assert_true(factor(&isolation, CLUE_FRONT_END, 2) < 1);
    assert_true(factor(&isolation, CLUE_FRONT_END, 0) == 1);
    isolation_release(&isolation);
    unit_table_release(&table);
}

/* What the passing run of the pair executes as well is less suspicious than what only the failing one does. */
static void test_the_tightest_pair(void **unused) {
    (void)unused;
    Isolation isolation;
    UnitTable table;
    IsolateOptions options = isolate_defaults();
    set_up(&isolation, &table);
    add(&isolation, WITNESS_STEP, "1110");
    isolation_rank(&isolation, &options);
    assert_string_equal(unit_function_name(&table, isolation.functions.items[0].group), "i");
    assert_non_null(isolation.evidence[WITNESS_STEP]);
    isolation_release(&isolation);
    unit_table_release(&table);
}

static void test_fixes_of_a_changelog(void **unused) {
    (void)unused;
    static const char log[] =
        "2021-03-04  A  <a@b>\n\n\tPR target/1\n\t* tree-cfg.c (f): New.\n\t* config/i386/i386.c,\n"
        "\tomp-low.c (g): Likewise.\n\n2021-03-03  B  <a@b>\n\n\t* tree-cfg.c: Tidy.\n\n"
        "2021-03-02  C  <a@b>\n\n\tPR c/2\n\t* tree-cfg.c: Fix a.b.\n\t* tree-cfg.c (h): Too.\n";
    Map fixes = {0};
    fixes_read_changelog(log, "gcc", &fixes);
    assert_int_equal(fixes.len, 3);
    assert_int_equal(map_find_str(&fixes, "gcc/tree-cfg.c")->value, 2);
    assert_int_equal(map_find_str(&fixes, "gcc/config/i386/i386.c")->value, 1);
    assert_int_equal(map_find_str(&fixes, "gcc/omp-low.c")->value, 1);
    fixes_read_changelog("", "gcc", &fixes);
    fixes_read_changelog("no entry\n\t* ", "gcc", &fixes);
    map_release(&fixes);
}

static void write_file(const char *dir, const char *name, const char *text) {
    CLEANUP(mem_freep) char *path = path_of(dir, name);
    Error err;
    if (!file_write(path, text, strlen(text), &err))
        fail_msg("%s", err.text);
}

/* Sources that were renamed keep the fixes of their old name; what is gone altogether keeps its own. */
static void test_fixes_follow_renames(void **unused) {
    (void)unused;
    Error err;
    Scratch root = {0};
    Map fixes = {0};
    assert_true(scratch_new(&root, &err));
    CLEANUP(mem_freep) char *gcc = path_of(root.path, "gcc");
    assert_true(dir_make(gcc, &err));
    write_file(gcc, "new.cc", "");
    write_file(gcc, "ChangeLog", "2022-03-04  A\n\n\tPR c/3\n\t* new.cc: Mend.\n");
    write_file(gcc, "ChangeLog-2021", "2021-03-04  A\n\n\tPR c/1\n\t* new.c: Mend.\n\t* gone.c: Likewise.\n");
    assert_true(fixes_count(root.path, NULL, &fixes, &err));
    assert_int_equal(map_find_str(&fixes, "gcc/new.cc")->value, 2);
    assert_null(map_find_str(&fixes, "gcc/gone.cc"));
    map_release(&fixes);
    scratch_release(&root);
}

/* a.c has f on line 1 and g on line 2, b.c h and i likewise. f moved, g changed; b.c became b.cc and kept h. */
static void test_functions_that_did_not_change(void **unused) {
    (void)unused;
    Isolation isolation;
    UnitTable table;
    Error err;
    Scratch now = {0}, good = {0};
    set_up(&isolation, &table);
    assert_true(scratch_new(&now, &err) && scratch_new(&good, &err));
    write_file(now.path, "a.c", "int f (void) { return 1;\n}\nint g (void) { return 2;\n}\n");
    write_file(good.path, "a.c", "int x;\n\nint  f (void)\n{ return 1;\n}\nint g (void) { return 3;\n}\n");
    write_file(now.path, "b.c", "int h; }\nint i;\n}\n");
    write_file(good.path, "b.cc", "int h; }\n\nint i; }\n");
    assert_true(unchanged_functions(&table, &isolation.spectrum.suspects, now.path, good.path, &isolation.clues, &err));
    assert_int_equal(isolation.clues.len, 3); /* f; line 2 of a.c is f's bracket and g; h and i */
    assert_true(factor(&isolation, CLUE_UNCHANGED, 0) < 1);
    assert_true(factor(&isolation, CLUE_UNCHANGED, 1) == 1);
    assert_false(
        unchanged_functions(&table, &isolation.spectrum.suspects, now.path, "/nowhere", &isolation.clues, &err));
    scratch_release(&now);
    scratch_release(&good);
    isolation_release(&isolation);
    unit_table_release(&table);
}

static bool tells(const StrList *clauses, const char *part) {
    for (size_t i = 0; i < clauses->len; i++)
        if (strstr(clauses->items[i], part))
            return true;
    return false;
}

static void test_reasons_are_told(void **unused) {
    (void)unused;
    Isolation isolation;
    UnitTable table;
    IsolateOptions options = isolate_defaults();
    CLEANUP(strlist_release) StrList clauses = {0};
    set_up(&isolation, &table);
    add(&isolation, WITNESS_OPTION, "1100");
    isolation.witnesses.items[0].summary = mem_strdup("-fno-x");
    add(&isolation, WITNESS_MUTANT, "1100");
    clues_add(&isolation.clues, CLUE_NAMED, 1, "b.c", NULL, "triage names it");
    clues_add(&isolation.clues, CLUE_STACK, 1, NULL, "i", NULL);
    isolation_rank(&isolation, &options);
    isolation_reasons(&isolation, (uint32_t)unit_table_find_file(&table, "b.c"), &clauses);
    assert_true(tells(&clauses, "triage names it"));
    assert_true(tells(&clauses, "with -fno-x the bug is gone, and 100%"));
    assert_true(tells(&clauses, "1 of 1 mutants"));
    assert_true(tells(&clauses, "i (frame 1)"));
    strlist_clear(&clauses);
    isolation_reasons(&isolation, (uint32_t)unit_table_find_file(&table, "a.c"), &clauses);
    assert_int_equal(clauses.len, 0);
    isolation_release(&isolation);
    unit_table_release(&table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clues_survive_json),
        cmocka_unit_test(test_stack_counts_by_how_special_a_frame_is),
        cmocka_unit_test(test_stack_of_a_check_is_not_used),
        cmocka_unit_test(test_history_and_damage_weigh_files),
        cmocka_unit_test(test_front_end_is_less_suspicious),
        cmocka_unit_test(test_the_tightest_pair),
        cmocka_unit_test(test_fixes_of_a_changelog),
        cmocka_unit_test(test_fixes_follow_renames),
        cmocka_unit_test(test_functions_that_did_not_change),
        cmocka_unit_test(test_reasons_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
