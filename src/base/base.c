#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bug_report(const char *file, int line, const char *format, ...) {
    va_list args;
    fprintf(stderr, "culprit: internal error at %s:%d: ", file, line);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputs("\nPlease report this with the command that led here.\n", stderr);
    abort();
}

static void *checked(void *memory, size_t size) {
    if (!memory && size) {
        fprintf(stderr, "culprit: out of memory while asking for %zu bytes\n", size);
        abort();
    }
    return memory;
}

static size_t product(size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        BUG("an allocation of %zu times %zu bytes", count, size);
    return bytes;
}

void *mem_alloc(size_t size) { return checked(malloc(size), size); }

void *mem_zalloc(size_t count, size_t size) {
    product(count, size);
    return checked(calloc(count, size), size);
}

void *mem_realloc(void *memory, size_t count, size_t size) {
    size_t bytes = product(count, size);
    return checked(realloc(memory, bytes ? bytes : 1), bytes);
}

void *mem_dup(const void *memory, size_t size) {
    void *copy = mem_alloc(size);
    return size ? memcpy(copy, memory, size) : copy;
}

char *mem_strdup(const char *text) { return text ? mem_dup(text, strlen(text) + 1) : NULL; }

void mem_freep(void *pointer_to_pointer) { free(*(void **)pointer_to_pointer); }
