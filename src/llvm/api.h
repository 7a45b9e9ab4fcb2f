/* LLVM's C interface, as far as culprit uses it: the same functions in every libLLVM from 14 on.
 *
 * Declared here instead of including llvm-c, because one program talks to libraries of several versions, none of which
 * needs to be there when culprit is built. LLVM promises that these functions stay as they are; the tests load and use
 * every installed version.
 */
#ifndef LLVM_API_H
#define LLVM_API_H

#include <stdbool.h>
#include <stddef.h>

typedef int LlvmBool;
typedef struct LLVMOpaqueContext *LlvmContextRef;
typedef struct LLVMOpaqueModule *LlvmModuleRef;
typedef struct LLVMOpaqueValue *LlvmValueRef;
typedef struct LLVMOpaqueBasicBlock *LlvmBlockRef;
typedef struct LLVMOpaqueMemoryBuffer *LlvmBufferRef;
typedef struct LLVMOpaqueError *LlvmErrorRef;
typedef struct LLVMOpaquePassBuilderOptions *LlvmPassOptionsRef;
typedef struct LLVMTarget *LlvmTargetRef;
typedef struct LLVMOpaqueTargetMachine *LlvmMachineRef;
typedef struct LLVMOpaqueDiagnosticInfo *LlvmDiagnosticRef;
typedef struct LLVMOpaqueType *LlvmTypeRef;
typedef struct LLVMOpaqueUse *LlvmUseRef;
typedef struct LLVMOpaqueBuilder *LlvmBuilderRef;
typedef struct LLVMOpaqueAttributeRef *LlvmAttributeRef;
typedef struct LLVMOpaqueValueMetadataEntry LlvmMetadataEntry;
typedef struct LLVMComdat *LlvmComdatRef;

enum { LLVM_RETURN_STATUS = 2 };                          /* LLVMVerifierFailureAction */
enum { LLVM_SEVERITY_ERROR = 0 };                         /* LLVMDiagnosticSeverity */
enum { LLVM_RELOC_PIC = 2, LLVM_CODE_MODEL_DEFAULT = 0 }; /* LLVMRelocMode, LLVMCodeModel */
enum { LLVM_ASSEMBLY_FILE = 0, LLVM_OBJECT_FILE = 1 };    /* LLVMCodeGenFileType */
enum {                                                    /* LLVMOpcode */
       LLVM_OPCODE_BR = 2,
       LLVM_OPCODE_SWITCH = 3,
       LLVM_OPCODE_INVOKE = 5,
       LLVM_OPCODE_ALLOCA = 26,
       LLVM_OPCODE_PHI = 44,
       LLVM_OPCODE_CALL = 45,
       LLVM_OPCODE_CALLBR = 67,
       LLVM_OPCODE_LAST = 80
};
enum { LLVM_TYPE_VOID = 0, LLVM_TYPE_LABEL = 7, LLVM_TYPE_INTEGER = 8, LLVM_TYPE_FUNCTION = 9 }; /* LLVMTypeKind */
enum { LLVM_TYPE_METADATA = 14, LLVM_TYPE_TOKEN = 16, LLVM_TYPE_AMX = 19 };
enum { LLVM_LINKAGE_EXTERNAL = 0 };                                         /* LLVMLinkage */
enum { LLVM_ATTRIBUTES_RETURN = 0, LLVM_ATTRIBUTES_FUNCTION = 0xffffffff }; /* LLVMAttributeIndex */

