/* Variables, operators and constants in expressions (the rest of DiWi's Table 1).
 *
 * Edits replace tokens, but the tree they mean is kept: an operator that binds less or more tightly than the one it
 * replaces brings parentheses with it, and a token never runs into its neighbour (`a+-b` with - is `a- -b`). Types
 * decide what compiles: no % on floating point, no product of pointers, no constant where a null pointer stands.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mutate/plan.h"
#include "clang/scope.h"

static void append_source(const SeedProgram *program, const Node *node, Str *ret_text) {
    str_append_n(ret_text, program->tree->text + node->begin, node->end - node->begin);
}

/* Two words, or two punctuation characters that may be one token or start a comment. */
static bool runs_together(char a, char b) {
    static const char gluing[] = "+-*/&|<>=!";
    bool words = (isalnum((unsigned char)a) || a == '_') && (isalnum((unsigned char)b) || b == '_');
    return words || (a && b && strchr(gluing, a) && strchr(gluing, b));
}

/* Replaces the range, with a space if the new text would run into its neighbours. */
static void plan_replace(const SeedProgram *program, Plan *plan, uint32_t begin, uint32_t end, const char *text) {
    const Tree *tree = program->tree;
    char before = begin > 0 ? tree->text[begin - 1] : ' ', after = end < tree->len ? tree->text[end] : ' ';
    size_t len = strlen(text);
    bool left = len && runs_together(before, text[0]);
    bool right = len && runs_together(text[len - 1], after);
    edits_addf(plan->edits, begin, end - begin, "%s%s%s", left ? " " : "", text, right ? " " : "");
}

/* The array bound, bit-field width, enumerator's value, case label or attribute that the expression is part of. */
static const Node *node_bound(const Node *node) {
    for (; node; node = node->parent)
        if (node->role == ROLE_BOUND || node->kind == NODE_ATTRIBUTE || node->kind == NODE_STATIC_ASSERT)
            return node;
    return NULL;
}

/* --- Variables --- */

/* May `candidate` stand for the variable named by `node`? */
static bool can_replace(const Node *node, const Node *candidate) {
    const Type *before = node->decl->type, *after = candidate->type;
    const Node *parent = node->parent;
    if (candidate == node->decl || !candidate->name || !before || !after)
        return false;
    bool same_elements = before->class == TYPE_ARRAY && after->class == TYPE_ARRAY && before->target && after->target &&
                         str_equal(before->target->bare, after->target->bare);
    if (!type_interchangeable(after, before) && !same_elements)
        return false;
    if (before->target && after->target && type_is_const(after->target) && !type_is_const(before->target))
        return false;
    if (node_is_modified(node) && (type_is_const(after) || (candidate->flags & NODE_REGISTER)))
        return false;
    bool with_vector = parent && parent->type && parent->type->class == TYPE_VECTOR;
    bool pointer_to_it = parent && parent->kind == NODE_UNARY && parent->op == OP_ADDRESS;
    return (!with_vector && !pointer_to_it) || str_equal(after->bare, before->bare);
}

static void find_replacements(const SeedProgram *program, const Node *node, NodeList *ret) {
    CLEANUP(node_list_release) NodeList scope = {0};
    scope_variables(program->tree, node->begin, &scope);
    for (size_t i = 0; i < scope.len; i++)
        if (can_replace(node, scope.items[i]))
            vec_push(ret, scope.items[i]);
}

bool variable_accepts(const SeedProgram *program, const Node *node) {
    const Node *decl = node->decl;
    if (!decl || (decl->kind != NODE_VARIABLE && decl->kind != NODE_PARAMETER) || (node->flags & NODE_CONSTANT))
        return false;
    CLEANUP(node_list_release) NodeList candidates = {0};
    find_replacements(program, node, &candidates);
    return candidates.len > 0;
}

bool variable_mutate(const SeedProgram *program, const Node *node, Plan *plan) {
    CLEANUP(node_list_release) NodeList candidates = {0};
    find_replacements(program, node, &candidates);
    if (!candidates.len)
        return false;
    const char *name = candidates.items[rng_below(plan->rng, candidates.len)]->name;
    edits_add(plan->edits, node->begin, node->end - node->begin, name);
    str_printf(plan->summary, "%s becomes %s", node->name, name);
    return true;
}

