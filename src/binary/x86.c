/* Decoding: a linear sweep over each function, then a search for the ways into its middle.
 *
 * Compilers for x86-64 put no data between instructions (jump tables live in read-only data), so decoding a function from
 * its first to its last byte finds the true instructions. Hand-written assembler may break this; a function that does not
 * decode to its exact end is marked open (not in `closed`) and only its first instruction is ever touched.
 *
 * Ways into the middle. Patches that move several instructions must know every place that control can come to. In compiled
 * code these are:
 *   - targets of branches, jumps and calls;
 *   - addresses in data, 8 bytes each, as they stand in the file or in its relocations: switches of position-dependent
 *     code (`jmp *table(,%rax,8)`), tables of labels;
 *   - addresses that an instruction makes: `lea label(%rip)`, `mov $label`;
 *   - tables of 4-byte distances from themselves, whose address some lea makes: switches of position-independent code
 *     (`lea table(%rip),%rdx; movslq (%rdx,%rax,4),%rax; add %rdx,%rax; jmp *%rax`), read as far as their entries lead
 *     into the text and up to the next such address;
 *   - exception landing pads: functions that have some are open.
 * A number that only looks like an address adds a target that nobody uses, which is harmless.
 */
#include "binary/x86.h"

#include <Zydis/Zydis.h>

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

/* `mov $imm32` to a register or to memory. */
static bool loads_constant(const ZydisDecodedInstruction *raw) {
    return raw->mnemonic == ZYDIS_MNEMONIC_MOV && raw->raw.imm[0].size >= 32;
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
    } else if (loads_constant(&raw)) {
        instruction.constant = raw.raw.imm[0].value.u;
    } else if (indexes_table(&raw)) {
        instruction.table = (uint64_t)raw.raw.disp.value;
    }
    *ret_instruction = instruction;
    return true;
}

/* --- A module --- */

typedef struct Sweep {
    X86Code *code;
    const ElfModule *module;
    uint32_t function; /* the one being looked at */
} Sweep;

static const ElfFunction *current(const Sweep *sweep) { return &sweep->module->functions.items[sweep->function]; }

static bool inside(const ElfFunction *function, uint64_t address) {
    return address >= function->start && address < function->end;
}

static bool in_text(const ElfModule *module, uint64_t address) {
    return address >= module->text_address && address - module->text_address < module->text_size;
}

static void note_target(Sweep *sweep, uint64_t target, CodeEntry entry) {
    const ElfModule *module = sweep->module;
    if (!in_text(module, target))
        return;
    bitset_set(&sweep->code->targets, target - module->text_address);
    if (inside(current(sweep), target))
        return;
    const ElfFunction *other = elf_module_function(module, target);
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
        vec_push(&sweep->code->made, (MadeAddress){instruction->target, sweep->function});
    if (instruction->constant && !sweep->module->is_relocatable)
        vec_push(&sweep->code->made, (MadeAddress){instruction->constant, sweep->function});
    if (flow < ARRAY_LEN(ends_block) && ends_block[flow] && inside(current(sweep), next))
        bitset_set(&sweep->code->leaders, next - sweep->module->text_address);
}

/* Notes an address if it is one of code and no function's start. */
static void note_label(Sweep *sweep, uint64_t address) {
    const ElfFunction *function = elf_module_function(sweep->module, address);
    if (function && address != function->start &&
        bitset_get(&sweep->code->starts, address - sweep->module->text_address))
        note_target(sweep, address, ENTRY_INSIDE);
}

/* Reads distances until one leads out of the text. Behind `limit` another table may begin: from there on only cases of the
 * same function count. Cases that cannot happen lead to the function's end. */
static void read_switch_table(Sweep *sweep, uint64_t table, uint64_t limit) {
    const ElfFunction *owner = NULL;
    int32_t distance;
    for (uint64_t entry = table;; entry += sizeof(distance)) {
        const uint8_t *bytes = elf_module_bytes(sweep->module, entry, sizeof(distance));
        if (!bytes)
            return;
        memcpy(&distance, bytes, sizeof(distance));
        uint64_t target = table + (uint64_t)(int64_t)distance;
        bool owned = owner && target >= owner->start && target <= owner->end;
        if (!in_text(sweep->module, target) || (entry >= limit && !owned))
            return;
        if (!owner)
            owner = elf_module_function(sweep->module, target);
        note_label(sweep, target);
    }
}

