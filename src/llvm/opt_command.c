#include "llvm/opt_command.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "llvm/server.h"

/* "-name=VALUE", "--name=VALUE", or "-name", whose value is the next word: what follows the name, NULL for other words. */
static const char *value_of(const char *word, const char *name) {
    if (*word != '-')
        return NULL;
    word += word[1] == '-' ? 2 : 1;
    size_t len = strlen(name);
    return strncmp(word, name, len) == 0 && (word[len] == '=' || !word[len]) ? word + len : NULL;
}

/* The word that holds the passes, and where they begin in it. */
static bool find_passes(const StrList *command, size_t *ret_at, const char **ret_text) {
    bool found = false;
    for (size_t i = 1; i < command->len; i++) {
        const char *value = value_of(command->items[i], "passes");
        value = value ? value : value_of(command->items[i], "p");
        if (!value || (!*value && i + 1 == command->len))
            continue;
        i += !*value;
        *ret_at = i;
        *ret_text = *value ? value + 1 : command->items[i];
        found = true;
    }
    return found;
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
    static const char *const own[] = {"S", "f", "disable-output", "verify-each", "disable-verify"};
    static const char *const left_out[] = {"passes", "p", "o"}, *const kept[] = {"mtriple", "mcpu", "mattr"};
    for (size_t i = 1; i < command->len; i++) {
        const char *word = command->items[i], *value = NULL;
        bool is_own = *word != '-' || !word[1];
        for (size_t k = 0; k < ARRAY_LEN(own) && !is_own; k++)
            is_own = value_of(word, own[k]) != NULL;
        for (size_t k = 0; k < ARRAY_LEN(left_out) && !is_own; k++)
            if ((value = value_of(word, left_out[k]))) {
                is_own = true;
                i += !*value;
            }
        if (is_own)
            continue;
        strlist_add(ret_options, word);
        for (size_t k = 0; k < ARRAY_LEN(kept); k++)
            if ((value = value_of(word, kept[k])) && !*value && i + 1 < command->len)
                strlist_add(ret_options, command->items[++i]);
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

bool opt_command_read(const StrList *command, OptCommand *ret_opt, Error *err) {
    const char *passes = opt_command_passes(command);
    if (!passes)
        return error_set(err, "the failing command is no call of opt with a sequence of passes (-passes=…)");
    *ret_opt = (OptCommand){.passes = mem_strdup(passes)};
    opt_command_options(command, &ret_opt->options);
    return true;
}

void opt_command_release(OptCommand *opt) {
    free(opt->passes);
    strlist_release(&opt->options);
    *opt = (OptCommand){0};
}
