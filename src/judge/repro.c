#include "judge/repro.h"

#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "compiler/signature.h"

void repro_words(const char *messages, int signal, StrList *ret_words) {
    CLEANUP(arena_release) Arena arena = {0};
    Signature signature;
    if (signature_extract(messages, signal, &arena, &signature) && signature.message &&
        strstr(messages, signature.message))
        strlist_add(ret_words, signature.message);
}

bool repro_write_script(const Script *script, const char *path, Error *err) {
    CLEANUP(str_release) Str text = {0};
    script_render(script, &text);
    return file_write(path, text.data, text.len, err) &&
           (chmod(path, 0755) == 0 || error_errno(err, "cannot make %s executable", path));
}

bool repro_write_reduced(const Bug *bug, Error *err) {
    const Bug smallest = bug_smallest(bug);
    CLEANUP(str_release) Str messages = {0};
    CLEANUP(strlist_release) StrList sources = {0}, words = {0};
    CLEANUP(mem_freep) char *path = path_of(bug->dir, BUG_REDUCED_SCRIPT);
    CLEANUP(mem_freep) char *output = path_of(bug->dir, BUG_MESSAGES);
    bug_sources(&smallest, &sources);
    if (!bug_is_reduced(bug) || !sources.len)
        return true;
    if (file_exists(output) && !file_read(output, &messages, err))
        return false;
    if (bug->kind == VERDICT_CRASH || bug->kind == VERDICT_INVALID_IR)
        repro_words(str_text(&messages), 0, &words);
    const ExecuteOptions limits = execute_defaults();
    const Script script = {
        .id = bug->id,
        .verdict = bug->kind,
        .program = sources.len > 1 ? BUG_REDUCED : sources.items[0],
        .is_folder = sources.len > 1,
        .fail_cmd = &smallest.fail_cmd,
        .pass_cmd = &smallest.pass_cmd,
        .front_cmd = &smallest.front_cmd,
        .codegen_cmd = &smallest.codegen_cmd,
        .run_cmd = &smallest.run_cmd,
        .words = &words,
        .compile_ms = limits.compile_limits.wall_ms,
        .run_ms = limits.run_limits.wall_ms,
        .memory_bytes = limits.compile_limits.memory_bytes,
        .tolerance = bug->tolerance,
    };
    return repro_write_script(&script, path, err);
}
