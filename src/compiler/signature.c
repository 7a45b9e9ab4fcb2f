/* Reading crashes from compiler messages.
 *
 * The idea is that of every crash de-duplicator since Chen et al., "Taming compiler fuzzers" (PLDI 2013): the text of the
 * assertion or internal error names the bug better than the program that shows it. The forms table below lists how
 * compilers announce their end, strongest first; the first one found gives the message and, where the compiler names it,
 * the place. A bare "Segmentation fault" names nothing: for such messages the pass and the frames of the stack dump
 * join the signature (frames.c reads them).
 */
#include "compiler/signature.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "compiler/frames.h"

/* How much of a message counts: some print a whole instruction behind the cause. */
#define MESSAGE_MAX 200

static size_t line_len(const char *text) { return strcspn(text, "\n"); }

static const char *line_start(const char *text, const char *at) {
    while (at > text && at[-1] != '\n')
        at--;
    return at;
}

/* --- Normalising --- */

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* ccAbC123.o: what drivers call their temporary files. */
static bool is_temporary_name(const char *word, size_t len) {
    if (len < 10 || word[0] != 'c' || word[1] != 'c' || word[8] != '.')
        return false;
    for (size_t i = 2; i < 8; i++) {
        if (!isalnum((unsigned char)word[i]))
            return false;
    }
    return true;
}

/* Copies one word of a message, or what must stand for it, and returns the word's length. */
static size_t normalise_word(Str *out, const char *text, size_t len, bool keep_numbers) {
    size_t word = 0;
    while (word < len && (is_word(text[word]) || strchr("/.:+-", text[word])))
        word++;
    const char *slash = memrchr(text, '/', word - 1), *name = slash ? slash + 1 : text; /* only the file's name */
    size_t name_len = (size_t)(text + word - name);
    if (is_temporary_name(name, name_len)) {
        str_append(out, "TEMP");
        return word;
    }
    for (size_t i = 0; i < name_len;) {
        bool alone = i == 0 || !is_word(name[i - 1]);
        if (!keep_numbers && alone && isdigit((unsigned char)name[i])) {
            while (i < name_len && is_word(name[i]))
                i++;
            str_append_char(out, 'N');
        } else {
            str_append_char(out, name[i++]);
        }
    }
    return word;
}

/* Names of the program (@f, %x) vary with the program; hexadecimal and other numbers vary from run to run, but those in
 * an assertion are part of the compiler's source. */
static const char *normalise(const char *text, size_t len, bool keep_numbers, Arena *arena) {
    CLEANUP(str_release) Str out = {0};
    while (len > 0 && isspace((unsigned char)text[len - 1]))
        len--;
    for (size_t i = 0; i < len && out.len < MESSAGE_MAX;) {
        char c = text[i];
        if (is_word(c) || c == '/') {
            i += normalise_word(&out, text + i, len - i, keep_numbers);
        } else {
            str_append_char(&out, isspace((unsigned char)c) ? ' ' : c);
            i++;
            if (!keep_numbers && (c == '@' || c == '%')) {
                while (i < len && (is_word(text[i]) || text[i] == '.'))
                    i++;
            }
        }
    }
    return arena_strndup(arena, str_text(&out), out.len);
}

/* --- The forms in which compilers announce their end --- */

/* "/build/x/Foo.cpp:123" -> Foo.cpp, 123. `len` covers it exactly. */
static bool read_file_line(const char *text, size_t len, Arena *arena, Signature *sig) {
    const char *colon = memrchr(text, ':', len);
    if (!colon || colon + 1 == text + len || !isdigit((unsigned char)colon[1]))
        return false;
    const char *slash = memrchr(text, '/', (size_t)(colon - text)), *name = slash ? slash + 1 : text;
    sig->file = arena_strndup(arena, name, (size_t)(colon - name));
    sig->line = atoi(colon + 1);
    return true;
}

