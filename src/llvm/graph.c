/* The format between runtime/graph.c and us: unsigned numbers in LEB128 (seven bits a byte, the lowest first, all but the
 * last byte with the top bit set) and names as a number of bytes and the bytes.
 *
 *     "IRG1" functions { name blocks { name opcodes { byte } successors { block } } calls { function + 1, or 0 } } "end"
 *
 * Most numbers are small, so that a module of 80 KB of C becomes about 30 KB. A count is believed only if as many bytes
 * are left, which bounds what a broken file can make us allocate.
 */
#include "llvm/graph.h"

#include <string.h>

#include "base/file.h"

#define WALL_MS 60000
#define MEMORY_BYTES ((uint64_t)2 << 30)
#define OUTPUT_BYTES ((uint64_t)256 << 20)

static const char *const opcode_names[] = {
    [1] = "ret",
    [2] = "br",
    [3] = "switch",
    [4] = "indirectbr",
    [5] = "invoke",
    [7] = "unreachable",
    [8] = "add",
    [9] = "fadd",
    [10] = "sub",
    [11] = "fsub",
    [12] = "mul",
    [13] = "fmul",
    [14] = "udiv",
    [15] = "sdiv",
    [16] = "fdiv",
    [17] = "urem",
    [18] = "srem",
    [19] = "frem",
    [20] = "shl",
    [21] = "lshr",
    [22] = "ashr",
    [23] = "and",
    [24] = "or",
    [25] = "xor",
    [26] = "alloca",
    [27] = "load",
    [28] = "store",
    [29] = "getelementptr",
    [30] = "trunc",
    [31] = "zext",
    [32] = "sext",
    [33] = "fptoui",
    [34] = "fptosi",
    [35] = "uitofp",
    [36] = "sitofp",
    [37] = "fptrunc",
    [38] = "fpext",
    [39] = "ptrtoint",
    [40] = "inttoptr",
    [41] = "bitcast",
    [42] = "icmp",
    [43] = "fcmp",
    [44] = "phi",
    [45] = "call",
    [46] = "select",
    [49] = "va_arg",
    [50] = "extractelement",
    [51] = "insertelement",
    [52] = "shufflevector",
    [53] = "extractvalue",
    [54] = "insertvalue",
    [55] = "fence",
    [56] = "cmpxchg",
    [57] = "atomicrmw",
    [58] = "resume",
    [59] = "landingpad",
    [60] = "addrspacecast",
    [61] = "cleanupret",
    [62] = "catchret",
    [63] = "catchpad",
    [64] = "cleanuppad",
    [65] = "catchswitch",
    [66] = "fneg",
    [67] = "callbr",
    [68] = "freeze",
};

const char *ir_opcode_name(uint8_t opcode) {
    return opcode < ARRAY_LEN(opcode_names) && opcode_names[opcode] ? opcode_names[opcode] : "unknown";
}

typedef struct Decoder {
    const uint8_t *next, *end;
    bool broken; /* once set, everything read is 0 */
    Arena *arena;
} Decoder;

static uint32_t read_number(Decoder *decoder) {
    uint64_t value = 0;
    for (int shift = 0; shift < 35; shift += 7) {
        if (decoder->broken || decoder->next == decoder->end)
            break;
        uint8_t byte = *decoder->next++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80 && value <= UINT32_MAX)
            return (uint32_t)value;
    }
    decoder->broken = true;
    return 0;
}

/* A number below `limit`. */
static uint32_t read_index(Decoder *decoder, uint64_t limit) {
    uint32_t index = read_number(decoder);
    if (index >= limit)
        decoder->broken = true;
    return decoder->broken ? 0 : index;
}

/* How many things follow, each of which takes at least a byte. */
static uint32_t read_count(Decoder *decoder) { return read_index(decoder, (uint64_t)(decoder->end - decoder->next)); }

static const uint8_t *read_bytes(Decoder *decoder, uint32_t count) {
    if (count > decoder->end - decoder->next) {
        decoder->broken = true;
        return NULL;
    }
    const uint8_t *bytes = decoder->next;
    decoder->next += count;
    return bytes;
}

static const char *read_name(Decoder *decoder) {
    uint32_t len = read_count(decoder);
    const uint8_t *bytes = read_bytes(decoder, len);
    return bytes ? arena_strndup(decoder->arena, (const char *)bytes, len) : "";
}

