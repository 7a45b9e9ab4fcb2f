/* Names of functions as people write them. */
#ifndef BINARY_DEMANGLE_H
#define BINARY_DEMANGLE_H

#include "base/str.h"

/* Appends the function's name, demangled if it is a C++ symbol, without parameters, template arguments of the
 * function and clone suffixes: "_ZL13scan_functionv.part.0" gives "scan_function", "_ZN3vecI…E4pushE…" "vec<…>::push". */
void demangle_function(const char *symbol, Str *ret_name);

#endif
