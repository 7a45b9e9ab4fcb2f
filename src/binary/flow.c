/* From flags to blocks.
 *
 * clang leaves out the flag of a block when it follows from others: a block that dominates all its successors ran if one
 * of them did; one that post-dominates all its predecessors ran if one of them did. And a line in the middle of a block
 * has no flag anyway. So the flow graph of each function is rebuilt from its machine code, and a flag speaks for its own
 * block and for what dominance adds:
 *
 *     b ran  =>  idom(b) ran  and  ipdom(b) ran          (immediate dominator and post-dominator)
 *
 * followed transitively through blocks without flags; a block with a flag speaks for itself. Every step is sound as long
 * as the graph has all edges that exist: an edge too many only makes dominance say less. Calls that never return end a
 * block, else what stands behind an abort() would count as run.
 */
#include "binary/flow.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/graph.h"
#include "binary/addresses.h"
#include "binary/elf_file.h"
#include "binary/x86.h"

enum { SWITCH_CASES_MAX = 4096, LEA_DISTANCE = 12 };
#define NONE FLOW_NONE

/* A basic block. Two nodes more stand for the world before (index count) and after (index count + 1). */
typedef struct Block {
    uint64_t from, to;
    uint32_t flag; /* NONE: has none */
    uint32_t idom, ipdom;
} Block;

/* One function while it is looked at; reused for all. */
typedef struct Function {
    uint64_t from, to;
    Vec(Instruction) code;
    Addresses leaders;
    Vec(Block) blocks;
    Vec(GraphEdge) edges;
    Arena arena; /* for graphs, until the next function */
} Function;

typedef struct FlaggedPc {
    uint64_t address;
    uint32_t flag;
} FlaggedPc;

typedef struct Reading {
    const DebugInfo *info;
    ElfSegments segments;
    FlaggedPc *pcs; /* by address */
    size_t pc_count;
    Addresses dead_ends;   /* addresses of functions that never return, sorted */
    Vec(CodeRange) ranges; /* of flag i: range_start[i], range_count[i] */
    uint32_t *range_start, *range_count;
    uint32_t *dominators; /* of each flag, as in Flow */
} Reading;

void flow_release(Flow *flow) {
    vec_release(&flow->ranges);
    vec_release(&flow->starts);
    vec_release(&flow->dominators);
}

/* --- Instructions and leaders --- */

static bool inside(const Function *function, uint64_t address) {
    return address >= function->from && address < function->to;
}

/* Decodes the whole function; false if its bytes are not all instructions. */
static bool decode(const Reading *reading, Function *function) {
    size_t len;
    const uint8_t *bytes = elf_segments_bytes(&reading->segments, function->from, &len);
    if (!bytes || len < function->to - function->from)
        return false;
    vec_clear(&function->code);
    for (uint64_t at = function->from; at < function->to;) {
        Instruction instruction;
        if (!instruction_decode(bytes + (at - function->from), function->to - at, at, &instruction))
            return false;
        vec_push(&function->code, instruction);
        at += instruction.length;
    }
    return true;
}

/* Whether a call to this address never comes back. */
static bool never_returns(const Reading *reading, uint64_t target) {
    const Addresses *ends = &reading->dead_ends;
    size_t behind = addresses_up_to(ends->items, ends->len, sizeof(uint64_t), target);
    return behind > 0 && ends->items[behind - 1] == target;
}

/* Calls `visit` for each case of the switch that the computed jump code[i] makes: through a table of addresses that the
 * jump itself names, or one of distances from itself whose address a lea before the jump takes. */
static void visit_cases(const Reading *reading, Function *function, size_t i, uint32_t from,
                        void (*visit)(Function *function, uint32_t from, uint64_t target)) {
    const Instruction *jump = &function->code.items[i];
    uint64_t table = jump->table;
    bool relative = table == 0;
    for (size_t back = 1; relative && !table && back <= LEA_DISTANCE && back <= i; back++)
        if (function->code.items[i - back].flow == FLOW_NEXT)
            table = function->code.items[i - back].target;
    size_t len, size = relative ? 4 : 8;
    const uint8_t *bytes = table ? elf_segments_bytes(&reading->segments, table, &len) : NULL;
    for (size_t at = 0; bytes && at < SWITCH_CASES_MAX * size && at + size <= len; at += size) {
        int64_t entry = 0;
        int32_t distance;
        memcpy(relative ? (void *)&distance : (void *)&entry, bytes + at, size);
        uint64_t target = relative ? table + (uint64_t)(int64_t)distance : (uint64_t)entry;
        if (target == function->to) /* a case that cannot happen leads behind the function */
            continue;
        if (!inside(function, target))
            return;
        visit(function, from, target);
    }
}

