#include "binary/demangle.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef char *Demangle(const char *symbol, char *buffer, size_t *len, int *status);

/* The C++ library's own demangler, taken at run time: culprit is C and must start if that library is absent, too. */
static Demangle *demangler(void) {
    void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
    return library ? (Demangle *)dlsym(library, "__cxa_demangle") : NULL;
}

/* Cuts a demangled name at its parameter list, from "vec<f(int)>::push(int) const" to "vec<f(int)>::push": the list is
 * the last pair of parentheses outside of angle brackets. "operator()" keeps its own. */
static void cut_parameters(char *name) {
    int depth = 0;
    for (char *at = name; *at; at++) {
        if (str_starts(at, "operator")) {
            at += strlen("operator");
            while (*at && strchr("<>=-!+*/%&|^~[]", *at))
                at++;
            if (at[0] == '(' && at[1] == ')')
                at += 2;
        }
        if (str_starts(at, "(anonymous namespace)"))
            at += strlen("(anonymous namespace)");
        depth += *at == '<' ? 1 : *at == '>' ? -1 : 0;
        if (*at == '(' && depth == 0) {
            *at = '\0';
            return;
        }
        if (!*at)
            return;
    }
}

/* Removes the template arguments and the return type that instances of function templates carry:
 * "void f<int>" becomes "f". */
static const char *plain_name(char *name) {
    size_t len = strlen(name);
    if (len > 1 && name[len - 1] == '>' && !strstr(name, "operator")) {
        int depth = 0;
        char *at = name + len;
        do {
            at--;
            depth += *at == '>' ? 1 : *at == '<' ? -1 : 0;
        } while (at > name && depth > 0);
        *at = '\0';
    }
    const char *start = name;
    int depth = 0;
    for (const char *at = name; *at && !str_starts(at, "operator"); at++) {
        depth += *at == '<' || *at == '(' ? 1 : *at == '>' || *at == ')' ? -1 : 0;
        if (*at == ' ' && depth == 0)
            start = at + 1;
    }
    return start;
}

void demangle_function(const char *symbol, Str *ret_name) {
    /* Clones: f.part.0, f.constprop.1, f.isra.0, f.cold */
    size_t len = strlen(symbol);
    const char *dot = len > 0 ? strchr(symbol + 1, '.') : NULL;
    char *base = mem_strdup(symbol);
    if (dot)
        base[dot - symbol] = '\0';
    char *name = NULL;
    if (str_starts(base, "_Z")) {
        Demangle *demangle = demangler();
        int status = 0;
        name = demangle ? demangle(base, NULL, NULL, &status) : NULL;
    }
    if (name) {
        cut_parameters(name);
        str_append(ret_name, plain_name(name));
    } else
        str_append(ret_name, base);
    free(name);
    free(base);
}
