/* Configurations near the failing one, from the answers that GCC and clang give about themselves:
 *
 *     -Q --help=optimizers           "  -ftree-pre    [enabled]"          gives  -fno-tree-pre
 *     -fdbg-cnt-list                 "  pre      …"                       gives  -fdbg-cnt=pre:0
 *     -mllvm -opt-bisect-limit=-1    "BISECT: running pass (17) …"        gives  the number of passes (opt: without -mllvm)
 *
 * Mutating options instead of programs follows Yang et al. (MultiConf: Isolating Compiler Bugs by Mutating Multiple
 * Configurations); debug counters, which are finer than options, and the lean configuration are our additions. Compilers
 * that refuse these questions have no near configurations. Passes could be switched off one by one (-fdisable-…), but many
 * of them are needed: the program then fails for another reason, which looks as if the bug still showed.
 *
 * Options are tried in groups (group testing): where the bug still shows with sixteen more of them off, all sixteen stay
 * off; where it does not, the halves are tried. About 200 options and counters need some 50 questions. Passes are bisected.
 */
#include "isolate/configs.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/identify.h"

#include "base/file.h"
#include "isolate/source.h"
#include "isolate/tester.h"

/* Calls `use` for every line with its first word, NUL-terminated, and the rest. */
typedef void UseLine(const char *word, const char *rest, StrList *ret_options);

static void each_line(const char *text, UseLine *use, StrList *ret_options) {
    CLEANUP(str_release) Str word = {0};
    CLEANUP(str_release) Str rest = {0};
    for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
        end = strchrnul(line, '\n');
        while (line < end && isspace((unsigned char)*line))
            line++;
        const char *stop = line;
        while (stop < end && !isspace((unsigned char)*stop))
            stop++;
        str_clear(&word);
        str_clear(&rest);
        str_append_n(&word, line, (size_t)(stop - line));
        str_append_n(&rest, stop, (size_t)(end - stop));
        if (word.len)
            use(str_text(&word), str_text(&rest), ret_options);
    }
}

static void use_optimizer(const char *word, const char *rest, StrList *ret_options) {
    if (str_starts(word, "-f") && !strchr(word, '=') && strstr(rest, "[enabled]"))
        strlist_addf(ret_options, "-fno-%s", word + 2);
}

/* A name and a number; messages of a compiler that refuses to answer are something else. */
static void use_counter(const char *word, const char *rest, StrList *ret_options) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    bool named = word[strspn(word, letters)] == '\0', counted = isdigit((unsigned char)rest[strspn(rest, " \t")]);
    if (named && counted)
        strlist_addf(ret_options, "-fdbg-cnt=%s:0", word);
}

void configs_parse_optimizers(const char *text, StrList *ret_options) { each_line(text, use_optimizer, ret_options); }
void configs_parse_counters(const char *text, StrList *ret_options) { each_line(text, use_counter, ret_options); }

int64_t configs_parse_passes(const char *text) {
    static const char running[] = "BISECT: running pass (";
    int64_t passes = 0;
    for (const char *at = text; (at = strstr(at, running));) {
        at += strlen(running);
        passes = MAX_OF(passes, strtoll(at, NULL, 10));
    }
    return passes;
}

/* What the command says when options, separated by blanks, are added; standard output and error together. */
static bool answer(Runner *runner, const StrList *command, const char *dir, const char *options, Str *ret_text,
                   Error *err) {
    CLEANUP(strlist_release) StrList argv = {0};
    CLEANUP(proc_result_release) ProcResult result = {0};
    tester_compile_only(command, &argv);
    strlist_split(&argv, options, ' ');
    ProcRequest request = {
        .argv = (const char *const *)argv.items, .dir = dir, .merge_output = true, .limits = {.wall_ms = 20000}};
    if (!runner_run(runner, &request, &result, err))
        return false;
    str_clear(ret_text);
    str_append_n(ret_text, str_text(&result.out), result.out.len);
    return true;
}

/* clang hands the option on; opt and llc take it themselves. */
static const char *stop_option(const StrList *command) {
    CompilerFamily family = compiler_family_of_name(command->items[0]);
    bool takes = family == FAMILY_OPT || family == FAMILY_LLC;
    return takes ? "-opt-bisect-limit=" : "-mllvm -opt-bisect-limit=";
}

static bool count_passes(Runner *runner, const StrList *command, const char *dir, NearConfigs *ret_near, Error *err) {
    CLEANUP(str_release) Str all = {0};
    CLEANUP(str_release) Str text = {0};
    ret_near->stop_after = stop_option(command);
    str_printf(&all, "%s-1", ret_near->stop_after);
    if (!answer(runner, command, dir, str_text(&all), &text, err))
        return false;
    ret_near->passes = configs_parse_passes(str_text(&text));
    return true;
}

bool configs_near(Runner *runner, const StrList *command, const char *dir, NearConfigs *ret_near, Error *err) {
    static const struct {
        const char *options;
        void (*parse)(const char *text, StrList *ret_options);
    } questions[] = {{"-Q --help=optimizers", configs_parse_optimizers}, {"-fdbg-cnt-list", configs_parse_counters}};
    CLEANUP(str_release) Str text = {0};
    for (size_t i = 0; i < ARRAY_LEN(questions); i++) {
        if (!answer(runner, command, dir, questions[i].options, &text, err))
            return false;
        questions[i].parse(str_text(&text), &ret_near->options);
    }
    return ret_near->options.len > 0 || count_passes(runner, command, dir, ret_near, err);
}

