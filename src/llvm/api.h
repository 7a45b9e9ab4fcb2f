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
typedef struct LLVMOpaqueTargetData *LlvmLayoutRef;

enum { LLVM_RETURN_STATUS = 2 };                          /* LLVMVerifierFailureAction */
enum { LLVM_SEVERITY_ERROR = 0 };                         /* LLVMDiagnosticSeverity */
enum { LLVM_RELOC_PIC = 2, LLVM_CODE_MODEL_DEFAULT = 0 }; /* LLVMRelocMode, LLVMCodeModel */
enum { LLVM_ASSEMBLY_FILE = 0, LLVM_OBJECT_FILE = 1 };    /* LLVMCodeGenFileType */
enum { LLVM_OPCODE_CALL = 45, LLVM_OPCODE_INVOKE = 5, LLVM_OPCODE_CALLBR = 67, LLVM_OPCODE_LAST = 80 }; /* LLVMOpcode */

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
    FUNCTION(void, LLVMSetTarget, (LlvmModuleRef module, const char *triple))                                        \
    FUNCTION(const char *, LLVMGetDataLayoutStr, (LlvmModuleRef module))                                             \
    FUNCTION(void, LLVMSetModuleDataLayout, (LlvmModuleRef module, LlvmLayoutRef layout))                            \
    FUNCTION(LlvmValueRef, LLVMGetFirstFunction, (LlvmModuleRef module))                                             \
    FUNCTION(LlvmValueRef, LLVMGetNextFunction, (LlvmValueRef function))                                             \
    FUNCTION(LlvmBool, LLVMIsDeclaration, (LlvmValueRef function))                                                   \
    FUNCTION(void, LLVMAddTargetDependentFunctionAttr, (LlvmValueRef function, const char *name, const char *value)) \
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
    FUNCTION(LlvmLayoutRef, LLVMCreateTargetDataLayout, (LlvmMachineRef machine))                                    \
    FUNCTION(char *, LLVMNormalizeTargetTriple, (const char *triple))                                                \
    FUNCTION(void, LLVMParseCommandLineOptions, (int argc, const char *const *argv, const char *overview))           \
    FUNCTION(void, LLVMEnablePrettyStackTrace, (void))                                                               \
    FUNCTION(void, LLVMDisposeTargetMachine, (LlvmMachineRef machine))                                               \
    FUNCTION(                                                                                                        \
        LlvmBool, LLVMTargetMachineEmitToMemoryBuffer,                                                               \
        (LlvmMachineRef machine, LlvmModuleRef module, int file_type, char **ret_message, LlvmBufferRef *ret_buffer))

/* One loaded library: api->LLVMRunPasses(…). */
typedef struct LlvmApi {
    void *handle;
#define MEMBER(result, name, parameters) result(*name) parameters;
    LLVM_FUNCTIONS(MEMBER)
#undef MEMBER
} LlvmApi;

/* Loads a libLLVM; several may be loaded at once. On failure a sentence stands in `ret_why` and false is returned. */
bool llvm_api_load(const char *path, LlvmApi *ret_api, char *ret_why, size_t why_size);

#endif
