/* Decoding: a linear sweep over each function.
 *
 * Compilers for x86-64 put no data between instructions (jump tables live in read-only data), so decoding a function from
 * its first to its last byte finds the true instructions. Hand-written assembler may break this; a function that does not
 * decode to its exact end is marked open (not in `closed`) and only its first instruction is ever touched.
 *
 * Switch tables. GCC and clang compile a switch in one of two ways:
 *     jmp *table(,%rax,8)                                table of addresses, in position-dependent code
 *     lea table(%rip),%rdx; movslq (%rdx,%rax,4),%rax; add %rdx,%rax; jmp *%rax     table of 4-byte distances from itself
 * Both are read as far as their entries name instructions of the function itself (or of another part of it). The cases so
 * found become block leaders. They are never relied upon to be complete: a function with a computed jump stays open.
 */
#include "cover/trace_code.h"

#include <Zydis/Zydis.h>

enum { SWITCH_CASES_MAX = 4096 };

/* --- One instruction --- */

static FlowKind flow_of(const ZydisDecodedInstruction *raw) {
    bool computed = raw->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && raw->opcode == 0xff;
    switch (raw->mnemonic) {
    case ZYDIS_MNEMONIC_NOP:
    case ZYDIS_MNEMONIC_INT3: return FLOW_PADDING;
    case ZYDIS_MNEMONIC_CALL: return computed ? FLOW_CALL_COMPUTED : FLOW_CALL;
    case ZYDIS_MNEMONIC_JMP: return computed ? FLOW_JUMP_COMPUTED : FLOW_JUMP;
    case ZYDIS_MNEMONIC_RET:
    case ZYDIS_MNEMONIC_UD2:
    case ZYDIS_MNEMONIC_HLT:
    case ZYDIS_MNEMONIC_IRETQ:
    case ZYDIS_MNEMONIC_SYSRET: return FLOW_STOP;
    case ZYDIS_MNEMONIC_LOOP:
    case ZYDIS_MNEMONIC_LOOPE:
    case ZYDIS_MNEMONIC_LOOPNE:
    case ZYDIS_MNEMONIC_JRCXZ:
    case ZYDIS_MNEMONIC_JECXZ: return FLOW_BRANCH_SHORT;
    default: break;
    }
    bool short_branch = raw->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && raw->opcode >> 4 == 0x7;
    bool long_branch = raw->opcode_map == ZYDIS_OPCODE_MAP_0F && raw->opcode >> 4 == 0x8;
    bool legacy = raw->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY;
    return legacy && (short_branch || long_branch) ? FLOW_BRANCH : FLOW_NEXT;
}

/* An operand `disp32(,%index,8)`: no base register, scaled by the size of an address. */
static bool indexes_table(const ZydisDecodedInstruction *raw) {
    return (raw->attributes & ZYDIS_ATTRIB_HAS_SIB) && raw->raw.modrm.mod == 0 && raw->raw.sib.base == 5 &&
           raw->raw.sib.scale == 3 && raw->raw.disp.value > 0;
}

bool instruction_decode(const uint8_t *bytes, size_t size, uint64_t address, Instruction *ret_instruction) {
    ZydisDecoder decoder;
    ZydisDecodedInstruction raw;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    ZydisDecoderEnableMode(&decoder, ZYDIS_DECODER_MODE_MINIMAL, ZYAN_TRUE);
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, bytes, size, &raw)))
        return false;

    Instruction instruction = {.address = address, .length = raw.length, .flow = flow_of(&raw)};
    uint64_t next = address + raw.length;
    if (instruction.flow == FLOW_BRANCH)
        instruction.condition = raw.opcode & 0x0f;
    bool direct = instruction.flow == FLOW_BRANCH || instruction.flow == FLOW_BRANCH_SHORT ||
                  instruction.flow == FLOW_JUMP || instruction.flow == FLOW_CALL;
    bool pc_operand = (raw.attributes & ZYDIS_ATTRIB_HAS_MODRM) && raw.raw.modrm.mod == 0 && raw.raw.modrm.rm == 5;
    if (direct) {
        instruction.target = next + (uint64_t)raw.raw.imm[0].value.s;
        instruction.relative_at = raw.raw.imm[0].size == 32 ? raw.raw.imm[0].offset : 0;
    } else if (pc_operand) {
        instruction.relative_at = raw.raw.disp.offset;
        if (raw.mnemonic == ZYDIS_MNEMONIC_LEA)
            instruction.target = next + (uint64_t)raw.raw.disp.value;
    } else if (indexes_table(&raw)) {
        instruction.table = (uint64_t)raw.raw.disp.value;
    }
    *ret_instruction = instruction;
    return true;
}

