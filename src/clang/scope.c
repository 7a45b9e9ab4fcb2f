/* Scopes by walking outwards: from the node at a place to the root, at every level the declarations that stand before
 * the place. Declarations hang off blocks (through declaration statements), functions (parameters), for loops, and the
 * root.
 */
#include "clang/scope.h"

#include <string.h>

#include "base/map.h"

typedef struct Walk {
    uint32_t offset;
    Map seen;       /* names bound further inside, by declarations of any kind */
    NodeList *list; /* the variables among them */
} Walk;

static void bind(Walk *walk, Node *declaration) {
    bool is_new;
    if (!declaration->name || declaration->kind == NODE_FIELD)
        return;
    map_insert_str(&walk->seen, declaration->name, &is_new);
    if (is_new && (declaration->kind == NODE_VARIABLE || declaration->kind == NODE_PARAMETER))
        vec_push(walk->list, declaration);
}

/* A variable's scope starts behind its declarator, but offering it inside its own initialiser would only make x = x. */
static bool is_before(const Walk *walk, const Node *declaration) {
    if (declaration->kind == NODE_FUNCTION)
        return declaration->begin <= walk->offset;
    return declaration->end <= walk->offset;
}

static void bind_declaration(Walk *walk, Node *declaration) {
    if (declaration->kind == NODE_ENUM)
        for (Node *child = declaration->last; child; child = child->previous)
            bind(walk, child);
    if (node_is_declaration(declaration) && declaration->kind != NODE_RECORD && declaration->kind != NODE_ENUM)
        bind(walk, declaration);
    for (Node *child = declaration->first; child; child = child->next) /* enums declared inside */
        if (child->kind == NODE_ENUM)
            bind_declaration(walk, child);
}

/* Later declarations first: they are the inner ones if a name is declared twice. */
static void bind_children(Walk *walk, const Node *scope) {
    for (Node *child = scope->last; child; child = child->previous) {
        if (child->kind == NODE_DECLARATION) {
            for (Node *inner = child->last; inner; inner = inner->previous)
                if (is_before(walk, inner))
                    bind_declaration(walk, inner);
        } else if (node_is_declaration(child) && is_before(walk, child)) {
            bind_declaration(walk, child);
        }
    }
}

void scope_variables(const Tree *tree, uint32_t offset, NodeList *ret_list) {
    Walk walk = {.offset = offset, .list = ret_list};
    for (const Node *scope = node_at(tree, offset, offset + 1); scope; scope = scope->parent)
        if (scope->kind == NODE_COMPOUND || scope->kind == NODE_FOR || scope->kind == NODE_ROOT ||
            (scope->kind == NODE_FUNCTION && offset > scope->name_begin))
            bind_children(&walk, scope);
    for (size_t i = 0; i < tree->externals.len; i++)
        bind(&walk, tree->externals.items[i]);
    map_release(&walk.seen);
}

static bool text_has_name(const Tree *tree, const char *name) {
    for (size_t i = 0; i < tree->tokens.len; i++)
        if (token_is(tree->text, &tree->tokens.items[i], name))
            return true;
    return false;
}

void scope_fresh_name(const Tree *tree, const char *prefix, Str *ret_name) {
    str_append(ret_name, prefix);
    size_t prefix_len = ret_name->len;
    for (uint64_t i = 1; text_has_name(tree, str_text(ret_name) + prefix_len - strlen(prefix)); i++) {
        str_truncate(ret_name, prefix_len);
        str_append_u64(ret_name, i);
    }
}