/* FUNCTION(result, name, (parameters)) */
#define LLVM_FUNCTIONS(FUNCTION)                                                                                     \
    FUNCTION(LlvmContextRef, LLVMContextCreate, (void))                                                              \
    FUNCTION(void, LLVMContextDispose, (LlvmContextRef context))                                                     \
    FUNCTION(void, LLVMContextSetDiagnosticHandler,                                                                  \
             (LlvmContextRef context, void (*handler)(LlvmDiagnosticRef, void *), void *argument))                   \
    FUNCTION(char *, LLVMGetDiagInfoDescription, (LlvmDiagnosticRef info))                                           \
    FUNCTION(int, LLVMGetDiagInfoSeverity, (LlvmDiagnosticRef info))                                                 \
    FUNCTION(void, LLVMInstallFatalErrorHandler, (void (*handler)(const char *reason)))                              \
    FUNCTION(LlvmBool, LLVMCreateMemoryBufferWithContentsOfFile,                                                     \
             (const char *path, LlvmBufferRef *ret_buffer, char **ret_message))                                      \
    FUNCTION(LlvmBufferRef, LLVMCreateMemoryBufferWithMemoryRangeCopy,                                               \
             (const char *data, size_t len, const char *name))                                                       \
    FUNCTION(const char *, LLVMGetBufferStart, (LlvmBufferRef buffer))                                               \
    FUNCTION(size_t, LLVMGetBufferSize, (LlvmBufferRef buffer))                                                      \
    FUNCTION(void, LLVMDisposeMemoryBuffer, (LlvmBufferRef buffer))                                                  \
    FUNCTION(void, LLVMDisposeMessage, (char *message))                                                              \
    FUNCTION(LlvmBool, LLVMParseIRInContext,                                                                         \
             (LlvmContextRef context, LlvmBufferRef buffer, LlvmModuleRef * ret_module, char **ret_message))         \
    FUNCTION(void, LLVMDisposeModule, (LlvmModuleRef module))                                                        \
    FUNCTION(LlvmModuleRef, LLVMCloneModule, (LlvmModuleRef module))                                                 \
    FUNCTION(LlvmBool, LLVMVerifyModule, (LlvmModuleRef module, int action, char **ret_message))                     \
    FUNCTION(char *, LLVMPrintModuleToString, (LlvmModuleRef module))                                                \
    FUNCTION(LlvmBufferRef, LLVMWriteBitcodeToMemoryBuffer, (LlvmModuleRef module))                                  \
    FUNCTION(int, LLVMWriteBitcodeToFile, (LlvmModuleRef module, const char *path))                                  \
    FUNCTION(const char *, LLVMGetTarget, (LlvmModuleRef module))                                                    \
    FUNCTION(LlvmValueRef, LLVMGetFirstFunction, (LlvmModuleRef module))                                             \
    FUNCTION(LlvmValueRef, LLVMGetNextFunction, (LlvmValueRef function))                                             \
    FUNCTION(LlvmBool, LLVMIsDeclaration, (LlvmValueRef function))                                                   \
    FUNCTION(const char *, LLVMGetValueName2, (LlvmValueRef value, size_t * ret_len))                                \
    FUNCTION(LlvmBlockRef, LLVMGetFirstBasicBlock, (LlvmValueRef function))                                          \
    FUNCTION(LlvmBlockRef, LLVMGetNextBasicBlock, (LlvmBlockRef block))                                              \
    FUNCTION(const char *, LLVMGetBasicBlockName, (LlvmBlockRef block))                                              \
    FUNCTION(LlvmValueRef, LLVMGetBasicBlockTerminator, (LlvmBlockRef block))                                        \
    FUNCTION(unsigned, LLVMGetNumSuccessors, (LlvmValueRef terminator))                                              \
    FUNCTION(LlvmBlockRef, LLVMGetSuccessor, (LlvmValueRef terminator, unsigned number))                             \
    FUNCTION(LlvmValueRef, LLVMGetFirstInstruction, (LlvmBlockRef block))                                            \
    FUNCTION(LlvmValueRef, LLVMGetNextInstruction, (LlvmValueRef instruction))                                       \
    FUNCTION(int, LLVMGetInstructionOpcode, (LlvmValueRef instruction))                                              \
    FUNCTION(LlvmValueRef, LLVMGetCalledValue, (LlvmValueRef call))                                                  \
    FUNCTION(LlvmValueRef, LLVMIsAFunction, (LlvmValueRef value))                                                    \
    FUNCTION(int, LLVMGetNumOperands, (LlvmValueRef value))                                                          \
    FUNCTION(LlvmPassOptionsRef, LLVMCreatePassBuilderOptions, (void))                                               \
    FUNCTION(void, LLVMDisposePassBuilderOptions, (LlvmPassOptionsRef options))                                      \
    FUNCTION(void, LLVMPassBuilderOptionsSetDebugLogging, (LlvmPassOptionsRef options, LlvmBool logging))            \
    FUNCTION(LlvmErrorRef, LLVMRunPasses,                                                                            \
             (LlvmModuleRef module, const char *passes, LlvmMachineRef machine, LlvmPassOptionsRef options))         \
    FUNCTION(char *, LLVMGetErrorMessage, (LlvmErrorRef error))                                                      \
    FUNCTION(void, LLVMDisposeErrorMessage, (char *message))                                                         \
    FUNCTION(void, LLVMInitializeX86TargetInfo, (void))                                                              \
    FUNCTION(void, LLVMInitializeX86Target, (void))                                                                  \
    FUNCTION(void, LLVMInitializeX86TargetMC, (void))                                                                \
    FUNCTION(void, LLVMInitializeX86AsmPrinter, (void))                                                              \
    FUNCTION(void, LLVMInitializeX86AsmParser, (void))                                                               \
    FUNCTION(LlvmBool, LLVMGetTargetFromTriple, (const char *triple, LlvmTargetRef *ret_target, char **ret_message)) \
    FUNCTION(LlvmMachineRef, LLVMCreateTargetMachine,                                                                \
             (LlvmTargetRef target, const char *triple, const char *cpu, const char *features, int level, int reloc, \
              int code_model))                                                                                       \
    FUNCTION(void, LLVMDisposeTargetMachine, (LlvmMachineRef machine))                                               \
    FUNCTION(                                                                                                        \
        LlvmBool, LLVMTargetMachineEmitToMemoryBuffer,                                                               \
        (LlvmMachineRef machine, LlvmModuleRef module, int file_type, char **ret_message, LlvmBufferRef *ret_buffer))

