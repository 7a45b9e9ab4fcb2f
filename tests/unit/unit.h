/* What every unit test includes: cmocka, and assertions for calls that must not fail or must. */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"

/* Fails with the error's text: assert_ok(file_read(path, &text, &err), err); */
#define assert_ok(call, err)                       \
    do {                                           \
        if (!(call))                               \
            fail_msg("%s: %s", #call, (err).text); \
    } while (0)

/* Fails unless the call fails with a text that contains `part`. */
#define assert_fails(call, err, part)                                 \
    do {                                                              \
        if (call)                                                     \
            fail_msg("%s succeeded", #call);                          \
        if (!strstr((err).text, part))                                \
            fail_msg("'%s' does not contain '%s'", (err).text, part); \
    } while (0)

/* Skips the test with a reason that the runner shows. */
#define skip_because(...)    \
    do {                     \
        printf("skip: ");    \
        printf(__VA_ARGS__); \
        printf("\n");        \
        skip();              \
    } while (0)

#endif