/* --- Binary operators --- */

static bool is_class(const Node *node, TypeClass class) { return node->converted && node->converted->class == class; }

static bool is_whole(const Node *node) { /* integers and vectors of them */
    const Type *type = node->converted;
    return type_is_integer(type) || (type && type->class == TYPE_VECTOR && type_is_integer(type->target));
}

/* p + i and p - i only; whatever else is done to pointers has one meaning each. */
static bool pointer_arithmetic_accepts(const Node *left, const Node *right, Operator to) {
    bool additive = to == OP_ADD || to == OP_SUB || to == OP_ADD_ASSIGN || to == OP_SUB_ASSIGN;
    return additive && (is_class(left, TYPE_POINTER) || is_class(left, TYPE_ARRAY)) && is_whole(right);
}

static bool operands_accept(const Node *node, Operator to) {
    const Node *left = node->first, *right = node->last;
    bool pointer = is_class(left, TYPE_POINTER) || is_class(right, TYPE_POINTER) || is_class(left, TYPE_ARRAY);
    bool known = left->converted && right->converted && !is_class(left, TYPE_UNKNOWN) && !is_class(right, TYPE_UNKNOWN);
    switch (operator_category(to)) {
    case CATEGORY_ARITHMETIC:
    case CATEGORY_ASSIGN_ARITHMETIC:
        if (pointer)
            return pointer_arithmetic_accepts(left, right, to);
        return known && ((to != OP_REM && to != OP_REM_ASSIGN) || (is_whole(left) && is_whole(right)));
    case CATEGORY_RELATIONAL: return known && !is_class(left, TYPE_COMPLEX) && !is_class(right, TYPE_COMPLEX);
    default: return true;
    }
}

bool binary_accepts(const Node *node, const Rule *rule) {
    Operator to = rule->action.to;
    if (node->op != rule->action.from || node->op_begin == node->op_end || node_child_count(node) != 2)
        return false;
    if (node_bound(node) || !operands_accept(node, to))
        return false;
    const Node *divisor = to == OP_DIV || to == OP_REM ? node_without_parens(node->last) : NULL;
    return !(node->flags & NODE_CONSTANT) || !divisor || (divisor->has_value && divisor->value != 0);
}

/* Whether a binary expression with the operator needs parentheses as the left or right operand of `outer`. */
static bool needs_parens(Operator inner, Operator outer, bool right) {
    int inside = operator_precedence(inner), outside = operator_precedence(outer);
    return inside < outside || (inside == outside && right);
}

bool binary_mutate(const SeedProgram *program, const Node *node, const Rule *rule, Plan *plan) {
    Operator to = rule->action.to;
    const Node *parent = node->parent;
    bool assignment = node->kind == NODE_ASSIGN;
    bool wrap = !assignment && parent && parent->kind == NODE_BINARY &&
                !needs_parens(rule->action.from, parent->op, node->role == ROLE_RIGHT) &&
                needs_parens(to, parent->op, node->role == ROLE_RIGHT);
    if (wrap)
        edits_add(plan->edits, node->begin, 0, "(");
    for (const Node *child = node->first; child && !assignment; child = child->next)
        if (child->kind == NODE_BINARY && needs_parens(child->op, to, child->role == ROLE_RIGHT)) {
            edits_add(plan->edits, child->begin, 0, "(");
            edits_add(plan->edits, child->end, 0, ")");
        }
    plan_replace(program, plan, node->op_begin, node->op_end, operator_spelling(to));
    if (wrap)
        edits_add(plan->edits, node->end, 0, ")");
    str_printf(plan->summary, "%s becomes %s", operator_spelling(rule->action.from), operator_spelling(to));
    return true;
}

/* --- Unary operators --- */

/* Where only truth counts: a condition, or an operand of && || !. */
static bool is_truth_context(const Node *node) {
    const Node *parent = node->parent;
    if (!parent || node->role == ROLE_CONDITION)
        return parent != NULL && parent->kind != NODE_SWITCH;
    if (parent->kind == NODE_PAREN)
        return is_truth_context(parent);
    return (parent->kind == NODE_UNARY && parent->op == OP_LOGICAL_NOT) ||
           (parent->kind == NODE_BINARY && operator_category(parent->op) == CATEGORY_LOGICAL);
}

