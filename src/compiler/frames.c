#include "compiler/frames.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Frames between the fault and whoever prints the dump: they are in every dump. A final '*' stands for any rest. */
static const char *const handlers[] = {
    "llvm::sys::PrintStackTrace*",
    "llvm::sys::RunSignalHandlers",
    "llvm::sys::CleanupOnSignal",
    "llvm::report_fatal_error",
    "llvm::llvm_unreachable_internal",
    "PrintStackTraceSignalHandler",
    "SignalHandler",
    "CrashRecoverySignalHandler",
    "__restore_rt",
    "__pthread_kill*",
    "pthread_kill*",
    "raise",
    "gsignal",
    "__GI_*",
    "abort",
    "__assert*",
    "libc.so.6+*",
    "crash_signal", /* GCC */
    "fancy_abort",
    "internal_error",
    "diagnostic_*",
    "???",
    "__interceptor_*", /* sanitizers */
    "__sanitizer*",
    "__asan*",
};

/* Frames below which every dump is the same. */
static const char *const roots[] = {"main", "__libc_start*", "_start", "toplev::main", "clang_main", "cc1_main"};

static bool is_listed(const char *name, const char *const *patterns, size_t count) {
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(patterns[i]);
        bool prefix = patterns[i][len - 1] == '*';
        if (prefix ? strncmp(name, patterns[i], len - 1) == 0 : strcmp(name, patterns[i]) == 0)
            return true;
    }
    return false;
}

void frame_name(const char *text, size_t len, Str *ret_name) {
    static const char anonymous[] = "(anonymous namespace)::";
    size_t depth = 0; /* of template arguments */
    for (size_t i = 0; i < len; i++) {
        if (len - i >= sizeof anonymous - 1 && memcmp(text + i, anonymous, sizeof anonymous - 1) == 0) {
            i += sizeof anonymous - 2;
            continue;
        }
        char c = text[i];
        if (c == '<')
            depth++;
        else if (c == '>' && depth > 0)
            depth--;
        else if (depth == 0 && c == '(')
            break;
        else if (depth == 0)
            str_append_char(ret_name, c);
    }
}

/* "(/usr/lib/libLLVM-14.so.1+0xd9a4ce)" -> "libLLVM-14.so.1+0xd9a4ce" */
static void module_name(const char *text, size_t len, Str *ret_name) {
    size_t end = len, start = 1;
    for (size_t i = 1; i < len; i++) {
        if (text[i] == ')')
            end = i;
        if (text[i] == '/')
            start = i + 1;
    }
    if (start < end)
        str_append_n(ret_name, text + start, end - start);
}

/* LLVM and sanitizers: "#4 0x00007f… [in] NAME(ARGS) (MODULE+0x…)", "NAME FILE:LINE:COLUMN", "(MODULE+0x…)".
 * GCC: "0x8d1f0a NAME(ARGS)", the file on the next line. Returns whether the line is a frame. */
static bool read_frame(const char *line, size_t len, Str *ret_name) {
    const char *p = line, *end = line + len;
    while (p < end && *p == ' ')
        p++;
    bool numbered = p < end && *p == '#';
    if (numbered) {
        for (p++; p < end && isdigit((unsigned char)*p); p++) {
        }
        while (p < end && *p == ' ')
            p++;
    }
    if (end - p < 4 || p[0] != '0' || p[1] != 'x')
        return false;
    for (p += 2; p < end && isxdigit((unsigned char)*p); p++) {
    }
    if (p == end || *p != ' ')
        return false;
    p++;
    if (numbered && end - p > 3 && memcmp(p, "in ", 3) == 0)
        p += 3;
    if (*p == '(' && !str_starts(p, "(anonymous namespace)"))
        module_name(p, (size_t)(end - p), ret_name);
    else
        frame_name(p, (size_t)(end - p), ret_name);
    /* A C function has no argument list to end its name: the file follows behind a space. */
    const char *space = memchr(str_text(ret_name), ' ', ret_name->len);
    if (space && !str_starts(str_text(ret_name), "operator"))
        str_truncate(ret_name, (size_t)(space - str_text(ret_name)));
    return ret_name->len > 0;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

typedef struct FrameScan {
    const char **names;
    size_t count, max;
    bool in_handler; /* unnamed frames directly below a dump's printer still belong to it */
    bool recursion;
    bool done;
} FrameScan;

static void scan_name(FrameScan *scan, const char *name, Arena *arena) {
    bool unnamed = strstr(name, "+0x") != NULL;
    if (is_listed(name, roots, ARRAY_LEN(roots))) {
        scan->done = true;
        return;
    }
    if (is_listed(name, handlers, ARRAY_LEN(handlers))) {
        scan->in_handler = str_starts(name, "llvm::sys::");
        return;
    }
    if (scan->in_handler && unnamed)
        return;
    scan->in_handler = false;
    for (size_t i = 0; i < scan->count; i++) {
        if (strcmp(scan->names[i], name) == 0) {
            scan->recursion = true;
            return;
        }
    }
    scan->names[scan->count++] = arena_strdup(arena, name);
    scan->done = scan->count == scan->max;
}

static FrameScan scan_frames(const char *text, Arena *arena, const char **ret_names, size_t max) {
    FrameScan scan = {.names = ret_names, .max = max};
    CLEANUP(str_release) Str name = {0};
    size_t len;
    for (const char *line; !scan.done && (line = str_next_line(&text, &len));) {
        str_clear(&name);
        if (read_frame(line, len, &name))
            scan_name(&scan, str_text(&name), arena);
    }
    return scan;
}

size_t frames_read(const char *text, Arena *arena, const char **ret_names, size_t max) {
    return scan_frames(text, arena, ret_names, max).count;
}

size_t frames_read_sorted(const char *text, Arena *arena, const char **ret_names, size_t max) {
    FrameScan scan = scan_frames(text, arena, ret_names, max);
    if (scan.recursion)
        qsort(ret_names, scan.count, sizeof *ret_names, compare_names);
    return scan.count;
}
