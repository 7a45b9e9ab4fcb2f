/* Reduction's pure parts: atoms against a naive model, layout, the rules' proposals on small programs. */
#include "unit.h"

#include "base/file.h"
#include "base/rng.h"
#include "proc/scratch.h"
#include "reduce/atoms.h"
#include "reduce/layout.h"
#include "reduce/merge.h"
#include "reduce/reduce.h"
#include "reduce/rules.h"
#include "clang/tree.h"

/* Disjoint removals of single bytes: the model drops them (and puts the separating space that the module puts). */
static void atoms_agree_with_a_model(void **state) {
    (void)state;
    Rng rng = rng_from_seed(1);
    for (int round = 0; round < 200; round++) {
        char text[] = "abcdefghijklmnopqrstuvwxyz";
        Atoms atoms = {0};
        Bitset selected;
        Str expected = {0}, got = {0};
        bitset_init(&selected, strlen(text));
        for (uint32_t i = 0; i < strlen(text); i++) {
            atoms_replace(&atoms, i, i + 1, "X");
            bool chosen = rng_chance(&rng, 30);
            if (chosen)
                bitset_set(&selected, i);
            str_append_char(&expected, chosen ? 'X' : text[i]);
        }
        assert_int_equal(atoms_apply(&atoms, &selected, text, strlen(text), &got), bitset_count(&selected) > 0);
        assert_string_equal(str_text(&got), str_text(&expected));
        atoms_release(&atoms);
        bitset_release(&selected);
        str_release(&expected);
        str_release(&got);
    }
}

static void an_outer_edit_swallows_inner_ones(void **state) {
    (void)state;
    Atoms atoms = {0};
    Bitset all;
    CLEANUP(str_release) Str got = {0};
    atoms_replace(&atoms, 4, 6, "in");
    atoms_replace(&atoms, 2, 8, "<out>");
    atoms_remove(&atoms, 9, 10);
    bitset_init(&all, atoms.count);
    for (size_t i = 0; i < atoms.count; i++)
        bitset_set(&all, i);
    assert_true(atoms_apply(&atoms, &all, "0123456789", 10, &got));
    assert_string_equal(str_text(&got), "01<out>8 ");
    atoms_release(&atoms);
    bitset_release(&all);
}

static void layout_is_readable(void **state) {
    (void)state;
    static const char text[] =
        "struct{int b;}v;/* gone */int a[]={1,2};int f(int x){if(x>-1&&*p)return-x;do{x++;}while(x);"
        "for(i=0;i<3;i++)a[i]=(int)x;}int main(){return f(1);}";
    CLEANUP(str_release) Str got = {0}, again = {0};
    layout(text, strlen(text), &got);
    assert_string_equal(str_text(&got),
                        "struct {\n  int b;\n} v;\nint a[] = { 1, 2 };\nint f(int x) {\n"
                        "  if (x > -1 && *p) return -x;\n  do {\n    x++;\n  } while (x);\n"
                        "  for (i = 0; i < 3; i++) a[i] = (int) x;\n}\nint main() {\n  return f(1);\n}\n");
    layout(str_text(&got), got.len, &again);
    assert_string_equal(str_text(&again), str_text(&got));
    assert_int_equal(reduce_count_tokens(str_text(&got), got.len), reduce_count_tokens(text, strlen(text)));
}

static const Rule *find_rule(const char *name) {
    const Rule *const lists[] = {removal_rules, simplification_rules, declaration_rules,
                                 data_rules,    inline_rules,         token_rules};
    for (size_t i = 0; i < ARRAY_LEN(lists); i++)
        for (const Rule *rule = lists[i]; rule->name; rule++)
            if (strcmp(rule->name, name) == 0)
                return rule;
    fail_msg("there is no rule '%s'", name);
    return NULL;
}

