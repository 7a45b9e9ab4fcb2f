/* Run-time half of the sancov provider: lives inside compilers built with clang's
 * -fsanitize-coverage=inline-bool-flag,pc-table, linked as an object or preloaded as a library.
 *
 * Every instrumented module (an executable, a shared library) has one array of bool flags, one flag an edge, which its
 * code sets to 1 as edges run. At start this file moves the pages of that array onto a file of its own in the directory
 * that CULPRIT_COVER_DIR names. The file is a shared mapping: what the compiler covered is there however it ends, be it
 * by SIGSEGV, abort or SIGKILL. Without the variable nothing happens.
 *
 * Names and layout, which sancov.c in the parent folder reads:
 *   DIR/KEY-PID.flags   the pages from the one that holds the first flag to the one that holds the last
 *   DIR/KEY.pcs         written only if CULPRIT_COVER_PCS is set: a SancovHeader, the module's path, and for each
 *                       flag two words: its address, as linked, and its clang flags (bit 0: entry of a function)
 * KEY is the FNV-1a hash of the module's build-id, or of its path if it has none. A file belongs to one process and
 * one module: the first and the last page hold neighbouring data too, which no two processes may share.
 */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cover/runtime/sancov_runtime.h"

#define PAGE 4096ul
#define MODULES_MAX 64

typedef struct Module {
    char *start; /* the flags */
    size_t count;
    uintptr_t base; /* what the loader added to linked addresses */
    uint64_t key;
    char path[1024];
} Module;

static Module modules[MODULES_MAX];
static size_t module_count;

static uint64_t fnv1a(const void *bytes, size_t len) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    return hash;
}

/* The build-id among the notes of one segment. */
static bool find_build_id(const char *notes, size_t len, uint64_t *ret_key) {
    for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= len;) {
        const ElfW(Nhdr) *note = (const void *)(notes + at);
        size_t name = at + sizeof(*note), data = name + ((note->n_namesz + 3u) & ~3u);
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && !memcmp(notes + name, "GNU", 4)) {
            *ret_key = fnv1a(notes + data, note->n_descsz);
            return true;
        }
        at = data + ((note->n_descsz + 3u) & ~3u);
    }
    return false;
}

/* Fills the module's path, base and key if this is the object that holds its flags. */
static int identify(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    Module *module = context;
    bool ours = false, has_id = false;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD && (uintptr_t)module->start - at < part->p_memsz)
            ours = true;
        if (part->p_type == PT_NOTE && !has_id)
            has_id = find_build_id((const char *)at, part->p_memsz, &module->key);
    }
    if (!ours)
        return 0;
    module->base = info->dlpi_addr;
    snprintf(module->path, sizeof(module->path), "%s", info->dlpi_name ? info->dlpi_name : "");
    if (!module->path[0]) {
        ssize_t len = readlink("/proc/self/exe", module->path, sizeof(module->path) - 1);
        module->path[len > 0 ? len : 0] = '\0';
    }
    if (!has_id)
        module->key = fnv1a(module->path, strlen(module->path));
    return 1;
}

/* Moves the module's pages onto its file. Whatever fails, the compiler goes on, only uncovered. */
static void map_module(const Module *module, const char *dir) {
    uintptr_t first = (uintptr_t)module->start & ~(PAGE - 1);
    size_t len = (((uintptr_t)module->start + module->count + PAGE - 1) & ~(PAGE - 1)) - first;
    char path[4096];
    snprintf(path, sizeof(path), "%s/%016llx-%ld.flags", dir, (unsigned long long)module->key, (long)getpid());
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    if (pwrite(fd, (const void *)first, len, 0) == (ssize_t)len)
        mmap((void *)first, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
    close(fd);
}

static void write_pcs(const Module *module, const uintptr_t *pcs, size_t count, const char *dir) {
    char path[4096];
    snprintf(path, sizeof(path), "%s/%016llx.pcs", dir, (unsigned long long)module->key);
    FILE *file = fopen(path, "we");
    if (!file)
        return;
    SancovHeader header = {SANCOV_MAGIC, module->key, count, (uintptr_t)module->start & (PAGE - 1),
                           strlen(module->path)};
    fwrite(&header, sizeof(header), 1, file);
    fwrite(module->path, 1, header.path_len, file);
    for (size_t i = 0; i < count; i++) {
        uint64_t pair[2] = {pcs[2 * i] - module->base, pcs[2 * i + 1]};
        fwrite(pair, sizeof(pair), 1, file);
    }
    fclose(file);
}

/* A child that goes on without exec gets files of its own. */
static void after_fork(void) {
    const char *dir = getenv("CULPRIT_COVER_DIR");
    for (size_t i = 0; dir && i < module_count; i++)
        map_module(&modules[i], dir);
}

/* Called by the constructor that clang puts into each object file; all of a module's say the same. */
void __sanitizer_cov_bool_flag_init(bool *start, bool *stop) {
    for (size_t i = 0; i < module_count; i++)
        if (modules[i].start == (char *)start)
            return;
    if (module_count == MODULES_MAX || start == stop)
        return;
    Module *module = &modules[module_count++];
    module->start = (char *)start;
    module->count = (size_t)(stop - start);
    dl_iterate_phdr(identify, module);
    const char *dir = getenv("CULPRIT_COVER_DIR");
    if (!dir)
        return;
    if (module_count == 1)
        pthread_atfork(NULL, NULL, after_fork);
    map_module(module, dir);
}

/* Follows each call of the function above; only the first one after it finds the module still without its table. */
void __sanitizer_cov_pcs_init(const uintptr_t *start, const uintptr_t *stop) {
    static size_t exported;
    const char *dir = getenv("CULPRIT_COVER_DIR");
    if (exported == module_count || !dir || !getenv("CULPRIT_COVER_PCS"))
        return;
    exported = module_count;
    write_pcs(&modules[module_count - 1], start, (size_t)(stop - start) / 2, dir);
}

void culprit_cover_begin(const char *dir) {
    for (size_t i = 0; i < module_count; i++) {
        memset(modules[i].start, 0, modules[i].count);
        map_module(&modules[i], dir);
    }
}
