#include "explain/briefing.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "compiler/identify.h"
#include "isolate/isolate.h"
#include "judge/oracle.h"
#include "subject/fixes.h"
#include "subject/sources.h"
#include "triage/pass_file.h"

/* --- What triage finds out --- */

static void add_files(Clues *clues, ClueKind kind, const StrList *files, const char *why) {
    for (size_t i = 0; i < files->len; i++)
        clues_add(clues, kind, (uint32_t)i + 1, files->items[i], NULL, why);
}

/* With the compiler that the bug names, which is quicker; if the bug does not show there, with the subject's. */
static bool triage_either(Runner *runner, const Bug *bug, const Subject *subject, Console *console, Arena *arena,
                          TriageFinding *ret_finding, Error *err) {
    const TriageOptions options = {.console = console};
    Bug subject_bug;
    if (triage_bug(runner, bug, &options, arena, ret_finding, err))
        return true;
    bool ok = bug_of_subject(bug, subject, &subject_bug, err) &&
              triage_bug(runner, &subject_bug, &options, arena, ret_finding, err);
    bug_of_subject_release(&subject_bug);
    return ok;
}

/* The files of the guilty pass and of what reads a guilty flag, and where a crash is reported from. */
static void brief_by_triage(Runner *runner, const Bug *bug, const Subject *subject, Console *console,
                            Briefing *briefing) {
    CLEANUP(arena_release) Arena arena = {0};
    CLEANUP(triage_release) TriageFinding finding = {0};
    CLEANUP(strlist_release) StrList named = {0}, damaged = {0};
    CLEANUP(str_release) Str why = {0};
    PassFiles files = {0};
    Error err;
    bool gcc = compiler_family_of_name(bug->fail_cmd.items[0]) == FAMILY_GCC;
    if (!pass_files_load(&files, gcc ? subject->source_root : NULL, &err) ||
        !triage_either(runner, bug, subject, console, &arena, &finding, &err)) {
        console_debug(console, "triage tells nothing: %s", err.text);
        pass_files_release(&files);
        return;
    }
    pass_files_answer(&files, &finding, &named);
    const char *hidden_by = finding.pass ? finding.pass : finding.flag;
    if (hidden_by)
        str_printf(&why, "triage names it: without %s the bug is gone", hidden_by);
    add_files(&briefing->clues, CLUE_NAMED, &named, hidden_by ? str_text(&why) : "triage names it");
    if (finding.damaged_by) {
        str_clear(&why);
        str_printf(&why, "the compiler's own checks fail right behind %s", finding.damaged_by);
        pass_files_of_pass(&files, finding.damaged_by, &damaged);
        add_files(&briefing->clues, CLUE_DAMAGE, &damaged, str_text(&why));
    }
    strlist_add_all(&briefing->step_shows, &finding.step_shows);
    strlist_add_all(&briefing->step_hides, &finding.step_hides);
    pass_files_release(&files);
}

/* --- What sources tell --- */

static void brief_by_history(Runner *runner, const char *source_root, Console *console, Briefing *briefing) {
    Map fixes = {0};
    Error err;
    if (!fixes_count(source_root, runner, &fixes, &err))
        console_debug(console, "nothing is known about earlier fixes: %s", err.text);
    for (size_t i = 0; i < fixes.len; i++) {
        CLEANUP(str_release) Str why = {0};
        str_printf(&why, "%llu earlier fixes touched it", (unsigned long long)fixes.entries[i].value);
        clues_add(&briefing->clues, CLUE_HISTORY, (uint32_t)MIN_OF(fixes.entries[i].value, (uint64_t)UINT32_MAX),
                  fixes.entries[i].key, NULL, str_text(&why));
    }
    map_release(&fixes);
}

/* "gcc-12" gives "gcc-" and 12. */
static bool split_version(const char *program, Str *ret_name, long *ret_version) {
    const char *dash = strrchr(program, '-');
    char *end;
    long version = dash ? strtol(dash + 1, &end, 10) : 0;
    if (version <= 0 || *end)
        return false;
    str_append_n(ret_name, program, (size_t)(dash - program) + 1);
    *ret_version = version;
    return true;
}

/* Whether an installed compiler of that name is free of the bug. Options that it does not know make it refuse the program,
 * which is no answer. */
static bool is_free(Runner *runner, const Bug *bug, const char *program) {
    CLEANUP(strlist_release) StrList command = {0};
    CLEANUP(oracle_freep) Oracle *oracle = oracle_new(runner, bug, NULL, NULL);
    CLEANUP(oracle_answer_release) OracleAnswer answer = {0};
    strlist_add(&command, program);
    OracleQuestion question = {.compiler = &command};
    return oracle && oracle_ask(oracle, &question, &answer, NULL) && answer.outcome == OUTCOME_PASSES;
}

/* The sources of the newest older version that is installed, free of the bug, and has its sources here. Never a newer one:
 * what its fix changed would be the answer. */
static void find_good_source(Runner *runner, const Bug *bug, Console *console, Briefing *briefing) {
    enum { MOST_VERSIONS = 5 };
    CLEANUP(str_release) Str name = {0};
    long version;
    if (!split_version(bug->fail_cmd.items[0], &name, &version))
        return;
    for (long older = version - 1; older > 0 && older >= version - MOST_VERSIONS && !briefing->good_source; older--) {
        CLEANUP(str_release) Str program = {0}, which = {0}, path = {0};
        CLEANUP(subject_release) Subject subject = {0};
        str_printf(&program, "%s%ld", str_text(&name), older);
        str_printf(&which, "stock:%s", str_text(&program));
        if (!path_find_program(str_text(&program), &path, NULL) || !is_free(runner, bug, str_text(&program)) ||
            !subject_open(str_text(&which), NULL, &subject, NULL) ||
            !subject_find_sources(&subject, runner, NULL, NULL) || !subject.source_root)
            continue;
        briefing->good_source = mem_strdup(subject.source_root);
        console_info(console, "%s is free of the bug: functions that it has too are less suspicious",
                     str_text(&program));
    }
}

/* --- All of it --- */

void briefing_gather(Runner *runner, const Bug *bug, const Subject *subject, const char *good_source, Console *console,
                     Briefing *ret_briefing) {
    brief_by_triage(runner, bug, subject, console, ret_briefing);
    if (!subject->source_root)
        return;
    brief_by_history(runner, subject->source_root, console, ret_briefing);
    if (good_source)
        ret_briefing->good_source = mem_strdup(good_source);
    else
        find_good_source(runner, bug, console, ret_briefing);
}

void briefing_release(Briefing *briefing) {
    clues_release(&briefing->clues);
    strlist_release(&briefing->step_shows);
    strlist_release(&briefing->step_hides);
    free(briefing->good_source);
}