/* The last word before an argument list: "bool llvm::Foo::bar(int) const" -> llvm::Foo::bar. */
static const char *function_name(const char *text, size_t len, Arena *arena) {
    CLEANUP(str_release) Str name = {0};
    frame_name(text, len, &name);
    const char *space = memrchr(str_text(&name), ' ', name.len);
    return arena_strdup(arena, space ? space + 1 : str_text(&name));
}

/* PROG: PATH:LINE: FUNCTION: Assertion `CONDITION' failed. */
static void read_assertion(const char *text, const char *at, Arena *arena, Signature *sig) {
    sig->message = normalise(at, line_len(at), true, arena);
    const char *start = line_start(text, at);
    for (const char *p = start; p < at; p++) {
        if (p[0] != ':' || !isdigit((unsigned char)p[1]))
            continue;
        const char *end = p + 1 + strspn(p + 1, "0123456789");
        if (*end != ':')
            continue;
        const char *space = memrchr(start, ' ', (size_t)(p - start));
        const char *file = space ? space + 1 : start;
        read_file_line(file, (size_t)(end - file), arena, sig);
        if (end + 4 < at)
            sig->function = function_name(end + 2, (size_t)(at - end - 4), arena);
        return;
    }
}

/* MESSAGE <newline> UNREACHABLE executed at PATH:LINE! */
static void read_unreachable(const char *text, const char *at, Arena *arena, Signature *sig) {
    const char *start = line_start(text, at);
    const char *previous = start > text ? line_start(text, start - 1) : NULL;
    bool has_message = previous && line_len(previous) > 0;
    sig->message = has_message ? normalise(previous, line_len(previous), true, arena) : "UNREACHABLE executed";
    const char *place = strstr(at, " at ");
    if (place && place < at + line_len(at)) {
        size_t len = line_len(place + 4);
        while (len > 0 && !isdigit((unsigned char)place[4 + len - 1]))
            len--;
        read_file_line(place + 4, len, arena, sig);
    }
}

/* "…, at recog.c:2770" behind GCC's messages, and the function in front of it: "in extract_insn". */
static size_t read_gcc_place(const char *text, size_t len, Arena *arena, Signature *sig) {
    const char *at = memmem(text, len, ", at ", 5);
    if (!at || !read_file_line(at + 5, (size_t)(text + len - at - 5), arena, sig))
        return len;
    const char *space = memrchr(text, ' ', (size_t)(at - text));
    const char *name = space ? space + 1 : text;
    sig->function = arena_strndup(arena, name, (size_t)(at - name));
    size_t rest = (size_t)(name - text);
    if (rest >= 3 && memcmp(text + rest - 3, "in ", 3) == 0)
        rest -= 3;
    return rest;
}

/* internal compiler error: in FUNCTION, at FILE:LINE | Segmentation fault [signal terminated program cc1] | TEXT */
static void read_internal_error(const char *text, const char *at, Arena *arena, Signature *sig) {
    (void)text;
    const char *colon = strchr(at, ':');
    size_t all = line_len(at);
    const char *message = colon && colon < at + all ? colon + 1 : at;
    message += strspn(message, " ");
    size_t len = line_len(message);
    const char *terminated = memmem(message, len, " signal terminated program", 26);
    if (terminated)
        len = (size_t)(terminated - message);
    len = read_gcc_place(message, len, arena, sig);
    sig->message = len > 0 ? normalise(message, len, false, arena) : "internal compiler error";
}

/* LLVM ERROR: TEXT. A broken module is named by what the verifier said first. */
static void read_llvm_error(const char *text, const char *at, Arena *arena, Signature *sig) {
    at += strlen("LLVM ERROR: ");
    if (!str_starts(at, "Broken ") || text == line_start(text, at)) {
        sig->message = normalise(at, line_len(at), false, arena);
        return;
    }
    while (isspace((unsigned char)*text) || str_starts(text, "BISECT: ")) /* lines of -opt-bisect-limit */
        text += line_len(text) + 1;
    const char *said = normalise(text, line_len(text), false, arena);
    sig->message = arena_printf(arena, "Broken module: %s", said);
}

