#include "binary/instrumented.h"

#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include "base/str.h"

static Elf *open_elf(const char *path, int *ret_fd) {
    *ret_fd = open(path, O_RDONLY | O_CLOEXEC);
    elf_version(EV_CURRENT);
    return *ret_fd < 0 ? NULL : elf_begin(*ret_fd, ELF_C_READ_MMAP, NULL);
}

static void close_elf(Elf *elf, int fd) {
    elf_end(elf);
    if (fd >= 0)
        close(fd);
}

bool elf_is_program(const char *path) {
    int fd;
    Elf *elf = open_elf(path, &fd);
    size_t count = 0;
    bool program = false;
    if (elf && elf_getphdrnum(elf, &count) == 0)
        for (size_t i = 0; i < count && !program; i++) {
            GElf_Phdr part;
            program = gelf_getphdr(elf, (int)i, &part) && part.p_type == PT_INTERP;
        }
    close_elf(elf, fd);
    return program;
}

/* Looks for the section with the addresses of the flags, and for the runtime's function among the undefined symbols. */
static ElfInstrumented look_at(Elf *elf) {
    ElfInstrumented found = {0};
    size_t names;
    GElf_Ehdr file;
    if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &file) || file.e_type == ET_REL ||
        elf_getshdrstrndx(elf, &names) != 0)
        return found;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header))
            continue;
        if (str_equal(elf_strptr(elf, names, header.sh_name), "__sancov_pcs"))
            found.is_module = true;
        Elf_Data *data = header.sh_type == SHT_DYNSYM ? elf_getdata(section, NULL) : NULL;
        for (size_t i = 0; data && header.sh_entsize > 0 && i < header.sh_size / header.sh_entsize; i++) {
            GElf_Sym symbol;
            if (gelf_getsym(data, (int)i, &symbol) && symbol.st_shndx == SHN_UNDEF &&
                str_equal(elf_strptr(elf, header.sh_link, symbol.st_name), "__sanitizer_cov_bool_flag_init"))
                found.needs_runtime = true;
        }
    }
    return found;
}

ElfInstrumented elf_instrumented(const char *path) {
    int fd;
    Elf *elf = open_elf(path, &fd);
    ElfInstrumented found = look_at(elf);
    close_elf(elf, fd);
    return found;
}
