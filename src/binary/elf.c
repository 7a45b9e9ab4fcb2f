#include "binary/elf.h"

#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

/* Pointer encodings of .eh_frame (LSB core specification, "DWARF exception header encoding"). */
enum { PE_ABSPTR = 0x00, PE_UDATA4 = 0x03, PE_UDATA8 = 0x04, PE_SDATA4 = 0x0b, PE_SDATA8 = 0x0c, PE_PCREL = 0x10 };

/* The libelf side of an open file. */
typedef struct TraceElf {
    int fd;
    Elf *elf;
    size_t section_names;
} TraceElf;

static void elf_close(TraceElf *file) {
    if (!file)
        return;
    elf_end(file->elf);
    if (file->fd >= 0)
        close(file->fd);
    free(file);
}
DEFINE_FREEP(TraceElf, elf_close)

static TraceElf *elf_open_file(const char *path, Error *err) {
    elf_version(EV_CURRENT);
    CLEANUP(elf_closep) TraceElf *file = mem_zalloc(1, sizeof(*file));
    file->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (file->fd < 0) {
        error_errno(err, "cannot open %s", path);
        return NULL;
    }
    file->elf = elf_begin(file->fd, ELF_C_READ_MMAP, NULL);
    if (!file->elf || elf_kind(file->elf) != ELF_K_ELF || elf_getshdrstrndx(file->elf, &file->section_names) != 0) {
        error_set(err, "%s is no ELF program (a script?); name the compiler itself", path);
        return NULL;
    }
    TraceElf *opened = file;
    file = NULL;
    return opened;
}

static Elf_Scn *elf_section(const TraceElf *file, const char *name, GElf_Shdr *ret_header) {
    for (Elf_Scn *section = NULL; (section = elf_nextscn(file->elf, section));) {
        if (!gelf_getshdr(section, ret_header))
            continue;
        const char *found = elf_strptr(file->elf, file->section_names, ret_header->sh_name);
        if (found && str_equal(found, name))
            return section;
    }
    return NULL;
}

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

static bool add_fde(TraceModule *module, const CieFacts *cie, const Dwarf_FDE *fde, const Elf_Data *data,
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
             (TraceFunction){.start = start, .end = start + size, .has_handlers = fde_has_handlers(cie, at, fde->end)});
    return true;
}

static int compare_functions(const void *a, const void *b) {
    const TraceFunction *left = a, *right = b;
    return left->start != right->start ? (left->start > right->start) - (left->start < right->start)
                                       : (left->end > right->end) - (left->end < right->end);
}

