/* Lines come from DWARF line tables, inlined functions from DWARF entries, all others from the symbol table: with
 * clang's -g1 functions into which nothing was inlined have no DWARF entry at all.
 */
#include "binary/debug_info.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "binary/addresses.h"
#include "binary/demangle.h"
#include "binary/elf_file.h"
#include "binary/origins.h"

#define NOWHERE UINT32_MAX

/* Nested ranges: an inlined call inside its caller. */
typedef struct Span {
    uint64_t low, high;
    uint32_t name, depth;
} Span;

typedef Vec(Span) Spans;

void debug_info_release(DebugInfo *info) {
    vec_release(&info->rows);
    vec_release(&info->owners);
    vec_release(&info->symbols);
    map_release(&info->names);
    str_release(&info->plain);
}

static uint32_t intern_name(DebugInfo *info, const char *symbol) {
    bool is_new;
    MapEntry *entry = map_insert_str(&info->names, symbol, &is_new);
    if (is_new) {
        entry->value = info->plain.len;
        demangle_function(symbol, &info->plain);
        str_append_char(&info->plain, '\0');
    }
    return (uint32_t)(entry - info->names.entries);
}

/* --- Lines --- */

/* Files of a unit are looked up by the pointer that libdw gives for each, which is the same for the same file. */
typedef struct FileCache {
    const char *source;
    uint32_t file;
    const Origins *origins; /* NULL: none */
} FileCache;

static void read_unit_lines(DebugInfo *info, UnitBuilder *builder, OriginCache *origins, Dwarf_Die *unit) {
    Dwarf_Lines *lines;
    size_t count;
    if (dwarf_getsrclines(unit, &lines, &count) != 0)
        return;
    Dwarf_Attribute attribute;
    const char *comp_dir = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
    FileCache cache = {NULL, NOWHERE, NULL};
    for (size_t i = 0; i < count; i++) {
        Dwarf_Line *line = dwarf_onesrcline(lines, i);
        Dwarf_Addr address;
        int number = 0;
        bool end = true;
        if (!line || dwarf_lineaddr(line, &address) != 0 || dwarf_lineno(line, &number) != 0)
            continue;
        dwarf_lineendsequence(line, &end);
        const char *source = end || number <= 0 ? NULL : dwarf_linesrc(line, NULL, NULL);
        if (source && source != cache.source) {
            uint32_t file = unit_builder_file(builder, source, comp_dir);
            cache = (FileCache){source, file, origins_of(origins, builder, file, source, comp_dir)};
        }
        CodeRow row = {address, source ? cache.file : NOWHERE, source ? (uint32_t)number : 0};
        if (source && cache.origins)
            origins_apply(cache.origins, &row.file, &row.line);
        /* Line 0 means code without a place of its own: it belongs to what precedes it. */
        if (!source && !end)
            continue;
        vec_push(&info->rows, row);
    }
}

/* --- Functions --- */

static void add_spans(DebugInfo *info, Spans *spans, Dwarf_Die *entry, uint32_t depth) {
    Dwarf_Attribute attribute;
    Dwarf_Addr base, low, high;
    const char *name = dwarf_formstring(dwarf_attr_integrate(entry, DW_AT_linkage_name, &attribute));
    if (!name)
        name = dwarf_formstring(dwarf_attr_integrate(entry, DW_AT_name, &attribute));
    if (!name)
        return;
    uint32_t index = intern_name(info, name);
    for (ptrdiff_t at = 0; (at = dwarf_ranges(entry, at, &base, &low, &high)) > 0;)
        if (low < high)
            vec_push(spans, (Span){low, high, index, depth});
}

/* Inlined calls stand below the functions and blocks that contain them. */
static void read_entries(DebugInfo *info, Spans *spans, Dwarf_Die *parent, uint32_t depth) {
    Dwarf_Die child;
    if (dwarf_child(parent, &child) != 0)
        return;
    do {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_inlined_subroutine)
            add_spans(info, spans, &child, depth);
        if (dwarf_haschildren(&child) > 0)
            read_entries(info, spans, &child, depth + 1);
    } while (dwarf_siblingof(&child, &child) == 0);
}

