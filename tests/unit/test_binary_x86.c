/* The readers behind tracing, against the tools that define what they read: readelf for functions, objdump for
 * instructions; and against damaged files. */
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/rng.h"
#include "cover/trace_patch.h"
#include "unit.h"

static const char program[] = "/usr/bin/tcc";

static void open_program(ElfModule *module) {
    Error err;
    if (!file_exists(program)) {
        printf("skip: %s is not installed\n", program);
        skip();
    }
    if (!elf_module_open(program, module, &err))
        fail_msg("%s", err.text);
}

/* --- One instruction --- */

typedef struct DecodeCase {
    const char *bytes;
    size_t size;
    FlowKind flow;
    uint64_t target; /* at address 0x1000 */
    uint8_t relative_at;
} DecodeCase;

static const DecodeCase decode_cases[] = {
    {"\x55", 1, FLOW_NEXT, 0, 0},                              /* push %rbp */
    {"\x41\x57", 2, FLOW_NEXT, 0, 0},                          /* push %r15 */
    {"\xf3\x0f\x1e\xfa", 4, FLOW_NEXT, 0, 0},                  /* endbr64 */
    {"\x90", 1, FLOW_PADDING, 0, 0},                           /* nop */
    {"\x66\x0f\x1f\x44\x00\x00", 6, FLOW_PADDING, 0, 0},       /* nopw */
    {"\x74\x10", 2, FLOW_BRANCH, 0x1012, 0},                   /* je +0x10 */
    {"\x0f\x85\x00\x01\x00\x00", 6, FLOW_BRANCH, 0x1106, 2},   /* jne +0x100 */
    {"\xe3\xfe", 2, FLOW_BRANCH_SHORT, 0x1000, 0},             /* jrcxz */
    {"\xeb\xfe", 2, FLOW_JUMP, 0x1000, 0},                     /* jmp self */
    {"\xe9\xfb\xff\xff\xff", 5, FLOW_JUMP, 0x1000, 1},         /* jmp self */
    {"\xe8\x00\x00\x00\x00", 5, FLOW_CALL, 0x1005, 1},         /* call next */
    {"\xff\xd0", 2, FLOW_CALL_COMPUTED, 0, 0},                 /* call *%rax */
    {"\xff\x15\x00\x00\x00\x00", 6, FLOW_CALL_COMPUTED, 0, 2}, /* call *0(%rip) */
    {"\xff\xe0", 2, FLOW_JUMP_COMPUTED, 0, 0},                 /* jmp *%rax */
    {"\x3e\xff\xe0", 3, FLOW_JUMP_COMPUTED, 0, 0},             /* notrack jmp *%rax */
    {"\xc3", 1, FLOW_STOP, 0, 0},                              /* ret */
    {"\x0f\x0b", 2, FLOW_STOP, 0, 0},                          /* ud2 */
    {"\x48\x8d\x05\x10\x00\x00\x00", 7, FLOW_NEXT, 0x1017, 3}, /* lea 0x10(%rip),%rax */
    {"\x48\x8b\x05\x10\x00\x00\x00", 7, FLOW_NEXT, 0, 3},      /* mov 0x10(%rip),%rax */
    {"\xc6\x05\x10\x00\x00\x00\x01", 7, FLOW_NEXT, 0, 2},      /* movb $1,0x10(%rip) */
    {"\xc5\xf8\x77", 3, FLOW_NEXT, 0, 0},                      /* vzeroupper */
    {"\xc5\xf9\x6f\x80\x00\x01\x00\x00", 8, FLOW_NEXT, 0, 0},  /* vmovdqa 0x100(%rax),%xmm0 */
};

