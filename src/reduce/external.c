#include "reduce/external.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "proc/interrupt.h"

bool external_write(const Interestingness *test, const char *dir, Error *err) {
    CLEANUP(mem_freep) char *file = path_of(dir, interesting_file_name(test)), *script_path = path_of(dir, "test.sh");
    CLEANUP(str_release) Str script = {0};
    size_t len;
    const char *text = interesting_text(test, &len);
    interesting_script(test, &script);
    return file_write(file, text, len, err) && file_write(script_path, script.data, script.len, err) &&
           (chmod(script_path, 0755) == 0 || error_errno(err, "cannot make %s executable", script_path));
}

bool external_reduce(Interestingness *test, const ReduceOptions *options, const char *dir, Error *err) {
    CLEANUP(mem_freep) char *file = path_of(dir, interesting_file_name(test));
    CLEANUP(str_release) Str program = {0}, jobs = {0}, text = {0};
    if (interesting_file_count(test) > 1)
        return error_set(err, "the bug needs several files, which %s cannot be given; leave out --with", options->with);
    if (!path_find_program(options->with, &program, err) || !dir_make(dir, err) || !external_write(test, dir, err))
        return false;
    str_printf(&jobs, "%zu", MAX_OF(options->jobs, (size_t)1));
    const char *const command[] = {str_text(&program),          "--n", str_text(&jobs), "./test.sh",
                                   interesting_file_name(test), NULL};
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
    interesting_set_text(test, &text);
    return true;
}