static void read_block(Decoder *decoder, uint32_t block_count, IrBlock *block) {
    block->name = read_name(decoder);
    block->opcode_count = read_count(decoder);
    const uint8_t *opcodes = read_bytes(decoder, block->opcode_count);
    if (!opcodes)
        return;
    block->opcodes = arena_dup(decoder->arena, opcodes, block->opcode_count);
    for (uint32_t i = 0; i < block->opcode_count; i++)
        decoder->broken |= opcodes[i] >= IR_OPCODES;
    block->successor_count = read_count(decoder);
    uint32_t *successors = arena_array(decoder->arena, uint32_t, block->successor_count);
    for (uint32_t i = 0; i < block->successor_count; i++)
        successors[i] = read_index(decoder, block_count);
    block->successors = successors;
}

static void read_function(Decoder *decoder, uint32_t function_count, IrFunction *function) {
    function->name = read_name(decoder);
    function->block_count = read_count(decoder);
    IrBlock *blocks = arena_array(decoder->arena, IrBlock, function->block_count);
    for (uint32_t i = 0; i < function->block_count && !decoder->broken; i++)
        read_block(decoder, function->block_count, &blocks[i]);
    function->blocks = blocks;
    function->call_count = read_count(decoder);
    uint32_t *calls = arena_array(decoder->arena, uint32_t, function->call_count);
    for (uint32_t i = 0; i < function->call_count; i++)
        calls[i] = read_index(decoder, (uint64_t)function_count + 1) - 1; /* 0 becomes IR_CALL_UNKNOWN */
    function->calls = calls;
}

bool ir_graph_decode(const void *bytes, size_t len, IrGraph *ret_graph, Error *err) {
    IrGraph graph = {0};
    Decoder decoder = {.next = bytes, .end = (const uint8_t *)bytes + len, .arena = &graph.arena};
    if (len < 8 || memcmp(bytes, "IRG1", 4) != 0 || memcmp(decoder.end - 3, "end", 3) != 0)
        return error_set(err, "the graph of a module is not complete");
    decoder.next += 4;
    decoder.end -= 3;
    graph.function_count = read_index(&decoder, len);
    IrFunction *functions = arena_array(&graph.arena, IrFunction, (size_t)graph.function_count + 1);
    for (uint32_t i = 0; i < graph.function_count && !decoder.broken; i++)
        read_function(&decoder, graph.function_count, &functions[i]);
    graph.functions = functions;
    if (decoder.broken || decoder.next != decoder.end) {
        ir_graph_release(&graph);
        return error_set(err, "the graph of a module is not as culprit writes it; install culprit again");
    }
    *ret_graph = graph;
    return true;
}

void ir_graph_release(IrGraph *graph) {
    arena_release(&graph->arena);
    *graph = (IrGraph){0};
}

/* The last line of what a program said, which is LLVM's reason. */
static const char *last_line(Str *text) {
    str_trim(text);
    const char *line = strrchr(str_text(text), '\n');
    return line ? line + 1 : str_text(text);
}

static bool check_run(const IrGraphReader *reader, const char *module, ProcResult *result, Error *err) {
    if (result->limit != PROC_LIMIT_NONE || result->signal) {
        CLEANUP(str_release) Str end = {0};
        proc_describe_end(result, &end);
        const char *said = last_line(&result->err);
        return error_set(err, "%s %s on %s%s%s; try %sanother LLVM", reader->libllvm, str_text(&end), module,
                         *said ? ": " : "", said, result->limit != PROC_LIMIT_NONE ? "a smaller module or " : "");
    }
    if (result->exit_code != 0)
        return error_set(err, "cannot read %s: %s", module, last_line(&result->err));
    return !result->output_cut || error_set(err, "the graph of %s has more than %llu MiB; use a smaller module", module,
                                            (unsigned long long)(OUTPUT_BYTES >> 20));
}

bool ir_graph_read(const IrGraphReader *reader, const char *module, IrGraph *ret_graph, Error *err) {
    CLEANUP(str_release) Str program = {0};
    CLEANUP(proc_result_release) ProcResult result = {0};
    if (!path_runtime("ir-graph", &program, err))
        return error_context(err, "cannot read modules of LLVM");
    const char *argv[] = {str_text(&program), reader->libllvm, module, NULL};
    ProcRequest request = {.argv = argv,
                           .limits = {.wall_ms = reader->wall_ms ? reader->wall_ms : WALL_MS,
                                      .memory_bytes = reader->memory_bytes ? reader->memory_bytes : MEMORY_BYTES,
                                      .output_bytes = OUTPUT_BYTES}};
    return runner_run(reader->runner, &request, &result, err) && check_run(reader, module, &result, err) &&
           (ir_graph_decode(str_text(&result.out), result.out.len, ret_graph, err) ||
            error_context(err, "cannot read %s", module));
}
