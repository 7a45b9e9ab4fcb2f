/* Control flow: blocks that return at once, branches with one way left, blocks that nobody reaches, blocks in a row. */
#include "llvm/runtime/edit.h"

#include <stdlib.h>

static void each_block(Edit *edit, void (*visit)(Edit *edit, LlvmBlockRef block, LlvmValueRef terminator)) {
    const LlvmApi *llvm = edit->llvm;
    for (LlvmValueRef f = llvm->LLVMGetFirstFunction(edit->module); f; f = llvm->LLVMGetNextFunction(f))
        for (LlvmBlockRef b = llvm->LLVMGetFirstBasicBlock(f); b; b = llvm->LLVMGetNextBasicBlock(b))
            if (llvm->LLVMGetBasicBlockTerminator(b))
                visit(edit, b, llvm->LLVMGetBasicBlockTerminator(b));
}

/* Takes the terminator away, with its edges but for one to `kept` (NULL: none). */
static void remove_terminator(Edit *edit, LlvmBlockRef block, LlvmBlockRef kept) {
    const LlvmApi *llvm = edit->llvm;
    LlvmValueRef terminator = llvm->LLVMGetBasicBlockTerminator(block);
    unsigned count = llvm->LLVMGetNumSuccessors(terminator);
    LlvmBlockRef *successors = calloc(count + 1, sizeof(*successors));
    for (unsigned i = 0; i < count; i++)
        successors[i] = llvm->LLVMGetSuccessor(terminator, i);
    edit_erase(edit, terminator);
    for (unsigned i = 0; i < count; i++)
        if (successors[i] == kept)
            kept = NULL; /* its first edge stays */
        else
            edit_drop_edge(edit, block, successors[i]);
    free(successors);
}

static LlvmBlockRef block_of(Edit *edit, const EditPlace *place) {
    return edit->llvm->LLVMGetInstructionParent(place->value);
}

/* --- Return at once --- */

static void find_going_on(Edit *edit, LlvmBlockRef block, LlvmValueRef terminator) {
    (void)block;
    if (edit->llvm->LLVMGetNumSuccessors(terminator) > 0)
        edit_add(edit, terminator, 0, 0);
}

static void find_returns(Edit *edit) { each_block(edit, find_going_on); }

static void make_return(Edit *edit, const EditPlace *place) {
    const LlvmApi *llvm = edit->llvm;
    LlvmBlockRef block = block_of(edit, place);
    LlvmValueRef function = llvm->LLVMGetBasicBlockParent(block);
    LlvmTypeRef type = llvm->LLVMGetReturnType(llvm->LLVMGlobalGetValueType(function));
    LlvmValueRef zero = edit_zero(edit, type);
    remove_terminator(edit, block, NULL);
    llvm->LLVMPositionBuilderAtEnd(edit->builder, block);
    if (zero)
        llvm->LLVMBuildRet(edit->builder, zero);
    else
        llvm->LLVMBuildRetVoid(edit->builder);
}

/* --- One way of several --- */

static void find_forks(Edit *edit, LlvmBlockRef block, LlvmValueRef terminator) {
    (void)block;
    if (edit->llvm->LLVMGetNumSuccessors(terminator) > 1)
        edit_add(edit, terminator, 0, 0);
}

static void find_branches(Edit *edit) { each_block(edit, find_forks); }

static void take_way(Edit *edit, const EditPlace *place, bool last) {
    LlvmBlockRef block = block_of(edit, place);
    unsigned count = edit->llvm->LLVMGetNumSuccessors(place->value);
    LlvmBlockRef way = edit->llvm->LLVMGetSuccessor(place->value, last ? count - 1 : 0);
    remove_terminator(edit, block, way);
    edit->llvm->LLVMPositionBuilderAtEnd(edit->builder, block);
    edit->llvm->LLVMBuildBr(edit->builder, way);
}

static void take_first(Edit *edit, const EditPlace *place) { take_way(edit, place, false); }
static void take_last(Edit *edit, const EditPlace *place) { take_way(edit, place, true); }

/* --- Single cases of a switch, whose operands are the value, the default, then cases and their blocks --- */

static void find_switch(Edit *edit, LlvmBlockRef block, LlvmValueRef terminator) {
    (void)block;
    if (edit->llvm->LLVMGetInstructionOpcode(terminator) == LLVM_OPCODE_SWITCH)
        for (unsigned i = 1; i < edit->llvm->LLVMGetNumSuccessors(terminator); i++)
            edit_add(edit, edit->llvm->LLVMBasicBlockAsValue(block), i, 0);
}

static void find_cases(Edit *edit) { each_block(edit, find_switch); }

