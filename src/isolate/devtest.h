/* Developers' tests: what a file of a compiler's test suite asks of the compiler, as far as its text and place tell.
 *
 *     { dg-do run }          it compiles, links, runs and exits with 0        (DejaGnu's directives, as in GCC's suite)
 *     { dg-do link }         it compiles and links
 *     { dg-do compile }      it compiles; also assemble and preprocess
 *     dg-error               it is refused, and the compiler does not crash
 *     no directive           a file below a folder called `compile`, or without a main: it compiles; else it runs
 *
 * Options that a test asks for (dg-options) do not count: a witness is compiled as the failing program is.
 */
#ifndef ISOLATE_DEVTEST_H
#define ISOLATE_DEVTEST_H

#include "base/base.h"

typedef enum DevTestKind { DEVTEST_COMPILE, DEVTEST_LINK, DEVTEST_RUN } DevTestKind;

typedef struct DevTest {
    DevTestKind kind;
    bool refused; /* it is wrong, and the compiler must say so */
} DevTest;

DevTest devtest_of(const char *path, const char *text);

#endif
