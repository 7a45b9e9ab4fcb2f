/* Every integer expression e that is only read is wrapped:
 *
 *     (T)culprit_see(k, e)      T: the type of e, k: its number
 *
 * and at the end of the run the program reports, for each k, the one value that e always had. Expressions that were
 * never computed are reported too: whatever stands there does not matter.
 */
#include "reduce/observe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reduce/span.h"
#include "clang/edit.h"

static const char recorder[] =
    "static long long culprit_value[%zu]; static char culprit_state[%zu];\n"
    "static long long culprit_see(int k, long long v) { if (!culprit_state[k]) culprit_state[k] = 1, culprit_value[k] "
    "= v;\n"
    "  else if (culprit_value[k] != v) culprit_state[k] = 2; return v; }\n"
    "extern int dprintf(int, const char *, ...);\n"
    "__attribute__((destructor)) static void culprit_tell(void) { for (int k = 0; k < %zu; k++)\n"
    "  if (culprit_state[k] < 2) dprintf(2, \"culprit:%%d:%%d:%%lld\\n\", k, culprit_state[k], culprit_value[k]); }\n";

static bool is_observable(const Node *node) {
    const Type *type = node->type;
    return node_is_expression(node) && node_editable(node) && node->first && !(node->flags & NODE_CONSTANT) &&
           type_is_integer(type) && type->bits <= 64 && !node_is_modified(node) && node->role != ROLE_BOUND &&
           node->role != ROLE_CALLEE && node->kind != NODE_PAREN && !node_own_statement(node);
}

/* Constants are read and written in a program that has no names for the type's values. */
static void append_constant(Str *text, const Type *type, long long value) {
    bool plain = type->bits == 32 && type->is_signed && value > INT32_MIN && value <= INT32_MAX;
    bool narrow = type->bits < 32; /* promoted to int anyway */
    if (plain || narrow)
        str_printf(text, value < 0 ? "(%lld)" : "%lld", value);
    else if (!type->is_signed)
        str_printf(text, "%llu%s", type->bits == 32 ? (unsigned long long)(uint32_t)value : (unsigned long long)value,
                   type->bits == 32 ? "U" : "UL");
    else if (value == INT64_MIN)
        str_append(text, "(-9223372036854775807L - 1)");
    else
        str_printf(text, value < 0 ? "(%lldL)" : "%lldL", value);
}

static void wrap(const NodeList *nodes, const Tree *tree, Str *ret_text) {
    EditList edits = {0};
    for (size_t k = 0; k < nodes->len; k++) {
        const Node *node = nodes->items[k];
        edits_addf(&edits, node->begin, 0, "((%s)culprit_see(%zu, ", node->type->bare, k);
        edits_add(&edits, node->end, 0, "))");
    }
    str_printf(ret_text, recorder, nodes->len + 1, nodes->len + 1, nodes->len);
    edits_apply(&edits, tree->text, tree->len, ret_text);
    edits_release(&edits);
}

/* Reads "culprit:k:state:value" lines. */
static void read_report(const char *report, const NodeList *nodes, Atoms *ret_atoms) {
    static const char mark[] = "culprit:";
    for (const char *at = report; (at = strstr(at, mark)); at += strlen(mark)) {
        size_t k;
        int state;
        long long value;
        if (sscanf(at, "culprit:%zu:%d:%lld", &k, &state, &value) != 3 || k >= nodes->len)
            continue;
        CLEANUP(str_release) Str text = {0};
        append_constant(&text, nodes->items[k]->type, state ? value : 0);
        atoms_replace(ret_atoms, nodes->items[k]->begin, nodes->items[k]->end, str_text(&text));
    }
}

bool observe(Interestingness *test, const Tree *tree, Atoms *ret_atoms, Error *err) {
    CLEANUP(node_list_release) NodeList nodes = {0};
    for (Node *node = tree->root; node; node = node_next(node, tree->root))
        if (is_observable(node))
            vec_push(&nodes, node);
    CLEANUP(str_release) Str text = {0}, report = {0};
    wrap(&nodes, tree, &text);
    bool ran = false;
    bool ok = !nodes.len || interesting_run_reference(test, str_text(&text), text.len, &report, &ran, err);
    if (ok && ran)
        read_report(str_text(&report), &nodes, ret_atoms);
    return ok;
}
