#include "binary/elf_module.h"

#include <elfutils/libdw.h>
#include <gelf.h>

#include "base/file.h"

/* Pointer encodings of .eh_frame (LSB core specification, "DWARF exception header encoding"). */
enum { PE_ABSPTR = 0x00, PE_UDATA4 = 0x03, PE_UDATA8 = 0x04, PE_SDATA4 = 0x0b, PE_SDATA8 = 0x0c, PE_PCREL = 0x10 };

/* --- Functions --- */

/* Reads one pointer at *at that stands at the address `place`; false for encodings that linkers do not write. */
static bool read_pointer(uint8_t encoding, const uint8_t **at, const uint8_t *end, uint64_t place,
                         uint64_t *ret_value) {
    bool wide = (encoding & 0x0f) == PE_ABSPTR || (encoding & 0x0f) == PE_UDATA8 || (encoding & 0x0f) == PE_SDATA8;
    bool narrow = (encoding & 0x0f) == PE_UDATA4 || (encoding & 0x0f) == PE_SDATA4;
    size_t size = wide ? 8 : 4;
    if ((!wide && !narrow) || (encoding & 0x70 & ~PE_PCREL) || (size_t)(end - *at) < size)
        return false;

    uint64_t value = 0;
    memcpy(&value, *at, size);
    if ((encoding & 0x0f) == PE_SDATA4)
        value = (uint64_t)(int64_t)(int32_t)value;
    *at += size;
    *ret_value = value + (encoding & PE_PCREL ? place : 0);
    return true;
}

typedef struct CieFacts {
    uint8_t pointer_encoding;
    bool has_lsda;
    uint8_t lsda_encoding;
} CieFacts;

/* The augmentation string names the fields of the augmentation data: R is the encoding of addresses in the FDEs, L the
 * encoding of their pointer to exception tables, P a personality routine (skipped by its own encoding). */
static bool read_cie(const Dwarf_CIE *cie, CieFacts *ret_facts) {
    *ret_facts = (CieFacts){.pointer_encoding = PE_ABSPTR};
    const uint8_t *at = cie->augmentation_data, *end = at + cie->augmentation_data_size;
    if (cie->augmentation[0] != 'z')
        return cie->augmentation[0] == '\0';
    for (const char *letter = cie->augmentation + 1; *letter; letter++) {
        uint64_t ignored;
        if (*letter == 'S' || *letter == 'B')
            continue;
        if (!at || at >= end)
            return false;
        uint8_t encoding = *at++;
        if (*letter == 'R')
            ret_facts->pointer_encoding = encoding;
        else if (*letter == 'L')
            ret_facts->has_lsda = true, ret_facts->lsda_encoding = encoding;
        else if (*letter != 'P' || !read_pointer(encoding & 0x0f, &at, end, 0, &ignored))
            return false;
    }
    return true;
}

/* A pointer to exception tables that is not zero means landing pads. */
static bool fde_has_handlers(const CieFacts *cie, const uint8_t *at, const uint8_t *end) {
    if (!cie->has_lsda || at >= end || *at == 0 || *at >= 0x80)
        return false;
    uint64_t lsda;
    at++;
    return read_pointer(cie->lsda_encoding & 0x0f, &at, end, 0, &lsda) && lsda != 0;
}

static bool add_fde(ElfModule *module, const CieFacts *cie, const Dwarf_FDE *fde, const Elf_Data *data,
                    uint64_t address) {
    const uint8_t *at = fde->start;
    uint64_t start, size;
    uint64_t place = address + (uint64_t)(at - (const uint8_t *)data->d_buf);
    if (!read_pointer(cie->pointer_encoding, &at, fde->end, place, &start) ||
        !read_pointer(cie->pointer_encoding & 0x0f, &at, fde->end, 0, &size))
        return false;
    uint64_t text_end = module->text_address + module->text_size;
    if (start < module->text_address || start >= text_end || size == 0 || size > text_end - start)
        return true; /* .plt and .init have FDEs too; they are no functions of the program */
    vec_push(&module->functions,
             (ElfFunction){.start = start, .end = start + size, .has_handlers = fde_has_handlers(cie, at, fde->end)});
    return true;
}

static int compare_functions(const void *a, const void *b) {
    const ElfFunction *left = a, *right = b;
    return left->start != right->start ? (left->start > right->start) - (left->start < right->start)
                                       : (left->end > right->end) - (left->end < right->end);
}

