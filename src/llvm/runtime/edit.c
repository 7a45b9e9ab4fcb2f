#include "llvm/runtime/edit.h"

#include <stdlib.h>
#include <string.h>

const EditRule *edit_rule(const char *name) {
    const EditRule *const tables[] = {edit_globals,    edit_blocks,     edit_instructions,
                                      edit_signatures, edit_decoration, edit_passes};
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
        for (const EditRule *rule = tables[i]; rule->name; rule++)
            if (strcmp(rule->name, name) == 0)
                return rule;
    return NULL;
}

size_t edit_count(Edit *edit, const EditRule *rule) {
    edit->count = 0;
    rule->find(edit);
    return edit->count;
}

void edit_apply(Edit *edit, const EditRule *rule, size_t from, size_t to) {
    size_t count = edit_count(edit, rule);
    for (size_t i = to < count ? to : count; i-- > from;) {
        EditPlace place = edit->places[i];
        rule->apply(edit, &place);
    }
}

size_t edit_size(Edit *edit) {
    const LlvmApi *llvm = edit->llvm;
    size_t size = 0;
    for (LlvmValueRef v = llvm->LLVMGetFirstGlobal(edit->module); v; v = llvm->LLVMGetNextGlobal(v))
        size++;
    for (LlvmValueRef f = llvm->LLVMGetFirstFunction(edit->module); f; f = llvm->LLVMGetNextFunction(f), size++)
        for (LlvmBlockRef b = llvm->LLVMGetFirstBasicBlock(f); b; b = llvm->LLVMGetNextBasicBlock(b), size++)
            for (LlvmValueRef i = llvm->LLVMGetFirstInstruction(b); i; i = llvm->LLVMGetNextInstruction(i))
                size++;
    return size;
}

void edit_add(Edit *edit, LlvmValueRef value, unsigned number, unsigned other) {
    if (edit->count == edit->room) {
        edit->room = edit->room ? 2 * edit->room : 256;
        edit->places = realloc(edit->places, edit->room * sizeof(*edit->places));
        if (!edit->places)
            abort();
    }
    edit->places[edit->count++] = (EditPlace){value, number, other};
}

void edit_each_instruction(Edit *edit, void (*visit)(Edit *edit, LlvmValueRef instruction)) {
    const LlvmApi *llvm = edit->llvm;
    for (LlvmValueRef f = llvm->LLVMGetFirstFunction(edit->module); f; f = llvm->LLVMGetNextFunction(f))
        for (LlvmBlockRef b = llvm->LLVMGetFirstBasicBlock(f); b; b = llvm->LLVMGetNextBasicBlock(b))
            for (LlvmValueRef i = llvm->LLVMGetFirstInstruction(b); i; i = llvm->LLVMGetNextInstruction(i))
                visit(edit, i);
}

LlvmValueRef edit_zero(Edit *edit, LlvmTypeRef type) {
    switch (edit->llvm->LLVMGetTypeKind(type)) {
    case LLVM_TYPE_VOID:
    case LLVM_TYPE_LABEL:
    case LLVM_TYPE_FUNCTION:
    case LLVM_TYPE_METADATA:
    case LLVM_TYPE_TOKEN:
    case LLVM_TYPE_AMX: return NULL;
    default: return edit->llvm->LLVMConstNull(type);
    }
}

bool edit_is_used(Edit *edit, LlvmValueRef value) { return edit->llvm->LLVMGetFirstUse(value) != NULL; }

void edit_erase(Edit *edit, LlvmValueRef instruction) {
    const LlvmApi *llvm = edit->llvm;
    LlvmValueRef zero = edit_zero(edit, llvm->LLVMTypeOf(instruction));
    if (zero)
        llvm->LLVMReplaceAllUsesWith(instruction, zero);
    for (LlvmUseRef use; (use = llvm->LLVMGetFirstUse(instruction));)
        edit_erase(edit, llvm->LLVMGetUser(use));
    llvm->LLVMInstructionEraseFromParent(instruction);
}

void edit_drop_edge(Edit *edit, LlvmBlockRef from, LlvmBlockRef to) {
    const LlvmApi *llvm = edit->llvm;
    LlvmValueRef phi = llvm->LLVMGetFirstInstruction(to), next;
    for (; phi && llvm->LLVMGetInstructionOpcode(phi) == LLVM_OPCODE_PHI; phi = next) {
        next = llvm->LLVMGetNextInstruction(phi);
        llvm->LLVMPositionBuilderBefore(edit->builder, phi);
        LlvmValueRef fresh = llvm->LLVMBuildPhi(edit->builder, llvm->LLVMTypeOf(phi), "");
        unsigned count = llvm->LLVMCountIncoming(phi), kept = 0;
        bool dropped = false;
        for (unsigned i = 0; i < count; i++) {
            LlvmValueRef value = llvm->LLVMGetIncomingValue(phi, i);
            LlvmBlockRef block = llvm->LLVMGetIncomingBlock(phi, i);
            if (block == from && !dropped) {
                dropped = true;
                continue;
            }
            if (value == phi)
                value = fresh;
            llvm->LLVMAddIncoming(fresh, &value, &block, 1);
            kept++;
        }
        /* A phi without entries is invalid; its block can no longer be reached. */
        llvm->LLVMReplaceAllUsesWith(phi, kept ? fresh : edit_zero(edit, llvm->LLVMTypeOf(phi)));
        llvm->LLVMInstructionEraseFromParent(phi);
        if (!kept)
            llvm->LLVMInstructionEraseFromParent(fresh);
    }
}
