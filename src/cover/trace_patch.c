/* Patching: two ways to learn that an instruction was reached.
 *
 * Detour. The first five bytes at the site become a jump to a stub, which sets the unit's flag, executes the instructions
 * that the jump displaced, and jumps back:
 *
 *     site:  push %r12                     site:  jmp stub            stub:  movb $1, flag(%rip)
 *            mov  %rdi,%rbp        ==>            (2 bytes left over)        push %r12
 *            sub  $8,%rsp                         sub $8,%rsp                mov  %rdi,%rbp
 *                                                                            jmp  site+5
 * Costs about a nanosecond each time, no system call, and the text is never written again, so all runs share its pages.
 * Neither registers nor arithmetic flags change. It needs that nothing jumps between the displaced instructions, so it is
 * made only if every branch into the function is known or a single instruction is displaced. A short function may
 * use the padding behind it.
 *
 * Trap. The first byte becomes int3; the preloaded library's SIGTRAP handler sets the flag and restores the byte. Costs
 * some microseconds and a copied page, once per run and site. It is always possible, so it serves all other sites: calls
 * (their return address must stay where unwinding expects it) and places that a switch may jump to.
 *
 * Published tracers of stock binaries use traps alone (e.g. UnTracer, Nagy and Hicks 2019) or rewrite everything; detours
 * follow the idea of instruction punning (E9Patch, Duck et al. 2020) without its puns, because function starts have room.
 *
 * Where stubs and flags lie. Everything must be within 2 GiB of the text, at a fixed distance from it. Position-dependent
 * programs are linked at 4 MiB and grow their heap behind themselves: at 0x70000000 it rarely gets in the way. Position-
 * independent modules have their neighbours close by, but 1 GiB below them nothing is mapped when a process starts.
 */
#include "cover/trace_patch.h"

#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "binary/demangle.h"

enum { JUMP_SIZE = 5, DISPLACED_MAX = JUMP_SIZE };

#define REGION_FIXED 0x70000000ULL
#define REGION_BELOW 0x40000000ULL
#define INT3 ((char)0xcc)

/* --- Sites --- */

/* Functions that report a failure of the compiler itself. What runs from there on (backtraces, diagnostics, preprocessing
 * for a bug report) runs for every crash and no passing input, and would look most suspicious of all. */
static bool reports_failure(const ElfModule *module, uint64_t site) {
    static const char *const reporters[] = {
        "crash_signal",
        "fancy_abort",
        "internal_error",
        "internal_error_no_backtrace", /* GCC */
        "llvm::report_fatal_error",
        "llvm::report_bad_alloc_error",
        "llvm::llvm_unreachable_internal", /* LLVM */
    };
    const ElfFunction *function = elf_module_function(module, site);
    if (function->start != site || !function->name)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(reporters); i++) {
        const char *scope = strstr(reporters[i], "::");
        if (!strstr(function->name, scope ? scope + 2 : reporters[i]))
            continue;
        CLEANUP(str_release) Str name = {0};
        demangle_function(function->name, &name);
        if (str_equal(str_text(&name), reporters[i]))
            return true;
    }
    return false;
}

static void choose_sites(const X86Code *code, TraceLevel level, TraceSites *ret_sites) {
    const ElfModule *module = code->module;
    if (level == TRACE_REPORTERS) {
        for (size_t i = 0; i < module->functions.len; i++)
            if (reports_failure(module, module->functions.items[i].start))
                vec_push(ret_sites, module->functions.items[i].start);
        return;
    }
    if (level == TRACE_FUNCTIONS) {
        for (size_t i = 0; i < module->functions.len; i++)
            if (bitset_get(&code->starts, module->functions.items[i].start - module->text_address))
                vec_push(ret_sites, module->functions.items[i].start);
        return;
    }
    const Bitset *leaders = &code->leaders;
    for (size_t i = bitset_next(leaders, 0); i < leaders->bits; i = bitset_next(leaders, i + 1))
        vec_push(ret_sites, module->text_address + i);
}

/* --- Detours --- */

typedef struct Displaced {
    Instruction instructions[DISPLACED_MAX];
    size_t count;
    uint64_t end; /* address behind the last of them */
} Displaced;

static bool ends_flow(FlowKind flow) { return flow == FLOW_JUMP || flow == FLOW_JUMP_COMPUTED || flow == FLOW_STOP; }

/* Bytes behind the end of some flow that nothing leads to. */
static bool is_padding(const X86Code *code, uint64_t from, uint64_t to) {
    const ElfModule *module = code->module;
    while (from < to) {
        Instruction instruction;
        size_t at = from - module->text_address;
        if (at >= module->text_size || bitset_get(&code->targets, at) ||
            !instruction_decode(module->text + at, module->text_size - at, from, &instruction) ||
            instruction.flow != FLOW_PADDING)
            return false;
        from += instruction.length;
    }
    return true;
}