static void test_decode(void **state) {
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(decode_cases); i++) {
        const DecodeCase *expected = &decode_cases[i];
        Instruction actual;
        print_message("case %zu\n", i);
        assert_true(instruction_decode((const uint8_t *)expected->bytes, expected->size, 0x1000, &actual));
        assert_int_equal(actual.length, expected->size);
        assert_int_equal(actual.flow, expected->flow);
        assert_int_equal(actual.target, expected->target);
        assert_int_equal(actual.relative_at, expected->relative_at);
    }
    Instruction ignored;
    assert_false(instruction_decode((const uint8_t *)"\x06", 1, 0, &ignored));         /* invalid in 64-bit code */
    assert_false(instruction_decode((const uint8_t *)"\xe8\x00\x00", 3, 0, &ignored)); /* cut short */
}

/* --- A program --- */

/* readelf -wF prints "… FDE cie=… pc=START..END" for each function. */
static void test_functions_match_readelf(void **state) {
    (void)state;
    ElfModule module;
    open_program(&module);
    FILE *tool = popen("readelf -W --debug-dump=frames /usr/bin/tcc 2>/dev/null | grep -o 'pc=.*'", "r");
    char line[256];
    unsigned long start, end;
    size_t found = 0;
    while (fgets(line, sizeof(line), tool)) {
        assert_int_equal(sscanf(line, "pc=%lx..%lx", &start, &end), 2);
        if (start < module.text_address || start >= module.text_address + module.text_size)
            continue;
        assert_true(found < module.functions.len);
        const ElfFunction *function = elf_module_function(&module, start);
        assert_non_null(function);
        assert_int_equal(function->start, start);
        assert_int_equal(function->end, end);
        found++;
    }
    pclose(tool);
    assert_int_equal(module.functions.len, found);
    assert_true(found > 100);
    elf_module_release(&module);
}

/* objdump prints "  ADDRESS:\t…" for each instruction; inside functions both must agree on every one. */
static void test_instructions_match_objdump(void **state) {
    (void)state;
    ElfModule module;
    X86Code code;
    open_program(&module);
    x86_code_read(&module, &code);
    FILE *tool = popen("objdump -d --no-show-raw-insn -j .text /usr/bin/tcc | grep -oE '^ +[0-9a-f]+:'", "r");
    unsigned long address;
    size_t found = 0;
    while (fscanf(tool, " %lx:", &address) == 1) {
        if (!elf_module_function(&module, address))
            continue;
        if (!bitset_get(&code.starts, address - module.text_address))
            fail_msg("no instruction starts at %#lx, says the decoder", address);
        found++;
    }
    pclose(tool);
    assert_int_equal(bitset_count(&code.starts), found);
    x86_code_release(&code);
    elf_module_release(&module);
}

/* --- Patches --- */

/* Follows a stub and compares it with the instructions that it displaced. */
static void check_stub(const TracePatch *patch, const ElfModule *module, const TraceDetour *detour) {
    const uint8_t *stubs = (const uint8_t *)patch->stubs.data;
    size_t at = detour->stub_offset + TRACE_STUB_HEAD;
    uint64_t original = patch->text_address + detour->text_offset, site = original;
    assert_int_equal(stubs[detour->stub_offset], 0xc6);
    while (original < site + 5) {
        Instruction old, new;
        size_t text_at = original - module->text_address;
        assert_true(instruction_decode(module->text + text_at, module->text_size - text_at, original, &old));
        assert_true(instruction_decode(stubs + at, patch->stubs.len - at, patch->stubs_address + at, &new));
        assert_int_equal(new.flow, old.flow);
        assert_true(new.target == old.target);
        if (old.flow != FLOW_BRANCH && old.flow != FLOW_JUMP)
            assert_int_equal(new.length, old.length);
        at += new.length;
        original += old.length;
        if (old.flow == FLOW_JUMP || old.flow == FLOW_JUMP_COMPUTED || old.flow == FLOW_STOP)
            return;
    }
    Instruction back;
    assert_true(instruction_decode(stubs + at, patch->stubs.len - at, patch->stubs_address + at, &back));
    assert_int_equal(back.flow, FLOW_JUMP);
    assert_true(back.target == original);
}

