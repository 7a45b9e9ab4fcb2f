/* Instructions away, replaced by zero, an operand or an argument; operands that are zero, or an argument. */
#include "llvm/runtime/edit.h"

static LlvmValueRef function_of(Edit *edit, LlvmValueRef instruction) {
    return edit->llvm->LLVMGetBasicBlockParent(edit->llvm->LLVMGetInstructionParent(instruction));
}

/* The function's first argument of the type; NULL where there is none. */
static LlvmValueRef argument_of_type(Edit *edit, LlvmValueRef instruction, LlvmTypeRef type) {
    const LlvmApi *llvm = edit->llvm;
    LlvmValueRef function = function_of(edit, instruction);
    for (unsigned i = 0; i < llvm->LLVMCountParams(function); i++)
        if (llvm->LLVMTypeOf(llvm->LLVMGetParam(function, i)) == type)
            return llvm->LLVMGetParam(function, i);
    return NULL;
}

/* --- Whole instructions --- */

static void visit_removable(Edit *edit, LlvmValueRef i) {
    if (!edit->llvm->LLVMIsATerminatorInst(i))
        edit_add(edit, i, 0, 0);
}

static void find_removable(Edit *edit) { edit_each_instruction(edit, visit_removable); }

static void remove_instruction(Edit *edit, const EditPlace *place) { edit_erase(edit, place->value); }

static void visit_operands_of_type(Edit *edit, LlvmValueRef i) {
    const LlvmApi *llvm = edit->llvm;
    if (!edit_is_used(edit, i) || !edit_zero(edit, llvm->LLVMTypeOf(i)))
        return;
    for (unsigned k = 0; k < (unsigned)llvm->LLVMGetNumOperands(i); k++)
        if (llvm->LLVMGetOperand(i, k) != i && llvm->LLVMTypeOf(llvm->LLVMGetOperand(i, k)) == llvm->LLVMTypeOf(i))
            edit_add(edit, i, k, 0);
}

static void find_operands_of_type(Edit *edit) { edit_each_instruction(edit, visit_operands_of_type); }

/* The instruction is then unused, and goes with the next that are removed. */
static void replace_by_operand(Edit *edit, const EditPlace *place) {
    edit->llvm->LLVMReplaceAllUsesWith(place->value, edit->llvm->LLVMGetOperand(place->value, place->number));
}

static void visit_argument_of_type(Edit *edit, LlvmValueRef i) {
    if (edit_is_used(edit, i) && argument_of_type(edit, i, edit->llvm->LLVMTypeOf(i)))
        edit_add(edit, i, 0, 0);
}

static void find_arguments_of_type(Edit *edit) { edit_each_instruction(edit, visit_argument_of_type); }

static void replace_by_argument(Edit *edit, const EditPlace *place) {
    LlvmTypeRef type = edit->llvm->LLVMTypeOf(place->value);
    edit->llvm->LLVMReplaceAllUsesWith(place->value, argument_of_type(edit, place->value, type));
    if (!edit->llvm->LLVMIsATerminatorInst(place->value))
        edit->llvm->LLVMInstructionEraseFromParent(place->value);
}

/* --- Operands --- */

/* Operands with a value that could be another: no blocks, metadata or functions that are called. */
static bool is_value_operand(Edit *edit, LlvmValueRef i, unsigned number) {
    const LlvmApi *llvm = edit->llvm;
    int opcode = llvm->LLVMGetInstructionOpcode(i);
    bool is_call = opcode == LLVM_OPCODE_CALL || opcode == LLVM_OPCODE_INVOKE || opcode == LLVM_OPCODE_CALLBR;
    LlvmValueRef operand = llvm->LLVMGetOperand(i, number);
    return operand && edit_zero(edit, llvm->LLVMTypeOf(operand)) &&
           !(is_call && operand == llvm->LLVMGetCalledValue(i)) && !(opcode == LLVM_OPCODE_SWITCH && number >= 2) &&
           opcode != LLVM_OPCODE_ALLOCA;
}

static void visit_nonzero(Edit *edit, LlvmValueRef i) {
    const LlvmApi *llvm = edit->llvm;
    for (unsigned k = 0; k < (unsigned)llvm->LLVMGetNumOperands(i); k++)
        if (is_value_operand(edit, i, k) && !llvm->LLVMIsNull(llvm->LLVMGetOperand(i, k)))
            edit_add(edit, i, k, 0);
}

static void find_nonzero(Edit *edit) { edit_each_instruction(edit, visit_nonzero); }

static void zero_operand(Edit *edit, const EditPlace *place) {
    LlvmTypeRef type = edit->llvm->LLVMTypeOf(edit->llvm->LLVMGetOperand(place->value, place->number));
    edit->llvm->LLVMSetOperand(place->value, place->number, edit_zero(edit, type));
}

/* Values that are computed become arguments, after which their computation is dead. */
static void visit_computed(Edit *edit, LlvmValueRef i) {
    const LlvmApi *llvm = edit->llvm;
    for (unsigned k = 0; k < (unsigned)llvm->LLVMGetNumOperands(i); k++)
        if (is_value_operand(edit, i, k) && llvm->LLVMIsAInstruction(llvm->LLVMGetOperand(i, k)) &&
            argument_of_type(edit, i, llvm->LLVMTypeOf(llvm->LLVMGetOperand(i, k))))
            edit_add(edit, i, k, 0);
}

static void find_computed(Edit *edit) { edit_each_instruction(edit, visit_computed); }

static void argue_operand(Edit *edit, const EditPlace *place) {
    LlvmTypeRef type = edit->llvm->LLVMTypeOf(edit->llvm->LLVMGetOperand(place->value, place->number));
    edit->llvm->LLVMSetOperand(place->value, place->number, argument_of_type(edit, place->value, type));
}

const EditRule edit_instructions[] = {
    {"instructions", find_removable, remove_instruction},
    {"instructions-to-operands", find_operands_of_type, replace_by_operand},
    {"instructions-to-arguments", find_arguments_of_type, replace_by_argument},
    {"operands-to-zero", find_nonzero, zero_operand},
    {"operands-to-arguments", find_computed, argue_operand},
    {0},
};