static void read_rest(const char *text, const char *at, Arena *arena, Signature *sig) {
    (void)text;
    sig->message = normalise(at, line_len(at), false, arena);
}

/* ==1==ERROR: AddressSanitizer: heap-use-after-free on address … */
static void read_sanitizer(const char *text, const char *at, Arena *arena, Signature *sig) {
    (void)text;
    at += strlen("ERROR: ");
    const char *on = strstr(at, " on ");
    size_t len = line_len(at);
    sig->message = normalise(at, on && on < at + len ? (size_t)(on - at) : len, false, arena);
}

/* A C library's last words about a broken heap or stack. */
static void read_libc_abort(const char *text, const char *at, Arena *arena, Signature *sig) {
    const char *start = line_start(text, at);
    sig->message = normalise(start, line_len(start), false, arena);
}

typedef struct MessageForm {
    const char *marker;
    void (*read)(const char *text, const char *at, Arena *arena, Signature *sig);
} MessageForm;

static const MessageForm forms[] = {
    {"Assertion `", read_assertion}, /* glibc, LLVM */
    {"Assertion '", read_assertion}, /* libstdc++ */
    {"Assertion failed", read_rest}, /* musl, BSD */
    {"assertion failed", read_rest},
    {"UNREACHABLE executed", read_unreachable},
    {"ERROR: AddressSanitizer", read_sanitizer},
    {"LLVM ERROR: ", read_llvm_error},
    {"error in backend: ", read_rest},
    {"internal compiler error", read_internal_error}, /* GCC, tcc */
    {"Internal compiler error", read_internal_error},
    {"compiler error: ", read_rest}, /* pcc: FILE, line N: compiler error: TEXT */
    {"internal error", read_internal_error},
    {"Internal error", read_internal_error},
    {"terminate called", read_rest},
    {"panicked at ", read_rest},
    {"stack smashing detected", read_libc_abort},
    {"buffer overflow detected", read_libc_abort},
    {"double free or corruption", read_libc_abort},
    {"free(): invalid", read_libc_abort},
    {"malloc(): ", read_libc_abort},
    {"realloc(): ", read_libc_abort},
    {"corrupted size", read_libc_abort},
    {"PLEASE submit a bug report", NULL}, /* says only that it crashed */
    {"Please submit a full bug report", NULL},
    {"Stack dump:", NULL},
    {"frontend command failed", NULL},
};

static const MessageForm *find_form(const char *text, const char **ret_at) {
    for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
        *ret_at = strstr(text, forms[i].marker);
        if (*ret_at)
            return &forms[i];
    }
    return NULL;
}

/* The names that GCC prints for signals, so that a driver that reports a signal and one that dies of it agree. */
static const struct {
    int number;
    const char *name;
} signal_names[] = {
    {SIGSEGV, "Segmentation fault"}, {SIGABRT, "Aborted"},  {SIGFPE, "Floating point exception"},
    {SIGILL, "Illegal instruction"}, {SIGBUS, "Bus error"}, {SIGTRAP, "Trace/breakpoint trap"},
    {SIGSYS, "Bad system call"},     {SIGQUIT, "Quit"},     {SIGXFSZ, "File size limit exceeded"},
};

static const char *signal_message(int signal, Arena *arena) {
    for (size_t i = 0; i < ARRAY_LEN(signal_names); i++) {
        if (signal_names[i].number == signal)
            return signal_names[i].name;
    }
    return signal ? arena_printf(arena, "signal %d", signal) : "crash without a message";
}

static int signal_of_message(const char *message) {
    for (size_t i = 0; i < ARRAY_LEN(signal_names); i++) {
        if (str_starts(message, signal_names[i].name))
            return signal_names[i].number;
    }
    return 0;
}

