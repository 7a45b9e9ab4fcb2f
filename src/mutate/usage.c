/* What a program does with its variables, from one walk over their names. It decides which changes of a declaration
 * compile (const only if nothing is written) and which keep the program's meaning defined (no other size for an
 * object that is reached through a pointer).
 */
#include <string.h>

#include "base/map.h"
#include "mutate/plan.h"

static bool is_write(const Node *node) {
    const Node *parent = node->parent;
    if (!parent)
        return false;
    if (parent->kind == NODE_UNARY)
        return operator_category(parent->op) == CATEGORY_STEP;
    return parent->kind == NODE_ASM || (parent->kind == NODE_ASSIGN && node->role == ROLE_LEFT);
}

/* Goes up from a name over what selects a part of its object or of what it points to, and notes writes on the way. */
static void follow_access(const Node *node, Usage *usage) {
    bool through = false;
    for (const Node *parent = node->parent; parent; node = parent, parent = node->parent) {
        if (is_write(node))
            *(through ? &usage->written_through : &usage->written) = true;
        if (node->type && node->type->class == TYPE_ARRAY && !through && parent->kind != NODE_SUBSCRIPT &&
            parent->kind != NODE_SIZEOF && parent->kind != NODE_MEMBER && parent->kind != NODE_PAREN)
            usage->address_taken = true;
        bool pointer = node->type && node->type->class == TYPE_POINTER;
        if (parent->kind == NODE_UNARY && parent->op == OP_ADDRESS && !through)
            usage->address_taken = true;
        if ((parent->kind == NODE_UNARY && parent->op == OP_DEREF) || (parent->kind == NODE_MEMBER && pointer) ||
            (parent->kind == NODE_SUBSCRIPT && node->role == ROLE_LEFT && pointer))
            through = true;
        else if (parent->kind != NODE_PAREN && parent->kind != NODE_MEMBER && parent->kind != NODE_SUBSCRIPT &&
                 !(pointer && (parent->kind == NODE_BINARY || parent->kind == NODE_UNARY)))
            return;
    }
}

static bool is_variadic_argument(const Node *node) {
    const Node *call = node->parent;
    if (!call || call->kind != NODE_CALL || node->role != ROLE_ARGUMENT)
        return false;
    const Node *function = node_without_parens(call->first)->decl;
    return !function || (function->flags & NODE_VARIADIC);
}

/* File-scope names that are declared twice, and the parameters of functions with a separate prototype. */
static void find_redeclared(SeedProgram *program) {
    Map names = {0};
    for (const Node *node = program->tree->root->first; node; node = node->next) {
        if (!node->name || (node->kind != NODE_VARIABLE && node->kind != NODE_FUNCTION))
            continue;
        bool is_new;
        MapEntry *entry = map_insert_str(&names, node->name, &is_new);
        if (is_new) {
            entry->pointer = (void *)node;
            continue;
        }
        const Node *twins[] = {entry->pointer, node};
        for (size_t i = 0; i < 2; i++) {
            program->usage[twins[i]->index].redeclared = true;
            for (const Node *child = twins[i]->first; child; child = child->next)
                program->usage[child->index].redeclared |= child->kind == NODE_PARAMETER;
        }
    }
    map_release(&names);
}

void program_find_usage(SeedProgram *program) {
    const Node *root = program->tree->root;
    program->usage = mem_zalloc(program->tree->nodes, sizeof(Usage));
    for (const Node *node = root; node; node = node_next(node, root)) {
        if ((node->kind == NODE_NAME || node->kind == NODE_MEMBER) && node->decl) {
            Usage *usage = &program->usage[node->decl->index];
            follow_access(node, usage);
            usage->variadic |= is_variadic_argument(node);
        }
        program->assigns_records |= node->kind == NODE_ASSIGN && node->type && node->type->class == TYPE_RECORD;
    }
    find_redeclared(program);
}