static void remove_case(Edit *edit, const EditPlace *place) {
    const LlvmApi *llvm = edit->llvm;
    LlvmBlockRef block = (LlvmBlockRef)place->value; /* LLVM's own conversion is none, either */
    LlvmValueRef old = llvm->LLVMGetBasicBlockTerminator(block);
    unsigned count = llvm->LLVMGetNumSuccessors(old);
    LlvmBlockRef dropped = llvm->LLVMGetSuccessor(old, place->number);
    llvm->LLVMPositionBuilderBefore(edit->builder, old);
    LlvmValueRef fresh =
        llvm->LLVMBuildSwitch(edit->builder, llvm->LLVMGetOperand(old, 0), llvm->LLVMGetSuccessor(old, 0), count);
    for (unsigned i = 1; i < count; i++)
        if (i != place->number)
            llvm->LLVMAddCase(fresh, llvm->LLVMGetOperand(old, 2 * i), llvm->LLVMGetSuccessor(old, i));
    llvm->LLVMInstructionEraseFromParent(old);
    edit_drop_edge(edit, block, dropped);
}

/* --- Blocks without predecessors --- */

static void find_unreached_block(Edit *edit, LlvmBlockRef block, LlvmValueRef terminator) {
    (void)terminator;
    const LlvmApi *llvm = edit->llvm;
    if (block != llvm->LLVMGetEntryBasicBlock(llvm->LLVMGetBasicBlockParent(block)) &&
        !edit_is_used(edit, llvm->LLVMBasicBlockAsValue(block)))
        edit_add(edit, terminator, 0, 0);
}

static void find_unreached(Edit *edit) { each_block(edit, find_unreached_block); }

static void remove_block(Edit *edit, const EditPlace *place) {
    const LlvmApi *llvm = edit->llvm;
    LlvmBlockRef block = block_of(edit, place);
    remove_terminator(edit, block, NULL);
    for (LlvmValueRef i; (i = llvm->LLVMGetLastInstruction(block));)
        edit_erase(edit, i);
    llvm->LLVMDeleteBasicBlock(block);
}

/* --- A block and the one behind it, which has no other predecessor --- */

static LlvmBlockRef only_successor(Edit *edit, LlvmValueRef terminator) {
    const LlvmApi *llvm = edit->llvm;
    if (llvm->LLVMGetInstructionOpcode(terminator) != LLVM_OPCODE_BR || llvm->LLVMGetNumSuccessors(terminator) != 1)
        return NULL;
    LlvmBlockRef next = llvm->LLVMGetSuccessor(terminator, 0);
    LlvmUseRef use = llvm->LLVMGetFirstUse(llvm->LLVMBasicBlockAsValue(next));
    return !llvm->LLVMGetNextUse(use) && next != llvm->LLVMGetInstructionParent(terminator) ? next : NULL;
}

static void find_row(Edit *edit, LlvmBlockRef block, LlvmValueRef terminator) {
    (void)block;
    if (only_successor(edit, terminator))
        edit_add(edit, terminator, 0, 0);
}

static void find_rows(Edit *edit) { each_block(edit, find_row); }

static void merge_row(Edit *edit, const EditPlace *place) {
    const LlvmApi *llvm = edit->llvm;
    LlvmBlockRef block = block_of(edit, place), next = only_successor(edit, place->value);
    LlvmValueRef i;
    while ((i = llvm->LLVMGetFirstInstruction(next)) && llvm->LLVMGetInstructionOpcode(i) == LLVM_OPCODE_PHI) {
        LlvmValueRef value = llvm->LLVMGetIncomingValue(i, 0);
        llvm->LLVMReplaceAllUsesWith(i, value == i ? edit_zero(edit, llvm->LLVMTypeOf(i)) : value);
        llvm->LLVMInstructionEraseFromParent(i);
    }
    llvm->LLVMInstructionEraseFromParent(place->value);
    llvm->LLVMReplaceAllUsesWith(llvm->LLVMBasicBlockAsValue(next), llvm->LLVMBasicBlockAsValue(block));
    llvm->LLVMPositionBuilderAtEnd(edit->builder, block);
    while ((i = llvm->LLVMGetFirstInstruction(next))) {
        llvm->LLVMInstructionRemoveFromParent(i);
        llvm->LLVMInsertIntoBuilder(edit->builder, i);
    }
    llvm->LLVMDeleteBasicBlock(next);
}

const EditRule edit_blocks[] = {
    {"returns", find_returns, make_return},
    {"branches-to-first", find_branches, take_first},
    {"branches-to-last", find_branches, take_last},
    {"cases", find_cases, remove_case},
    {"unreached-blocks", find_unreached, remove_block},
    {"blocks-in-a-row", find_rows, merge_row},
    {0},
};