static void check_patch(const X86Code *code, TraceLevel level) {
    TracePatch patch;
    Error err;
    const ElfModule *module = code->module;
    assert_true(trace_patch_make(code, level, &patch, &err));
    assert_int_equal(patch.sites.len, patch.detours.len + patch.traps.len);
    size_t shift = module->text_address - patch.text_address;
    Str restored = {0};
    str_append_str(&restored, &patch.text);
    for (size_t i = 0; i < patch.detours.len; i++) {
        check_stub(&patch, module, &patch.detours.items[i]);
        size_t at = patch.detours.items[i].text_offset;
        memcpy(restored.data + at, module->text + at - shift, 5);
    }
    for (size_t i = 0; i < patch.traps.len; i++) {
        assert_int_equal((uint8_t)restored.data[patch.traps.items[i].text_offset], 0xcc);
        restored.data[patch.traps.items[i].text_offset] = (char)patch.traps.items[i].original;
    }
    assert_memory_equal(restored.data + shift, module->text, module->text_size);
    str_release(&restored);
    trace_patch_release(&patch);
}

/* Undoing all patches gives the original text: nothing else was touched, nothing overlaps. */
static void test_patches(void **state) {
    (void)state;
    ElfModule module;
    X86Code code;
    open_program(&module);
    x86_code_read(&module, &code);
    check_patch(&code, TRACE_FUNCTIONS);
    check_patch(&code, TRACE_BLOCKS);
    x86_code_release(&code);
    elf_module_release(&module);
}

/* --- Damage --- */

static void try_file(const char *path) {
    Error err;
    ElfModule module;
    TracePatch patch;
    if (!elf_module_open(path, &module, &err))
        return;
    X86Code code;
    x86_code_read(&module, &code);
    if (trace_patch_make(&code, TRACE_BLOCKS, &patch, &err))
        trace_patch_release(&patch);
    x86_code_release(&code);
    elf_module_release(&module);
}

static void test_damaged_files(void **state) {
    (void)state;
    Rng rng = rng_from_seed(1);
    Str whole = {0};
    char path[] = "/tmp/culprit-test-XXXXXX";
    if (!file_exists(program))
        skip();
    assert_true(file_read(program, &whole, NULL));
    close(mkstemp(path));
    for (int round = 0; round < 150; round++) {
        Str broken = {0};
        str_append_n(&broken, whole.data, round % 3 ? whole.len : rng_below(&rng, whole.len));
        /* Headers, tables and frames steer the reader; code is only data to it. */
        for (uint64_t n = rng_below(&rng, 40); n > 0 && broken.len > 0; n--) {
            size_t regions[][2] = {{0, 0x400}, {whole.len - 0x800, 0x800}, {0x3e4ac, 0x6094}};
            const size_t *region = regions[rng_below(&rng, ARRAY_LEN(regions))];
            size_t at = region[0] + rng_below(&rng, region[1]);
            if (at < broken.len)
                broken.data[at] = (char)rng_below(&rng, 256);
        }
        assert_true(file_write(path, broken.data, broken.len, NULL));
        try_file(path);
        str_release(&broken);
    }
    unlink(path);
    str_release(&whole);
}

static void test_unsuitable_programs(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"/etc/passwd", "is no ELF program"},  {"/nonexistent", "cannot open"},
        {"/usr/bin/ldd", "is no ELF program"}, {"/usr/bin/passwd", "changes its user"},
        {"/usr/bin/su", "changes its user"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        Error err = {0};
        ElfModule module;
        if (cases[i][0][1] == 'u' && !file_exists(cases[i][0]))
            continue;
        assert_false(elf_module_open(cases[i][0], &module, &err));
        if (!strstr(err.text, cases[i][1]))
            fail_msg("%s: \"%s\" instead of \"%s\"", cases[i][0], err.text, cases[i][1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decode),
        cmocka_unit_test(test_functions_match_readelf),
        cmocka_unit_test(test_instructions_match_objdump),
        cmocka_unit_test(test_patches),
        cmocka_unit_test(test_damaged_files),
        cmocka_unit_test(test_unsuitable_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
