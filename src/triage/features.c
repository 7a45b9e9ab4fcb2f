/* Features of a reduced program: the kinds of nodes, the operators and the types that it uses.
 *
 * Compilers without switches (tcc, pcc) give no pass to tell their bugs apart by. Programs that were reduced for the same
 * bug use the same few features, so the sorted set of them is the fingerprint; names, numbers, counts and places are
 * left out.
 */
#include <stdio.h>

#include "triage/guilty.h"
#include "clang/tree.h"

/* Every program has these. */
static bool is_telling(NodeKind kind) {
    switch (kind) {
    case NODE_ROOT:
    case NODE_OTHER:
    case NODE_FUNCTION:
    case NODE_COMPOUND:
    case NODE_DECLARATION:
    case NODE_NAME:
    case NODE_INTEGER:
    case NODE_PAREN:
    case NODE_TYPE_REF:
    case NODE_RETURN:
    case NODE_STRING:
    case NODE_NULL: return false;
    default: return true;
    }
}

static void add_features(const Node *node, StrList *features) {
    char text[160];
    if (is_telling(node->kind))
        strlist_add_once(features, node_kind_name(node->kind));
    if (node->op) {
        snprintf(text, sizeof text, "%s %s", node->kind == NODE_UNARY ? "unary" : "binary",
                 operator_spelling(node->op));
        strlist_add_once(features, text);
    }
    if (node->type && node_is_declaration(node) && node->kind != NODE_FUNCTION && node->kind != NODE_RECORD) {
        snprintf(text, sizeof text, "%s", node->type->spelling);
        strlist_add_once(features, text);
    }
}

const char *features_of(const char *name, const char *text, size_t len, Arena *arena, Error *err) {
    CLEANUP(parser_freep) Parser *parser = parser_new(name, NULL);
    CLEANUP(tree_freep) Tree *tree = parser_parse(parser, text, len, err);
    if (!tree)
        return NULL;
    CLEANUP(strlist_release) StrList features = {0};
    for (Node *node = tree->root; node; node = node_next(node, tree->root))
        add_features(node, &features);
    strlist_sort(&features);
    CLEANUP(mem_freep) char *joined = strlist_join(&features, ", ");
    return arena_strdup(arena, joined);
}
