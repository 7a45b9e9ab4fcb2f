/* Sections are laid out in three groups (code, constants, data), each on pages of its own with a linker's
 * rights. Behind the data every symbol has a slot of a global offset table, and behind the code a stub that jumps
 * through the slot, because libraries lie out of reach of 32-bit displacements. */
#include "llvm/runtime/loader.h"

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { CODE, CONSTANTS, DATA, GROUPS };
enum { STUB_SIZE = 8, SLOT_SIZE = 8, MOST_SECTIONS = 16384, PAGE = 4096 };

typedef struct Image {
    const unsigned char *object;
    size_t len;
    const Elf64_Ehdr *header;
    const Elf64_Shdr *sections;
    const Elf64_Sym *symbols;
    size_t symbol_count;
    const char *names;
    unsigned char *base;
    uint64_t offset[MOST_SECTIONS]; /* of each section in the image */
    uint64_t common;                /* offset of the common symbols */
    uint64_t stubs, slots;
    uint64_t code_end, constants_end;
    char *why;
    size_t why_size;
} Image;

static Image image; /* one object per process */

#define REFUSE(...) (snprintf(image.why, image.why_size, __VA_ARGS__), false)

static int group_of(const Elf64_Shdr *section) {
    return section->sh_flags & SHF_EXECINSTR ? CODE : section->sh_flags & SHF_WRITE ? DATA : CONSTANTS;
}

static uint64_t align(uint64_t value, uint64_t to) { return to > 1 ? (value + to - 1) / to * to : value; }

static bool read_headers(void) {
    const Elf64_Ehdr *header = image.header = (const Elf64_Ehdr *)image.object;
    if (image.len < sizeof(*header) || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_machine != EM_X86_64 || header->e_type != ET_REL || header->e_shnum == 0 ||
        header->e_shnum > MOST_SECTIONS)
        return REFUSE("the code generator did not write an x86-64 object");
    image.sections = (const Elf64_Shdr *)(image.object + header->e_shoff);
    for (size_t i = 0; i < header->e_shnum; i++)
        if (image.sections[i].sh_type == SHT_SYMTAB) {
            image.symbols = (const Elf64_Sym *)(image.object + image.sections[i].sh_offset);
            image.symbol_count = image.sections[i].sh_size / sizeof(Elf64_Sym);
            image.names = (const char *)image.object + image.sections[image.sections[i].sh_link].sh_offset;
        }
    return image.symbols || REFUSE("the object has no symbols");
}

