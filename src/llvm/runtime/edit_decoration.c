/* What stands around the code: attributes, metadata, linkage, calling conventions, names. */
#include "llvm/runtime/edit.h"

#include <stdio.h>
#include <string.h>

enum { MOST_ATTRIBUTES = 256 };

/* --- Attributes: all at one index of a function or a call at once, then single ones --- */

static bool is_call(Edit *edit, LlvmValueRef value) {
    if (!edit->llvm->LLVMIsAInstruction(value))
        return false;
    int opcode = edit->llvm->LLVMGetInstructionOpcode(value);
    return opcode == LLVM_OPCODE_CALL || opcode == LLVM_OPCODE_INVOKE || opcode == LLVM_OPCODE_CALLBR;
}

/* Indices are 0 for the result, 1 and up for parameters, and the function's own. */
static unsigned attributes_at(Edit *edit, LlvmValueRef value, unsigned index, LlvmAttributeRef *ret_attributes) {
    const LlvmApi *llvm = edit->llvm;
    bool call = is_call(edit, value);
    unsigned count =
        call ? llvm->LLVMGetCallSiteAttributeCount(value, index) : llvm->LLVMGetAttributeCountAtIndex(value, index);
    if (count == 0 || count > MOST_ATTRIBUTES)
        return 0;
    if (call)
        llvm->LLVMGetCallSiteAttributes(value, index, ret_attributes);
    else
        llvm->LLVMGetAttributesAtIndex(value, index, ret_attributes);
    return count;
}

static void add_attributes(Edit *edit, LlvmValueRef value, unsigned parameters, bool singly) {
    LlvmAttributeRef attributes[MOST_ATTRIBUTES];
    for (unsigned i = 0; i < parameters + 2; i++) {
        unsigned index = i == 0 ? LLVM_ATTRIBUTES_FUNCTION : i - 1;
        unsigned count = attributes_at(edit, value, index, attributes);
        for (unsigned k = 0; k < (singly || !count ? count : 1); k++)
            edit_add(edit, value, index, k);
    }
}

static void add_call_groups(Edit *edit, LlvmValueRef i) {
    if (is_call(edit, i))
        add_attributes(edit, i, edit->llvm->LLVMGetNumArgOperands(i), false);
}

static void add_call_attributes(Edit *edit, LlvmValueRef i) {
    if (is_call(edit, i))
        add_attributes(edit, i, edit->llvm->LLVMGetNumArgOperands(i), true);
}

static void find_groups(Edit *edit) {
    const LlvmApi *llvm = edit->llvm;
    for (LlvmValueRef f = llvm->LLVMGetFirstFunction(edit->module); f; f = llvm->LLVMGetNextFunction(f))
        if (strncmp(llvm->LLVMGetValueName2(f, &(size_t){0}), "llvm.", 5) != 0) /* an intrinsic's are given */
            add_attributes(edit, f, llvm->LLVMCountParams(f), false);
    edit_each_instruction(edit, add_call_groups);
}

static void find_attributes(Edit *edit) {
    const LlvmApi *llvm = edit->llvm;
    for (LlvmValueRef f = llvm->LLVMGetFirstFunction(edit->module); f; f = llvm->LLVMGetNextFunction(f))
        if (strncmp(llvm->LLVMGetValueName2(f, &(size_t){0}), "llvm.", 5) != 0)
            add_attributes(edit, f, llvm->LLVMCountParams(f), true);
    edit_each_instruction(edit, add_call_attributes);
}

static void remove_one(Edit *edit, LlvmValueRef value, unsigned index, LlvmAttributeRef attribute) {
    const LlvmApi *llvm = edit->llvm;
    bool call = is_call(edit, value);
    if (llvm->LLVMIsStringAttribute(attribute)) {
        unsigned len;
        const char *name = llvm->LLVMGetStringAttributeKind(attribute, &len);
        if (call)
            llvm->LLVMRemoveCallSiteStringAttribute(value, index, name, len);
        else
            llvm->LLVMRemoveStringAttributeAtIndex(value, index, name, len);
    } else {
        unsigned kind = llvm->LLVMGetEnumAttributeKind(attribute);
        if (call)
            llvm->LLVMRemoveCallSiteEnumAttribute(value, index, kind);
        else
            llvm->LLVMRemoveEnumAttributeAtIndex(value, index, kind);
    }
}

