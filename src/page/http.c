#include "page/http.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    size_t offset;
} functions[] = {
#define HTTP_ROW(name) {"MHD_" #name, offsetof(Http, name)},
    HTTP_FUNCTIONS(HTTP_ROW)
#undef HTTP_ROW
};

bool http_load(Http *ret_http, Error *err) {
    void *handle = dlopen(MICROHTTPD, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle)
        return error_set(err,
                         "the server's library cannot be loaded (%s); install the package that has it, or write a file",
                         dlerror());
    for (size_t i = 0; i < ARRAY_LEN(functions); i++) {
        void *function = dlsym(handle, functions[i].name);
        if (!function)
            return error_set(err, "%s has no function %s; build culprit again, with the library of this machine",
                             MICROHTTPD, functions[i].name);
        memcpy((char *)ret_http + functions[i].offset, &function, sizeof function);
    }
    return true;
}