void configs_release(NearConfigs *near) { strlist_release(&near->options); }

static void add_extension(NearConfigs *near, const StrList *command, const StrList *longer) {
    CLEANUP(str_release) Str option = {0};
    for (size_t i = 0; i < command->len; i++)
        if (!strlist_contains(longer, command->items[i]))
            return;
    for (size_t i = 0; i < longer->len; i++)
        if (!strlist_contains(command, longer->items[i]))
            str_printf(&option, "%s%s", option.len ? " " : "", longer->items[i]);
    if (option.len && !strlist_contains(&near->options, str_text(&option)))
        strlist_add(&near->options, str_text(&option));
}

void configs_add_extensions(NearConfigs *near, const StrList *command, const StrList *commands, size_t count) {
    for (size_t i = 0; i < count; i++)
        add_extension(near, command, &commands[i]);
}

enum { GROUP = 16 };

static void append_option(Str *group, const char *option) {
    if (group->len)
        str_append_char(group, CONFIG_SEPARATOR);
    str_append(group, option);
}

/* The last -O of the command; "-O0" where there is none. */
static const char *level_of(const StrList *command) {
    const char *level = "-O0";
    for (size_t i = 1; i < command->len; i++)
        if (str_starts(command->items[i], "-O"))
            level = command->items[i];
    return level;
}

/* The next group is the last: -O0 is tried first, then -O1. */
static void add_lower_levels(LeanSearch *search, const char *level) {
    bool none = str_equal(level, "-O0"), one = str_equal(level, "-O") || str_equal(level, "-O1");
    if (!none && !one)
        strlist_add(&search->groups, "-O1");
    if (!none)
        strlist_add(&search->groups, "-O0");
}

void lean_search_fill(LeanSearch *search, const StrList *command, const NearConfigs *near, Rng *rng) {
    CLEANUP(strlist_release) StrList shuffled = {0};
    CLEANUP(str_release) Str group = {0};
    search->shows = near->passes;
    search->stop_after = near->stop_after;
    strlist_add_all(&shuffled, &near->options);
    source_shuffle(&shuffled, rng);
    for (size_t i = 0; i < shuffled.len; i++) {
        append_option(&group, shuffled.items[i]);
        if (i % GROUP == GROUP - 1 || i + 1 == shuffled.len) {
            strlist_add(&search->groups, str_text(&group));
            str_clear(&group);
        }
    }
    add_lower_levels(search, level_of(command));
}

void lean_search_release(LeanSearch *search) {
    strlist_release(&search->groups);
    str_release(&search->lean);
}

/* --- Passes --- */

static bool passes_left(const LeanSearch *search) {
    return search->shows > 0 && (search->shows - search->gone > 1 || !search->gone_is_witness);
}

/* The middle; at the end the last pass without the bug once more, which then is a witness. */
static void next_pass(LeanSearch *search, Str *ret_group) {
    int64_t middle = search->gone + (search->shows - search->gone) / 2;
    search->gone_is_witness = middle == search->gone;
    str_printf(ret_group, "%s%lld", search->stop_after, (long long)middle);
}

static bool learn_pass(LeanSearch *search, int64_t pass, bool bug_shows) {
    *(bug_shows ? &search->shows : &search->gone) = pass;
    return !bug_shows && search->gone_is_witness;
}

/* --- All --- */

static bool level_is_next(const LeanSearch *search) {
    return search->groups.len && str_starts(search->groups.items[search->groups.len - 1], "-O");
}

bool lean_search_over(const LeanSearch *search) { return search->groups.len == 0 && !passes_left(search); }

bool lean_search_next(LeanSearch *search, Str *ret_group) {
    if (lean_search_over(search))
        return false;
    str_clear(ret_group);
    if (passes_left(search) && !level_is_next(search)) {
        next_pass(search, ret_group);
        return true;
    }
    str_append(ret_group, search->groups.items[search->groups.len - 1]);
    strlist_remove(&search->groups, search->groups.len - 1);
    return true;
}

bool lean_search_learn(LeanSearch *search, const char *group, bool bug_shows) {
    if (search->stop_after && str_starts(group, search->stop_after))
        return learn_pass(search, strtoll(group + strlen(search->stop_after), NULL, 10), bug_shows);
    if (bug_shows) {
        str_append(&search->lean, search->lean.len ? " " : "");
        for (; *group; group++)
            str_append_char(&search->lean, *group == CONFIG_SEPARATOR ? ' ' : *group);
        return false;
    }
    CLEANUP(strlist_release) StrList options = {0};
    strlist_split(&options, group, CONFIG_SEPARATOR);
    if (options.len < 2)
        return true;
    CLEANUP(str_release) Str half = {0};
    for (size_t i = 0; i < options.len; i++) {
        if (i == options.len / 2) {
            strlist_add(&search->groups, str_text(&half));
            str_clear(&half);
        }
        append_option(&half, options.items[i]);
    }
    strlist_add(&search->groups, str_text(&half));
    return false;
}