static void remove_group(Edit *edit, const EditPlace *place) {
    LlvmAttributeRef attributes[MOST_ATTRIBUTES];
    unsigned count = attributes_at(edit, place->value, place->number, attributes);
    for (unsigned i = 0; i < count; i++)
        remove_one(edit, place->value, place->number, attributes[i]);
}

static void remove_attribute(Edit *edit, const EditPlace *place) {
    LlvmAttributeRef attributes[MOST_ATTRIBUTES];
    unsigned count = attributes_at(edit, place->value, place->number, attributes);
    if (place->other < count)
        remove_one(edit, place->value, place->number, attributes[place->other]);
}

/* --- Metadata of instructions, functions and variables; debug information as a whole --- */

static void visit_metadata(Edit *edit, LlvmValueRef i) {
    size_t count;
    LlvmMetadataEntry *entries = edit->llvm->LLVMInstructionGetAllMetadataOtherThanDebugLoc(i, &count);
    for (unsigned k = 0; k < count; k++)
        edit_add(edit, i, edit->llvm->LLVMValueMetadataEntriesGetKind(entries, k), 0);
    edit->llvm->LLVMDisposeValueMetadataEntries(entries);
}

static void add_metadata_of_global(Edit *edit, LlvmValueRef global) {
    size_t count;
    LlvmMetadataEntry *entries = edit->llvm->LLVMGlobalCopyAllMetadata(global, &count);
    if (count)
        edit_add(edit, global, 0, 0);
    edit->llvm->LLVMDisposeValueMetadataEntries(entries);
}

static void find_metadata(Edit *edit) {
    const LlvmApi *llvm = edit->llvm;
    for (LlvmValueRef f = llvm->LLVMGetFirstFunction(edit->module); f; f = llvm->LLVMGetNextFunction(f))
        add_metadata_of_global(edit, f);
    for (LlvmValueRef v = llvm->LLVMGetFirstGlobal(edit->module); v; v = llvm->LLVMGetNextGlobal(v))
        add_metadata_of_global(edit, v);
    edit_each_instruction(edit, visit_metadata);
}

static void remove_metadata(Edit *edit, const EditPlace *place) {
    if (edit->llvm->LLVMIsAInstruction(place->value))
        edit->llvm->LLVMSetMetadata(place->value, place->number, NULL);
    else
        edit->llvm->LLVMGlobalClearMetadata(place->value);
}

/* --- Linkage and the like: an ordinary external symbol with C's convention --- */

static bool is_plain(Edit *edit, LlvmValueRef global, bool function) {
    const LlvmApi *llvm = edit->llvm;
    return llvm->LLVMGetLinkage(global) == LLVM_LINKAGE_EXTERNAL && llvm->LLVMGetVisibility(global) == 0 &&
           llvm->LLVMGetUnnamedAddress(global) == 0 && !llvm->LLVMGetComdat(global) &&
           (!function || (llvm->LLVMGetFunctionCallConv(global) == 0 && !llvm->LLVMGetGC(global) &&
                          !llvm->LLVMHasPersonalityFn(global)));
}

static void find_fancy(Edit *edit) {
    const LlvmApi *llvm = edit->llvm;
    for (LlvmValueRef f = llvm->LLVMGetFirstFunction(edit->module); f; f = llvm->LLVMGetNextFunction(f))
        if (!is_plain(edit, f, true))
            edit_add(edit, f, 1, 0);
    for (LlvmValueRef v = llvm->LLVMGetFirstGlobal(edit->module); v; v = llvm->LLVMGetNextGlobal(v))
        if (!is_plain(edit, v, false))
            edit_add(edit, v, 0, 0);
}