static void note_made_addresses(Sweep *sweep) {
    vec_sort(&sweep->code->made, by_address);
    const MadeAddress *made = sweep->code->made.items;
    size_t count = sweep->code->made.len;
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && made[end].address == made[i].address; end++)
            ;
        sweep->function = made[i].function;
        if (in_text(sweep->module, made[i].address))
            note_label(sweep, made[i].address);
        else
            read_switch_table(sweep, made[i].address, end < count ? made[end].address : UINT64_MAX);
    }
}

/* Whoever refers to the start of a table may call the functions in it. What lies between a table and the nearest address
 * that an instruction makes may be another object that no instruction refers to: such an edge is a hint, no proof. */
static void note_table_entry(Sweep *sweep, const CodePointer *pointer, const ElfFunction *function) {
    enum { TABLE_MOST = 1024 }; /* bytes */
    const MadeAddress *made = sweep->code->made.items;
    size_t behind = addresses_up_to(made, sweep->code->made.len, sizeof *made, pointer->place);
    uint64_t table = behind ? made[behind - 1].address : 0;
    if (!behind || in_text(sweep->module, table) || pointer->place - table > TABLE_MOST)
        return;
    for (size_t i = behind; i-- > 0 && made[i].address == table;)
        vec_push(&sweep->code->edges,
                 (CodeEdge){made[i].function, (uint32_t)(function - sweep->module->functions.items), ENTRY_TABLE});
}

/* Which function uses an address in data is unknown; a switch is mostly in the function that its cases are in. */
static void note_pointers_in_data(Sweep *sweep) {
    CodePointers pointers = {0};
    elf_module_code_pointers(sweep->module, &pointers);
    for (size_t i = 0; i < pointers.len; i++) {
        const ElfFunction *function = elf_module_function(sweep->module, pointers.items[i].target);
        if (!function)
            continue;
        sweep->function = (uint32_t)(function - sweep->module->functions.items);
        note_label(sweep, pointers.items[i].target);
        if (pointers.items[i].target == function->start)
            note_table_entry(sweep, &pointers.items[i], function);
    }
    vec_release(&pointers);
}

static void sweep_function(Sweep *sweep) {
    const ElfFunction *function = current(sweep);
    uint64_t base = sweep->module->text_address;
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
    if (at == function->end && !function->has_handlers)
        bitset_set(&sweep->code->closed, sweep->function);
}

static int compare_edges(const void *a, const void *b) {
    const CodeEdge *left = a, *right = b;
    if (left->to != right->to)
        return left->to < right->to ? -1 : 1;
    if (left->from != right->from)
        return left->from < right->from ? -1 : 1;
    return (int)left->entry - (int)right->entry;
}

static void unite_edges(X86Code *code) {
    vec_sort(&code->edges, compare_edges);
    size_t kept = 0;
    for (size_t i = 0; i < code->edges.len; i++) {
        const CodeEdge *edge = &code->edges.items[i];
        if (kept == 0 || compare_edges(edge, &code->edges.items[kept - 1]) != 0)
            code->edges.items[kept++] = *edge;
    }
    code->edges.len = kept;
}

/* A block starts behind each jump and at each target; padding in front of a target belongs to no block, and a target
 * that is no instruction of ours comes from a mistaken table or from code that does not decode. */
static void finish_leaders(X86Code *code) {
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

void x86_code_read(const ElfModule *module, X86Code *ret_code) {
    *ret_code = (X86Code){.module = module};
    bitset_init(&ret_code->starts, module->text_size);
    bitset_init(&ret_code->targets, module->text_size);
    bitset_init(&ret_code->leaders, module->text_size);
    bitset_init(&ret_code->closed, module->functions.len);

    Sweep sweep = {.code = ret_code, .module = module};
    for (sweep.function = 0; sweep.function < module->functions.len; sweep.function++)
        sweep_function(&sweep);
    note_made_addresses(&sweep);
    note_pointers_in_data(&sweep);
    unite_edges(ret_code);
    finish_leaders(ret_code);
}

void x86_code_release(X86Code *code) {
    bitset_release(&code->starts);
    bitset_release(&code->targets);
    bitset_release(&code->leaders);
    bitset_release(&code->closed);
    vec_release(&code->edges);
    vec_release(&code->made);
}