static bool map_sections(void) {
    uint64_t at = 0, end[GROUPS];
    for (int group = 0; group < GROUPS; group++) {
        for (size_t i = 0; i < image.header->e_shnum; i++) {
            const Elf64_Shdr *section = &image.sections[i];
            if (!(section->sh_flags & SHF_ALLOC) || group_of(section) != group)
                continue;
            if (section->sh_flags & SHF_TLS)
                return REFUSE("the program has thread-local variables, which the loader does not know");
            at = align(at, section->sh_addralign);
            image.offset[i] = at;
            at += section->sh_size;
        }
        if (group == CODE) {
            at = image.stubs = align(at, STUB_SIZE);
            at += image.symbol_count * STUB_SIZE;
        }
        if (group == DATA) {
            at = image.common = align(at, 64);
            for (size_t i = 0; i < image.symbol_count; i++)
                if (image.symbols[i].st_shndx == SHN_COMMON)
                    at = align(at, image.symbols[i].st_value) + image.symbols[i].st_size;
            at = image.slots = align(at, SLOT_SIZE);
            at += image.symbol_count * SLOT_SIZE;
        }
        at = end[group] = align(at, PAGE);
    }
    if (at > (uint64_t)1 << 31)
        return REFUSE("the program needs more than 2 GiB");
    image.base = mmap(NULL, at, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (image.base == MAP_FAILED)
        return REFUSE("there is no memory for the program");
    for (size_t i = 0; i < image.header->e_shnum; i++)
        if ((image.sections[i].sh_flags & SHF_ALLOC) && image.sections[i].sh_type != SHT_NOBITS)
            memcpy(image.base + image.offset[i], image.object + image.sections[i].sh_offset, image.sections[i].sh_size);
    image.code_end = end[CODE];
    image.constants_end = end[CONSTANTS];
    return true;
}

/* Fills the slots with the symbols' addresses and writes the stubs. */
static bool place_symbols(void *(*resolve)(const char *)) {
    uint64_t common = image.common;
    uint64_t *slots = (uint64_t *)(image.base + image.slots);
    for (size_t i = 1; i < image.symbol_count; i++) {
        const Elf64_Sym *symbol = &image.symbols[i];
        const char *name = image.names + symbol->st_name;
        if (symbol->st_shndx == SHN_UNDEF) {
            slots[i] = (uint64_t)resolve(name);
            if (!slots[i] && ELF64_ST_BIND(symbol->st_info) != STB_WEAK)
                return REFUSE("undefined symbol %s", name);
        } else if (symbol->st_shndx == SHN_COMMON) {
            common = align(common, symbol->st_value);
            slots[i] = (uint64_t)image.base + common;
            common += symbol->st_size;
        } else if (symbol->st_shndx == SHN_ABS) {
            slots[i] = symbol->st_value;
        } else if (symbol->st_shndx < image.header->e_shnum) {
            slots[i] = (uint64_t)image.base + image.offset[symbol->st_shndx] + symbol->st_value;
        }
        unsigned char *stub = image.base + image.stubs + i * STUB_SIZE; /* jmp *slot(%rip) */
        int32_t distance =
            (int32_t)((int64_t)(image.slots + i * SLOT_SIZE) - (int64_t)(image.stubs + i * STUB_SIZE + 6));
        memcpy(stub, "\xff\x25", 2);
        memcpy(stub + 2, &distance, 4);
    }
    return true;
}

static bool put32(unsigned char *place, int64_t value, bool is_signed, const char *name) {
    if (is_signed ? value != (int32_t)value : value != (int64_t)(uint32_t)value)
        return REFUSE("%s is out of reach; compile the program with -fPIC", *name ? name : "a section");
    uint32_t low = (uint32_t)value;
    memcpy(place, &low, 4);
    return true;
}

static bool relocate(const Elf64_Shdr *section) {
    const Elf64_Rela *relocations = (const Elf64_Rela *)(image.object + section->sh_offset);
    for (size_t i = 0; i < section->sh_size / sizeof(Elf64_Rela); i++) {
        const Elf64_Rela *rela = &relocations[i];
        size_t number = ELF64_R_SYM(rela->r_info);
        const Elf64_Sym *symbol = &image.symbols[number];
        const char *name = image.names + symbol->st_name;
        unsigned char *place = image.base + image.offset[section->sh_info] + rela->r_offset;
        int64_t slot = (int64_t)(image.base + image.slots + number * SLOT_SIZE);
        int64_t here = (int64_t)place, addend = rela->r_addend, value = *(int64_t *)slot;
        bool ok = true;
        switch (ELF64_R_TYPE(rela->r_info)) {
        case R_X86_64_NONE: break;
        case R_X86_64_64: value += addend, memcpy(place, &value, 8); break;
        case R_X86_64_PC64: value += addend - here, memcpy(place, &value, 8); break;
        case R_X86_64_PLT32:
            if (symbol->st_shndx == SHN_UNDEF)
                value = (int64_t)(image.base + image.stubs + number * STUB_SIZE);
            ok = put32(place, value + addend - here, true, name);
            break;
        case R_X86_64_PC32: ok = put32(place, value + addend - here, true, name); break;
        case R_X86_64_32: ok = put32(place, value + addend, false, name); break;
        case R_X86_64_32S: ok = put32(place, value + addend, true, name); break;
        case R_X86_64_GOTPCREL:
        case R_X86_64_GOTPCRELX:
        case R_X86_64_REX_GOTPCRELX: ok = put32(place, slot + addend - here, true, name); break;
        default: ok = REFUSE("the loader does not know relocation %u", (unsigned)ELF64_R_TYPE(rela->r_info)); break;
        }
        if (!ok)
            return false;
    }
    return true;
}

bool loader_load(const void *object, size_t len, void *(*resolve)(const char *name), const char *entry,
                 void **ret_entry, void (***ret_init)(void), size_t *ret_init_count, char *why, size_t why_size) {
    image = (Image){.object = object, .len = len, .why = why, .why_size = why_size};
    if (!read_headers() || !map_sections() || !place_symbols(resolve))
        return false;
    for (size_t i = 0; i < image.header->e_shnum; i++) {
        const Elf64_Shdr *section = &image.sections[i];
        if (section->sh_type == SHT_RELA && (image.sections[section->sh_info].sh_flags & SHF_ALLOC) &&
            !relocate(section))
            return false;
        if (section->sh_type == SHT_INIT_ARRAY) {
            *ret_init = (void (**)(void))(image.base + image.offset[i]);
            *ret_init_count = section->sh_size / sizeof(void *);
        }
    }
    if (mprotect(image.base, image.code_end, PROT_READ | PROT_EXEC) != 0 ||
        mprotect(image.base + image.code_end, image.constants_end - image.code_end, PROT_READ) != 0)
        return REFUSE("the program's code cannot be made executable");
    const uint64_t *slots = (const uint64_t *)(image.base + image.slots);
    *ret_entry = NULL;
    for (size_t i = 1; i < image.symbol_count; i++)
        if (image.symbols[i].st_shndx != SHN_UNDEF && strcmp(image.names + image.symbols[i].st_name, entry) == 0)
            *ret_entry = (void *)slots[i];
    return *ret_entry || REFUSE("the program has no function %s", entry);
}