/* Collects the instructions under [site, site + 5); false if they must not be moved. `limit` is the next site. */
static bool displace(const X86Code *code, uint64_t site, uint64_t limit, Displaced *ret_displaced) {
    const ElfModule *module = code->module;
    const ElfFunction *function = elf_module_function(module, site);
    if (limit < site + JUMP_SIZE)
        return false;
    bool closed = bitset_get(&code->closed, (size_t)(function - module->functions.items));
    *ret_displaced = (Displaced){.end = site};
    while (ret_displaced->end < site + JUMP_SIZE) {
        uint64_t at = ret_displaced->end;
        Instruction *instruction = &ret_displaced->instructions[ret_displaced->count];
        if (at > site && (!closed || bitset_get(&code->targets, at - module->text_address)))
            return false;
        if (!instruction_decode(module->text + (at - module->text_address), function->end - at, at, instruction))
            return false;
        ret_displaced->count++;
        ret_displaced->end += instruction->length;
        FlowKind flow = instruction->flow;
        if (flow == FLOW_CALL || flow == FLOW_CALL_COMPUTED || flow == FLOW_BRANCH_SHORT)
            return false;
        if (ends_flow(flow))
            return ret_displaced->end >= site + JUMP_SIZE || is_padding(code, ret_displaced->end, site + JUMP_SIZE);
        if (flow == FLOW_BRANCH && ret_displaced->end < site + JUMP_SIZE)
            return false; /* it grows in the stub, and what follows must keep its distance from the stub's start */
        if (ret_displaced->end >= function->end && ret_displaced->end < site + JUMP_SIZE)
            return false;
    }
    return true;
}

static void append_i32(Str *code, int32_t value) { str_append_n(code, (const char *)&value, sizeof(value)); }

/* Appends the 4-byte distance from behind itself to the target; false if it does not fit. */
static bool append_distance(TracePatch *patch, uint64_t target) {
    int64_t distance = (int64_t)(target - (patch->stubs_address + patch->stubs.len + 4));
    append_i32(&patch->stubs, (int32_t)distance);
    return distance == (int32_t)distance;
}

static bool append_moved(TracePatch *patch, const ElfModule *module, const Instruction *instruction) {
    const char *bytes = (const char *)module->text + (instruction->address - module->text_address);
    if (instruction->flow == FLOW_BRANCH) {
        str_append_char(&patch->stubs, 0x0f);
        str_append_char(&patch->stubs, (char)(0x80 | instruction->condition));
        return append_distance(patch, instruction->target);
    }
    if (instruction->flow == FLOW_JUMP) {
        str_append_char(&patch->stubs, (char)0xe9);
        return append_distance(patch, instruction->target);
    }
    uint64_t moved_to = patch->stubs_address + patch->stubs.len;
    str_append_n(&patch->stubs, bytes, instruction->length);
    if (instruction->relative_at == 0)
        return true;
    int32_t old;
    memcpy(&old, bytes + instruction->relative_at, sizeof(old));
    int64_t moved = old + (int64_t)(instruction->address - moved_to);
    int32_t narrow = (int32_t)moved;
    memcpy(patch->stubs.data + patch->stubs.len - instruction->length + instruction->relative_at, &narrow,
           sizeof(narrow));
    return moved == narrow;
}

static bool append_stub(TracePatch *patch, const ElfModule *module, size_t unit, const Displaced *displaced) {
    uint64_t flag = patch->flags_address + unit;
    str_append_n(&patch->stubs, "\xc6\x05", 2); /* movb $1, flag(%rip): the immediate follows the distance */
    append_i32(&patch->stubs, (int32_t)(flag - (patch->stubs_address + patch->stubs.len + 5)));
    str_append_char(&patch->stubs, 1);
    for (size_t i = 0; i < displaced->count; i++)
        if (!append_moved(patch, module, &displaced->instructions[i]))
            return false;
    if (ends_flow(displaced->instructions[displaced->count - 1].flow))
        return true;
    str_append_char(&patch->stubs, (char)0xe9);
    return append_distance(patch, displaced->end);
}

static bool add_detour(TracePatch *patch, const X86Code *code, size_t unit, uint64_t limit) {
    Displaced displaced;
    uint64_t site = patch->sites.items[unit];
    size_t stub = patch->stubs.len;
    if (!displace(code, site, limit, &displaced))
        return false;
    int64_t distance = (int64_t)(patch->stubs_address + stub - (site + JUMP_SIZE));
    int32_t narrow = (int32_t)distance;
    if (!append_stub(patch, code->module, unit, &displaced) || distance != narrow) {
        str_truncate(&patch->stubs, stub);
        return false;
    }
    char *at = patch->text.data + (site - patch->text_address);
    at[0] = (char)0xe9;
    memcpy(at + 1, &narrow, sizeof(narrow));
    vec_push(&patch->detours, (TraceDetour){(uint32_t)stub, (uint32_t)(site - patch->text_address)});
    return true;
}

