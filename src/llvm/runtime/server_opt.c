/* The fork server with the options, the module and the machine as opt would have them. */
#include "llvm/runtime/server_state.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Targets that opt knows beside x86, as far as this library has them: a bug may be about code for any of them. */
static void initialize_targets(void) {
    static const char *const targets[] = {"AArch64", "AMDGPU",  "ARM",         "AVR",   "BPF",      "Hexagon",
                                          "Lanai",   "Mips",    "MSP430",      "NVPTX", "PowerPC",  "RISCV",
                                          "Sparc",   "SystemZ", "WebAssembly", "XCore", "LoongArch"};
    static const char *const parts[] = {"TargetInfo", "Target", "TargetMC"};
    for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++)
        for (size_t part = 0; part < sizeof(parts) / sizeof(parts[0]); part++) {
            char name[64];
            snprintf(name, sizeof(name), "LLVMInitialize%s%s", targets[i], parts[part]);
            void (*initialize)(void) = NULL;
            *(void **)&initialize = dlsym(server.llvm.handle, name);
            if (initialize)
                initialize();
        }
}

/* "-name=VALUE", "--name VALUE", … The value, or NULL if the word is another one. */
static const char *option_value(char **argv, int argc, int *at, const char *name) {
    const char *word = argv[*at];
    size_t len = strlen(name);
    if (word[0] != '-')
        return NULL;
    word += word[1] == '-' ? 2 : 1;
    if (strncmp(word, name, len) != 0 || (word[len] && word[len] != '='))
        return NULL;
    if (word[len] == '=')
        return word + len + 1;
    if (*at + 1 == argc)
        server_give_up("the option %s has no value%s", argv[*at], "");
    return argv[++*at];
}

OptWords server_read_options(int argc, char **argv) {
    OptWords words = {0};
    const char **rest = calloc((size_t)argc + 2, sizeof(*rest));
    int count = 0;
    rest[count++] = "opt";
    for (int i = 0; i < argc; i++) {
        const char *value;
        if ((value = option_value(argv, argc, &i, "mtriple")))
            words.triple = value;
        else if ((value = option_value(argv, argc, &i, "mcpu")))
            words.cpu = value;
        else if ((value = option_value(argv, argc, &i, "mattr")))
            words.features = value;
        else
            rest[count++] = argv[i];
    }
    if (count > 1)
        server.llvm.LLVMParseCommandLineOptions(count, rest, "");
    free(rest);
    return words;
}

/* The module and the machine as opt makes them. */
void server_become_opt(const OptWords *words) {
    const LlvmApi *llvm = &server.llvm;
    LlvmTargetRef target;
    char *message = NULL;
    if (words->triple)
        llvm->LLVMSetTarget(server.module, llvm->LLVMNormalizeTargetTriple(words->triple));
    for (LlvmValueRef f = llvm->LLVMGetFirstFunction(server.module); f; f = llvm->LLVMGetNextFunction(f)) {
        if (words->cpu)
            llvm->LLVMAddTargetDependentFunctionAttr(f, "target-cpu", words->cpu);
        if (words->features)
            llvm->LLVMAddTargetDependentFunctionAttr(f, "target-features", words->features);
    }
    llvm->LLVMEnablePrettyStackTrace();
    const char *triple = llvm->LLVMGetTarget(server.module);
    server.pass_machine = NULL;
    if (!triple || !*triple)
        return;
    initialize_targets();
    if (llvm->LLVMGetTargetFromTriple(triple, &target, &message))
        return; /* nor does opt insist */
    server.pass_machine = llvm->LLVMCreateTargetMachine(target, triple, words->cpu ? words->cpu : "",
                                                        words->features ? words->features : "", 2, LLVM_RELOC_PIC,
                                                        LLVM_CODE_MODEL_DEFAULT);
    const char *layout = llvm->LLVMGetDataLayoutStr(server.module);
    if (server.pass_machine && (!layout || !*layout))
        llvm->LLVMSetModuleDataLayout(server.module, llvm->LLVMCreateTargetDataLayout(server.pass_machine));
}