static bool read_dwarf(DebugInfo *info, UnitBuilder *builder, Spans *spans, Elf *elf, const char *path, Error *err) {
    Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
    if (!dwarf)
        return error_set(err, "%s has no debug information: %s; build it with -g1", path, dwarf_errmsg(-1));
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit;
    OriginCache origins = {0};
    uint8_t type;
    while (dwarf_get_units(dwarf, cu, &cu, NULL, &type, &unit, NULL) == 0) {
        read_unit_lines(info, builder, &origins, &unit);
        read_entries(info, spans, &unit, 1);
    }
    origins_release(&origins);
    dwarf_end(dwarf);
    return true;
}

static void read_symbols(DebugInfo *info, Spans *spans, Elf *elf) {
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB || header.sh_entsize == 0)
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        for (size_t i = 0; data && i < header.sh_size / header.sh_entsize; i++) {
            GElf_Sym symbol;
            const char *name;
            if (!gelf_getsym(data, (int)i, &symbol) || GELF_ST_TYPE(symbol.st_info) != STT_FUNC || !symbol.st_size ||
                !(name = elf_strptr(elf, header.sh_link, symbol.st_name)) || !name[0])
                continue;
            uint32_t index = intern_name(info, name);
            vec_push(&info->symbols, (CodeSymbol){symbol.st_value, symbol.st_size, index});
            vec_push(spans, (Span){symbol.st_value, symbol.st_value + symbol.st_size, index, 0});
        }
    }
}

/* --- Order --- */

/* At one address the end of a sequence stands before the start of the next. */
static int by_row_address(const void *a, const void *b) {
    const CodeRow *left = a, *right = b;
    if (left->address != right->address)
        return left->address < right->address ? -1 : 1;
    if ((left->file == NOWHERE) != (right->file == NOWHERE))
        return left->file == NOWHERE ? -1 : 1;
    return 0;
}

static int by_span(const void *a, const void *b) {
    const Span *left = a, *right = b;
    if (left->low != right->low)
        return left->low < right->low ? -1 : 1;
    return left->depth != right->depth ? (left->depth < right->depth ? -1 : 1) : 0;
}

/* Turns nested spans into owners: at each start or end of a span, who owns the code from there on. */
static void flatten_spans(DebugInfo *info, Spans *spans) {
    Spans open = {0};
    for (size_t i = 0; i <= spans->len; i++) {
        uint64_t until = i < spans->len ? spans->items[i].low : UINT64_MAX;
        while (open.len > 0 && vec_last(&open).high <= until) {
            uint64_t end = vec_pop(&open).high;
            while (open.len > 0 && vec_last(&open).high <= end)
                (void)vec_pop(&open);
            vec_push(&info->owners, (CodeOwner){end, open.len > 0 ? vec_last(&open).name : NOWHERE});
        }
        if (i < spans->len) {
            vec_push(&open, spans->items[i]);
            vec_push(&info->owners, (CodeOwner){until, spans->items[i].name});
        }
    }
    vec_release(&open);
}

bool debug_info_read(const char *path, UnitBuilder *builder, DebugInfo *ret_info, Error *err) {
    CLEANUP(elf_file_closep) ElfFile *file = elf_file_open(path, err);
    if (!file)
        return false;
    DebugInfo info = {0};
    Spans spans = {0};
    read_symbols(&info, &spans, file->elf);
    bool ok = read_dwarf(&info, builder, &spans, file->elf, path, err);
    if (ok) {
        vec_sort(&info.rows, by_row_address);
        vec_sort(&info.symbols, by_address);
        vec_sort(&spans, by_span);
        flatten_spans(&info, &spans);
        *ret_info = info;
    } else
        debug_info_release(&info);
    vec_release(&spans);
    return ok;
}

bool debug_info_row(const DebugInfo *info, uint64_t address, size_t *ret_row) {
    *ret_row = addresses_up_to(info->rows.items, info->rows.len, sizeof(CodeRow), address) - 1;
    return *ret_row != SIZE_MAX && info->rows.items[*ret_row].file != NOWHERE;
}

const char *debug_info_function(const DebugInfo *info, uint64_t address) {
    size_t behind = addresses_up_to(info->owners.items, info->owners.len, sizeof(CodeOwner), address);
    uint32_t name = behind > 0 ? info->owners.items[behind - 1].name : NOWHERE;
    return name == NOWHERE ? "" : info->plain.data + info->names.entries[name].value;
}