static void add_trap(TracePatch *patch, size_t unit, bool stops) {
    uint32_t offset = (uint32_t)(patch->sites.items[unit] - patch->text_address);
    char *at = patch->text.data + offset;
    vec_push(&patch->traps,
             (TraceTrap){.text_offset = offset, .unit = (uint32_t)unit, .original = (uint8_t)*at, .stops = stops});
    *at = INT3;
}

/* --- A module --- */

/* The text in whole pages; what shares its first and last page comes along unchanged. */
static bool copy_text(const ElfModule *module, TracePatch *patch, Error *err) {
    size_t before = module->text_address % TRACE_PAGE;
    patch->text_address = module->text_address - before;
    size_t size = TRACE_PAGES(before + module->text_size);
    size_t present = size;
    const uint8_t *bytes;
    while (!(bytes = elf_module_bytes(module, patch->text_address, present)) && present > before + module->text_size)
        present--; /* the segment may end within the last page */
    if (!bytes || (module->text_address - module->text_offset) % TRACE_PAGE != 0 || size > INT32_MAX)
        return error_set(err, "the code of %s does not lie on pages of its own", module->path);
    str_append_n(&patch->text, (const char *)bytes, present);
    while (patch->text.len < size)
        str_append_char(&patch->text, 0);
    return true;
}

bool trace_patch_make(const X86Code *code, TraceLevel level, TracePatch *ret_patch, Error *err) {
    const ElfModule *module = code->module;
    TracePatch patch = {0};
    if (!module->is_relocatable && module->end > REGION_FIXED / 2)
        return error_set(err, "%s is too large to be traced", module->path);
    if (!copy_text(module, &patch, err)) {
        trace_patch_release(&patch);
        return false;
    }
    choose_sites(code, level, &patch.sites);
    patch.flags_address = module->is_relocatable ? -REGION_BELOW : REGION_FIXED;
    patch.stubs_address = patch.flags_address + TRACE_PAGES(patch.sites.len);
    uint64_t text_end = module->text_address + module->text_size;
    for (size_t unit = 0; unit < patch.sites.len; unit++) {
        uint64_t limit = unit + 1 < patch.sites.len ? patch.sites.items[unit + 1] : text_end;
        bool stops = reports_failure(module, patch.sites.items[unit]);
        if (stops || !add_detour(&patch, code, unit, limit))
            add_trap(&patch, unit, stops);
    }
    *ret_patch = patch;
    return true;
}

void trace_patch_release(TracePatch *patch) {
    vec_release(&patch->sites);
    vec_release(&patch->traps);
    vec_release(&patch->detours);
    str_release(&patch->text);
    str_release(&patch->stubs);
}

static void append_pages(Str *file, const void *bytes, size_t size) {
    str_append_n(file, bytes, size);
    str_reserve(file, TRACE_PAGE);
    while (file->len % TRACE_PAGE != 0)
        str_append_char(file, 0);
}

bool trace_patch_write(const TracePatch *patch, const ElfModule *module, const char *path, Error *err) {
    TracePlanHeader header = {.magic = TRACE_PLAN_MAGIC,
                              .units = (uint32_t)patch->sites.len,
                              .text_address = patch->text_address,
                              .text_size = patch->text.len,
                              .text_at = TRACE_PAGE,
                              .flags_address = patch->flags_address,
                              .stubs_address = patch->stubs_address,
                              .stubs_size = TRACE_PAGES(patch->stubs.len),
                              .trap_count = (uint32_t)patch->traps.len,
                              .detour_count = (uint32_t)patch->detours.len,
                              .freeze_address = patch->freeze_address,
                              .freeze_size = patch->freeze_size};
    for (const char *hex = module->build_id; hex[0] && hex[1] && header.build_id_size < TRACE_BUILD_ID_MAX; hex += 2)
        sscanf(hex, "%2hhx", &header.build_id[header.build_id_size++]);
    header.stubs_at = header.text_at + header.text_size;
    header.traps_at = header.stubs_at + header.stubs_size;
    header.detours_at = header.traps_at + TRACE_PAGES(patch->traps.len * sizeof(TraceTrap));

    CLEANUP(str_release) Str file = {0};
    append_pages(&file, &header, sizeof(header));
    append_pages(&file, patch->text.data, patch->text.len);
    append_pages(&file, str_text(&patch->stubs), patch->stubs.len);
    append_pages(&file, patch->traps.items, patch->traps.len * sizeof(TraceTrap));
    append_pages(&file, patch->detours.items, patch->detours.len * sizeof(TraceDetour));
    return file_write(path, file.data, file.len, err);
}
