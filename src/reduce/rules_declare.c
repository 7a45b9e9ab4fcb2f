/* Declarations become plainer: types, bounds, words like static, initialisers, what functions return. */
#include <string.h>

#include "base/str.h"
#include "reduce/format.h"
#include "reduce/rules.h"
#include "reduce/span.h"

static bool word_in(const Tree *tree, const Token *token, const char *const *words) {
    for (; *words; words++)
        if (token_is(tree->text, token, *words))
            return true;
    return false;
}

/* static, const, volatile, … and attributes with their parentheses */
static void propose_fewer_words(const Tree *tree, Atoms *atoms) {
    static const char *const words[] = {"static",        "const",   "volatile",   "inline",   "register",
                                        "restrict",      "extern",  "__inline__", "__inline", "__restrict",
                                        "__extension__", "_Atomic", "constexpr",  NULL};
    static const char *const attributes[] = {"__attribute__", "__attribute", "_Alignas", "_Noreturn", NULL};
    for (size_t i = 0; i < tree->tokens.len; i++) {
        const Token *token = &tree->tokens.items[i], *open = token + 1;
        if (token->directive)
            continue;
        if (word_in(tree, token, words))
            atoms_remove(atoms, token->begin, token->end);
        else if (word_in(tree, token, attributes)) {
            bool has_list = i + 1 < tree->tokens.len && token_is(tree->text, open, "(");
            const Token *close = has_list ? token_closing(tree, open) : token;
            if (close)
                atoms_remove(atoms, token->begin, close->end);
        }
    }
}

static const char *const arithmetic_words[] = {"unsigned", "signed",    "long",     "short",    "char",     "int",
                                               "_Bool",    "bool",      "float",    "double",   "int8_t",   "int16_t",
                                               "int32_t",  "int64_t",   "uint8_t",  "uint16_t", "uint32_t", "uint64_t",
                                               "size_t",   "ptrdiff_t", "__int128", NULL};

/* The first token, from this one on and before the byte, that names an arithmetic type other than int, and the last of
 * the words that go with it; NULL if there is none. */
static const Token *arithmetic_type(const Tree *tree, const Token *token, uint32_t before, const Token **ret_last) {
    const Token *end = tree->tokens.items + tree->tokens.len;
    for (; token && token < end && token->begin < before; token++) {
        const Token *last = token;
        if (token->directive || !word_in(tree, token, arithmetic_words))
            continue;
        while (last + 1 < end && word_in(tree, last + 1, arithmetic_words))
            last++;
        *ret_last = last;
        if (token != last || !token_is(tree->text, token, "int"))
            return token;
        token = last;
    }
    return NULL;
}

/* Arithmetic type names become int. */
static void propose_int(const Tree *tree, Atoms *atoms) {
    const Token *first = tree->tokens.items, *last;
    while ((first = arithmetic_type(tree, first, UINT32_MAX, &last))) {
        atoms_replace(atoms, first->begin, last->end, "int");
        first = last + 1;
    }
}

/* long x; … printf("%ld", x); becomes int x; … printf("%d", x); */
static void propose_shown_int(const Tree *tree, Atoms *atoms) {
    static const Type int_type = {.class = TYPE_INTEGER, .bare = "int", .bits = 32, .is_signed = true};
    for (const Node *node = tree->root; node; node = node_next(node, tree->root)) {
        const Token *last, *first = NULL;
        if (node->kind == NODE_VARIABLE && node_editable(node))
            first = arithmetic_type(tree, token_from(tree, node->begin), node->name_begin, &last);
        CLEANUP(node_list_release) NodeList uses = {0};
        bool shown = false;
        if (first)
            node_uses(tree, node, &uses);
        for (size_t i = 0; i < uses.len && !shown; i++)
            shown = format_of(uses.items[i]) != NULL;
        if (shown) {
            atoms_replace(atoms, first->begin, last->end, "int");
            for (size_t i = 0; i < uses.len; i++)
                format_follow(tree, atoms, uses.items[i], &int_type);
        }
    }
}

/* Named types become int. */
static void propose_int_for_names(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root)) {
        if (node->kind != NODE_TYPE_REF || !node_editable(node))
            continue;
        const Token *before = token_before(tree, node->begin);
        static const char *const tags[] = {"struct", "union", "enum", NULL};
        bool tagged = before && word_in(tree, before, tags);
        atoms_replace(atoms, tagged ? before->begin : node->begin, node->end, "int");
    }
}

/* Variables without their initialisers. */
static void propose_no_initialisers(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root)) {
        if (node->role != ROLE_INITIALIZER || !node_editable(node))
            continue;
        const Token *equals = token_before(tree, node->begin);
        if (equals && token_is(tree->text, equals, "="))
            atoms_remove(atoms, equals->begin, node->end);
    }
}

/* Initialiser lists become {0}. */
static void propose_zero_lists(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root))
        if (node->kind == NODE_INIT_LIST && node_editable(node) && !node_has_text(tree, node, "{0}"))
            atoms_replace(atoms, node->begin, node->end, node->parent->kind == NODE_INIT_LIST ? "0" : "{0}");
}

/* Bounds of arrays become 1, widths of bit-fields go. */
static void propose_bounds(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root)) {
        if (node->role != ROLE_BOUND || !node_editable(node))
            continue;
        const Token *before = token_before(tree, node->begin);
        if (before && token_is(tree->text, before, "[") && !node_has_text(tree, node, "1"))
            atoms_replace(atoms, node->begin, node->end, "1");
        else if (before && token_is(tree->text, before, ":") && node->parent->kind == NODE_FIELD)
            atoms_remove(atoms, before->begin, node->end);
    }
}

/* --- Functions --- */

static void propose_empty_bodies(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root->first; node; node = node->next) {
        const Node *body = function_body(node);
        if (body && node_editable(body) && body->first)
            atoms_replace(atoms, body->begin, body->end, "{}");
    }
}

/* T f() { … return e; } becomes void f() { … return; } */
static void propose_void(const Tree *tree, Atoms *atoms) {
    for (const Node *function = tree->root->first; function; function = function->next) {
        const Node *body = function_body(function);
        if (!body || !node_editable(function) || !function->name_begin || str_equal(function->name, "main"))
            continue;
        atoms_begin(atoms);
        for (const Node *other = tree->root->first; other; other = other->next)
            if (other->kind == NODE_FUNCTION && node_editable(other) && str_equal(other->name, function->name))
                atoms_edit(atoms, other->begin, other->name_begin, "void ", strlen("void "));
        for (const Node *node = body; node; node = node_next(node, body))
            if (node->kind == NODE_RETURN && node->first && node_editable(node))
                atoms_edit(atoms, node->begin, node->end, "return", strlen("return"));
    }
}

const Rule declaration_rules[] = {
    {.name = "empty bodies", .propose = propose_empty_bodies},
    {.name = "zero lists", .propose = propose_zero_lists},
    {.name = "initialisers", .propose = propose_no_initialisers},
    {.name = "words", .propose = propose_fewer_words},
    {.name = "bounds", .propose = propose_bounds},
    {.name = "void functions", .propose = propose_void},
    {.name = "int for arithmetic types", .propose = propose_int},
    {.name = "int where it is shown", .propose = propose_shown_int},
    {.name = "int for named types", .propose = propose_int_for_names},
    {0},
};