/* Whether the full expression around the operand names one of its variables once more: with ++ or -- in it, their order would
 * be undefined, which no sanitizer sees. */
static bool is_named_again(const Node *operand) {
    const Node *top = operand;
    while (top->parent && node_is_expression(top->parent))
        top = top->parent;
    for (const Node *name = operand; name; name = node_next(name, operand))
        for (const Node *other = top; name->kind == NODE_NAME && other; other = node_next(other, top))
            if (other != name && other->kind == NODE_NAME && other->decl == name->decl)
                return true;
    return false;
}

static bool operand_accepts(const Node *operand, Operator from, Operator to) {
    const Type *type = operand->type;
    switch (to) {
    case OP_PRE_INC:
    case OP_POST_INC:
    case OP_PRE_DEC:
    case OP_POST_DEC:
        return from != OP_NOT || (node_is_lvalue(operand) && type_is_scalar(type) && !type_is_const(type) &&
                                  !(operand->flags & NODE_CONSTANT) && !is_named_again(operand));
    case OP_LOGICAL_NOT: return type_is_scalar(type);
    case OP_NOT: return is_whole(operand);
    case OP_MINUS: return type_is_arithmetic(type) || (type && type->class == TYPE_VECTOR);
    default: return true;
    }
}

bool unary_accepts(const Node *node, const Rule *rule) {
    const Node *operand = node->first;
    if (node->op != rule->action.from || node->op_begin == node->op_end || !operand || node_bound(node))
        return false;
    if (rule->action.kind == ACTION_REPLACE_UNARY)
        return operand_accepts(operand, node->op, rule->action.to);
    if (node->op == OP_LOGICAL_NOT)
        return type_is_arithmetic(operand->type) || (is_truth_context(node) && type_is_scalar(operand->type));
    return true;
}

static bool is_postfix(Operator op) { return op == OP_POST_INC || op == OP_POST_DEC; }

static bool is_primary(const Node *node) {
    return node->kind == NODE_NAME || node->kind == NODE_MEMBER || node->kind == NODE_SUBSCRIPT ||
           node->kind == NODE_PAREN || node->kind == NODE_CALL || node->kind == NODE_INTEGER;
}

/* x++ as the operand of another postfix: x++->y, x++[i]. A prefix operator there must be kept together. */
static bool has_postfix_parent(const Node *node) {
    const Node *parent = node->parent;
    return parent && parent->first == node &&
           (parent->kind == NODE_MEMBER || parent->kind == NODE_SUBSCRIPT || parent->kind == NODE_CALL ||
            (parent->kind == NODE_UNARY && is_postfix(parent->op)));
}

bool unary_mutate(const SeedProgram *program, const Node *node, const Rule *rule, Plan *plan) {
    CLEANUP(str_release) Str text = {0};
    Operator to = rule->action.to;
    bool removes = rule->action.kind == ACTION_REMOVE_UNARY;
    bool wrap = !removes && !is_postfix(to) && has_postfix_parent(node);
    bool wrap_operand = (is_postfix(to) && !is_primary(node->first)) ||
                        (removes && has_postfix_parent(node) && !is_primary(node->first));
    const char *op = removes ? "" : operator_spelling(to);
    str_printf(&text, "%s%s%s", wrap ? "(" : "", is_postfix(to) ? "" : op, wrap_operand ? "(" : "");
    bool glued = text.len && runs_together(text.data[text.len - 1], program->tree->text[node->first->begin]);
    if (glued)
        str_append_char(&text, ' ');
    append_source(program, node->first, &text);
    str_printf(&text, "%s%s%s", wrap_operand ? ")" : "", is_postfix(to) ? op : "", wrap ? ")" : "");
    CLEANUP(str_release) Str before = {0};
    append_source(program, node, &before);
    str_printf(plan->summary, "%s becomes %s", str_text(&before), str_text(&text));
    plan_replace(program, plan, node->begin, node->end, str_text(&text));
    return true;
}

/* --- Constants --- */

/* The hole of a negative constant is the minus and the number: -32 is one constant, as people read it. */
static const Node *literal_of(const Node *node) { return node->kind == NODE_UNARY ? node->first : node; }

