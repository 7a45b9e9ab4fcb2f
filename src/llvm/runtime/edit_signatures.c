/* Functions with fewer parameters and without a result. LLVM cannot change a function's type: a new function takes over
 * blocks, name and callers. Functions that are used in any other way than by being called stay as they are. */
#include "llvm/runtime/edit.h"

#include <stdlib.h>
#include <string.h>

/* Whether every use is a plain call of the function, by its own type. */
static bool only_called(Edit *edit, LlvmValueRef function) {
    const LlvmApi *llvm = edit->llvm;
    for (LlvmUseRef use = llvm->LLVMGetFirstUse(function); use; use = llvm->LLVMGetNextUse(use)) {
        LlvmValueRef user = llvm->LLVMGetUser(use);
        if (!llvm->LLVMIsAInstruction(user) || llvm->LLVMGetInstructionOpcode(user) != LLVM_OPCODE_CALL ||
            llvm->LLVMGetCalledValue(user) != function ||
            llvm->LLVMGetCalledFunctionType(user) != llvm->LLVMGlobalGetValueType(function) ||
            (unsigned)llvm->LLVMGetNumOperands(user) != llvm->LLVMGetNumArgOperands(user) + 1)
            return false;
        for (unsigned i = 0; i < llvm->LLVMGetNumArgOperands(user); i++)
            if (llvm->LLVMGetOperand(user, i) == function)
                return false;
    }
    return !llvm->LLVMIsFunctionVarArg(llvm->LLVMGlobalGetValueType(function)) &&
           strncmp(llvm->LLVMGetValueName2(function, &(size_t){0}), "llvm.", 5) != 0;
}

enum { NO_PARAMETER = 0xffffffff };

/* The call without the argument, of the new function. */
static void change_call(Edit *edit, LlvmValueRef call, LlvmValueRef function, unsigned parameter) {
    const LlvmApi *llvm = edit->llvm;
    unsigned count = llvm->LLVMGetNumArgOperands(call), kept = 0;
    LlvmValueRef *arguments = calloc(count + 1, sizeof(*arguments));
    for (unsigned i = 0; i < count; i++)
        if (i != parameter)
            arguments[kept++] = llvm->LLVMGetOperand(call, i);
    llvm->LLVMPositionBuilderBefore(edit->builder, call);
    LlvmValueRef fresh =
        llvm->LLVMBuildCall2(edit->builder, llvm->LLVMGlobalGetValueType(function), function, arguments, kept, "");
    llvm->LLVMSetInstructionCallConv(fresh, llvm->LLVMGetInstructionCallConv(call));
    llvm->LLVMSetTailCall(fresh, llvm->LLVMIsTailCall(call));
    if (llvm->LLVMTypeOf(fresh) == llvm->LLVMTypeOf(call) && edit_is_used(edit, call))
        llvm->LLVMReplaceAllUsesWith(call, fresh);
    edit_erase(edit, call);
    free(arguments);
}

static void copy_attributes(Edit *edit, LlvmValueRef from, unsigned from_index, LlvmValueRef to, unsigned to_index) {
    LlvmAttributeRef attributes[256];
    unsigned count = edit->llvm->LLVMGetAttributeCountAtIndex(from, from_index);
    if (count > sizeof(attributes) / sizeof(attributes[0]))
        return;
    edit->llvm->LLVMGetAttributesAtIndex(from, from_index, attributes);
    for (unsigned i = 0; i < count; i++)
        edit->llvm->LLVMAddAttributeAtIndex(to, to_index, attributes[i]);
}