/* The text with all of the rule's proposals made, white space squeezed. */
static void apply_all(const char *rule, const char *text, Str *ret_text) {
    Parser *parser = parser_new("x.c", NULL);
    Error err;
    Tree *tree = parser_parse(parser, text, strlen(text), &err);
    Atoms atoms = {0};
    Bitset all;
    CLEANUP(str_release) Str changed = {0};
    assert_non_null(tree);
    find_rule(rule)->propose(tree, &atoms);
    bitset_init(&all, atoms.count);
    for (size_t i = 0; i < atoms.count; i++)
        bitset_set(&all, i);
    atoms_apply(&atoms, &all, text, strlen(text), &changed);
    for (size_t i = 0; i < changed.len; i++)
        if (changed.data[i] != ' ' || (ret_text->len && ret_text->data[ret_text->len - 1] != ' '))
            str_append_char(ret_text, changed.data[i]);
    str_trim(ret_text);
    bitset_release(&all);
    atoms_release(&atoms);
    tree_free(tree);
    parser_free(parser);
}

static void rules_propose(void **state) {
    (void)state;
    static const struct {
        const char *rule, *before, *after;
    } cases[] = {
        {"functions", "int f(int a){return a;} int main(){f(1); return f(2)+1;}", "int main(){; return 0+1;}"},
        {"declarations", "int a, b; int main(){}", ""},
        {"variables", "int a; int main(){a = 1; a++; return a;}", "int main(){; ; return 0;}"},
        {"members", "int a, b; int main(){int c = 1, d, e; return c;}", "int a ; int main(){int c = 1 ; return c;}"},
        {"parameters", "int f(int a, int b){return a;} int main(){return f(1, 2);}",
         "int f( int b){int a = 0;return a;} int main(){return f( 2);}"},
        {"bodies", "int main(){if (1) return 2; while (0) ;}", "int main(){return 2; ;}"},
        {"without else", "int main(){if (1) return 2; else return 3;}", "int main(){if (1) return 2; }"},
        {"zero", "int g; int main(){return g + 1;}", "int g; int main(){return 0;}"},
        {"first operands", "int g; int main(){return g + 1;}", "int g; int main(){return g;}"},
        {"scalars", "int a[3]; int main(){return a[1];}", "int a ; int main(){return a ;}"},
        {"members apart", "struct S { int m, n; }; struct S s = {1, 2}; int main(){return s.n;}",
         "struct S { int m, n; }; int s_1 = 2; struct S s = {1, 2}; int main(){return s_1;}"},
        {"members apart", "int a[3]; int main(){a[2] = 1; a[1] = 2; return a[2];}",
         "int a_1; int a_2; int a[3]; int main(){a_1 = 1; a_2 = 2; return a_1;}"},
        {"pointers", "int x; int *p = &x; int f(int *q){return q[0];} int main(){p = &x; return *p + f(&x);}",
         "int x; int p = x; int f(int q){return q ;} int main(){p = x; return p + f( x);}"},
        {"pointers", "struct S {int m;} s, *p = &s; int main(){return p->m;}",
         "struct S {int m;} s, p = s; int main(){return p.m;}"},
        {"file scope", "int main(void){int x = 3, y; static long z = 1; return x;}",
         "static long z ; int main(void){int x = 3, y; return x;}"},
        {"one declaration", "int a; long l; int *b; int main(){int c = 1; return c;}",
         "int a, *b, c = 1; long l; int main(){ return c;}"},
        {"no address", "struct S {int m;} s; int main(){return *(&s.m) + (&s)->m;}",
         "struct S {int m;} s; int main(){return s.m + s.m;}"},
        {"without switch", "int main(){int x = 1; switch (x) {case 1: x = 2; break; default: x = 3;} return x;}",
         "int main(){int x = 1; { x = 2; ; x = 3;} return x;}"},
        {"loops once", "int x; int main(){for (int i = 0; i < 3; i++) x = i; return x;}",
         "int x; int main(){{ int i = 0; x = i; } return x;}"},
        {"int where it is shown", "int printf(const char *, ...); long x; int main(){printf(\"%d%% %lu\", 1, x);}",
         "int printf(const char *, ...); int x; int main(){printf(\"%d%% %d\", 1, x);}"},
        {"assigned values", "int printf(const char *, ...); long x; int y; int main(){x = y; printf(\"%ld\", x);}",
         "int printf(const char *, ...); long x; int y; int main(){; printf(\"%d\", y);}"},
        {"first operands", "int printf(const char *, ...); int y; int main(){printf(\"%ld\", y + 1L);}",
         "int printf(const char *, ...); int y; int main(){printf(\"%d\", y);}"},
        {"known parameters", "int f(int a, int b){return a + b;} int main(){return f(1, 2) + f(3, 2);}",
         "int f(int a ){int b = 2;return a + b;} int main(){return f(1 ) + f(3 );}"},
        {"initialised variables", "int x = 1; int main(){int y; y = x; x = 2; return y;}",
         "int x = 2; int main(){int y = x; ; ; return y;}"},
        {"assigned values", "int x, y; int main(){x = y + 1; y = x; x++; return x;}",
         "int x, y; int main(){; ; x++; return x;}"},
        {"inlined variables", "int main(){int x = 1 + 2; return x;}", "int main(){ return (1 + 2);}"},
        {"inlined calls", "int g; void f(int a){g = a;} int main(){f(3); return g;}",
         "int g; int main(){{ g = 3; } return g;}"},
        {"inlined calls", "int g; void f(int a){g = a++;} int main(){f(g + 1); return g;}",
         "int g; int main(){{ int a = g + 1; g = a++; } return g;}"},
        {"inlined calls", "int f(int a, int b){return a + b;} int main(){int g = f(1, 2 * 3); return g;}",
         "int main(){int g = (1 + (2 * 3)); return g;}"},
        {"inlined calls", "int g; int f(void){g++; return g;} int main(){g = f() + 1; return g;}",
         "int g; int main(){{ g++; g = g + 1; } return g;}"},
        {"inlined calls", "int g; int f(int a){if (a) return 1; return 2;} int main(){return f(g);}",
         "int g; int f(int a){if (a) return 1; return 2;} int main(){return f(g);}"},
        {"int for arithmetic types", "unsigned long x; char y; int z;", "int x; int y; int z;"},
        {"words", "static const int x __attribute__((aligned(8))) = 1;", "int x = 1;"},
        {"names", "int counter; int main(){return counter;}", "int a; int main(){return a;}"},
        {"plainer forms", "int x; int main(){x += 2; return 0;}", "int x; int main(){x = 2; return 0;}"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(str_release) Str got = {0};
        apply_all(cases[i].rule, cases[i].before, &got);
        if (strcmp(str_text(&got), cases[i].after) != 0)
            fail_msg("%s: got '%s', expected '%s'", cases[i].rule, str_text(&got), cases[i].after);
    }
}

/* csmith.h includes one header on both sides of an #ifdef: whichever is taken, the header must be there. Files that two sources
 * share are put in for the first alone, and those that include each other do not go on for ever. */
static void headers_are_put_in_where_they_count(void **state) {
    (void)state;
    static const char *const files[][2] = {
        {"a.c", "#ifdef NEVER\n#include \"x.h\"\n#else\n#include \"x.h\"\n#endif\n"},
        {"b.c", "#include \"x.h\"\nint b;\n"},
        {"x.h", "int x;\n#include \"y.h\"\n"},
        {"y.h", "int y;\n#include \"x.h\"\n"},
    };
    CLEANUP(scratch_release) Scratch scratch = {0};
    CLEANUP(strlist_release) StrList sources = {0};
    CLEANUP(str_release) Str text = {0};
    Error err = {0};
    assert_ok(scratch_new(&scratch, &err), err);
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        CLEANUP(mem_freep) char *path = path_of(scratch.path, files[i][0]);
        assert_ok(file_write_text(path, files[i][1], &err), err);
    }
    const Bug bug = {.id = "b", .dir = scratch.path};
    strlist_add(&sources, "a.c");
    strlist_add(&sources, "b.c");
    assert_ok(merge_sources(&bug, &sources, &text, &err), err);
    assert_string_equal(str_text(&text), "#ifdef NEVER\nint x;\nint y;\n#else\nint x;\nint y;\n#endif\nint b;\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_are_put_in_where_they_count),
        cmocka_unit_test(atoms_agree_with_a_model),
        cmocka_unit_test(an_outer_edit_swallows_inner_ones),
        cmocka_unit_test(layout_is_readable),
        cmocka_unit_test(rules_propose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
