/* Whole functions and variables: bodies that nobody needs, things that nobody uses, initial values. */
#include "llvm/runtime/edit.h"

/* --- Function bodies: a definition becomes a declaration --- */

static void find_bodies(Edit *edit) {
    const LlvmApi *llvm = edit->llvm;
    for (LlvmValueRef f = llvm->LLVMGetFirstFunction(edit->module); f; f = llvm->LLVMGetNextFunction(f))
        if (!llvm->LLVMIsDeclaration(f))
            edit_add(edit, f, 0, 0);
}

static void remove_body(Edit *edit, const EditPlace *place) {
    const LlvmApi *llvm = edit->llvm;
    LlvmValueRef function = place->value;
    for (LlvmBlockRef b = llvm->LLVMGetFirstBasicBlock(function); b; b = llvm->LLVMGetNextBasicBlock(b))
        for (LlvmValueRef i; (i = llvm->LLVMGetLastInstruction(b));)
            edit_erase(edit, i);
    for (LlvmBlockRef b; (b = llvm->LLVMGetFirstBasicBlock(function));)
        llvm->LLVMDeleteBasicBlock(b);
    /* What only a definition may have. */
    llvm->LLVMSetLinkage(function, LLVM_LINKAGE_EXTERNAL);
    llvm->LLVMSetVisibility(function, 0);
    llvm->LLVMSetComdat(function, NULL);
    llvm->LLVMGlobalClearMetadata(function);
    if (llvm->LLVMHasPersonalityFn(function))
        llvm->LLVMSetPersonalityFn(function, NULL);
}

/* --- Functions, variables and aliases that are not used --- */

static void find_unused(Edit *edit) {
    const LlvmApi *llvm = edit->llvm;
    for (LlvmValueRef f = llvm->LLVMGetFirstFunction(edit->module); f; f = llvm->LLVMGetNextFunction(f))
        if (!edit_is_used(edit, f))
            edit_add(edit, f, 0, 0);
    for (LlvmValueRef v = llvm->LLVMGetFirstGlobal(edit->module); v; v = llvm->LLVMGetNextGlobal(v))
        if (!edit_is_used(edit, v))
            edit_add(edit, v, 1, 0);
    for (LlvmValueRef a = llvm->LLVMGetFirstGlobalAlias(edit->module); a; a = llvm->LLVMGetNextGlobalAlias(a))
        if (!edit_is_used(edit, a))
            edit_add(edit, a, 1, 0);
}

static void remove_global(Edit *edit, const EditPlace *place) {
    if (place->number == 0) {
        remove_body(edit, place);
        edit->llvm->LLVMDeleteFunction(place->value);
    } else {
        edit->llvm->LLVMDeleteGlobal(place->value);
    }
}

/* --- The same for those that are used: null takes their place --- */

static void find_used(Edit *edit) {
    const LlvmApi *llvm = edit->llvm;
    for (LlvmValueRef v = llvm->LLVMGetFirstGlobal(edit->module); v; v = llvm->LLVMGetNextGlobal(v))
        if (edit_is_used(edit, v))
            edit_add(edit, v, 1, 0);
    for (LlvmValueRef a = llvm->LLVMGetFirstGlobalAlias(edit->module); a; a = llvm->LLVMGetNextGlobalAlias(a))
        if (edit_is_used(edit, a))
            edit_add(edit, a, 1, 0);
}

static void replace_by_null(Edit *edit, const EditPlace *place) {
    edit->llvm->LLVMReplaceAllUsesWith(place->value, edit->llvm->LLVMConstNull(edit->llvm->LLVMTypeOf(place->value)));
    remove_global(edit, place);
}

/* --- Initial values: none, which makes a variable external, or zero --- */

static void find_initial(Edit *edit) {
    const LlvmApi *llvm = edit->llvm;
    for (LlvmValueRef v = llvm->LLVMGetFirstGlobal(edit->module); v; v = llvm->LLVMGetNextGlobal(v))
        if (llvm->LLVMGetInitializer(v))
            edit_add(edit, v, 0, 0);
}

static void remove_initial(Edit *edit, const EditPlace *place) {
    edit->llvm->LLVMSetInitializer(place->value, NULL);
    edit->llvm->LLVMSetLinkage(place->value, LLVM_LINKAGE_EXTERNAL);
    edit->llvm->LLVMSetComdat(place->value, NULL);
}

static void find_initial_values(Edit *edit) {
    const LlvmApi *llvm = edit->llvm;
    for (LlvmValueRef v = llvm->LLVMGetFirstGlobal(edit->module); v; v = llvm->LLVMGetNextGlobal(v))
        if (llvm->LLVMGetInitializer(v) && !llvm->LLVMIsNull(llvm->LLVMGetInitializer(v)))
            edit_add(edit, v, 0, 0);
}

static void zero_initial(Edit *edit, const EditPlace *place) {
    const LlvmApi *llvm = edit->llvm;
    llvm->LLVMSetInitializer(place->value, llvm->LLVMConstNull(llvm->LLVMGlobalGetValueType(place->value)));
}

const EditRule edit_globals[] = {
    {"function-bodies", find_bodies, remove_body},
    {"unused-globals", find_unused, remove_global},
    {"variables", find_used, replace_by_null},
    {"initial-values", find_initial, remove_initial},
    {"initial-values-to-zero", find_initial_values, zero_initial},
    {0},
};