/* GCC: "during GIMPLE pass: pre". LLVM: "3.	Running pass 'X' on function '@f'", the last one is the innermost. */
static const char *read_pass(const char *text, Arena *arena) {
    for (const char *p = text; (p = strstr(p, "during ")); p++) {
        const char *name = p + strlen("during ");
        if (p == line_start(text, p) && memmem(name, line_len(name), " pass: ", 7))
            return arena_strndup(arena, name, line_len(name));
    }
    const char *pass = NULL;
    size_t len = 0;
    for (const char *p = text; (p = strstr(p, "Running pass ")); p += len) {
        p += strlen("Running pass ");
        p += *p == '\'' || *p == '"';
        len = strcspn(p, "'\"\n");
        pass = p;
    }
    return pass ? arena_strndup(arena, pass, len) : NULL;
}

const char *signature_crash_word(size_t index) { return index < ARRAY_LEN(forms) ? forms[index].marker : NULL; }

bool signature_is_crash(const char *text, int signal) {
    const char *at;
    return signal != 0 || find_form(text, &at);
}

bool signature_extract(const char *text, int signal, Arena *arena, Signature *ret_signature) {
    const char *at = NULL;
    const MessageForm *form = find_form(text, &at);
    if (!form && signal == 0)
        return false;
    Signature sig = {.signal = signal};
    if (form && form->read)
        form->read(text, at, arena, &sig);
    sig.pass = read_pass(text, arena);
    sig.frame_count = frames_read_sorted(text, arena, sig.frames, SIGNATURE_FRAMES);
    if (!sig.message)
        sig.message = signal_message(signal, arena);
    if (sig.signal == 0)
        sig.signal = signal_of_message(sig.message);
    *ret_signature = sig;
    return true;
}

static bool has_letters(const char *text, const char *end) {
    while (text < end && !isalnum((unsigned char)*text) && *text != '_')
        text++;
    return text < end;
}

/* Names in quotes are the program's: ‘x’, 'x', "x". Punctuation in quotes, ',' expected, is the compiler's. Returns the
 * length of what is quoted, 0 where nothing is. */
static size_t quoted_len(const char *text, bool *ret_name) {
    static const struct { const char *open, *close; } quotes[] = {{"‘", "’"}, {"'", "'"}, {"\"", "\""}, {"`", "'"}};
    for (size_t q = 0; q < ARRAY_LEN(quotes); q++) {
        const char *inner = text + strlen(quotes[q].open);
        const char *close = str_starts(text, quotes[q].open) ? strstr(inner, quotes[q].close) : NULL;
        if (!close)
            continue;
        *ret_name = has_letters(inner, close);
        return (size_t)(close - text) + strlen(quotes[q].close);
    }
    return 0;
}

/* Object files are temporary, and so are most paths. Returns the length of the file's name, 0 where there is none. */
static size_t file_name_len(const char *text) {
    size_t len = strcspn(text, " :,()\n");
    return memchr(text, '/', len) || (len > 2 && str_starts(text + len - 2, ".o")) ? len : 0;
}

/* The text with ? for names of the program and of files. */
static const char *without_names(const char *text, Arena *arena) {
    CLEANUP(str_release) Str out = {0};
    bool starts_word = true;
    while (*text) {
        bool name = true;
        size_t len = starts_word ? file_name_len(text) : 0;
        if (!len)
            len = quoted_len(text, &name);
        starts_word = *text == ' ';
        if (len && name)
            str_append_char(&out, '?');
        else
            str_append_n(&out, text, MAX_OF(len, (size_t)1));
        text += MAX_OF(len, (size_t)1);
    }
    return arena_strdup(arena, str_text(&out));
}