/* Sorts, and cuts what overlaps: the linker folds identical functions, assembler code nests ranges. */
static void order_functions(TraceFunctions *functions) {
    if (functions->len == 0)
        return;
    qsort(functions->items, functions->len, sizeof(functions->items[0]), compare_functions);
    size_t kept = 1;
    for (size_t i = 1; i < functions->len; i++) {
        TraceFunction *last = &functions->items[kept - 1], next = functions->items[i];
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

static bool read_functions(TraceModule *module, Error *err) {
    GElf_Shdr header;
    Elf_Scn *section = elf_section(module->elf, ".eh_frame", &header);
    Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    if (!data || !data->d_buf)
        return error_set(err, "%s has no .eh_frame section, so its functions cannot be found", module->path);

    const unsigned char *ident = (const unsigned char *)elf_getident(module->elf->elf, NULL);
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

static TraceFunction *function_starting_at(TraceModule *module, uint64_t address) {
    TraceFunction *function = (TraceFunction *)trace_module_function(module, address);
    return function && function->start == address ? function : NULL;
}

/* Symbols are read in the order .symtab, .dynsym; the first name of an address stays, except that a global name beats a
 * local one: aliases of one function differ in nothing that matters here. FILE symbols head the local symbols of their
 * object file; global symbols follow all of them and belong to none. */
static void read_symbols(TraceModule *module, const TraceElf *file, const char *section_name) {
    GElf_Shdr header;
    Elf_Scn *section = elf_section(file, section_name, &header);
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
        TraceFunction *function = function_starting_at(module, symbol.st_value);
        if (!function || (function->name && (local || !function->file)))
            continue;
        function->name = arena_strdup(&module->arena, name);
        function->file = local ? source : NULL;
    }
}

static void read_names(TraceModule *module) {
    if (strlen(module->build_id) > 2) {
        const char *debug = arena_printf(&module->arena, "/usr/lib/debug/.build-id/%.2s/%s.debug", module->build_id,
                                         module->build_id + 2);
        CLEANUP(elf_closep) TraceElf *file = file_exists(debug) ? elf_open_file(debug, NULL) : NULL;
        if (file)
            read_symbols(module, file, ".symtab");
    }
    read_symbols(module, module->elf, ".symtab");
    read_symbols(module, module->elf, ".dynsym");
}

/* --- The file as a whole --- */

static bool read_build_id(const TraceElf *file, Str *ret_id) {
    GElf_Shdr header;
    GElf_Nhdr note;
    size_t name_at, id_at;
    Elf_Scn *section = elf_section(file, ".note.gnu.build-id", &header);
    Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    if (!data || !data->d_buf || !gelf_getnote(data, 0, &note, &name_at, &id_at))
        return false;
    for (size_t i = 0; i < note.n_descsz; i++)
        str_printf(ret_id, "%02x", ((const uint8_t *)data->d_buf)[id_at + i]);
    return note.n_descsz > 0;
}

bool trace_build_id(const char *path, Str *ret_id, Error *err) {
    CLEANUP(elf_closep) TraceElf *file = elf_open_file(path, err);
    return file &&
           (read_build_id(file, ret_id) || error_set(err, "%s has no build-id, by which traces are told apart", path));
}

static bool is_started_by_loader(const TraceElf *file) {
    size_t count = 0;
    elf_getphdrnum(file->elf, &count);
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        if (gelf_getphdr(file->elf, (int)i, &segment) && segment.p_type == PT_INTERP)
            return true;
    }
    return false;
}

static void read_segments(TraceModule *module) {
    size_t count = 0, file_size = 0;
    elf_getphdrnum(module->elf->elf, &count);
    const char *file = elf_rawfile(module->elf->elf, &file_size);
    for (size_t i = 0; file && i < count; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(module->elf->elf, (int)i, &segment) || segment.p_type != PT_LOAD)
            continue;
        module->end = MAX_OF(module->end, segment.p_vaddr + segment.p_memsz);
        if (segment.p_offset <= file_size && segment.p_filesz <= file_size - segment.p_offset)
            vec_push(&module->segments,
                     (TraceSegment){segment.p_vaddr, segment.p_filesz, (const uint8_t *)file + segment.p_offset});
    }
}

static bool read_text(TraceModule *module, Error *err) {
    GElf_Shdr header;
    Elf_Scn *section = elf_section(module->elf, ".text", &header);
    Elf_Data *data = section && header.sh_type == SHT_PROGBITS ? elf_getdata(section, NULL) : NULL;
    if (!data || !data->d_buf || data->d_size != header.sh_size)
        return error_set(err, "%s has no .text section", module->path);
    module->text_address = header.sh_addr;
    module->text_offset = header.sh_offset;
    module->text_size = header.sh_size;
    module->text = data->d_buf;
    return true;
}

static bool check_kind(const TraceElf *file, const char *path, bool *ret_relocatable, Error *err) {
    GElf_Ehdr header;
    struct stat status;
    if (!gelf_getehdr(file->elf, &header) || (header.e_type != ET_EXEC && header.e_type != ET_DYN))
        return error_set(err, "%s is neither a program nor a shared library", path);
    if (header.e_machine != EM_X86_64 || header.e_ident[EI_CLASS] != ELFCLASS64)
        return error_set(err,
                         "%s is not a 64-bit x86 program, the only kind that can be traced; build an instrumented "
                         "compiler instead (culprit subject build)",
                         path);
    if (fstat(file->fd, &status) == 0 && (status.st_mode & (S_ISUID | S_ISGID)))
        return error_set(err, "%s changes its user or group when started, so nothing can be preloaded into it", path);
    *ret_relocatable = header.e_type == ET_DYN;
    return true;
}

