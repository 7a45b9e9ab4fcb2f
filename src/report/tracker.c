#include "report/tracker.h"

#include <ctype.h>
#include <string.h>

#include "compiler/identify.h"
#include "report/markdown.h"

/* Servers refuse longer addresses: 8 KB in Apache and nginx. */
enum { ADDRESS_MOST = 7000 };

static void append_encoded(Str *address, const char *text) {
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (isalnum(c) || strchr("-._~", c))
            str_append_char(address, *text);
        else
            str_printf(address, "%%%02X", c);
    }
}

static void add_field(Str *address, const char *name, const char *value) {
    str_append_char(address, strchr(str_text(address), '?') ? '&' : '?');
    str_printf(address, "%s=", name);
    append_encoded(address, value);
}

/* GCC's component by the pass: tree-pre, rtl-combine, ipa-cp; else the front end of the language, where a crash or refusal
 * is most likely to be at home, or the middle end. */
static const char *gcc_component(const Bug *bug) {
    const char *pass = bug->guilty.pass ? bug->guilty.pass : "";
    if (str_starts(pass, "tree-"))
        return "tree-optimization";
    if (str_starts(pass, "rtl-"))
        return "rtl-optimization";
    if (str_starts(pass, "ipa-"))
        return "ipa";
    if (bug->kind == VERDICT_REJECTS_VALID)
        return bug_language(bug) == LANGUAGE_CXX ? "c++" : "c";
    return "middle-end";
}

/* "12.2" of "12.2.0": the versions that Bugzilla lists. */
static void gcc_version(const Bug *bug, Str *ret_version) {
    int version[3] = {0};
    compiler_read_version(bug->version, version);
    str_printf(ret_version, "%d.%d%s", version[0], version[1], version[0] >= 5 ? ".0" : "");
}

static const char *llvm_label(const Bug *bug) {
    return bug->kind == VERDICT_CRASH ? "crash" : bug->kind == VERDICT_WRONG_CODE ? "miscompilation" : NULL;
}

/* "[pass] wrong code at -O2: the reason": what makes a title findable. */
static void append_title(const Bug *bug, CompilerFamily family, Str *ret_title) {
    bool names_pass = bug->guilty.pass && (family == FAMILY_CLANG || family == FAMILY_OPT || family == FAMILY_LLC);
    if (names_pass)
        str_printf(ret_title, "[%s] ", bug->guilty.pass);
    report_title(bug, ret_title);
    if (bug->signature && *bug->signature)
        str_printf(ret_title, ": %.*s", (int)strcspn(bug->signature, "\n"), bug->signature);
}

void tracker_form(const Bug *bug, const char *text, TrackerForm *ret_form) {
    CompilerFamily family = bug->fail_cmd.len ? compiler_family_of_name(bug->fail_cmd.items[0]) : FAMILY_OTHER;
    TrackerForm form = {0};
    CLEANUP(str_release) Str version = {0};
    append_title(bug, family, &form.title);
    bool gcc = family == FAMILY_GCC, llvm = family == FAMILY_CLANG || family == FAMILY_OPT || family == FAMILY_LLC;
    if (gcc) {
        form.tracker = "GCC Bugzilla";
        form.component = gcc_component(bug);
        gcc_version(bug, &version);
        str_append(&form.address, "https://gcc.gnu.org/bugzilla/enter_bug.cgi?product=gcc");
        add_field(&form.address, "component", form.component);
        add_field(&form.address, "version", str_text(&version));
        add_field(&form.address, "short_desc", str_text(&form.title));
    } else if (llvm) {
        form.tracker = "LLVM issues";
        form.component = llvm_label(bug);
        str_append(&form.address, "https://github.com/llvm/llvm-project/issues/new");
        add_field(&form.address, "title", str_text(&form.title));
        if (form.component)
            add_field(&form.address, "labels", form.component);
    }
    size_t len = form.address.len;
    if (form.tracker)
        add_field(&form.address, gcc ? "comment" : "body", text);
    form.has_text = form.address.len <= ADDRESS_MOST;
    if (!form.has_text)
        str_truncate(&form.address, len);
    *ret_form = form;
}

void tracker_form_release(TrackerForm *form) {
    str_release(&form->title);
    str_release(&form->address);
}
