/* The oracle: statements through which a program shows whether it was compiled right. They are never mutated, because
 * a mutant with another oracle says nothing about the bug (DiWi, section 6).
 *
 * An oracle is the smallest statement around a call of the functions below, and every return of main. Most tests say
 * `if (x != 42) abort ();`: the condition is then as much the oracle as the call, so an if whose branches do nothing
 * but call the oracle is protected as a whole, unless the caller says that the output does not matter (mutate_guards).
 */
#include <string.h>

#include "mutate/plan.h"

static const char *const oracle_functions[] = {"printf",       "fprintf", "dprintf",         "vprintf",
                                               "vfprintf",     "puts",    "fputs",           "putchar",
                                               "putc",         "fputc",   "fwrite",          "write",
                                               "abort",        "exit",    "_exit",           "_Exit",
                                               "quick_exit",   "trap",    "transparent_crc", "platform_main_end",
                                               "__assert_fail"};

bool is_oracle_name(const char *name) {
    if (str_starts(name, "__builtin_"))
        name += strlen("__builtin_");
    return str_is_any(name, oracle_functions, ARRAY_LEN(oracle_functions));
}

static bool is_oracle_call(const Node *node) {
    const Node *callee = node->kind == NODE_CALL ? node_child(node, ROLE_CALLEE) : NULL;
    callee = callee ? node_without_parens(callee) : NULL;
    return callee && callee->name && is_oracle_name(callee->name);
}

static bool is_return_of_main(const Node *node) {
    const Node *function = node->kind == NODE_RETURN ? node_function(node) : NULL;
    return function && str_equal(function->name, "main");
}

/* Nothing but calls of the oracle, in blocks or not. */
static bool only_calls_oracle(const Node *statement) {
    if (statement->kind != NODE_COMPOUND)
        return is_oracle_call(statement) || is_return_of_main(statement);
    for (const Node *child = statement->first; child; child = child->next)
        if (!only_calls_oracle(child))
            return false;
    return statement->first != NULL;
}

static bool is_guard(const Node *node) {
    const Node *then = node->kind == NODE_IF ? node_child(node, ROLE_THEN) : NULL;
    const Node *otherwise = then ? node_child(node, ROLE_ELSE) : NULL;
    return then && only_calls_oracle(then) && (!otherwise || only_calls_oracle(otherwise));
}

static void protect(SeedProgram *program, const Node *node) {
    vec_push(&program->oracle, (ByteRange){node->begin, node->end});
}

void program_find_oracle(SeedProgram *program) {
    const Node *root = program->tree->root;
    for (const Node *node = root; node; node = node_next(node, root)) {
        const Node *statement = is_oracle_call(node) ? node_statement(node) : NULL;
        if (statement)
            protect(program, statement->kind == NODE_RETURN || node_is_expression(statement) ? statement : node);
        else if (is_return_of_main(node) || (!program->mutate_guards && is_guard(node)))
            protect(program, node);
    }
}

bool program_is_oracle(const SeedProgram *program, const Node *node) {
    for (size_t i = 0; i < program->oracle.len; i++)
        if (program->oracle.items[i].begin <= node->begin && node->end <= program->oracle.items[i].end)
            return true;
    return false;
}

bool program_contains_oracle(const SeedProgram *program, const Node *node) {
    for (size_t i = 0; i < program->oracle.len; i++)
        if (node->begin <= program->oracle.items[i].begin && program->oracle.items[i].end <= node->end)
            return true;
    return false;
}
