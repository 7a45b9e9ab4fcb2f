/* What the sancov runtime, inside the compiler, and its reader, inside culprit, agree on. */
#ifndef COVER_RUNTIME_SANCOV_RUNTIME_H
#define COVER_RUNTIME_SANCOV_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#define SANCOV_MAGIC 0x31766f636e617363u /* "csancov1" */

/* A .pcs file starts so. Behind it stand path_len bytes and `count` pairs of 64-bit words. */
typedef struct SancovHeader {
    uint64_t magic;
    uint64_t key;
    uint64_t count;    /* of flags */
    uint64_t first;    /* where the flags start in a .flags file */
    uint64_t path_len; /* of the module */
} SancovHeader;

void __sanitizer_cov_bool_flag_init(bool *start, bool *stop);
void __sanitizer_cov_pcs_init(const uintptr_t *start, const uintptr_t *stop);

/* For a process that forks a child for each run and was itself started without CULPRIT_COVER_DIR: the child calls this
 * first. All flags become zero and are shared from now on, so that only the child's own work counts. */
void culprit_cover_begin(const char *dir);

#endif