static void add_leader(Function *function, uint32_t from, uint64_t target) {
    (void)from;
    vec_push(&function->leaders, target);
}

static bool ends_block(const Reading *reading, const Instruction *instruction) {
    return instruction->flow == FLOW_BRANCH || instruction->flow == FLOW_BRANCH_SHORT ||
           instruction->flow == FLOW_JUMP || instruction->flow == FLOW_JUMP_COMPUTED ||
           instruction->flow == FLOW_STOP ||
           (instruction->flow == FLOW_CALL && never_returns(reading, instruction->target));
}

/* Index of the first flag at or behind the address, which is never 0. */
static size_t first_pc(const Reading *reading, uint64_t address) {
    return addresses_up_to(reading->pcs, reading->pc_count, sizeof(FlaggedPc), address - 1);
}

static void find_leaders(const Reading *reading, Function *function) {
    vec_clear(&function->leaders);
    vec_push(&function->leaders, function->from);
    for (size_t i = 0; i < function->code.len; i++) {
        const Instruction *instruction = &function->code.items[i];
        if (!ends_block(reading, instruction))
            continue;
        if (instruction->flow != FLOW_CALL && inside(function, instruction->target))
            vec_push(&function->leaders, instruction->target);
        if (instruction->flow == FLOW_JUMP_COMPUTED)
            visit_cases(reading, function, i, 0, add_leader);
        vec_push(&function->leaders, instruction->address + instruction->length);
    }
    for (size_t i = first_pc(reading, function->from);
         i < reading->pc_count && inside(function, reading->pcs[i].address); i++)
        vec_push(&function->leaders, reading->pcs[i].address);
    vec_sort(&function->leaders, by_address);
}

/* --- Blocks and edges --- */

static void make_blocks(const Reading *reading, Function *function) {
    vec_clear(&function->blocks);
    size_t pc = first_pc(reading, function->from);
    for (size_t i = 0; i < function->leaders.len; i++) {
        uint64_t from = function->leaders.items[i];
        if (!inside(function, from) || (i > 0 && from == function->leaders.items[i - 1]))
            continue;
        if (function->blocks.len > 0)
            vec_last(&function->blocks).to = from;
        while (pc < reading->pc_count && reading->pcs[pc].address < from)
            pc++;
        bool flagged = pc < reading->pc_count && reading->pcs[pc].address == from;
        vec_push(&function->blocks, (Block){from, function->to, flagged ? reading->pcs[pc].flag : NONE, NONE, NONE});
    }
}

static void add_edge(Function *function, uint32_t from, uint64_t target) {
    uint32_t after = (uint32_t)function->blocks.len + 1;
    size_t to = inside(function, target)
                    ? addresses_up_to(function->blocks.items, function->blocks.len, sizeof(Block), target) - 1
                    : after;
    vec_push(&function->edges, (GraphEdge){from, (uint32_t)to});
}

/* The edges of the block that ends with code[i]. */
static void add_edges(const Reading *reading, Function *function, uint32_t block, size_t i) {
    const Instruction *last = &function->code.items[i];
    size_t before = function->edges.len;
    bool ends = ends_block(reading, last);
    if (last->flow == FLOW_BRANCH || last->flow == FLOW_BRANCH_SHORT || last->flow == FLOW_JUMP)
        add_edge(function, block, last->target);
    if (last->flow == FLOW_JUMP_COMPUTED)
        visit_cases(reading, function, i, block, add_edge);
    if (!ends || last->flow == FLOW_BRANCH || last->flow == FLOW_BRANCH_SHORT)
        add_edge(function, block, last->address + last->length);
    if (function->edges.len == before)
        add_edge(function, block, function->to); /* returns, or nobody knows where to */
}

static void make_edges(const Reading *reading, Function *function) {
    vec_clear(&function->edges);
    uint32_t block = 0;
    for (size_t i = 0; i < function->code.len; i++) {
        const Instruction *instruction = &function->code.items[i];
        uint64_t next = instruction->address + instruction->length;
        while (block < function->blocks.len && function->blocks.items[block].to < next)
            block++;
        if (block < function->blocks.len && function->blocks.items[block].to == next)
            add_edges(reading, function, block, i);
    }
    vec_push(&function->edges, (GraphEdge){(uint32_t)function->blocks.len, 0});
}

/* --- Dominators --- */

/* Blocks that no known edge reaches (handlers, targets of unread tables) may be entered from anywhere; blocks that never
 * reach the end (endless loops) may leave to anywhere. Edges to the world outside say so, until all are connected. */