/* What drivers say of a program that they ran and that failed: it has said itself what is wrong. */
static bool is_drivers_word(const char *line, size_t len) {
    static const char *const words[] = {" terminated with status ", " returned ", "linker command failed"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (memmem(line, len, words[i], strlen(words[i])))
            return true;
    return false;
}

/* The first line with the mark that is no driver's word, from the mark on; NULL where there is none. */
static const char *find_complaint(const char *text, const char *mark) {
    const char *at = strstr(text, mark);
    while (at && is_drivers_word(at, line_len(at)))
        at = strstr(at + 1, mark);
    return at;
}

const char *signature_of_rejection(const char *text, Arena *arena) {
    /* The rest of a linker's line names symbols, sections and temporary files. */
    static const char *const linker[] = {"relocation truncated to fit", "undefined reference", "undefined symbol",
                                         "multiple definition", "file format not recognized"};
    for (size_t i = 0; i < ARRAY_LEN(linker); i++)
        if (strstr(text, linker[i]))
            return linker[i];
    const char *at = find_complaint(text, "error: "), *colon = at ? NULL : find_complaint(text, ": ");
    if (!at) /* pcc and others: "FILE, line N: TEXT" */
        at = colon ? colon + 2 : text;
    const char *line = without_names(arena_strndup(arena, at, line_len(at)), arena);
    return *line ? normalise(line, strlen(line), false, arena) : NULL;
}

/* --- Comparing --- */

enum { TELLING_FRAMES = 3 }; /* fewer merge bugs that die in a shared helper, more split one bug by its callers */

/* A message that many bugs share: it needs the pass and frames to mean one. The frames of a broken module are the
 * verifier's. */
static bool is_vague(const Signature *sig) {
    return !sig->function && !sig->file && !str_starts(sig->message, "Assertion") &&
           !str_starts(sig->message, "Broken module");
}

const char *signature_text(const Signature *signature, Arena *arena) {
    CLEANUP(str_release) Str text = {0};
    str_append(&text, signature->message);
    if (signature->function)
        str_printf(&text, " in %s", signature->function);
    if (signature->file)
        str_printf(&text, " at %s:%d", signature->file, signature->line);
    if (is_vague(signature)) {
        if (signature->pass)
            str_printf(&text, " during %s", signature->pass);
        for (size_t i = 0; i < MIN_OF(signature->frame_count, (size_t)TELLING_FRAMES); i++)
            str_printf(&text, "%s%s", i == 0 ? " from " : " < ", signature->frames[i]);
    }
    return arena_strdup(arena, str_text(&text));
}

/* Functions without a name are "libLLVM-14.so.1+0xd9a4ce". */
static bool names_frames(const Signature *sig) {
    for (size_t i = 0; i < MIN_OF(sig->frame_count, (size_t)TELLING_FRAMES); i++)
        if (!strstr(sig->frames[i], "+0x"))
            return true;
    return false;
}

/* On a busy machine LLVM's dump may come without names, or without frames: then message and pass must do. */
static bool equal_but_for_names(const Signature *a, const Signature *b) {
    bool lost = names_frames(a) != names_frames(b) || !a->frame_count || !b->frame_count;
    return lost && is_vague(a) && is_vague(b) && a->pass && b->pass && str_equal(a->pass, b->pass) &&
           str_equal(a->message, b->message);
}

bool signature_equal(const Signature *a, const Signature *b) {
    Arena arena = {0};
    bool equal = str_equal(signature_text(a, &arena), signature_text(b, &arena));
    arena_release(&arena);
    return equal || equal_but_for_names(a, b);
}

static bool same_where_known(const char *a, const char *b) { return !a || !b || strcmp(a, b) == 0; }

static size_t stem_len(const char *file) {
    const char *dot = strrchr(file, '.');
    return dot ? (size_t)(dot - file) : strlen(file);
}

bool signature_similar(const Signature *a, const Signature *b) {
    if (strcmp(a->message, b->message) != 0 || !same_where_known(a->function, b->function))
        return false;
    if (a->file && b->file &&
        (stem_len(a->file) != stem_len(b->file) || strncmp(a->file, b->file, stem_len(a->file)) != 0))
        return false;
    return !is_vague(a) || same_where_known(a->pass, b->pass);
}