bool trace_check_program(const char *path, Error *err) {
    CLEANUP(elf_closep) TraceElf *file = elf_open_file(path, err);
    bool relocatable;
    if (!file || !check_kind(file, path, &relocatable, err))
        return false;
    return is_started_by_loader(file) ||
           error_set(err,
                     "%s is linked statically, so nothing can be preloaded into it; build an instrumented "
                     "compiler instead (culprit subject build)",
                     path);
}

bool trace_module_open(const char *path, TraceModule *ret_module, Error *err) {
    TraceModule module = {0};
    CLEANUP(str_release) Str build_id = {0};
    module.elf = elf_open_file(path, err);
    if (!module.elf)
        return false;
    module.path = arena_strdup(&module.arena, path);
    bool ok = check_kind(module.elf, path, &module.is_relocatable, err) && read_text(&module, err) &&
              read_functions(&module, err);
    if (!ok) {
        trace_module_release(&module);
        return false;
    }
    read_segments(&module);
    read_build_id(module.elf, &build_id);
    module.build_id = arena_strdup(&module.arena, str_text(&build_id));
    read_names(&module);
    *ret_module = module;
    return true;
}

void trace_module_release(TraceModule *module) {
    elf_close(module->elf);
    vec_release(&module->functions);
    vec_release(&module->segments);
    arena_release(&module->arena);
    *module = (TraceModule){0};
}

const TraceFunction *trace_module_function(const TraceModule *module, uint64_t address) {
    size_t low = 0, high = module->functions.len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (module->functions.items[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    const TraceFunction *function = &module->functions.items[low - 1];
    return address < function->end ? function : NULL;
}

const uint8_t *trace_module_bytes(const TraceModule *module, uint64_t address, size_t size) {
    for (size_t i = 0; i < module->segments.len; i++) {
        const TraceSegment *segment = &module->segments.items[i];
        uint64_t at = address - segment->address;
        if (address >= segment->address && at <= segment->size && size <= segment->size - at)
            return segment->bytes + at;
    }
    return NULL;
}

bool trace_module_section(const TraceModule *module, const char *name, uint64_t *ret_address, uint64_t *ret_size) {
    GElf_Shdr header;
    if (!elf_section(module->elf, name, &header))
        return false;
    *ret_address = header.sh_addr;
    *ret_size = header.sh_size;
    return true;
}

static void take_code_address(const TraceModule *module, uint64_t value, Addresses *ret_addresses) {
    if (value >= module->text_address && value - module->text_address < module->text_size)
        vec_push(ret_addresses, value);
}

void trace_module_code_addresses(const TraceModule *module, Addresses *ret_addresses) {
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(module->elf->elf, section));) {
        bool known = gelf_getshdr(section, &header) && (header.sh_flags & SHF_ALLOC);
        Elf_Data *data = known && header.sh_type != SHT_NOBITS ? elf_getdata(section, NULL) : NULL;
        if (!data || !data->d_buf || (header.sh_flags & SHF_EXECINSTR))
            continue;
        bool relocations = header.sh_type == SHT_RELA && header.sh_entsize > 0;
        for (size_t i = 0; relocations && i < data->d_size / header.sh_entsize; i++) {
            GElf_Rela relocation;
            if (gelf_getrela(data, (int)i, &relocation) && GELF_R_TYPE(relocation.r_info) == R_X86_64_RELATIVE)
                take_code_address(module, (uint64_t)relocation.r_addend, ret_addresses);
        }
        bool words = header.sh_type == SHT_PROGBITS || header.sh_type == SHT_INIT_ARRAY;
        for (size_t at = (0 - header.sh_addr) % 8; words && at + 8 <= data->d_size; at += 8) {
            uint64_t word;
            memcpy(&word, (const char *)data->d_buf + at, sizeof(word));
            take_code_address(module, word, ret_addresses);
        }
    }
}