static void connect(Function *function, bool reversed) {
    uint32_t before = (uint32_t)function->blocks.len, after = before + 1, nodes = before + 2;
    Graph graph = graph_from_edges(function->edges.items, function->edges.len, nodes, &function->arena);
    if (reversed)
        graph = graph_reversed(&graph, &function->arena);
    GraphWalk walk = graph_walk_new(nodes, &function->arena);
    graph_walk(&graph, reversed ? after : before, &walk);
    for (uint32_t block = 0; block < before; block++) {
        if (walk.number[block] != NONE)
            continue;
        graph_walk(&graph, block, &walk);
        vec_push(&function->edges, reversed ? (GraphEdge){block, after} : (GraphEdge){before, block});
    }
}

static void find_dominators(Function *function) {
    uint32_t before = (uint32_t)function->blocks.len, after = before + 1, nodes = before + 2;
    Arena *arena = &function->arena;
    arena_clear(arena);
    connect(function, false);
    connect(function, true);
    Graph forward = graph_from_edges(function->edges.items, function->edges.len, nodes, arena);
    Graph backward = graph_reversed(&forward, arena);
    GraphWalk from_before = graph_walk_new(nodes, arena), from_after = graph_walk_new(nodes, arena);
    graph_walk(&forward, before, &from_before);
    graph_walk(&backward, after, &from_after);
    const uint32_t *idom = graph_dominators(&backward, &from_before, arena);
    const uint32_t *ipdom = graph_dominators(&forward, &from_after, arena);
    for (size_t i = 0; i < function->blocks.len; i++) {
        function->blocks.items[i].idom = idom[i] < before ? idom[i] : NONE;
        function->blocks.items[i].ipdom = ipdom[i] < before ? ipdom[i] : NONE;
    }
}

/* --- What a flag speaks for --- */

/* Appends the ranges of the block and of all that follows from it. */
static void add_ranges(Reading *reading, Function *function, uint32_t start) {
    uint32_t flag = function->blocks.items[start].flag;
    Vec(uint32_t) work = {0};
    vec_push(&work, start);
    reading->range_start[flag] = (uint32_t)reading->ranges.len;
    for (size_t i = 0; i < work.len; i++) {
        const Block *block = &function->blocks.items[work.items[i]];
        vec_push(&reading->ranges, (CodeRange){block->from, block->to});
        uint32_t implied[2] = {block->idom, block->ipdom};
        for (size_t j = 0; j < 2; j++) {
            bool known = implied[j] == NONE || function->blocks.items[implied[j]].flag != NONE;
            for (size_t k = 0; k < work.len && !known; k++)
                known = work.items[k] == implied[j];
            if (!known)
                vec_push(&work, implied[j]);
        }
    }
    reading->range_count[flag] = (uint32_t)(reading->ranges.len - reading->range_start[flag]);
    vec_release(&work);
}

/* The flag of the nearest block with one on every way to `block`. */
static uint32_t dominating_flag(const Function *function, uint32_t block) {
    do
        block = function->blocks.items[block].idom;
    while (block != NONE && function->blocks.items[block].flag == NONE);
    return block == NONE ? NONE : function->blocks.items[block].flag;
}

static void read_function(Reading *reading, const CodeSymbol *symbol, Function *function) {
    function->from = symbol->address;
    function->to = symbol->address + symbol->size;
    size_t pc = first_pc(reading, function->from);
    if (pc == reading->pc_count || !inside(function, reading->pcs[pc].address) || !decode(reading, function))
        return;
    find_leaders(reading, function);
    make_blocks(reading, function);
    make_edges(reading, function);
    find_dominators(function);
    for (uint32_t i = 0; i < function->blocks.len; i++)
        if (function->blocks.items[i].flag != NONE) {
            add_ranges(reading, function, i);
            reading->dominators[function->blocks.items[i].flag] = dominating_flag(function, i);
        }
}

/* A function without a return and without a jump to another one. */
static bool is_dead_end(const Reading *reading, const Function *function) {
    for (size_t i = 0; i < function->code.len; i++) {
        const Instruction *instruction = &function->code.items[i];
        size_t len;
        /* The instructions that stop without returning are ud2 (0f 0b) and hlt (f4). */
        const uint8_t *bytes =
            instruction->flow == FLOW_STOP ? elf_segments_bytes(&reading->segments, instruction->address, &len) : NULL;
        bool leaves = instruction->flow == FLOW_JUMP || instruction->flow == FLOW_BRANCH;
        if ((bytes && bytes[0] != 0x0f && bytes[0] != 0xf4) || instruction->flow == FLOW_JUMP_COMPUTED ||
            (leaves && !inside(function, instruction->target)))
            return false;
    }
    return true;
}

static void find_dead_ends(Reading *reading, Function *function) {
    for (size_t i = 0; i < reading->info->symbols.len; i++) {
        const CodeSymbol *symbol = &reading->info->symbols.items[i];
        function->from = symbol->address;
        function->to = symbol->address + symbol->size;
        if (decode(reading, function) && is_dead_end(reading, function))
            vec_push(&reading->dead_ends, symbol->address);
    }
}