/* A function in place of the old one, without a parameter (or NO_PARAMETER), and without a result if `no_result`. */
static void change_signature(Edit *edit, LlvmValueRef old, unsigned parameter, bool no_result) {
    const LlvmApi *llvm = edit->llvm;
    unsigned count = llvm->LLVMCountParams(old), kept = 0;
    LlvmTypeRef *types = calloc(count + 1, sizeof(*types)), result;
    for (unsigned i = 0; i < count; i++)
        if (i != parameter)
            types[kept++] = llvm->LLVMTypeOf(llvm->LLVMGetParam(old, i));
    result = no_result ? llvm->LLVMVoidTypeInContext(llvm->LLVMGetModuleContext(edit->module))
                       : llvm->LLVMGetReturnType(llvm->LLVMGlobalGetValueType(old));
    LlvmValueRef fresh = llvm->LLVMAddFunction(edit->module, "", llvm->LLVMFunctionType(result, types, kept, 0));
    free(types);

    llvm->LLVMSetLinkage(fresh, llvm->LLVMGetLinkage(old));
    llvm->LLVMSetFunctionCallConv(fresh, llvm->LLVMGetFunctionCallConv(old));
    llvm->LLVMSetUnnamedAddress(fresh, llvm->LLVMGetUnnamedAddress(old));
    if (llvm->LLVMHasPersonalityFn(old))
        llvm->LLVMSetPersonalityFn(fresh, llvm->LLVMGetPersonalityFn(old));
    if (llvm->LLVMGetGC(old))
        llvm->LLVMSetGC(fresh, llvm->LLVMGetGC(old));
    copy_attributes(edit, old, LLVM_ATTRIBUTES_FUNCTION, fresh, LLVM_ATTRIBUTES_FUNCTION);
    if (!no_result)
        copy_attributes(edit, old, LLVM_ATTRIBUTES_RETURN, fresh, LLVM_ATTRIBUTES_RETURN);
    for (unsigned i = 0, next = 0; i < count; i++) {
        if (i == parameter)
            continue;
        size_t len;
        LlvmValueRef from = llvm->LLVMGetParam(old, i), to = llvm->LLVMGetParam(fresh, next);
        char *name = strdup(llvm->LLVMGetValueName2(from, &len));
        copy_attributes(edit, old, i + 1, fresh, ++next);
        llvm->LLVMReplaceAllUsesWith(from, to);
        llvm->LLVMSetValueName2(from, "", 0);
        llvm->LLVMSetValueName2(to, name, len);
        free(name);
    }
    for (LlvmBlockRef b; (b = llvm->LLVMGetFirstBasicBlock(old));) {
        llvm->LLVMRemoveBasicBlockFromParent(b);
        llvm->LLVMAppendExistingBasicBlock(fresh, b);
        LlvmValueRef last = llvm->LLVMGetBasicBlockTerminator(b);
        if (no_result && last && llvm->LLVMGetInstructionOpcode(last) == 1 /* ret */) {
            llvm->LLVMPositionBuilderBefore(edit->builder, last);
            llvm->LLVMBuildRetVoid(edit->builder);
            llvm->LLVMInstructionEraseFromParent(last);
        }
    }
    for (LlvmUseRef use; (use = llvm->LLVMGetFirstUse(old));)
        change_call(edit, llvm->LLVMGetUser(use), fresh, parameter);
    size_t len;
    char *name = strdup(llvm->LLVMGetValueName2(old, &len));
    llvm->LLVMDeleteFunction(old);
    llvm->LLVMSetValueName2(fresh, name, len);
    free(name);
}

/* --- Parameters that nobody reads --- */

/* One of each function: the function is another afterwards. */
static void find_unread(Edit *edit) {
    const LlvmApi *llvm = edit->llvm;
    for (LlvmValueRef f = llvm->LLVMGetFirstFunction(edit->module); f; f = llvm->LLVMGetNextFunction(f)) {
        unsigned count = only_called(edit, f) ? llvm->LLVMCountParams(f) : 0, i = 0;
        while (i < count && edit_is_used(edit, llvm->LLVMGetParam(f, i)))
            i++;
        if (i < count)
            edit_add(edit, f, i, 0);
    }
}

static void remove_parameter(Edit *edit, const EditPlace *place) {
    change_signature(edit, place->value, place->number, false);
}

/* --- Parameters that are read: zero takes their place --- */

static void find_read(Edit *edit) {
    const LlvmApi *llvm = edit->llvm;
    for (LlvmValueRef f = llvm->LLVMGetFirstFunction(edit->module); f; f = llvm->LLVMGetNextFunction(f))
        for (unsigned i = 0; i < llvm->LLVMCountParams(f); i++)
            if (edit_is_used(edit, llvm->LLVMGetParam(f, i)) &&
                edit_zero(edit, llvm->LLVMTypeOf(llvm->LLVMGetParam(f, i))))
                edit_add(edit, f, i, 0);
}

static void zero_parameter(Edit *edit, const EditPlace *place) {
    LlvmValueRef parameter = edit->llvm->LLVMGetParam(place->value, place->number);
    edit->llvm->LLVMReplaceAllUsesWith(parameter, edit_zero(edit, edit->llvm->LLVMTypeOf(parameter)));
}

/* --- Results that no caller uses --- */

static void find_results(Edit *edit) {
    const LlvmApi *llvm = edit->llvm;
    for (LlvmValueRef f = llvm->LLVMGetFirstFunction(edit->module); f; f = llvm->LLVMGetNextFunction(f)) {
        LlvmTypeRef type = llvm->LLVMGetReturnType(llvm->LLVMGlobalGetValueType(f));
        bool used = llvm->LLVMGetTypeKind(type) == LLVM_TYPE_VOID || !only_called(edit, f);
        for (LlvmUseRef use = llvm->LLVMGetFirstUse(f); use && !used; use = llvm->LLVMGetNextUse(use))
            used = edit_is_used(edit, llvm->LLVMGetUser(use));
        if (!used)
            edit_add(edit, f, 0, 0);
    }
}

static void remove_result(Edit *edit, const EditPlace *place) {
    change_signature(edit, place->value, NO_PARAMETER, true);
}

const EditRule edit_signatures[] = {
    {"parameters-to-zero", find_read, zero_parameter},
    {"parameters", find_unread, remove_parameter},
    {"results", find_results, remove_result},
    {0},
};
