#include "llvm/opt_command.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "llvm/server.h"

/* "-passes=x" and "--passes=x"; the form in two words, "-passes x", is found by its second. */
static const char *value_of(const char *word, const char *name) {
    if (*word != '-')
        return NULL;
    word += word[1] == '-' ? 2 : 1;
    size_t len = strlen(name);
    return strncmp(word, name, len) == 0 && (word[len] == '=' || !word[len]) ? word + len : NULL;
}

static bool find_passes(const StrList *command, size_t *ret_at, const char **ret_text) {
    for (size_t i = 1; i < command->len; i++) {
        const char *value = value_of(command->items[i], "passes");
        if (value && *value == '=') {
            *ret_at = i;
            *ret_text = value + 1;
            return true;
        }
        if (value && i + 1 < command->len) {
            *ret_at = i + 1;
            *ret_text = command->items[i + 1];
            return true;
        }
    }
    return false;
}

const char *opt_command_passes(const StrList *command) {
    size_t at;
    const char *text;
    return find_passes(command, &at, &text) ? text : NULL;
}

void opt_command_set_passes(const StrList *command, const char *passes, StrList *ret_command) {
    size_t at = 0;
    const char *text = NULL;
    find_passes(command, &at, &text);
    for (size_t i = 0; i < command->len; i++) {
        const char *word = command->items[i];
        if (text && i == at)
            strlist_addf(ret_command, "%.*s%s", (int)(text - word), word, passes);
        else
            strlist_add(ret_command, word);
    }
}

void opt_command_options(const StrList *command, StrList *ret_options) {
    static const char *const own[] = {"S", "f", "disable-output", "verify-each", "disable-verify", "passes", "o"};
    for (size_t i = 1; i < command->len; i++) {
        const char *word = command->items[i], *value = NULL;
        size_t k = 0;
        while (k < ARRAY_LEN(own) && !(value = value_of(word, own[k])))
            k++;
        if (k < ARRAY_LEN(own)) {
            bool takes_word = !*value && (str_equal(own[k], "passes") || str_equal(own[k], "o"));
            i += takes_word;
        } else if (*word == '-' && word[1]) {
            strlist_add(ret_options, word);
        }
    }
}

bool opt_command_library(const StrList *command, Str *ret_path, Error *err) {
    CLEANUP(str_release) Str program = {0};
    if (!path_find_program(command->items[0], &program, err))
        return false;
    CLEANUP(mem_freep) char *real = realpath(program.data, NULL);
    /* The version is in the name of what is installed, "opt-14", or of the folder it lies in, "llvm-14". */
    const char *at = real ? real : program.data, *version = NULL;
    for (const char *dash = program.data; (dash = strchr(dash, '-')); dash++)
        version = isdigit((unsigned char)dash[1]) ? dash + 1 : version;
    for (const char *dash = at; !version && (dash = strchr(dash, '-')); dash++)
        version = isdigit((unsigned char)dash[1]) ? dash + 1 : version;
    return server_find_library(at, version ? version : "0", ret_path, err);
}