static void make_plain(Edit *edit, const EditPlace *place) {
    const LlvmApi *llvm = edit->llvm;
    llvm->LLVMSetLinkage(place->value, LLVM_LINKAGE_EXTERNAL);
    llvm->LLVMSetVisibility(place->value, 0);
    llvm->LLVMSetUnnamedAddress(place->value, 0);
    llvm->LLVMSetComdat(place->value, NULL);
    if (!place->number)
        return;
    llvm->LLVMSetFunctionCallConv(place->value, 0);
    for (LlvmUseRef use = llvm->LLVMGetFirstUse(place->value); use; use = llvm->LLVMGetNextUse(use))
        if (is_call(edit, llvm->LLVMGetUser(use)) && llvm->LLVMGetCalledValue(llvm->LLVMGetUser(use)) == place->value)
            llvm->LLVMSetInstructionCallConv(llvm->LLVMGetUser(use), 0);
    if (llvm->LLVMGetGC(place->value))
        llvm->LLVMSetGC(place->value, NULL);
    if (llvm->LLVMHasPersonalityFn(place->value))
        llvm->LLVMSetPersonalityFn(place->value, NULL);
}

static void visit_tail_call(Edit *edit, LlvmValueRef i) {
    if (edit->llvm->LLVMGetInstructionOpcode(i) == LLVM_OPCODE_CALL && edit->llvm->LLVMIsTailCall(i))
        edit_add(edit, i, 0, 0);
}

static void find_tail_calls(Edit *edit) { edit_each_instruction(edit, visit_tail_call); }

static void make_call(Edit *edit, const EditPlace *place) { edit->llvm->LLVMSetTailCall(place->value, 0); }

/* --- Names: of functions f, f1, …; of variables g, …; inside of functions by what they are --- */

static void rename_all(Edit *edit, const EditPlace *place) {
    const LlvmApi *llvm = edit->llvm;
    (void)place;
    char name[32];
    unsigned functions = 0, variables = 0;
#define RENAME(value, ...) llvm->LLVMSetValueName2(value, name, (size_t)snprintf(name, sizeof(name), __VA_ARGS__))
    for (LlvmValueRef v = llvm->LLVMGetFirstGlobal(edit->module); v; v = llvm->LLVMGetNextGlobal(v))
        if (strncmp(llvm->LLVMGetValueName2(v, &(size_t){0}), "llvm.", 5) != 0)
            RENAME(v, "g%u", variables++);
    for (LlvmValueRef f = llvm->LLVMGetFirstFunction(edit->module); f; f = llvm->LLVMGetNextFunction(f)) {
        unsigned blocks = 0, values = 0;
        if (strncmp(llvm->LLVMGetValueName2(f, &(size_t){0}), "llvm.", 5) != 0)
            RENAME(f, "f%u", functions++);
        for (unsigned i = 0; i < llvm->LLVMCountParams(f); i++)
            RENAME(llvm->LLVMGetParam(f, i), "p%u", i);
        for (LlvmBlockRef b = llvm->LLVMGetFirstBasicBlock(f); b; b = llvm->LLVMGetNextBasicBlock(b)) {
            if (blocks++)
                RENAME(llvm->LLVMBasicBlockAsValue(b), "b%u", blocks - 1);
            else
                RENAME(llvm->LLVMBasicBlockAsValue(b), "entry");
            for (LlvmValueRef i = llvm->LLVMGetFirstInstruction(b); i; i = llvm->LLVMGetNextInstruction(i))
                if (llvm->LLVMGetTypeKind(llvm->LLVMTypeOf(i)) != LLVM_TYPE_VOID)
                    RENAME(i, "v%u", values++);
        }
    }
#undef RENAME
}

static void find_once(Edit *edit) { edit_add(edit, NULL, 0, 0); }

static void strip_debug_info(Edit *edit, const EditPlace *place) {
    (void)place;
    edit->llvm->LLVMStripModuleDebugInfo(edit->module);
}

const EditRule edit_decoration[] = {
    {"debug-info", find_once, strip_debug_info},
    {"attribute-groups", find_groups, remove_group},
    {"attributes", find_attributes, remove_attribute},
    {"metadata", find_metadata, remove_metadata},
    {"linkage", find_fancy, make_plain},
    {"tail-calls", find_tail_calls, make_call},
    {"names", find_once, rename_all},
    {0},
};
