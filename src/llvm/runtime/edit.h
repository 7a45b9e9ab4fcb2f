/* Edits: the rules by which a module is made smaller, in the process that holds it.
 *
 * A rule finds the places of a module that it can change and numbers them; an edit changes the places [from, to) at once.
 * The same edit of the same module gives the same module, so that a server may try it in a fork and then repeat it for
 * good. An edit may leave an invalid module, or crash LLVM: who tries it verifies the module, in the fork.
 *
 * The rules, each file of edit_*.c one idea: globals and function bodies; blocks and branches; instructions and operands;
 * signatures of functions; decoration (attributes, metadata, names); LLVM's own passes.
 */
#ifndef LLVM_RUNTIME_EDIT_H
#define LLVM_RUNTIME_EDIT_H

#include "llvm/api.h"

/* A place; what the members mean is the rule's affair. */
typedef struct EditPlace {
    LlvmValueRef value;
    unsigned number;
    unsigned other;
} EditPlace;

typedef struct Edit {
    const LlvmApi *llvm;
    LlvmModuleRef module;
    LlvmBuilderRef builder;
    LlvmMachineRef machine; /* for passes */
    LlvmPassOptionsRef options;
    EditPlace *places;
    size_t count, room;
} Edit;

typedef struct EditRule {
    const char *name;
    void (*find)(Edit *edit);
    /* Places are changed from the last to the first, so that users go before what they use. */
    void (*apply)(Edit *edit, const EditPlace *place);
} EditRule;

extern const EditRule edit_globals[], edit_blocks[], edit_instructions[], edit_signatures[], edit_decoration[],
    edit_passes[]; /* each ends with a rule without a name */

/* NULL: there is no such rule. */
const EditRule *edit_rule(const char *name);
size_t edit_count(Edit *edit, const EditRule *rule); /* of places */
void edit_apply(Edit *edit, const EditRule *rule, size_t from, size_t to);
size_t edit_size(Edit *edit); /* of the module: instructions, blocks, functions and variables */

/* --- For the rules --- */

void edit_add(Edit *edit, LlvmValueRef value, unsigned number, unsigned other);
/* For every instruction of the module, in order. */
void edit_each_instruction(Edit *edit, void (*visit)(Edit *edit, LlvmValueRef instruction));
LlvmValueRef edit_zero(Edit *edit, LlvmTypeRef type); /* NULL for types that have none: labels, tokens, metadata */
/* Erases the instruction; what used it uses zero instead, and what cannot is erased too. */
void edit_erase(Edit *edit, LlvmValueRef instruction);
/* An edge of the graph is gone: phis of `to` lose one entry for `from`. */
void edit_drop_edge(Edit *edit, LlvmBlockRef from, LlvmBlockRef to);
bool edit_is_used(Edit *edit, LlvmValueRef value);

#endif
