#include "cli/options.h"

#include <string.h>

#include "base/units.h"

const Option global_options[] = {
    OPTION(GlobalArgs, json, "json", 0, OPTION_FLAG, NULL, "print one JSON value on standard output, for machines"),
    OPTION(GlobalArgs, jobs, "jobs", 'j', OPTION_COUNT, "N", "work on N things at once (default: the number of cores)"),
    OPTION(GlobalArgs, seed, "seed", 0, OPTION_TEXT, "N", "repeat the random choices of an earlier run"),
    OPTION(GlobalArgs, verbose, "verbose", 'v', OPTION_FLAG, NULL, "say more"),
    OPTION(GlobalArgs, quiet, "quiet", 'q', OPTION_FLAG, NULL, "say only errors"),
    OPTION(GlobalArgs, color, "color", 0, OPTION_CHOICE, "auto|always|never", "colour the output (default: auto)"),
    OPTION(GlobalArgs, help, "help", 'h', OPTION_FLAG, NULL, "show this help"),
    {0},
};

/* An option found in one of the two tables, with the struct that its field lives in. */
typedef struct Match {
    const Option *option;
    char *args;
} Match;

static Match find_in(const Option *options, void *args, const char *name, size_t len, char letter) {
    for (; options && options->name; options++)
        if (letter ? options->letter == letter : strlen(options->name) == len && !strncmp(options->name, name, len))
            return (Match){options, args};
    return (Match){0};
}

static bool is_choice(const char *choices, const char *value) {
    CLEANUP(strlist_release) StrList list = {0};
    strlist_split(&list, choices, '|');
    return strlist_contains(&list, value);
}

static bool store(const Match *match, const char *value, Error *err) {
    void *field = match->args + match->option->offset;
    switch (match->option->kind) {
    case OPTION_FLAG: *(bool *)field = true; return true;
    case OPTION_TEXT: *(const char **)field = value; return true;
    case OPTION_LIST: strlist_add(field, value); return true;
    case OPTION_COUNT: return units_parse_count(value, field, err);
    case OPTION_DURATION: return units_parse_duration(value, field, err);
    case OPTION_SIZE: return units_parse_size(value, field, err);
    case OPTION_CHOICE:
        *(const char **)field = value;
        return is_choice(match->option->value, value) ||
               error_set(err, "'%s' is none of %s", value, match->option->value);
    }
    BUG("option kind %d", match->option->kind);
}

const char *suggest(const char *word, const char *const *candidates) {
    enum { LONGEST = 32, FARTHEST = 2 };
    size_t n = strlen(word), best_distance = FARTHEST + 1;
    const char *best = NULL;
    if (n >= LONGEST)
        return NULL;
    for (; *candidates; candidates++) {
        /* Levenshtein's distance, one row at a time: row[j] = edits from the first i letters to the first j. */
        size_t m = strlen(*candidates), row[LONGEST + 1];
        for (size_t j = 0; j <= n; j++)
            row[j] = j;
        for (size_t i = 1; i <= m; i++) {
            size_t diagonal = row[0]++;
            for (size_t j = 1; j <= n; j++) {
                size_t change = diagonal + ((*candidates)[i - 1] != word[j - 1]);
                diagonal = row[j];
                row[j] = MIN_OF(change, MIN_OF(row[j], row[j - 1]) + 1);
            }
        }
        size_t distance = n > 1 && str_starts(*candidates, word) ? 1 : row[n];
        if (distance < best_distance && distance < n) {
            best_distance = distance;
            best = *candidates;
        }
    }
    return best;
}

static bool unknown_option(const Option *options, const char *word, Error *err) {
    const char *names[64];
    size_t count = 0;
    const Option *tables[] = {options, global_options};
    for (size_t t = 0; t < 2; t++)
        for (const Option *option = tables[t]; option && option->name && count + 1 < ARRAY_LEN(names); option++)
            names[count++] = option->name;
    names[count] = NULL;
    const char *near = suggest(word + strspn(word, "-"), names);
    return near ? error_set(err, "there is no option '%s'; did you mean --%s?", word, near)
                : error_set(err, "there is no option '%s'; --help lists the options", word);
}

typedef struct Parser {
    const Option *options;
    void *args;
    GlobalArgs *globals;
    char **next; /* the word to read next */
} Parser;

static Match find_option(const Parser *parser, const char *name, size_t len, char letter) {
    Match match = find_in(parser->options, parser->args, name, len, letter);
    return match.option ? match : find_in(global_options, parser->globals, name, len, letter);
}

/* --name, --name=value, --name value */
static bool parse_long(Parser *parser, const char *word, Error *err) {
    const char *name = word + 2, *equals = strchr(name, '=');
    Match match = find_option(parser, name, equals ? (size_t)(equals - name) : strlen(name), 0);
    if (!match.option)
        return unknown_option(parser->options, word, err);
    bool flag = match.option->kind == OPTION_FLAG;
    if (flag && equals)
        return error_set(err, "--%s takes no value", match.option->name);
    const char *value = flag ? NULL : equals ? equals + 1 : *parser->next;
    if (!flag && !equals && value)
        parser->next++;
    if (!flag && !value)
        return error_set(err, "--%s needs a value: --%s %s", match.option->name, match.option->name,
                         match.option->value);
    return store(&match, value, err) || error_context(err, "--%s", match.option->name);
}

/* -v, -vq, -j2, -j 2 */
static bool parse_short(Parser *parser, const char *word, Error *err) {
    for (const char *letter = word + 1; *letter; letter++) {
        Match match = find_option(parser, NULL, 0, *letter);
        if (!match.option)
            return unknown_option(parser->options, word, err);
        bool flag = match.option->kind == OPTION_FLAG;
        const char *value = flag ? NULL : letter[1] ? letter + 1 : *parser->next;
        if (!flag && !letter[1] && value)
            parser->next++;
        if (!flag && !value)
            return error_set(err, "-%c needs a value: -%c %s", *letter, *letter, match.option->value);
        if (!store(&match, value, err))
            return error_context(err, "-%c", *letter);
        if (!flag)
            break;
    }
    return true;
}

bool options_parse(const Option *options, void *args, GlobalArgs *globals, char **words, bool command_first,
                   StrList *ret_operands, size_t *ret_used, Error *err) {
    Parser parser = {options, args, globals, words};
    bool only_operands = false;
    while (*parser.next) {
        const char *word = *parser.next++;
        if (!only_operands && str_equal(word, "--"))
            only_operands = true;
        else if (!only_operands && word[0] == '-' && word[1] == '-') {
            if (!parse_long(&parser, word, err))
                return false;
        } else if (!only_operands && word[0] == '-' && word[1]) {
            if (!parse_short(&parser, word, err))
                return false;
        } else {
            strlist_add(ret_operands, word);
            if (command_first)
                break;
        }
    }
    *ret_used = (size_t)(parser.next - words);
    return true;
}

void options_release(const Option *options, void *args) {
    for (; options && options->name; options++)
        if (options->kind == OPTION_LIST)
            strlist_release((StrList *)((char *)args + options->offset));
}
