#include "clang/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

Libclang libclang;
/* Why it could not be loaded; empty where it was. */
static Error failure;

static const struct {
    const char *name;
    size_t offset;
} functions[] = {
#define LIBCLANG_ROW(name) {"clang_" #name, offsetof(Libclang, name)},
    LIBCLANG_FUNCTIONS(LIBCLANG_ROW)
#undef LIBCLANG_ROW
};

/* The Makefile says which version the headers belong to, since enumerators differ between versions, and where it was. */
static void load(void) {
    void *handle = NULL;
    static const char *const names[] = {LIBCLANG, LIBCLANG_DIR "/" LIBCLANG};
    for (size_t i = 0; !handle && i < ARRAY_LEN(names); i++)
        handle = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle) {
        error_set(&failure,
                  "the C parser cannot be loaded (%s); install the package that has it, or build culprit again",
                  dlerror());
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(functions); i++) {
        void *function = dlsym(handle, functions[i].name);
        if (!function) {
            error_set(&failure, "%s has no function %s; build culprit again, with the libclang of this machine",
                      LIBCLANG, functions[i].name);
            return;
        }
        memcpy((char *)&libclang + functions[i].offset, &function, sizeof function);
    }
}

bool libclang_load(Error *err) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return !*failure.text || error_set(err, "%s", failure.text);
}
