/* The tree: kinds, ranges, roles, types, references, macros, broken programs; and scopes. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "clang/scope.h"
#include "clang/tree.h"

typedef struct Parsed {
    Parser *parser;
    Tree *tree;
} Parsed;

static Parsed parse(const char *text) {
    Parsed parsed = {.parser = parser_new("t.c", NULL)};
    Error err = {0};
    parsed.tree = parser_parse(parsed.parser, text, strlen(text), &err);
    if (!parsed.tree)
        fail_msg("%s", err.text);
    return parsed;
}

static void parsed_release(Parsed *parsed) {
    tree_free(parsed->tree);
    parser_free(parsed->parser);
}

static Node *find(const Tree *tree, NodeKind kind, const char *name) {
    for (Node *node = tree->root; node; node = node_next(node, tree->root))
        if (node->kind == kind && (!name || str_equal(node->name, name)))
            return node;
    return NULL;
}

/* Each text has one node of the kind that stands for `piece`, with the role. */
static void test_ranges_and_roles(void **unused) {
    (void)unused;
    static const struct {
        const char *text;
        NodeKind kind;
        NodeRole role;
        const char *piece;
    } cases[] = {
        {"int a = 1 + 2;", NODE_BINARY, ROLE_INITIALIZER, "1 + 2"},
        {"int a[3];", NODE_INTEGER, ROLE_BOUND, "3"},
        {"void f(int x) { if (x) ; else return; }", NODE_RETURN, ROLE_ELSE, "return"},
        {"void f(int x) { if (x) ; else return; }", NODE_NAME, ROLE_CONDITION, "x"},
        {"void f(int x) { for (;; x++) ; }", NODE_UNARY, ROLE_STEP, "x++"},
        {"void f(int x) { for (; x < 3;) ; }", NODE_BINARY, ROLE_CONDITION, "x < 3"},
        {"void f(int x) { for (x = ({ 1; });;) ; }", NODE_ASSIGN, ROLE_FIRST, "x = ({ 1; })"},
        {"void f(int x) { do x--; while (1); }", NODE_UNARY, ROLE_BODY, "x--"},
        {"void f(int x) { switch (x) { case 4: ; } }", NODE_INTEGER, ROLE_BOUND, "4"},
        {"int f(int x) { return f(-x); }", NODE_UNARY, ROLE_ARGUMENT, "-x"},
        {"struct s { int b : 7; };", NODE_INTEGER, ROLE_BOUND, "7"},
        {"void f(void) { l: goto l; }", NODE_GOTO, ROLE_BODY, "goto l"},
        {"char *s = \"a\" \"b\";", NODE_STRING, ROLE_INITIALIZER, "\"a\" \"b\""},
        {"#define N 7\nint a = N;", NODE_INTEGER, ROLE_INITIALIZER, "N"},
        {"#define ADD(x, y) x + y\nint a = ADD(1, 2);", NODE_BINARY, ROLE_INITIALIZER, "ADD(1, 2)"},
        {"int f(int x) { return x ?: 4; }", NODE_INTEGER, ROLE_NONE, "4"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(parsed_release) Parsed parsed = parse(cases[i].text);
        Node *node = find(parsed.tree, cases[i].kind, NULL);
        assert_non_null(node);
        CLEANUP(mem_freep) char *piece = strndup(cases[i].text + node->begin, node->end - node->begin);
        assert_string_equal(piece, cases[i].piece);
        assert_int_equal(node->role, cases[i].role);
    }
}

static void test_operators(void **unused) {
    (void)unused;
    for (Operator op = OP_MUL; op < OP_COUNT; op++) {
        CLEANUP(str_release) Str text = {0};
        str_printf(&text, "void f(int a, int b) { a %s /* ) */ b; }", operator_spelling(op));
        CLEANUP(parsed_release) Parsed parsed = parse(str_text(&text));
        bool assigns = op >= OP_ASSIGN && op != OP_COMMA;
        Node *node = find(parsed.tree, assigns ? NODE_ASSIGN : NODE_BINARY, NULL);
        assert_non_null(node);
        assert_int_equal(node->op, op);
        assert_int_equal(node->op_begin, 25);
        assert_int_equal(node->op_end - node->op_begin, strlen(operator_spelling(op)));
    }
}

static void test_types(void **unused) {
    (void)unused;
    static const struct {
        const char *declaration;
        TypeClass class;
        uint32_t bits;
        unsigned qualifiers;
        const char *spelling;
    } cases[] = {
        {"int v", TYPE_INTEGER, 32, 0, "int"},
        {"unsigned char v", TYPE_INTEGER, 8, 0, "unsigned char"},
        {"volatile long long v", TYPE_INTEGER, 64, QUALIFIER_VOLATILE, "volatile long long"},
        {"_Bool v", TYPE_BOOL, 8, 0, "_Bool"},
        {"typedef unsigned long word; const word v", TYPE_INTEGER, 64, QUALIFIER_CONST, "const unsigned long"},
        {"float v", TYPE_FLOATING, 32, 0, "float"},
        {"int *restrict v", TYPE_POINTER, 64, QUALIFIER_RESTRICT, "int *restrict"},
        {"char v[3]", TYPE_ARRAY, 24, 0, "char[3]"},
        {"struct s { int x; } v", TYPE_RECORD, 32, 0, "struct s"},
        {"enum e { A } v", TYPE_ENUM, 32, 0, "enum e"},
        {"int v __attribute__((vector_size(16)))", TYPE_VECTOR, 128, 0,
         "__attribute__((__vector_size__(4 * sizeof(int)))) int"},
        {"int (*v)(void)", TYPE_POINTER, 64, 0, "int (*)(void)"},
        {"_Decimal64 v", TYPE_FLOATING, 64, 0, "double"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(str_release) Str text = {0};
        str_printf(&text, "%s;", cases[i].declaration);
        CLEANUP(parsed_release) Parsed parsed = parse(str_text(&text));
        const Type *type = find(parsed.tree, NODE_VARIABLE, "v")->type;
        assert_string_equal(type->spelling, cases[i].spelling);
        assert_int_equal(type->class, cases[i].class);
        assert_int_equal(type->bits, cases[i].bits);
        assert_int_equal(type->qualifiers, cases[i].qualifiers);
    }
}

static void test_interchangeable_types(void **unused) {
    (void)unused;
    static const struct {
        const char *a, *b;
        bool interchangeable;
    } cases[] = {
        {"int a", "unsigned char b", true}, {"int a", "float b", false},    {"int *a", "int *b", true},
        {"int *a", "const int *b", true},   {"int *a", "char *b", false},   {"int *a", "int b[4]", false},
        {"struct s a", "struct s b", true}, {"struct s a", "int b", false}, {"int a[3]", "int b[3]", true},
        {"int a[3]", "int b[4]", false},    {"float a", "double b", true},  {"_Bool a", "enum { X } b", true},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(str_release) Str text = {0};
        str_printf(&text, "struct s { int x; }; %s; %s;", cases[i].a, cases[i].b);
        CLEANUP(parsed_release) Parsed parsed = parse(str_text(&text));
        const Type *a = find(parsed.tree, NODE_VARIABLE, "a")->type, *b = find(parsed.tree, NODE_VARIABLE, "b")->type;
        if (type_interchangeable(a, b) != cases[i].interchangeable)
            fail_msg("%s and %s: got %d", cases[i].a, cases[i].b, type_interchangeable(a, b));
    }
}

static void test_references(void **unused) {
    (void)unused;
    CLEANUP(parsed_release)
    Parsed parsed =
        parse("int a; struct s { int m; } s; int main(void) { int a = s.m; l: if (a) goto l; __builtin_abort(); }");
    const Tree *tree = parsed.tree;
    Node *local = find(tree, NODE_DECLARATION, NULL)->first;
    assert_ptr_equal(find(tree, NODE_NAME, "a")->decl, local);
    assert_ptr_equal(find(tree, NODE_MEMBER, "m")->decl, find(tree, NODE_FIELD, "m"));
    assert_ptr_equal(find(tree, NODE_GOTO, NULL)->decl, find(tree, NODE_LABEL, "l"));
    const Node *abort_name = find(tree, NODE_NAME, "__builtin_abort");
    assert_true(abort_name->decl->flags & NODE_EXTERNAL);
    assert_int_equal(tree->externals.len, 1);
    assert_ptr_equal(node_function(abort_name), find(tree, NODE_FUNCTION, "main"));
    assert_int_equal(node_statement(find(tree, NODE_MEMBER, "m"))->kind, NODE_DECLARATION);
}

static void test_flags(void **unused) {
    (void)unused;
    static const struct {
        const char *text;
        NodeKind kind;
        uint32_t set, unset;
    } cases[] = {
        {"int v;", NODE_VARIABLE, NODE_STATIC | NODE_DEFINITION, NODE_INTERNAL},
        {"extern int v;", NODE_VARIABLE, NODE_STATIC, NODE_DEFINITION},
        {"static int v = 3;", NODE_INTEGER, NODE_CONSTANT, NODE_IN_MACRO},
        {"void f(void) { int v = 3; }", NODE_INTEGER, 0, NODE_CONSTANT},
        {"void f(void) { static int v = 3; }", NODE_INTEGER, NODE_CONSTANT, 0},
        {"void f(void) { register int v; }", NODE_VARIABLE, NODE_REGISTER, NODE_STATIC},
        {"struct s { int b : 3; };", NODE_FIELD, NODE_BIT_FIELD, 0},
        {"int f(int x, ...);", NODE_FUNCTION, NODE_VARIADIC, NODE_DEFINITION},
        {"_Static_assert(1, \"\");", NODE_INTEGER, NODE_CONSTANT, 0},
        {"#define V 3\nint v[V];", NODE_INTEGER, NODE_CONSTANT | NODE_IN_MACRO, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(parsed_release) Parsed parsed = parse(cases[i].text);
        uint32_t flags = find(parsed.tree, cases[i].kind, NULL)->flags;
        if ((flags & cases[i].set) != cases[i].set || (flags & cases[i].unset))
            fail_msg("%s: flags %x, want %x and not %x", cases[i].text, flags, cases[i].set, cases[i].unset);
    }
}

static void test_modified(void **unused) {
    (void)unused;
    static const struct {
        const char *statement;
        bool modified;
    } cases[] = {
        {"y = x", false},        {"x = y", true},      {"x += 1", true}, {"++x", true},
        {"(x)--", true},         {"y = x + 1", false}, {"p = &x", true}, {"asm(\"\" : \"=r\"(x))", true},
        {"y = sizeof x", false}, {"y = -x", false},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(str_release) Str text = {0};
        str_printf(&text, "void f(int x, int y, int *p) { %s; }", cases[i].statement);
        CLEANUP(parsed_release) Parsed parsed = parse(str_text(&text));
        if (node_is_modified(find(parsed.tree, NODE_NAME, "x")) != cases[i].modified)
            fail_msg("%s: want %d", cases[i].statement, cases[i].modified);
    }
}

/* The statement that holds the @ ends, with its semicolon, at the $. */
static void test_statement_end(void **unused) {
    (void)unused;
    static const char *const cases[] = {
        "void f(int x) { @x++;$ }",          "void f(int x) { @if (x) x++;$ x--; }",
        "void f(int x) { @while (x) { }$ }", "void f(int x) { @do x--; while (x) ;$ x; }",
        "int f(int x) { @return x ;$ }",     "void f(int x) { @if (x) { } else x = 1;$ }",
        "void f(int x) { @{ x; }$ ; }",      "void f(int x) { @for (;;) for (;;) x = 1 /* ; */ ;$ }",
        "void f(int x) { @l: x;$ }",         "void f(int x) { @;$ ; }",
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(str_release) Str text = {0};
        uint32_t at = (uint32_t)strcspn(cases[i], "@"), end = (uint32_t)strcspn(cases[i], "$") - 1;
        for (const char *c = cases[i]; *c; c++)
            if (*c != '@' && *c != '$')
                str_append_char(&text, *c);
        CLEANUP(parsed_release) Parsed parsed = parse(str_text(&text));
        Node *body = find(parsed.tree, NODE_COMPOUND, NULL);
        assert_int_equal(body->first->begin, at);
        assert_int_equal(statement_end(parsed.tree, body->first), end);
    }
}

/* Every child inside its parent, in order, and every macro node as wide as its expansion: on programs of all sorts. */
static void check_shape(const Tree *tree) {
    size_t count = 0;
    for (const Node *node = tree->root; node; node = node_next(node, tree->root)) {
        assert_int_equal(node->index, count++);
        assert_true(node->begin <= node->end && node->end <= tree->len);
        if (node->parent)
            assert_true(node->parent->begin <= node->begin && node->end <= node->parent->end);
        if (node->previous)
            assert_true(node->previous->begin <= node->begin && node->previous->next == node);
    }
    assert_int_equal(count + tree->externals.len, tree->nodes);
}

static void test_broken_programs_give_what_is_left(void **unused) {
    (void)unused;
    static const char *const broken[] = {
        "int f(int x) { int g(int y) { return x + y; } return g(1); }", /* a GNU nested function */
        "int f(void) { return undeclared + 1; } int g = 2;",
        "int f( { } int x = 1 +;",
        "struct s { int x } y; int f(struct t z) { return z.q; }",
        "void f(void) { __label__ l; l: goto m; case 3: break; }",
        "int __GIMPLE (ssa) f(int a) { int _1; __BB(2): _1 = a_2(D) + 3; return _1; }", /* GCC's own language */
        "}}}}((((",
        "",
    };
    for (size_t i = 0; i < ARRAY_LEN(broken); i++) {
        CLEANUP(parsed_release) Parsed parsed = parse(broken[i]);
        assert_true((parsed.tree->errors > 0) == (*broken[i] != '\0'));
        check_shape(parsed.tree);
    }
    CLEANUP(parsed_release) Parsed nested = parse(broken[0]);
    assert_non_null(find(nested.tree, NODE_RETURN, NULL));
    CLEANUP(parsed_release) Parsed gimple = parse(broken[5]);
    assert_non_null(find(gimple.tree, NODE_VARIABLE, "_1"));
    CLEANUP(parsed_release) Parsed undeclared = parse(broken[1]);
    assert_non_null(find(undeclared.tree, NODE_VARIABLE, "g"));
}

/* Cuts and doubles pieces of a valid program; nothing may crash, and shapes stay sound. */
static void test_damaged_programs_keep_their_shape(void **unused) {
    (void)unused;
    static const char whole[] =
        "#define M(x) ((x) + 1)\nstruct s { int a : 3, b; } v, *p = &v;\nenum e { A, B = 2 };\n"
        "int f(int x, char *restrict q) { for (int i = 0; i < M(x); i++) { if (q[i]) v.a++; else goto l; }\n"
        "switch (x) { case A: return ({ x ?: 2; }); default: l: p->b = -x; } return sizeof(int); }\n";
    Rng rng = rng_from_seed(5);
    for (int round = 0; round < 60; round++) {
        CLEANUP(str_release) Str text = {0};
        str_append(&text, whole);
        for (int cuts = 0; cuts < 3; cuts++) {
            size_t at = rng_below(&rng, text.len), len = rng_below(&rng, MIN_OF(20u, text.len - at));
            str_remove(&text, at, len);
            if (rng_chance(&rng, 30))
                str_insert(&text, rng_below(&rng, text.len), whole + rng_below(&rng, 200), rng_below(&rng, 20));
        }
        CLEANUP(parsed_release) Parsed parsed = parse(str_text(&text));
        check_shape(parsed.tree);
    }
}

/* What a reduced program may not have, unless the original has it. */
static void test_strict_parsers_complain(void **unused) {
    (void)unused;
    static const struct {
        const char *text, *complaint; /* NULL: none */
    } cases[] = {
        {"int f(void) { return 1; }", NULL},
        {"f(void) { return 1; }", "-Wimplicit-int"},
        {"int f(void) { return g(); }", "-Wimplicit-function-declaration"},
        {"int f(void) { }", "-Wreturn-type"},
        {"int a[0];", "-Wzero-length-array"},
        {"struct s { } a;", "-Wgnu-empty-struct"},
        {"int f(void) { return 1 / 0; }", "-Wdivision-by-zero"},
        {"int f(void) { return }", "error"},
    };
    CLEANUP(strlist_release) StrList flags = {0};
    strlist_split(&flags, "gcc,t.c", ',');
    CLEANUP(parser_freep) Parser *parser = parser_new_strict("t.c", &flags);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(strlist_release) StrList kinds = {0};
        assert_true(parser_complaints(parser, cases[i].text, strlen(cases[i].text), &kinds));
        const char *first = kinds.len ? kinds.items[0] : NULL;
        if (!str_equal(first, cases[i].complaint))
            fail_msg("%s: got %s, expected %s", cases[i].text, first, cases[i].complaint);
    }
}

static void test_flags_are_filtered(void **unused) {
    (void)unused;
    CLEANUP(strlist_release) StrList flags = {0};
    strlist_split(&flags, "gcc-12,-O2,-fno-tree-dse,-D,N=3,--param=max-unroll=2,-std=gnu11,-mavx2,-o,a.out,fail.c",
                  ',');
    CLEANUP(parser_freep) Parser *parser = parser_new("fail.c", &flags);
    CLEANUP(tree_freep) Tree *tree = parser_parse(parser, "int a[N];", 9, NULL);
    assert_non_null(tree);
    assert_int_equal(tree->errors, 0);
    assert_int_equal(find(tree, NODE_VARIABLE, "a")->type->count, 3);
}

/* --- Scopes: the names visible at the @, innermost first --- */

static void test_scopes(void **unused) {
    (void)unused;
    static const struct {
        const char *text, *variables;
    } cases[] = {
        {"int a; void f(void) { @; } int b;", "a"},
        {"int a, b; void f(int p) { int x; @; int y; }", "x p b a"},
        {"int a; void f(char a) { @; }", "a"},
        {"void f(void) { { int x; } @; }", ""},
        {"void f(void) { { int x; }@; }", ""},
        {"void f(void) { for (int i = 0; i < @9; ) ; }", "i"},
        {"void f(void) { int x = @1; }", ""},
        {"void f(void) { int x = 1, y = @2; }", "x"},
        {"int a; void f(void) { enum { a }; @; }", ""},
        {"int f(int p); void g(int q) { @; }", "q"},
        {"int a; int g(void) { return @0; } int h(int z) { return z; }", "a"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(str_release) Str text = {0};
        CLEANUP(str_release) Str got = {0};
        uint32_t at = (uint32_t)strcspn(cases[i].text, "@");
        str_append(&text, cases[i].text);
        str_remove(&text, at, 1);
        CLEANUP(parsed_release) Parsed parsed = parse(str_text(&text));
        NodeList variables = {0};
        scope_variables(parsed.tree, at, &variables);
        for (size_t j = 0; j < variables.len; j++)
            str_printf(&got, "%s%s", j ? " " : "", variables.items[j]->name);
        vec_release(&variables);
        assert_string_equal(str_text(&got), cases[i].variables);
    }
}

static void test_fresh_names(void **unused) {
    (void)unused;
    static const struct {
        const char *text, *fresh;
    } cases[] = {{"int y;", "x"}, {"int x;", "x1"}, {"int x, x1; /* x2 */", "x2"}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(parsed_release) Parsed parsed = parse(cases[i].text);
        CLEANUP(str_release) Str fresh = {0};
        scope_fresh_name(parsed.tree, "x", &fresh);
        assert_string_equal(str_text(&fresh), cases[i].fresh);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges_and_roles),
        cmocka_unit_test(test_operators),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_interchangeable_types),
        cmocka_unit_test(test_references),
        cmocka_unit_test(test_flags),
        cmocka_unit_test(test_modified),
        cmocka_unit_test(test_statement_end),
        cmocka_unit_test(test_broken_programs_give_what_is_left),
        cmocka_unit_test(test_damaged_programs_keep_their_shape),
        cmocka_unit_test(test_strict_parsers_complain),
        cmocka_unit_test(test_flags_are_filtered),
        cmocka_unit_test(test_scopes),
        cmocka_unit_test(test_fresh_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