/* The C library's functions that do not return are called through entries of 16 bytes: those of .plt follow a header,
 * those of .plt.sec do not; both are in the order of the relocations. */
static void find_library_dead_ends(Reading *reading, const ElfFile *file) {
    static const char *const names[] = {"abort",    "exit",       "_exit",         "__assert_fail",    "longjmp",
                                        "_longjmp", "siglongjmp", "__longjmp_chk", "__stack_chk_fail", "quick_exit"};
    GElf_Shdr header, symbols;
    uint64_t entries = elf_file_section(file, ".plt.sec", &header) ? header.sh_addr
                       : elf_file_section(file, ".plt", &header)   ? header.sh_addr + 16
                                                                   : 0;
    Elf_Scn *relocations = elf_file_section(file, ".rela.plt", &header);
    Elf_Data *data = relocations ? elf_getdata(relocations, NULL) : NULL;
    if (!data || header.sh_entsize == 0)
        return;
    Elf_Scn *table = elf_getscn(file->elf, header.sh_link);
    Elf_Data *symbol_data = table && gelf_getshdr(table, &symbols) ? elf_getdata(table, NULL) : NULL;
    for (size_t i = 0; symbol_data && i < header.sh_size / header.sh_entsize; i++) {
        GElf_Rela relocation;
        GElf_Sym symbol;
        if (!gelf_getrela(data, (int)i, &relocation) ||
            !gelf_getsym(symbol_data, (int)GELF_R_SYM(relocation.r_info), &symbol))
            continue;
        for (size_t j = 0; j < ARRAY_LEN(names); j++)
            if (str_equal(elf_strptr(file->elf, symbols.sh_link, symbol.st_name), names[j]))
                vec_push(&reading->dead_ends, entries + 16 * i);
    }
}

/* Puts the ranges into the order of the flags. A flag in no decoded function speaks for its first byte. */
static void finish(const Reading *reading, const uint64_t *pcs, size_t count, Flow *ret_flow) {
    *ret_flow = (Flow){0};
    for (size_t i = 0; i < count; i++) {
        vec_push(&ret_flow->starts, (uint32_t)ret_flow->ranges.len);
        vec_push(&ret_flow->dominators, reading->dominators[i]);
        for (uint32_t j = 0; j < reading->range_count[i]; j++)
            vec_push(&ret_flow->ranges, reading->ranges.items[reading->range_start[i] + j]);
        if (reading->range_count[i] == 0)
            vec_push(&ret_flow->ranges, (CodeRange){pcs[i], pcs[i] + 1});
    }
    vec_push(&ret_flow->starts, (uint32_t)ret_flow->ranges.len);
}

bool flow_read(const char *path, const DebugInfo *info, const uint64_t *pcs, size_t count, Flow *ret_flow, Error *err) {
    CLEANUP(elf_file_closep) ElfFile *file = elf_file_open(path, err);
    if (!file)
        return false;
    Reading reading = {.info = info,
                       .pcs = mem_zalloc(count + 1, sizeof(FlaggedPc)),
                       .pc_count = count,
                       .range_start = mem_zalloc(count + 1, sizeof(uint32_t)),
                       .range_count = mem_zalloc(count + 1, sizeof(uint32_t)),
                       .dominators = mem_alloc((count + 1) * sizeof(uint32_t))};
    memset(reading.dominators, 0xff, (count + 1) * sizeof(uint32_t));
    for (size_t i = 0; i < count; i++)
        reading.pcs[i] = (FlaggedPc){pcs[i], (uint32_t)i};
    if (count > 0)
        qsort(reading.pcs, count, sizeof(FlaggedPc), by_address);

    bool ok = elf_file_segments(file, &reading.segments);
    if (ok) {
        Function function = {0};
        find_dead_ends(&reading, &function);
        find_library_dead_ends(&reading, file);
        vec_sort(&reading.dead_ends, by_address);
        for (size_t i = 0; i < info->symbols.len; i++)
            if (i == 0 || info->symbols.items[i].address != info->symbols.items[i - 1].address)
                read_function(&reading, &info->symbols.items[i], &function);
        finish(&reading, pcs, count, ret_flow);
        vec_release(&function.code);
        vec_release(&function.leaders);
        vec_release(&function.blocks);
        vec_release(&function.edges);
        arena_release(&function.arena);
    } else
        error_set(err, "cannot read the code of %s", path);
    vec_release(&reading.segments);
    vec_release(&reading.dead_ends);
    vec_release(&reading.ranges);
    free(reading.pcs);
    free(reading.range_start);
    free(reading.range_count);
    free(reading.dominators);
    return ok;
}