/* --- A module --- */

/* An array in read-only data that a computed jump may go through. */
typedef struct SwitchTable {
    uint32_t function;
    bool is_relative;
    uint64_t address;
} SwitchTable;

typedef struct Sweep {
    TraceCode *code;
    const TraceModule *module;
    uint32_t function; /* the one being decoded */
    bool computed_jump;
    Vec(SwitchTable) tables;
} Sweep;

static const TraceFunction *current(const Sweep *sweep) { return &sweep->module->functions.items[sweep->function]; }

static bool inside(const TraceFunction *function, uint64_t address) {
    return address >= function->start && address < function->end;
}

static void note_target(Sweep *sweep, uint64_t target, CodeEntry entry) {
    const TraceModule *module = sweep->module;
    if (target < module->text_address || target >= module->text_address + module->text_size)
        return;
    bitset_set(&sweep->code->targets, target - module->text_address);
    if (inside(current(sweep), target))
        return;
    const TraceFunction *other = trace_module_function(module, target);
    if (!other)
        return;
    if (entry == ENTRY_TAIL_CALL && target != other->start)
        entry = ENTRY_INSIDE;
    vec_push(&sweep->code->edges, (CodeEdge){sweep->function, (uint32_t)(other - module->functions.items), entry});
}

static void note_instruction(Sweep *sweep, const Instruction *instruction) {
    static const bool ends_block[] = {
        [FLOW_BRANCH] = true,        [FLOW_BRANCH_SHORT] = true, [FLOW_JUMP] = true,
        [FLOW_JUMP_COMPUTED] = true, [FLOW_STOP] = true,
    };
    FlowKind flow = instruction->flow;
    uint64_t next = instruction->address + instruction->length;
    if (flow == FLOW_BRANCH || flow == FLOW_BRANCH_SHORT)
        note_target(sweep, instruction->target, ENTRY_INSIDE);
    else if (flow == FLOW_JUMP)
        note_target(sweep, instruction->target, ENTRY_TAIL_CALL);
    else if (flow == FLOW_CALL)
        note_target(sweep, instruction->target, ENTRY_CALL);
    else if (flow == FLOW_NEXT && instruction->target)
        vec_push(&sweep->tables, (SwitchTable){sweep->function, true, instruction->target});
    if (instruction->table)
        vec_push(&sweep->tables, (SwitchTable){sweep->function, false, instruction->table});
    sweep->computed_jump |= flow == FLOW_JUMP_COMPUTED;
    if (flow < ARRAY_LEN(ends_block) && ends_block[flow] && inside(current(sweep), next))
        bitset_set(&sweep->code->leaders, next - sweep->module->text_address);
}

/* A case is an instruction of the function itself, or one in the middle of another piece: a cold part split off. */
static bool take_case(Sweep *sweep, uint64_t address) {
    const TraceFunction *function = trace_module_function(sweep->module, address);
    if (!function || !bitset_get(&sweep->code->starts, address - sweep->module->text_address) ||
        (function != current(sweep) && address == function->start))
        return false;
    note_target(sweep, address, ENTRY_INSIDE);
    return true;
}

