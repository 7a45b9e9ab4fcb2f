#include "reduce/external.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "proc/interrupt.h"

bool external_write(const Judge *judge, const char *dir, Error *err) {
    CLEANUP(mem_freep) char *file = path_of(dir, judge_name(judge)), *test = path_of(dir, "test.sh");
    CLEANUP(str_release) Str script = {0};
    size_t len;
    const char *text = judge_text(judge, &len);
    judge_script(judge, &script);
    return file_write(file, text, len, err) && file_write(test, script.data, script.len, err) &&
           (chmod(test, 0755) == 0 || error_errno(err, "cannot make %s executable", test));
}

bool external_reduce(Judge *judge, const ReduceOptions *options, const char *dir, Error *err) {
    CLEANUP(mem_freep) char *file = path_of(dir, judge_name(judge));
    CLEANUP(str_release) Str program = {0}, jobs = {0}, text = {0};
    if (judge_file_count(judge) > 1)
        return error_set(err, "the bug needs several files, which %s cannot be given; leave out --with", options->with);
    if (!path_find_program(options->with, &program, err) || !dir_make(dir, err) || !external_write(judge, dir, err))
        return false;
    str_printf(&jobs, "%zu", MAX_OF(options->jobs, (size_t)1));
    const char *const command[] = {str_text(&program), "--n", str_text(&jobs), "./test.sh", judge_name(judge), NULL};
    ProcRequest request = {.argv = command, .dir = dir, .limits = {.wall_ms = options->time_ms}};
    console_info(options->console, "%s at work; it shows no progress here", options->with);
    CLEANUP(runner_freep) Runner *runner = runner_new(err);
    CLEANUP(proc_result_release) ProcResult result = {0};
    if (!runner || !runner_run(runner, &request, &result, err))
        return false;
    if (!proc_ok(&result) && result.limit != PROC_LIMIT_WALL && !interrupt_count())
        return error_set(err, "%s failed: %.300s", options->with,
                         result.err.len ? str_text(&result.err) : str_text(&result.out));
    if (!file_read(file, &text, err))
        return false;
    judge_set_text(judge, &text);
    return true;
}