/* Sorts, and cuts what overlaps: the linker folds identical functions, assembler code nests ranges. */
static void order_functions(ElfFunctions *functions) {
    if (functions->len == 0)
        return;
    vec_sort(functions, compare_functions);
    size_t kept = 1;
    for (size_t i = 1; i < functions->len; i++) {
        ElfFunction *last = &functions->items[kept - 1], next = functions->items[i];
        if (next.start == last->start) {
            last->end = MAX_OF(last->end, next.end);
            last->has_handlers |= next.has_handlers;
            continue;
        }
        last->end = MIN_OF(last->end, next.start);
        functions->items[kept++] = next;
    }
    functions->len = kept;
}

static bool read_functions(ElfModule *module, Error *err) {
    GElf_Shdr header;
    Elf_Scn *section = elf_file_section(module->file, ".eh_frame", &header);
    Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    if (!data || !data->d_buf)
        return error_set(err,
                         "%s has no .eh_frame section, so its functions cannot be found; build an instrumented "
                         "compiler instead (culprit subject build)",
                         module->path);

    const unsigned char *ident = (const unsigned char *)elf_getident(module->file->elf, NULL);
    CieFacts cie = {0};
    Dwarf_Off cie_offset = (Dwarf_Off)-1;
    Dwarf_Off offset = 0, next;
    Dwarf_CFI_Entry entry;
    for (;; offset = next) {
        int status = dwarf_next_cfi(ident, data, true, offset, &next, &entry);
        if (status > 0)
            break;
        bool ok = status == 0;
        if (ok && !dwarf_cfi_cie_p(&entry)) {
            Dwarf_Off wanted = entry.fde.CIE_pointer, ignored;
            Dwarf_CFI_Entry parent;
            if (wanted != cie_offset) {
                ok = dwarf_next_cfi(ident, data, true, wanted, &ignored, &parent) == 0 && dwarf_cfi_cie_p(&parent) &&
                     read_cie(&parent.cie, &cie);
                cie_offset = wanted;
            }
            ok = ok && add_fde(module, &cie, &entry.fde, data, header.sh_addr);
        }
        if (!ok)
            return error_set(err, "the .eh_frame section of %s is damaged at offset %#llx", module->path,
                             (unsigned long long)offset);
    }
    order_functions(&module->functions);
    if (module->functions.len == 0)
        return error_set(err, "the .eh_frame section of %s describes no function", module->path);
    return true;
}

/* --- Names --- */

/* Symbols are read in the order .symtab, .dynsym; the first name of an address stays, except that a global name beats a
 * local one: aliases of one function differ in nothing that matters here. FILE symbols head the local symbols of their
 * object file; global symbols follow all of them and belong to none. */
static void read_symbols(ElfModule *module, const ElfFile *file, const char *section_name) {
    GElf_Shdr header;
    Elf_Scn *section = elf_file_section(file, section_name, &header);
    Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    if (!data || !data->d_buf || header.sh_entsize == 0)
        return;
    const char *source = NULL;
    for (size_t i = 0; i < header.sh_size / header.sh_entsize; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol))
            return;
        const char *name = elf_strptr(file->elf, header.sh_link, symbol.st_name);
        int type = GELF_ST_TYPE(symbol.st_info);
        bool local = GELF_ST_BIND(symbol.st_info) == STB_LOCAL;
        if (type == STT_FILE)
            source = name && *name ? arena_strdup(&module->arena, path_name(name)) : NULL;
        if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF || !name || !*name)
            continue;
        ElfFunction *function = (ElfFunction *)elf_module_function(module, symbol.st_value);
        if (!function || function->start != symbol.st_value || (function->name && (local || !function->file)))
            continue;
        function->name = arena_strdup(&module->arena, name);
        function->file = local ? source : NULL;
    }
}

static void read_names(ElfModule *module) {
    if (strlen(module->build_id) > 2) {
        const char *debug = arena_printf(&module->arena, "/usr/lib/debug/.build-id/%.2s/%s.debug", module->build_id,
                                         module->build_id + 2);
        CLEANUP(elf_file_closep) ElfFile *file = file_exists(debug) ? elf_file_open(debug, NULL) : NULL;
        if (file)
            read_symbols(module, file, ".symtab");
    }
    read_symbols(module, module->file, ".symtab");
    read_symbols(module, module->file, ".dynsym");
}

/* --- The file as a whole --- */

