#include "campaign/bugdir.h"

#include <stdio.h>

#include "base/file.h"
#include "judge/repro.h"
#include "report/markdown.h"

static bool write_in(const char *dir, const char *name, const Str *text, Error *err) {
    CLEANUP(mem_freep) char *path = path_of(dir, name);
    return file_write(path, str_text(text), text->len, err);
}

static bool write_outputs(BugDraft *draft, Error *err) {
    Bug *bug = &draft->bug;
    CLEANUP(mem_freep) char *outputs = path_of(bug->dir, BUG_OUTPUTS);
    bug_set_text(&bug->outputs.compiler, BUG_MESSAGES);
    bug_set_text(&bug->outputs.actual, draft->actual ? BUG_ACTUAL : NULL);
    bug_set_text(&bug->outputs.expected, draft->expected ? BUG_EXPECTED : NULL);
    return dir_make(outputs, err) && write_in(bug->dir, BUG_MESSAGES, draft->messages, err) &&
           (!draft->actual || write_in(bug->dir, BUG_ACTUAL, draft->actual, err)) &&
           (!draft->expected || write_in(bug->dir, BUG_EXPECTED, draft->expected, err));
}

static bool write_repro(const BugDraft *draft, Error *err) {
    static const StrList none;
    const Bug *bug = &draft->bug;
    Verdict verdict = draft->verdict;
    CLEANUP(strlist_release) StrList words = {0};
    if (verdict == VERDICT_CRASH || verdict == VERDICT_INVALID_IR)
        repro_words(str_text(draft->messages), draft->signal, &words);
    const Script script = {
        .id = bug->id,
        .verdict = bug->run && verdict == VERDICT_FLAKY ? VERDICT_WRONG_CODE : verdict,
        .program = BUG_TEST,
        .is_folder = true,
        .fail_cmd = &bug->fail_cmd,
        .pass_cmd = &bug->pass_cmd,
        .front_cmd = &bug->front_cmd,
        .codegen_cmd = &bug->codegen_cmd,
        .run_cmd = draft->run_cmd ? draft->run_cmd : &none,
        .words = &words,
        .compile_ms = draft->execute.compile_limits.wall_ms,
        .run_ms = draft->execute.run_limits.wall_ms,
        .memory_bytes = draft->execute.compile_limits.memory_bytes,
        .tolerance = bug->tolerance,
        .has_expected = draft->expected != NULL,
    };
    CLEANUP(str_release) Str makefile = {0};
    CLEANUP(mem_freep) char *path = path_of(bug->dir, BUG_SCRIPT);
    script_render_makefile(&script, &makefile);
    return repro_write_script(&script, path, err) && write_in(bug->dir, BUG_MAKEFILE, &makefile, err);
}

bool bugdir_write(BugDraft *draft, const char *bugs_dir, const char *name, Error *err) {
    Bug *bug = &draft->bug;
    CLEANUP(str_release) Str dir = {0};
    CLEANUP(mem_freep) char *final_dir = path_of(bugs_dir, name);
    str_printf(&dir, "%s/.writing-%s", bugs_dir, name);
    bug_set_text(&bug->id, name);
    bug_set_text(&bug->dir, str_text(&dir));
    CLEANUP(mem_freep) char *test_dir = path_of(bug->dir, BUG_TEST);
    if (!dir_remove(bug->dir, err) || !dir_make(test_dir, err) || !program_write(draft->program, test_dir, err) ||
        !write_outputs(draft, err) || !write_repro(draft, err) || !bug_save(bug, err) ||
        !report_markdown_write(bug, err) || !dir_remove(final_dir, err))
        return error_context(err, "cannot write the bug %s", name);
    if (rename(bug->dir, final_dir) != 0)
        return error_errno(err, "cannot write the bug %s", name);
    return true;
}
