#include "llvm/opt_command.h"

#include <stdlib.h>
#include <string.h>

/* The length of "-passes=", "--p=" …; `ret_apart`: the value is the next word. 0: the word is another one. */
static size_t passes_prefix(const char *word, bool *ret_apart) {
    static const char *const names[] = {"passes", "p"};
    size_t dashes = strspn(word, "-");
    for (size_t i = 0; dashes > 0 && i < ARRAY_LEN(names); i++) {
        size_t len = strlen(names[i]);
        if (strncmp(word + dashes, names[i], len) != 0)
            continue;
        char next = word[dashes + len];
        *ret_apart = next == '\0';
        if (next == '=' || next == '\0')
            return dashes + len + (next == '=');
    }
    return 0;
}

bool opt_command_read(const StrList *command, OptCommand *ret_opt, Error *err) {
    static const char *const results[] = {"-S", "--S", "-f", "-disable-output", "--disable-output"};
    OptCommand opt = {0};
    for (size_t i = 1; i < command->len; i++) {
        const char *word = command->items[i];
        bool apart, about_result = word[0] != '-' || word[1] == '\0';
        size_t prefix = passes_prefix(word, &apart);
        for (size_t k = 0; k < ARRAY_LEN(results); k++)
            about_result |= str_equal(word, results[k]);
        if (prefix && (!apart || i + 1 < command->len)) {
            i += apart;
            opt.at = i;
            opt.prefix = apart ? 0 : prefix;
            free(opt.passes);
            opt.passes = mem_strdup(command->items[i] + opt.prefix);
        } else if (str_equal(word, "-o")) {
            i++;
        } else if (str_equal(word, "-mtriple") || str_equal(word, "-mcpu") || str_equal(word, "-mattr")) {
            strlist_add(&opt.options, word);
            if (i + 1 < command->len)
                strlist_add(&opt.options, command->items[++i]);
        } else if (!about_result) {
            strlist_add(&opt.options, word);
        }
    }
    if (!opt.passes) {
        opt_command_release(&opt);
        return error_set(err, "the failing command is no call of opt with a sequence of passes (-passes=…)");
    }
    *ret_opt = opt;
    return true;
}

void opt_command_release(OptCommand *opt) {
    free(opt->passes);
    strlist_release(&opt->options);
    *opt = (OptCommand){0};
}

void opt_command_with(const OptCommand *opt, const StrList *command, const char *passes, StrList *ret_command) {
    for (size_t i = 0; i < command->len; i++) {
        if (i == opt->at)
            strlist_addf(ret_command, "%.*s%s", (int)opt->prefix, command->items[i], passes);
        else
            strlist_add(ret_command, command->items[i]);
    }
}