static void read_switch_table(Sweep *sweep, const SwitchTable *table) {
    sweep->function = table->function;
    size_t size = table->is_relative ? 4 : 8;
    for (size_t entry = 0; entry < SWITCH_CASES_MAX; entry++) {
        const uint8_t *bytes = trace_module_bytes(sweep->module, table->address + size * entry, size);
        uint64_t address = 0;
        int32_t distance;
        if (!bytes)
            return;
        if (table->is_relative)
            memcpy(&distance, bytes, size), address = table->address + (uint64_t)(int64_t)distance;
        else
            memcpy(&address, bytes, size);
        if (!take_case(sweep, address))
            return;
    }
}

static void sweep_function(Sweep *sweep) {
    const TraceFunction *function = current(sweep);
    uint64_t base = sweep->module->text_address;
    sweep->computed_jump = false;
    size_t tables_before = sweep->tables.len;

    uint64_t at = function->start;
    bitset_set(&sweep->code->leaders, at - base);
    while (at < function->end) {
        Instruction instruction;
        if (!instruction_decode(sweep->module->text + (at - base), function->end - at, at, &instruction))
            break;
        bitset_set(&sweep->code->starts, at - base);
        note_instruction(sweep, &instruction);
        at += instruction.length;
    }
    if (at == function->end && !sweep->computed_jump && !function->has_handlers)
        bitset_set(&sweep->code->closed, sweep->function);
    if (!sweep->computed_jump)
        sweep->tables.len = tables_before;
}

static int compare_edges(const void *a, const void *b) {
    const CodeEdge *left = a, *right = b;
    if (left->to != right->to)
        return left->to < right->to ? -1 : 1;
    if (left->from != right->from)
        return left->from < right->from ? -1 : 1;
    return (int)left->entry - (int)right->entry;
}

static void unite_edges(TraceCode *code) {
    if (code->edges.len == 0)
        return;
    qsort(code->edges.items, code->edges.len, sizeof(code->edges.items[0]), compare_edges);
    size_t kept = 1;
    for (size_t i = 1; i < code->edges.len; i++) {
        const CodeEdge *edge = &code->edges.items[i];
        if (compare_edges(edge, &code->edges.items[kept - 1]) != 0)
            code->edges.items[kept++] = *edge;
    }
    code->edges.len = kept;
}

/* A block starts behind each jump and at each target; padding in front of a target belongs to no block, and a target
 * that is no instruction of ours comes from a mistaken table or from code that does not decode. */
static void finish_leaders(TraceCode *code) {
    bitset_or(&code->leaders, &code->targets);
    bitset_and(&code->leaders, &code->starts);
    for (size_t i = bitset_next(&code->leaders, 0); i < code->leaders.bits; i = bitset_next(&code->leaders, i + 1)) {
        Instruction instruction;
        if (!bitset_get(&code->targets, i) &&
            instruction_decode(code->module->text + i, code->module->text_size - i, 0, &instruction) &&
            instruction.flow == FLOW_PADDING)
            bitset_unset(&code->leaders, i);
    }
}

void trace_code_read(const TraceModule *module, TraceCode *ret_code) {
    *ret_code = (TraceCode){.module = module};
    bitset_init(&ret_code->starts, module->text_size);
    bitset_init(&ret_code->targets, module->text_size);
    bitset_init(&ret_code->leaders, module->text_size);
    bitset_init(&ret_code->closed, module->functions.len);

    Sweep sweep = {.code = ret_code, .module = module};
    for (sweep.function = 0; sweep.function < module->functions.len; sweep.function++)
        sweep_function(&sweep);
    for (size_t i = 0; i < sweep.tables.len; i++)
        read_switch_table(&sweep, &sweep.tables.items[i]);
    vec_release(&sweep.tables);
    unite_edges(ret_code);
    finish_leaders(ret_code);
}

void trace_code_release(TraceCode *code) {
    bitset_release(&code->starts);
    bitset_release(&code->targets);
    bitset_release(&code->leaders);
    bitset_release(&code->closed);
    vec_release(&code->edges);
}
