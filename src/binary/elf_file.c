#include "binary/elf_file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

ElfFile *elf_file_open(const char *path, Error *err) {
    elf_version(EV_CURRENT);
    CLEANUP(elf_file_closep) ElfFile *file = mem_zalloc(1, sizeof(*file));
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
    return TAKE(file);
}

void elf_file_close(ElfFile *file) {
    if (!file)
        return;
    elf_end(file->elf);
    if (file->fd >= 0)
        close(file->fd);
    free(file);
}

Elf_Scn *elf_file_section(const ElfFile *file, const char *name, GElf_Shdr *ret_header) {
    for (Elf_Scn *section = NULL; (section = elf_nextscn(file->elf, section));)
        if (gelf_getshdr(section, ret_header) &&
            str_equal(elf_strptr(file->elf, file->section_names, ret_header->sh_name), name))
            return section;
    return NULL;
}

bool elf_file_build_id(const ElfFile *file, Str *ret_id) {
    const void *bytes = NULL;
    ssize_t len = dwelf_elf_gnu_build_id(file->elf, &bytes);
    for (ssize_t i = 0; i < len; i++)
        str_printf(ret_id, "%02x", ((const uint8_t *)bytes)[i]);
    return len > 0;
}

bool elf_file_check_patchable(const ElfFile *file, const char *path, bool *ret_relocatable, Error *err) {
    GElf_Ehdr header;
    struct stat status;
    if (!gelf_getehdr(file->elf, &header) || (header.e_type != ET_EXEC && header.e_type != ET_DYN))
        return error_set(err, "%s is neither a program nor a shared library; name the compiler itself", path);
    if (header.e_machine != EM_X86_64 || header.e_ident[EI_CLASS] != ELFCLASS64)
        return error_set(err,
                         "%s is not a 64-bit x86 program, the only kind that can be traced; build an instrumented "
                         "compiler instead (culprit subject build)",
                         path);
    if (fstat(file->fd, &status) == 0 && (status.st_mode & (S_ISUID | S_ISGID)))
        return error_set(
            err,
            "%s changes its user or group when started, so nothing can be preloaded into it; use a copy that does not",
            path);
    if (ret_relocatable)
        *ret_relocatable = header.e_type == ET_DYN;
    return true;
}

bool elf_file_segments(const ElfFile *file, ElfSegments *ret_segments) {
    size_t count, file_size;
    const char *content = elf_rawfile(file->elf, &file_size);
    if (!content || elf_getphdrnum(file->elf, &count) != 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr part;
        if (!gelf_getphdr(file->elf, (int)i, &part) || part.p_type != PT_LOAD)
            continue;
        ElfSegment segment = {.address = part.p_vaddr, .end = part.p_vaddr + part.p_memsz};
        if (part.p_offset <= file_size && part.p_filesz <= file_size - part.p_offset) {
            segment.size = part.p_filesz;
            segment.bytes = (const uint8_t *)content + part.p_offset;
        }
        vec_push(ret_segments, segment);
    }
    return true;
}

const uint8_t *elf_segments_bytes(const ElfSegments *segments, uint64_t address, size_t *ret_len) {
    for (size_t i = 0; i < segments->len; i++) {
        const ElfSegment *segment = &segments->items[i];
        uint64_t at = address - segment->address;
        if (at < segment->size) {
            *ret_len = segment->size - at;
            return segment->bytes + at;
        }
    }
    return NULL;
}

/* --- Questions about a file by its path --- */

bool elf_build_id(const char *path, Str *ret_id, Error *err) {
    CLEANUP(elf_file_closep) ElfFile *file = elf_file_open(path, err);
    if (!file)
        return false;
    return elf_file_build_id(file, ret_id) ||
           error_set(err, "%s has no build-id, by which builds are told apart; link it with -Wl,--build-id", path);
}

static bool is_started_by_loader(const ElfFile *file) {
    size_t count = 0;
    elf_getphdrnum(file->elf, &count);
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        if (gelf_getphdr(file->elf, (int)i, &segment) && segment.p_type == PT_INTERP)
            return true;
    }
    return false;
}

bool elf_is_program(const char *path) {
    CLEANUP(elf_file_closep) ElfFile *file = elf_file_open(path, NULL);
    return file && is_started_by_loader(file);
}

bool elf_check_traceable(const char *path, Error *err) {
    CLEANUP(elf_file_closep) ElfFile *file = elf_file_open(path, err);
    if (!file || !elf_file_check_patchable(file, path, NULL, err))
        return false;
    return is_started_by_loader(file) ||
           error_set(err,
                     "%s is linked statically, so nothing can be preloaded into it; build an instrumented "
                     "compiler instead (culprit subject build)",
                     path);
}

/* Looks for the section with the addresses of the flags, and for the runtime's function among the undefined symbols. */
ElfInstrumented elf_instrumented(const char *path) {
    ElfInstrumented found = {0};
    GElf_Ehdr kind;
    CLEANUP(elf_file_closep) ElfFile *file = elf_file_open(path, NULL);
    if (!file || !gelf_getehdr(file->elf, &kind) || kind.e_type == ET_REL)
        return found;
    GElf_Shdr header;
    found.is_module = elf_file_section(file, "__sancov_pcs", &header) != NULL;
    Elf_Scn *symbols = elf_file_section(file, ".dynsym", &header);
    Elf_Data *data = symbols ? elf_getdata(symbols, NULL) : NULL;
    for (size_t i = 0; data && header.sh_entsize > 0 && i < header.sh_size / header.sh_entsize; i++) {
        GElf_Sym symbol;
        if (gelf_getsym(data, (int)i, &symbol) && symbol.st_shndx == SHN_UNDEF &&
            str_equal(elf_strptr(file->elf, header.sh_link, symbol.st_name), "__sanitizer_cov_bool_flag_init"))
            found.needs_runtime = true;
    }
    return found;
}
