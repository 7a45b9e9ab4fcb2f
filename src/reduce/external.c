#include "reduce/external.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

/* test.sh: the candidate lies in the directory that the tool runs it in. */
static bool write_test(const Bug *bug, const char *name, const ReduceOptions *options, const char *path, Error *err) {
    char self[4096];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    if (len < 0)
        return error_errno(err, "cannot tell culprit's own path");
    self[len] = '\0';
    CLEANUP(strlist_release) StrList command = {0};
    strlist_add(&command, self);
    strlist_split(&command, "reduce -q -j1", ' ');
    strlist_add(&command, bug->dir);
    strlist_add(&command, "--test");
    strlist_add(&command, name);
    if (options->no_guards)
        strlist_split(&command, "--guards none", ' ');
    CLEANUP(mem_freep) char *line = strlist_join_shell(&command);
    CLEANUP(str_release) Str script = {0};
    str_printf(&script, "#!/bin/sh\nexec %s\n", line);
    return file_write(path, script.data, script.len, err) &&
           (chmod(path, 0755) == 0 || error_errno(err, "cannot make %s executable", path));
}

bool external_reduce(const Bug *bug, const char *name, const ReduceOptions *options, Str *text, Error *err) {
    CLEANUP(mem_freep)
    char *work = path_of(bug->dir, "external"),
         *file = path_of(work, name), *test = path_of(work, "test.sh");
    CLEANUP(str_release) Str program = {0};
    if (!path_find_program(options->with, &program, err) || !dir_make(work, err) ||
        !file_write(file, str_text(text), text->len, err) || !write_test(bug, name, options, test, err))
        return false;
    CLEANUP(strlist_release) StrList command = {0};
    strlist_add(&command, str_text(&program));
    strlist_addf(&command, "--n=%zu", MAX_OF(options->jobs, (size_t)1));
    strlist_add(&command, test);
    strlist_add(&command, name);
    ProcRequest request = {
        .argv = (const char *const *)command.items, .dir = work, .limits = {.wall_ms = options->time_ms}};
    if (str_equal(options->with, "creduce"))
        request.argv = (const char *const[]){str_text(&program), "--n", "1", test, name, NULL};
    console_info(options->console, "%s at work; it shows no progress here", options->with);
    CLEANUP(runner_freep) Runner *runner = runner_new(err);
    CLEANUP(proc_result_release) ProcResult result = {0};
    if (!runner || !runner_run(runner, &request, &result, err))
        return false;
    if (!proc_ok(&result) && result.limit != PROC_LIMIT_WALL)
        return error_set(err, "%s failed: %.300s", options->with,
                         result.err.len ? str_text(&result.err) : str_text(&result.out));
    str_clear(text);
    return file_read(file, text, err);
}
