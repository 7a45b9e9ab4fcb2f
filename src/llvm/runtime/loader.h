/* A small loader for x86-64 ELF objects that lie in memory: a linker and the dynamic loader cost more than the code
 * generator. What it lacks (thread-local storage, exceptions, data of libraries addressed without the GOT) is
 * refused. */
#ifndef LLVM_RUNTIME_LOADER_H
#define LLVM_RUNTIME_LOADER_H

#include <stdbool.h>
#include <stddef.h>

/* Maps the object, resolves undefined symbols through `resolve` (NULL: unknown) and returns the address of `entry`;
 * constructors are in ret_init. On failure a sentence is in `why`. The mapping stays until the process ends. */
bool loader_load(const void *object, size_t len, void *(*resolve)(const char *name), const char *entry,
                 void **ret_entry, void (***ret_init)(void), size_t *ret_init_count, char *why, size_t why_size);

#endif