static bool read_text(ElfModule *module, Error *err) {
    GElf_Shdr header;
    Elf_Scn *section = elf_file_section(module->file, ".text", &header);
    Elf_Data *data = section && header.sh_type == SHT_PROGBITS ? elf_getdata(section, NULL) : NULL;
    if (!data || !data->d_buf || data->d_size != header.sh_size)
        return error_set(err, "%s has no .text section", module->path);
    module->text_address = header.sh_addr;
    module->text_offset = header.sh_offset;
    module->text_size = header.sh_size;
    module->text = data->d_buf;
    return true;
}

bool elf_module_open(const char *path, ElfModule *ret_module, Error *err) {
    ElfModule module = {0};
    CLEANUP(str_release) Str build_id = {0};
    module.file = elf_file_open(path, err);
    if (!module.file)
        return false;
    module.path = arena_strdup(&module.arena, path);
    bool ok = elf_file_check_patchable(module.file, path, &module.is_relocatable, err) && read_text(&module, err) &&
              read_functions(&module, err);
    if (!ok) {
        elf_module_release(&module);
        return false;
    }
    elf_file_segments(module.file, &module.segments);
    for (size_t i = 0; i < module.segments.len; i++)
        module.end = MAX_OF(module.end, module.segments.items[i].end);
    elf_file_build_id(module.file, &build_id);
    module.build_id = arena_strdup(&module.arena, str_text(&build_id));
    read_names(&module);
    *ret_module = module;
    return true;
}

void elf_module_release(ElfModule *module) {
    elf_file_close(module->file);
    vec_release(&module->functions);
    vec_release(&module->segments);
    arena_release(&module->arena);
    *module = (ElfModule){0};
}

const ElfFunction *elf_module_function(const ElfModule *module, uint64_t address) {
    size_t behind = addresses_up_to(module->functions.items, module->functions.len, sizeof(ElfFunction), address);
    const ElfFunction *function = behind > 0 ? &module->functions.items[behind - 1] : NULL;
    return function && address < function->end ? function : NULL;
}

const uint8_t *elf_module_bytes(const ElfModule *module, uint64_t address, size_t size) {
    size_t len;
    const uint8_t *bytes = elf_segments_bytes(&module->segments, address, &len);
    return bytes && size <= len ? bytes : NULL;
}

const char *elf_module_string(const ElfModule *module, uint64_t address, size_t most) {
    size_t len;
    const uint8_t *bytes = elf_segments_bytes(&module->segments, address, &len);
    return bytes && memchr(bytes, '\0', MIN_OF(len, most + 1)) ? (const char *)bytes : NULL;
}

bool elf_module_section(const ElfModule *module, const char *name, uint64_t *ret_address, uint64_t *ret_size) {
    GElf_Shdr header;
    if (!elf_file_section(module->file, name, &header))
        return false;
    *ret_address = header.sh_addr;
    *ret_size = header.sh_size;
    return true;
}

static void take_pointer(const ElfModule *module, uint64_t place, uint64_t target, CodePointers *ret_pointers) {
    if (target >= module->text_address && target - module->text_address < module->text_size)
        vec_push(ret_pointers, (CodePointer){place, target});
}

void elf_module_code_pointers(const ElfModule *module, CodePointers *ret_pointers) {
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(module->file->elf, section));) {
        bool known = gelf_getshdr(section, &header) && (header.sh_flags & SHF_ALLOC);
        Elf_Data *data = known && header.sh_type != SHT_NOBITS ? elf_getdata(section, NULL) : NULL;
        if (!data || !data->d_buf || (header.sh_flags & SHF_EXECINSTR))
            continue;
        bool relocations = header.sh_type == SHT_RELA && header.sh_entsize > 0;
        for (size_t i = 0; relocations && i < data->d_size / header.sh_entsize; i++) {
            GElf_Rela relocation;
            if (gelf_getrela(data, (int)i, &relocation) && GELF_R_TYPE(relocation.r_info) == R_X86_64_RELATIVE)
                take_pointer(module, relocation.r_offset, (uint64_t)relocation.r_addend, ret_pointers);
        }
        bool words = header.sh_type == SHT_PROGBITS || header.sh_type == SHT_INIT_ARRAY;
        for (size_t at = (0 - header.sh_addr) % 8; words && at + 8 <= data->d_size; at += 8) {
            uint64_t word;
            memcpy(&word, (const char *)data->d_buf + at, sizeof(word));
            take_pointer(module, header.sh_addr + at, word, ret_pointers);
        }
    }
}
