/* Lines come from DWARF line tables, inlined functions from DWARF entries, all others from the symbol table: with
 * clang's -g1 functions into which nothing was inlined have no DWARF entry at all.
 */
#include "binary/debug_info.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "binary/demangle.h"
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

static const char *entry_name(Dwarf_Die *entry) {
    Dwarf_Attribute attribute;
    const char *name = dwarf_formstring(dwarf_attr_integrate(entry, DW_AT_linkage_name, &attribute));
    return name ? name : dwarf_formstring(dwarf_attr_integrate(entry, DW_AT_name, &attribute));
}

static void add_spans(DebugInfo *info, Spans *spans, Dwarf_Die *entry, uint32_t depth) {
    const char *name = entry_name(entry);
    Dwarf_Addr base, low, high;
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

static bool read_dwarf(DebugInfo *info, UnitBuilder *builder, Spans *spans, int fd, const char *path, Error *err) {
    Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);
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

static int by_symbol_address(const void *a, const void *b) {
    const CodeSymbol *left = a, *right = b;
    return left->address != right->address ? (left->address < right->address ? -1 : 1) : 0;
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

static void put_in_order(DebugInfo *info, Spans *spans) {
    if (info->rows.len > 0)
        qsort(info->rows.items, info->rows.len, sizeof(CodeRow), by_row_address);
    if (info->symbols.len > 0)
        qsort(info->symbols.items, info->symbols.len, sizeof(CodeSymbol), by_symbol_address);
    if (spans->len > 0)
        qsort(spans->items, spans->len, sizeof(Span), by_span);
    flatten_spans(info, spans);
}

bool debug_info_read(const char *path, UnitBuilder *builder, DebugInfo *ret_info, Error *err) {
    *ret_info = (DebugInfo){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_errno(err, "cannot open %s", path);
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    Spans spans = {0};
    bool ok = elf != NULL && elf_kind(elf) == ELF_K_ELF;
    if (!ok)
        error_set(err, "%s is no ELF file", path);
    else {
        read_symbols(ret_info, &spans, elf);
        ok = read_dwarf(ret_info, builder, &spans, fd, path, err);
    }
    if (ok)
        put_in_order(ret_info, &spans);
    else
        debug_info_release(ret_info);
    vec_release(&spans);
    elf_end(elf);
    close(fd);
    return ok;
}

/* The last of `count` items, of `size` bytes each and starting with an address, whose address is not above. */
static bool find_last(const void *items, size_t count, size_t size, uint64_t address, size_t *ret_i) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        uint64_t at = *(const uint64_t *)((const char *)items + middle * size);
        *(at <= address ? &low : &high) = at <= address ? middle + 1 : middle;
    }
    *ret_i = low - 1;
    return low > 0;
}

bool debug_info_row(const DebugInfo *info, uint64_t address, size_t *ret_row) {
    return find_last(info->rows.items, info->rows.len, sizeof(CodeRow), address, ret_row) &&
           info->rows.items[*ret_row].file != NOWHERE;
}

const char *debug_info_function(const DebugInfo *info, uint64_t address) {
    size_t i;
    if (!find_last(info->owners.items, info->owners.len, sizeof(CodeOwner), address, &i) ||
        info->owners.items[i].name == NOWHERE)
        return "";
    return info->plain.data + info->names.entries[info->owners.items[i].name].value;
}

bool debug_info_build_id(const char *path, Str *ret_id, Error *err) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_errno(err, "cannot open %s", path);
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    const void *bytes = NULL;
    ssize_t len = elf ? dwelf_elf_gnu_build_id(elf, &bytes) : -1;
    for (ssize_t i = 0; i < len; i++)
        str_printf(ret_id, "%02x", ((const unsigned char *)bytes)[i]);
    elf_end(elf);
    close(fd);
    return len > 0 || error_set(err, "%s has no build-id; link it with -Wl,--build-id", path);
}
