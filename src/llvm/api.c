#include "llvm/api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

bool llvm_api_load(const char *path, LlvmApi *ret_api, char *ret_why, size_t why_size) {
    static const char *const names[] = {
#define NAME(result, name, parameters) #name,
        LLVM_FUNCTIONS(NAME) LLVM_EDIT_FUNCTIONS(NAME)
#undef NAME
    };
    LlvmApi api = {.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)};
    if (!api.handle) {
        snprintf(ret_why, why_size, "cannot load %s: %s", path, dlerror());
        return false;
    }
    /* The members behind the handle are the functions, in the order of their names. */
    void **member = (void **)((char *)&api + offsetof(LlvmApi, LLVMContextCreate));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        member[i] = dlsym(api.handle, names[i]);
        if (!member[i]) {
            snprintf(ret_why, why_size, "%s has no function %s; culprit needs LLVM 14 or later", path, names[i]);
            dlclose(api.handle);
            return false;
        }
    }
    *ret_api = api;
    return true;
}
