/* ir-graph LIBLLVM MODULE: prints the graph of a module of LLVM IR, text or bitcode, in the format of llvm/graph.c.
 *
 * A program of its own and not a call, because LLVM may crash, hang or end the process on a module, and because several
 * versions of it do not get on in one process. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "llvm/api.h"

static LlvmApi llvm;

/* Numbers of functions and of a function's blocks: a hash table from pointers, refilled for every function. */
typedef struct Numbers {
    const void **keys;
    uint32_t *values;
    size_t slots; /* a power of two, more than twice what is in it */
} Numbers;

static void fail(const char *what, const char *why) {
    fprintf(stderr, "%s%s%s\n", what, *why ? ": " : "", why);
    _exit(1);
}

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (!memory)
        fail("out of memory", "");
    return memory;
}

static void numbers_init(Numbers *numbers, size_t count) {
    for (numbers->slots = 8; numbers->slots < 3 * count;)
        numbers->slots *= 2;
    numbers->keys = allocate(numbers->slots, sizeof *numbers->keys);
    numbers->values = allocate(numbers->slots, sizeof *numbers->values);
}

static void numbers_release(Numbers *numbers) {
    free(numbers->keys);
    free(numbers->values);
}

/* The slot of a key, free or its own. */
static size_t find_slot(const Numbers *numbers, const void *key) {
    size_t slot = (size_t)(((uintptr_t)key >> 4) * 0x9E3779B97F4A7C15ULL >> 20) & (numbers->slots - 1);
    while (numbers->keys[slot] && numbers->keys[slot] != key)
        slot = (slot + 1) & (numbers->slots - 1);
    return slot;
}

static void numbers_add(Numbers *numbers, const void *key, uint32_t value) {
    size_t slot = find_slot(numbers, key);
    numbers->keys[slot] = key;
    numbers->values[slot] = value;
}

static void write_number(uint64_t value) {
    for (; value >= 0x80; value >>= 7)
        putchar((int)(value & 0x7f) | 0x80);
    putchar((int)value);
}

static void write_name(const char *name, size_t len) {
    write_number(len);
    fwrite(name, 1, len, stdout);
}

static void write_block(const Numbers *blocks, LlvmBlockRef block) {
    const char *name = llvm.LLVMGetBasicBlockName(block);
    write_name(name ? name : "", name ? strlen(name) : 0);
    size_t count = 0;
    for (LlvmValueRef i = llvm.LLVMGetFirstInstruction(block); i; i = llvm.LLVMGetNextInstruction(i))
        count++;
    write_number(count);
    for (LlvmValueRef i = llvm.LLVMGetFirstInstruction(block); i; i = llvm.LLVMGetNextInstruction(i))
        putchar(llvm.LLVMGetInstructionOpcode(i) & 0x7f);
    LlvmValueRef terminator = llvm.LLVMGetBasicBlockTerminator(block);
    unsigned successors = terminator ? llvm.LLVMGetNumSuccessors(terminator) : 0;
    write_number(successors);
    for (unsigned s = 0; s < successors; s++)
        write_number(blocks->values[find_slot(blocks, llvm.LLVMGetSuccessor(terminator, s))]);
}

static bool is_call(LlvmValueRef instruction) {
    int opcode = llvm.LLVMGetInstructionOpcode(instruction);
    return opcode == LLVM_OPCODE_CALL || opcode == LLVM_OPCODE_INVOKE || opcode == LLVM_OPCODE_CALLBR;
}

/* Counts the calls of a function, and writes them where `functions` are given. */
static size_t visit_calls(LlvmValueRef function, const Numbers *functions) {
    size_t count = 0;
    for (LlvmBlockRef b = llvm.LLVMGetFirstBasicBlock(function); b; b = llvm.LLVMGetNextBasicBlock(b))
        for (LlvmValueRef i = llvm.LLVMGetFirstInstruction(b); i; i = llvm.LLVMGetNextInstruction(i)) {
            if (!is_call(i))
                continue;
            count++;
            if (functions) {
                size_t slot = find_slot(functions, llvm.LLVMGetCalledValue(i));
                write_number(functions->keys[slot] ? (uint64_t)functions->values[slot] + 1 : 0);
            }
        }
    return count;
}

static void write_function(LlvmValueRef function, const Numbers *functions) {
    size_t len = 0, count = 0;
    const char *name = llvm.LLVMGetValueName2(function, &len);
    write_name(name, len);
    for (LlvmBlockRef b = llvm.LLVMGetFirstBasicBlock(function); b; b = llvm.LLVMGetNextBasicBlock(b))
        count++;
    write_number(count);
    Numbers blocks;
    numbers_init(&blocks, count);
    uint32_t number = 0;
    for (LlvmBlockRef b = llvm.LLVMGetFirstBasicBlock(function); b; b = llvm.LLVMGetNextBasicBlock(b))
        numbers_add(&blocks, b, number++);
    for (LlvmBlockRef b = llvm.LLVMGetFirstBasicBlock(function); b; b = llvm.LLVMGetNextBasicBlock(b))
        write_block(&blocks, b);
    numbers_release(&blocks);
    write_number(visit_calls(function, NULL));
    visit_calls(function, functions);
}

static void write_module(LlvmModuleRef module) {
    size_t count = 0;
    for (LlvmValueRef f = llvm.LLVMGetFirstFunction(module); f; f = llvm.LLVMGetNextFunction(f))
        count++;
    Numbers functions;
    numbers_init(&functions, count);
    uint32_t number = 0;
    for (LlvmValueRef f = llvm.LLVMGetFirstFunction(module); f; f = llvm.LLVMGetNextFunction(f))
        numbers_add(&functions, f, number++);
    fputs("IRG1", stdout);
    write_number(count);
    for (LlvmValueRef f = llvm.LLVMGetFirstFunction(module); f; f = llvm.LLVMGetNextFunction(f))
        write_function(f, &functions);
    fputs("end", stdout);
    numbers_release(&functions);
}

/* Warnings about old debug information and the like are of no interest; errors come back from the parser. */
static void ignore_diagnostic(LlvmDiagnosticRef info, void *argument) {
    (void)info;
    (void)argument;
}

int main(int argc, char **argv) {
    char why[1024];
    if (argc != 3)
        fail("usage: ir-graph LIBLLVM MODULE", "");
    if (!llvm_api_load(argv[1], &llvm, why, sizeof why))
        fail(why, "");
    LlvmContextRef context = llvm.LLVMContextCreate();
    llvm.LLVMContextSetDiagnosticHandler(context, ignore_diagnostic, NULL);
    LlvmBufferRef buffer;
    LlvmModuleRef module;
    char *message = NULL;
    if (llvm.LLVMCreateMemoryBufferWithContentsOfFile(argv[2], &buffer, &message) ||
        llvm.LLVMParseIRInContext(context, buffer, &module, &message)) {
        for (char *c = message; c && *c; c++)
            *c = *c == '\n' ? ' ' : *c;
        fail("LLVM says", message ? message : "this is no module");
    }
    write_module(module);
    if (fflush(stdout) != 0 || ferror(stdout))
        fail("the graph cannot be written", "");
    _exit(0); /* taking the module apart would only cost time */
}