/* What changes modules, for reduction. */
#define LLVM_EDIT_FUNCTIONS(FUNCTION)                                                                                 \
    FUNCTION(void, LLVMParseCommandLineOptions, (int argc, const char *const *argv, const char *overview))            \
    FUNCTION(LlvmBool, LLVMPrintModuleToFile, (LlvmModuleRef module, const char *path, char **ret_message))           \
    FUNCTION(LlvmContextRef, LLVMGetModuleContext, (LlvmModuleRef module))                                            \
    FUNCTION(LlvmBool, LLVMStripModuleDebugInfo, (LlvmModuleRef module))                                              \
    FUNCTION(LlvmValueRef, LLVMAddFunction, (LlvmModuleRef module, const char *name, LlvmTypeRef type))               \
    FUNCTION(void, LLVMDeleteFunction, (LlvmValueRef function))                                                       \
    FUNCTION(LlvmValueRef, LLVMGetFirstGlobal, (LlvmModuleRef module))                                                \
    FUNCTION(LlvmValueRef, LLVMGetNextGlobal, (LlvmValueRef global))                                                  \
    FUNCTION(void, LLVMDeleteGlobal, (LlvmValueRef global))                                                           \
    FUNCTION(LlvmValueRef, LLVMGetFirstGlobalAlias, (LlvmModuleRef module))                                           \
    FUNCTION(LlvmValueRef, LLVMGetNextGlobalAlias, (LlvmValueRef alias))                                              \
    FUNCTION(LlvmValueRef, LLVMGetInitializer, (LlvmValueRef global))                                                 \
    FUNCTION(void, LLVMSetInitializer, (LlvmValueRef global, LlvmValueRef value))                                     \
    FUNCTION(LlvmTypeRef, LLVMGlobalGetValueType, (LlvmValueRef global))                                              \
    FUNCTION(int, LLVMGetLinkage, (LlvmValueRef global))                                                              \
    FUNCTION(void, LLVMSetLinkage, (LlvmValueRef global, int linkage))                                                \
    FUNCTION(int, LLVMGetVisibility, (LlvmValueRef global))                                                           \
    FUNCTION(void, LLVMSetVisibility, (LlvmValueRef global, int visibility))                                          \
    FUNCTION(int, LLVMGetUnnamedAddress, (LlvmValueRef global))                                                       \
    FUNCTION(void, LLVMSetUnnamedAddress, (LlvmValueRef global, int unnamed))                                         \
    FUNCTION(LlvmComdatRef, LLVMGetComdat, (LlvmValueRef global))                                                     \
    FUNCTION(void, LLVMSetComdat, (LlvmValueRef global, LlvmComdatRef comdat))                                        \
    FUNCTION(void, LLVMGlobalClearMetadata, (LlvmValueRef global))                                                    \
    FUNCTION(LlvmMetadataEntry *, LLVMGlobalCopyAllMetadata, (LlvmValueRef global, size_t * ret_count))               \
    FUNCTION(LlvmBool, LLVMHasPersonalityFn, (LlvmValueRef function))                                                 \
    FUNCTION(LlvmValueRef, LLVMGetPersonalityFn, (LlvmValueRef function))                                             \
    FUNCTION(void, LLVMSetPersonalityFn, (LlvmValueRef function, LlvmValueRef personality))                           \
    FUNCTION(const char *, LLVMGetGC, (LlvmValueRef function))                                                        \
    FUNCTION(void, LLVMSetGC, (LlvmValueRef function, const char *name))                                              \
    FUNCTION(unsigned, LLVMGetFunctionCallConv, (LlvmValueRef function))                                              \
    FUNCTION(void, LLVMSetFunctionCallConv, (LlvmValueRef function, unsigned convention))                             \
    FUNCTION(unsigned, LLVMGetInstructionCallConv, (LlvmValueRef call))                                               \
    FUNCTION(void, LLVMSetInstructionCallConv, (LlvmValueRef call, unsigned convention))                              \
    FUNCTION(unsigned, LLVMGetAttributeCountAtIndex, (LlvmValueRef function, unsigned index))                         \
    FUNCTION(void, LLVMGetAttributesAtIndex, (LlvmValueRef function, unsigned index, LlvmAttributeRef *ret))          \
    FUNCTION(void, LLVMAddAttributeAtIndex, (LlvmValueRef function, unsigned index, LlvmAttributeRef attribute))      \
    FUNCTION(void, LLVMRemoveEnumAttributeAtIndex, (LlvmValueRef function, unsigned index, unsigned kind))            \
    FUNCTION(void, LLVMRemoveStringAttributeAtIndex,                                                                  \
             (LlvmValueRef function, unsigned index, const char *name, unsigned len))                                 \
    FUNCTION(unsigned, LLVMGetCallSiteAttributeCount, (LlvmValueRef call, unsigned index))                            \
    FUNCTION(void, LLVMGetCallSiteAttributes, (LlvmValueRef call, unsigned index, LlvmAttributeRef *ret))             \
    FUNCTION(void, LLVMRemoveCallSiteEnumAttribute, (LlvmValueRef call, unsigned index, unsigned kind))               \
    FUNCTION(void, LLVMRemoveCallSiteStringAttribute,                                                                 \
             (LlvmValueRef call, unsigned index, const char *name, unsigned len))                                     \
    FUNCTION(LlvmBool, LLVMIsStringAttribute, (LlvmAttributeRef attribute))                                           \
    FUNCTION(unsigned, LLVMGetEnumAttributeKind, (LlvmAttributeRef attribute))                                        \
    FUNCTION(const char *, LLVMGetStringAttributeKind, (LlvmAttributeRef attribute, unsigned *ret_len))               \
    FUNCTION(LlvmMetadataEntry *, LLVMInstructionGetAllMetadataOtherThanDebugLoc,                                     \
             (LlvmValueRef instruction, size_t * ret_count))                                                          \
    FUNCTION(unsigned, LLVMValueMetadataEntriesGetKind, (LlvmMetadataEntry * entries, unsigned number))               \
    FUNCTION(void, LLVMDisposeValueMetadataEntries, (LlvmMetadataEntry * entries))                                    \
    FUNCTION(void, LLVMSetMetadata, (LlvmValueRef instruction, unsigned kind, LlvmValueRef value))                    \
    FUNCTION(void, LLVMSetValueName2, (LlvmValueRef value, const char *name, size_t len))                             \
    FUNCTION(LlvmTypeRef, LLVMTypeOf, (LlvmValueRef value))                                                           \
    FUNCTION(int, LLVMGetTypeKind, (LlvmTypeRef type))                                                                \
    FUNCTION(unsigned, LLVMGetIntTypeWidth, (LlvmTypeRef type))                                                       \
    FUNCTION(LlvmTypeRef, LLVMVoidTypeInContext, (LlvmContextRef context))                                            \
    FUNCTION(LlvmTypeRef, LLVMGetReturnType, (LlvmTypeRef function_type))                                             \
    FUNCTION(LlvmBool, LLVMIsFunctionVarArg, (LlvmTypeRef function_type))                                             \
    FUNCTION(LlvmTypeRef, LLVMFunctionType,                                                                           \
             (LlvmTypeRef result, LlvmTypeRef * parameters, unsigned count, LlvmBool varargs))                        \
    FUNCTION(LlvmValueRef, LLVMConstNull, (LlvmTypeRef type))                                                         \
    FUNCTION(LlvmValueRef, LLVMGetUndef, (LlvmTypeRef type))                                                          \
    FUNCTION(LlvmBool, LLVMIsNull, (LlvmValueRef value))                                                              \
    FUNCTION(LlvmBool, LLVMIsConstant, (LlvmValueRef value))                                                          \
    FUNCTION(LlvmValueRef, LLVMIsAInstruction, (LlvmValueRef value))                                                  \
    FUNCTION(LlvmValueRef, LLVMIsAArgument, (LlvmValueRef value))                                                     \
    FUNCTION(LlvmValueRef, LLVMIsAGlobalValue, (LlvmValueRef value))                                                  \
    FUNCTION(LlvmUseRef, LLVMGetFirstUse, (LlvmValueRef value))                                                       \
    FUNCTION(LlvmUseRef, LLVMGetNextUse, (LlvmUseRef use))                                                            \
    FUNCTION(LlvmValueRef, LLVMGetUser, (LlvmUseRef use))                                                             \
    FUNCTION(void, LLVMReplaceAllUsesWith, (LlvmValueRef value, LlvmValueRef by))                                     \
    FUNCTION(LlvmValueRef, LLVMGetOperand, (LlvmValueRef user, unsigned number))                                      \
    FUNCTION(void, LLVMSetOperand, (LlvmValueRef user, unsigned number, LlvmValueRef value))                          \
    FUNCTION(unsigned, LLVMCountParams, (LlvmValueRef function))                                                      \
    FUNCTION(LlvmValueRef, LLVMGetParam, (LlvmValueRef function, unsigned number))                                    \
    FUNCTION(unsigned, LLVMGetNumArgOperands, (LlvmValueRef call))                                                    \
    FUNCTION(LlvmTypeRef, LLVMGetCalledFunctionType, (LlvmValueRef call))                                             \
    FUNCTION(LlvmBool, LLVMIsTailCall, (LlvmValueRef call))                                                           \
    FUNCTION(void, LLVMSetTailCall, (LlvmValueRef call, LlvmBool tail))                                               \
    FUNCTION(LlvmValueRef, LLVMBasicBlockAsValue, (LlvmBlockRef block))                                               \
    FUNCTION(LlvmValueRef, LLVMGetBasicBlockParent, (LlvmBlockRef block))                                             \
    FUNCTION(LlvmBlockRef, LLVMGetInstructionParent, (LlvmValueRef instruction))                                      \
    FUNCTION(LlvmBlockRef, LLVMGetEntryBasicBlock, (LlvmValueRef function))                                           \
    FUNCTION(void, LLVMDeleteBasicBlock, (LlvmBlockRef block))                                                        \
    FUNCTION(void, LLVMRemoveBasicBlockFromParent, (LlvmBlockRef block))                                              \
    FUNCTION(void, LLVMAppendExistingBasicBlock, (LlvmValueRef function, LlvmBlockRef block))                         \
    FUNCTION(LlvmValueRef, LLVMGetLastInstruction, (LlvmBlockRef block))                                              \
    FUNCTION(LlvmValueRef, LLVMGetPreviousInstruction, (LlvmValueRef instruction))                                    \
    FUNCTION(LlvmValueRef, LLVMIsATerminatorInst, (LlvmValueRef instruction))                                         \
    FUNCTION(void, LLVMInstructionRemoveFromParent, (LlvmValueRef instruction))                                       \
    FUNCTION(void, LLVMInstructionEraseFromParent, (LlvmValueRef instruction))                                        \
    FUNCTION(unsigned, LLVMCountIncoming, (LlvmValueRef phi))                                                         \
    FUNCTION(LlvmValueRef, LLVMGetIncomingValue, (LlvmValueRef phi, unsigned number))                                 \
    FUNCTION(LlvmBlockRef, LLVMGetIncomingBlock, (LlvmValueRef phi, unsigned number))                                 \
    FUNCTION(void, LLVMAddIncoming, (LlvmValueRef phi, LlvmValueRef * values, LlvmBlockRef * blocks, unsigned count)) \
    FUNCTION(LlvmBuilderRef, LLVMCreateBuilderInContext, (LlvmContextRef context))                                    \
    FUNCTION(void, LLVMPositionBuilderAtEnd, (LlvmBuilderRef builder, LlvmBlockRef block))                            \
    FUNCTION(void, LLVMPositionBuilderBefore, (LlvmBuilderRef builder, LlvmValueRef instruction))                     \
    FUNCTION(void, LLVMInsertIntoBuilder, (LlvmBuilderRef builder, LlvmValueRef instruction))                         \
    FUNCTION(LlvmValueRef, LLVMBuildBr, (LlvmBuilderRef builder, LlvmBlockRef target))                                \
    FUNCTION(LlvmValueRef, LLVMBuildRet, (LlvmBuilderRef builder, LlvmValueRef value))                                \
    FUNCTION(LlvmValueRef, LLVMBuildRetVoid, (LlvmBuilderRef builder))                                                \
    FUNCTION(LlvmValueRef, LLVMBuildPhi, (LlvmBuilderRef builder, LlvmTypeRef type, const char *name))                \
    FUNCTION(LlvmValueRef, LLVMBuildSwitch,                                                                           \
             (LlvmBuilderRef builder, LlvmValueRef value, LlvmBlockRef otherwise, unsigned cases))                    \
    FUNCTION(void, LLVMAddCase, (LlvmValueRef switch_, LlvmValueRef value, LlvmBlockRef target))                      \
    FUNCTION(LlvmValueRef, LLVMBuildCall2,                                                                            \
             (LlvmBuilderRef builder, LlvmTypeRef type, LlvmValueRef function, LlvmValueRef * arguments,              \
              unsigned count, const char *name))

/* One loaded library: api->LLVMRunPasses(…). */
typedef struct LlvmApi {
    void *handle;
#define MEMBER(result, name, parameters) result(*name) parameters;
    LLVM_FUNCTIONS(MEMBER)
    LLVM_EDIT_FUNCTIONS(MEMBER)
#undef MEMBER
} LlvmApi;

/* Loads a libLLVM; several may be loaded at once. On failure a sentence stands in `ret_why` and false is returned. */
bool llvm_api_load(const char *path, LlvmApi *ret_api, char *ret_why, size_t why_size);

#endif
