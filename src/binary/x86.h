/* X86Code: the machine code of a module, decoded once: where instructions start, where branches lead, which pieces of code
 * hang together. Coverage rebuilds flow graphs from single instructions (flow.c), tracing patches what is decoded here.
 */
#ifndef BINARY_X86_H
#define BINARY_X86_H

#include "base/bitset.h"
#include "binary/elf_module.h"

typedef enum FlowKind {
    FLOW_NEXT,          /* goes on with the next instruction */
    FLOW_PADDING,       /* no operation, or a breakpoint between functions */
    FLOW_BRANCH,        /* conditional, direct */
    FLOW_BRANCH_SHORT,  /* conditional, with an 8-bit distance only: loop, jrcxz */
    FLOW_JUMP,          /* unconditional, direct */
    FLOW_JUMP_COMPUTED, /* through a register or memory */
    FLOW_CALL,          /* direct */
    FLOW_CALL_COMPUTED,
    FLOW_STOP, /* return, or an instruction that always faults */
} FlowKind;

typedef struct Instruction {
    uint64_t address;
    uint64_t target;     /* of direct branches, jumps and calls; the address that a FLOW_NEXT computes with lea */
    uint64_t table;      /* address of an array indexed by a register, as switches use; 0: none */
    uint64_t constant;   /* that a mov loads; may be an address */
    uint8_t length;      /* bytes */
    uint8_t relative_at; /* offset of a 4-byte operand relative to the next instruction; 0: none */
    uint8_t condition;   /* of FLOW_BRANCH: low four bits of the opcode */
    FlowKind flow;
} Instruction;

/* False if the bytes are no instruction. */
bool instruction_decode(const uint8_t *bytes, size_t size, uint64_t address, Instruction *ret_instruction);

/* How one piece of code enters another. */
typedef enum CodeEntry {
    ENTRY_CALL,
    ENTRY_TAIL_CALL, /* an unconditional jump to its start */
    ENTRY_INSIDE,    /* a branch, or a jump past its start: both are parts of one function */
    ENTRY_TABLE,     /* its address stands in data that the other piece refers to: a class with virtual functions */
} CodeEntry;

typedef struct CodeEdge {
    uint32_t from, to; /* indices into module->functions */
    CodeEntry entry;
} CodeEdge;

/* An address that an instruction of a function makes, with lea or mov: of data, or of a label. */
typedef struct MadeAddress {
    uint64_t address;
    uint32_t function;
} MadeAddress;

typedef struct X86Code {
    const ElfModule *module;
    Bitset starts;  /* bit i: an instruction starts at text byte i */
    Bitset targets; /* bit i: some instruction or table in data leads there */
    Bitset leaders; /* bit i: a basic block starts there; includes function starts */
    /* Bit f: every way into the middle of function f is in `targets`. False for functions with landing pads, and for
     * those that could not be decoded to the end. */
    Bitset closed;
    Vec(CodeEdge) edges;   /* each once, by `to`, then `from` */
    Vec(MadeAddress) made; /* by address */
} X86Code;

void x86_code_read(const ElfModule *module, X86Code *ret_code);
void x86_code_release(X86Code *code);

#endif