static __int128 constant_value(const Node *node) {
    const Node *literal = literal_of(node);
    __int128 value = (__int128)(uint64_t)literal->value;
    return node == literal ? value : -value;
}

static __int128 changed_value(const Node *node, ConstantChange change) {
    __int128 value = constant_value(node);
    switch (change) {
    case CONSTANT_PLUS_1: return value + 1;
    case CONSTANT_MINUS_1: return value - 1;
    case CONSTANT_TIMES_0: return 0;
    case CONSTANT_TIMES_MINUS_1: return -value;
    }
    return value;
}

/* A case label may not equal another one of its switch; ranges and labels that are no literals are not compared. */
static bool case_is_free(const Node *label, __int128 value) {
    const Node *top = label->parent;
    while (top && top->kind != NODE_SWITCH)
        top = top->parent;
    if (!top || node_child_count(label->parent) > 2)
        return false;
    for (const Node *node = top->first; node; node = node_next(node, top)) {
        const Node *other = node->kind == NODE_CASE ? node->first : NULL;
        const Node *literal = other ? literal_of(other) : NULL;
        if (other && other != label && (!literal || !literal->has_value || node_child_count(node) > 2))
            return false;
        if (other && other != label && constant_value(other) == value)
            return false;
    }
    return true;
}

/* A constant that the language wants: it must be the whole bound, and the new value must do. */
static bool bound_accepts(const Node *node, const Node *bound, __int128 value) {
    const Node *owner = bound->parent;
    if (bound != node || !owner)
        return false;
    switch (owner->kind) {
    case NODE_ENUMERATOR: return value >= INT32_MIN && value <= INT32_MAX;
    case NODE_CASE: return case_is_free(bound, value);
    case NODE_FIELD:
        if (owner->flags & NODE_BIT_FIELD)
            return value >= 1 && owner->type && value <= owner->type->bits;
        return value >= 1 && value < (1 << 20);
    case NODE_VARIABLE: return value >= 1 && value < (1 << 20);
    default: return false;
    }
}

/* [3] = x in an initialiser */
static bool is_designator(const SeedProgram *program, const Node *node) {
    uint32_t at = node->begin;
    while (at > 0 && program->tree->text[at - 1] == ' ')
        at--;
    const Node *parent = node->parent;
    return at > 0 && program->tree->text[at - 1] == '[' && parent && parent->kind != NODE_SUBSCRIPT &&
           node->role != ROLE_BOUND;
}

bool constant_accepts(const SeedProgram *program, const Node *node, const Rule *rule) {
    const Node *literal = literal_of(node), *bound = node_bound(node);
    if (!literal || literal->kind != NODE_INTEGER || !literal->has_value || is_designator(program, node))
        return false;
    __int128 value = changed_value(node, rule->action.to);
    if (value == constant_value(node) || value > UINT64_MAX || value < INT64_MIN)
        return false;
    if (node->converted && node->converted->class == TYPE_POINTER)
        return false; /* a null pointer constant */
    return !bound || bound_accepts(node, bound, value);
}

/* The number in the base and with the suffix of the old one. */
static void format_constant(const SeedProgram *program, const Node *literal, __int128 value, Str *ret_text) {
    const char *old = program->tree->text + literal->begin;
    size_t len = literal->end - literal->begin, suffix = len;
    bool hexadecimal = len > 2 && old[0] == '0' && (old[1] == 'x' || old[1] == 'X');
    while (suffix > 0 && strchr("uUlL", old[suffix - 1]))
        suffix--;
    uint64_t magnitude = (uint64_t)(value < 0 ? -value : value);
    str_append(ret_text, value < 0 ? "-" : "");
    str_printf(ret_text, hexadecimal ? "0x%" PRIx64 : "%" PRIu64, magnitude);
    str_append_n(ret_text, old + suffix, len - suffix);
}

bool constant_mutate(const SeedProgram *program, const Node *node, const Rule *rule, Plan *plan) {
    CLEANUP(str_release) Str text = {0};
    CLEANUP(str_release) Str before = {0};
    format_constant(program, literal_of(node), changed_value(node, rule->action.to), &text);
    append_source(program, node, &before);
    str_printf(plan->summary, "%s becomes %s", str_text(&before), str_text(&text));
    plan_replace(program, plan, node->begin, node->end, str_text(&text));
    return true;
}
