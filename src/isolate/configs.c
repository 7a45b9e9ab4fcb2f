/* Configurations near the failing one, from the answers that GCC gives about itself:
 *
 *     -Q --help=optimizers    "  -ftree-pre    [enabled]"          gives  -fno-tree-pre
 *     -fdump-passes           "   tree-pre            :  ON"       gives  -fdisable-tree-pre
 *     -fdbg-cnt-list          "  pre      …"                       gives  -fdbg-cnt=pre:0
 *
 * Mutating options instead of programs follows Yang et al. (MultiConf: Isolating Compiler Bugs by Mutating Multiple
 * Configurations); passes and debug counters, which are finer than options, are our addition. Compilers that refuse
 * these questions have no near configurations; switches that break the compiler are sorted out by the test.
 *
 * Options are tried in groups (group testing): where the bug still shows with sixteen of them off, none of the sixteen
 * hides it; where it does not, the halves are tried. About 190 of GCC's options need some 30 questions instead of 190.
 * Switching passes off breaks the compiler too often for groups: they are tried one by one, after the groups.
 */
#include "isolate/configs.h"

#include <ctype.h>
#include <string.h>

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

/* Passes whose name starts with '*' have no dump file and cannot be named in an option. */
static void use_pass(const char *word, const char *rest, StrList *ret_options) {
    bool nameable = str_starts(word, "tree-") || str_starts(word, "rtl-") || str_starts(word, "ipa-");
    if (nameable && strstr(rest, ":  ON"))
        strlist_addf(ret_options, "-fdisable-%s", word);
}

static void use_counter(const char *word, const char *rest, StrList *ret_options) {
    bool heading = !isalpha((unsigned char)*word) || str_equal(word, "counter");
    if (!heading && strpbrk(rest, "0123456789"))
        strlist_addf(ret_options, "-fdbg-cnt=%s:0", word);
}

void configs_parse_optimizers(const char *text, StrList *ret_options) { each_line(text, use_optimizer, ret_options); }
void configs_parse_passes(const char *text, StrList *ret_options) { each_line(text, use_pass, ret_options); }
void configs_parse_counters(const char *text, StrList *ret_options) { each_line(text, use_counter, ret_options); }

/* What the command says when one more option is added; standard output and error together. */
static bool answer(Runner *runner, const StrList *command, const char *dir, const char *const *options, Str *ret_text,
                   Error *err) {
    CLEANUP(strlist_release) StrList argv = {0};
    CLEANUP(proc_result_release) ProcResult result = {0};
    tester_compile_only(command, &argv);
    for (; *options; options++)
        strlist_add(&argv, *options);
    ProcRequest request = {
        .argv = (const char *const *)argv.items, .dir = dir, .merge_output = true, .limits = {.wall_ms = 20000}};
    if (!runner_run(runner, &request, &result, err))
        return false;
    str_clear(ret_text);
    str_append_n(ret_text, str_text(&result.out), result.out.len);
    return true;
}

bool configs_near(Runner *runner, const StrList *command, const char *dir, StrList *ret_options, Error *err) {
    static const struct {
        const char *options[3];
        void (*parse)(const char *text, StrList *ret_options);
    } questions[] = {{{"-Q", "--help=optimizers"}, configs_parse_optimizers},
                     {{"-fdump-passes"}, configs_parse_passes},
                     {{"-fdbg-cnt-list"}, configs_parse_counters}};
    CLEANUP(str_release) Str text = {0};
    for (size_t i = 0; i < ARRAY_LEN(questions); i++) {
        if (!answer(runner, command, dir, questions[i].options, &text, err))
            return false;
        questions[i].parse(str_text(&text), ret_options);
    }
    return true;
}

enum { GROUP = 16 };

/* Groups are taken from the end, so the single passes come first. */
void option_queue_fill(OptionQueue *queue, const StrList *options, Rng *rng) {
    CLEANUP(strlist_release) StrList shuffled = {0};
    CLEANUP(str_release) Str group = {0};
    strlist_add_all(&shuffled, options);
    source_shuffle(&shuffled, rng);
    for (size_t i = 0; i < shuffled.len; i++)
        if (str_starts(shuffled.items[i], "-fdisable-"))
            strlist_add(&queue->groups, shuffled.items[i]);
    size_t count = 0;
    for (size_t i = 0; i < shuffled.len; i++) {
        if (str_starts(shuffled.items[i], "-fdisable-"))
            continue;
        str_printf(&group, "%s%s", group.len ? " " : "", shuffled.items[i]);
        if (++count % GROUP == 0) {
            strlist_add(&queue->groups, str_text(&group));
            str_clear(&group);
        }
    }
    if (group.len)
        strlist_add(&queue->groups, str_text(&group));
}

void option_queue_release(OptionQueue *queue) { strlist_release(&queue->groups); }

bool option_queue_next(OptionQueue *queue, Str *ret_group) {
    if (queue->groups.len == 0)
        return false;
    str_clear(ret_group);
    str_append(ret_group, queue->groups.items[queue->groups.len - 1]);
    strlist_remove(&queue->groups, queue->groups.len - 1);
    return true;
}

bool option_queue_split(OptionQueue *queue, const char *group) {
    CLEANUP(strlist_release) StrList options = {0};
    strlist_split(&options, group, ' ');
    if (options.len < 2)
        return true;
    CLEANUP(str_release) Str half = {0};
    for (size_t i = 0; i < options.len; i++) {
        if (i == options.len / 2) {
            strlist_add(&queue->groups, str_text(&half));
            str_clear(&half);
        }
        str_printf(&half, "%s%s", half.len ? " " : "", options.items[i]);
    }
    strlist_add(&queue->groups, str_text(&half));
    return false;
}
