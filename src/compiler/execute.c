#include "compiler/execute.h"

#include <ctype.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "compiler/identify.h"
#include "compiler/signature.h"

ExecuteOptions execute_defaults(void) {
    return (ExecuteOptions){
        .compile_limits = {.wall_ms = 60000,
                           .cpu_ms = 30000,
                           .memory_bytes = (uint64_t)4 << 30,
                           .file_bytes = (uint64_t)1 << 30,
                           .processes = 64},
        .run_limits = {.wall_ms = 20000,
                       .cpu_ms = 10000,
                       .memory_bytes = (uint64_t)1 << 30,
                       .file_bytes = (uint64_t)64 << 20,
                       .processes = 16},
    };
}

bool compiler_run(Runner *runner, const char *dir, const StrList *command, const CompilerRun *options,
                  ProcResult *ret_result, Error *err) {
    static const CompilerRun plain;
    options = options ? options : &plain;
    CLEANUP(mem_freep) char *tmp = path_of(dir, "tmp");
    CLEANUP(strlist_release) StrList env = {0}, writable = {0};
    mkdir(tmp, 0700);
    strlist_addf(&env, "TMPDIR=%s", tmp);
    strlist_add(&env, "LC_ALL=C");
    for (const char *const *variable = options->env; variable && *variable; variable++)
        strlist_add(&env, *variable);
    strlist_add(&writable, "/tmp"); /* some compilers ignore TMPDIR */
    for (const char *const *path = options->writable; path && *path; path++)
        strlist_add(&writable, *path);
    /* pcc ignores TMPDIR, and leaves files in /tmp when it is killed: it gets a /tmp of its own. */
    bool ignores_tmpdir = compiler_family_of_name(command->items[0]) == FAMILY_PCC;
    ProcConfinement confinement = {.writable_dir = dir,
                                   .more_writable = (const char *const *)writable.items,
                                   .tmp_dir = ignores_tmpdir ? tmp : NULL,
                                   .no_network = true};
    ProcRequest request = {
        .argv = (const char *const *)command->items,
        .dir = dir,
        .env = (const char *const *)env.items,
        .no_randomisation = options->no_randomisation,
        .merge_output = options->merge_output,
        .limits = options->limits.wall_ms ? options->limits : execute_defaults().compile_limits,
        .confinement = &confinement,
    };
    return runner_run(runner, &request, ret_result, err) && result_is_sound(ret_result, err);
}

/* --- What an end means --- */

/* The kernel's own limit may strike before ours is seen; a driver then reports it in its words. */
static bool ran_out_of_time(const ProcResult *result) {
    return result->limit == PROC_LIMIT_WALL || result->limit == PROC_LIMIT_CPU || result->signal == SIGXCPU;
}

static bool says_out_of_memory(const char *text) {
    return strstr(text, "out of memory") || strstr(text, "memory exhausted") || strstr(text, "std::bad_alloc") ||
           strstr(text, "Killed signal terminated program") || strstr(text, "Cannot allocate memory") ||
           strstr(text, "cannot allocate memory");
}

const char *compiler_messages(const ProcResult *result) {
    return result->err.len > 0 ? str_text(&result->err) : str_text(&result->out);
}

bool result_is_sound(const ProcResult *result, Error *err) {
    static const char *const troubles[] = {"No space left on device", "Disk quota exceeded",
                                           "Resource temporarily unavailable", "Too many open files in system"};
    if (result->limit == PROC_LIMIT_CANCELLED)
        return error_set(err, "interrupted");
    for (size_t i = 0; result->exit_code != 0 && i < ARRAY_LEN(troubles); i++) {
        if (strstr(compiler_messages(result), troubles[i]))
            return error_set(err,
                             "the machine is in trouble: \"%s\"; free some space, or set CULPRIT_SCRATCH to a "
                             "directory with room",
                             troubles[i]);
    }
    return true;
}

Verdict verdict_of_compile(const ProcResult *result) {
    if (ran_out_of_time(result))
        return VERDICT_HANG;
    if (result->limit == PROC_LIMIT_MEMORY)
        return VERDICT_OUT_OF_MEMORY;
    if (result->exit_code == 0)
        return VERDICT_OK;
    if (strstr(compiler_messages(result), "CPU time limit exceeded"))
        return VERDICT_HANG;
    /* Nobody but the kernel, short of memory, sends a compiler SIGKILL. */
    if (result->signal == SIGKILL || says_out_of_memory(compiler_messages(result)))
        return VERDICT_OUT_OF_MEMORY;
    return signature_is_crash(compiler_messages(result), result->signal) ? VERDICT_CRASH : VERDICT_REJECTS_VALID;
}

Verdict verdict_of_run(const ProcResult *result, bool sanitized) {
    if (ran_out_of_time(result))
        return VERDICT_RUN_HANG;
    const char *text = str_text(&result->err);
    if (sanitized &&
        (strstr(text, "runtime error: ") || strstr(text, "Sanitizer: ") || strstr(text, "Sanitizer:DEADLYSIGNAL")))
        return VERDICT_SANITIZER;
    return result->limit != PROC_LIMIT_NONE || result->signal != 0 ? VERDICT_RUN_CRASH : VERDICT_OK;
}

/* --- Steps --- */

/* Programs that report on themselves, by the command that builds them. */
static bool asks_for_sanitizer(const ExecuteStep *steps, size_t count) {
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; steps[i].kind == STEP_COMPILE && k < steps[i].command->len; k++) {
            if (str_starts(steps[i].command->items[k], "-fsanitize="))
                return true;
        }
    }
    return false;
}

/* Whether the step starts the file itself, and does not hand it to an emulator or interpreter. */
static bool starts_file(const ExecuteStep *step, const char *file) {
    return step->kind == STEP_RUN && str_equal(path_name(step->command->items[0]), path_name(file));
}

static bool is_program(const char *path) {
    char magic[4] = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool readable = read(fd, magic, sizeof magic) == sizeof magic;
    close(fd);
    return readable && (memcmp(magic, "\177ELF", 4) == 0 || memcmp(magic, "#!", 2) == 0) && access(path, X_OK) == 0;
}

/* Whether the step, which succeeded, left what it must; `next` is the step that follows, or NULL. */
static bool left_result(const char *dir, const ExecuteStep *step, const ExecuteStep *next) {
    if (!step->makes)
        return true;
    CLEANUP(mem_freep) char *path = path_of(dir, step->makes);
    return next && starts_file(next, step->makes) ? is_program(path) : file_exists(path);
}

/* Runs a compiler or a back end; messages are added to those of earlier steps. */
static bool compile_step(Runner *runner, const char *dir, const ExecuteStep *step, const ExecuteOptions *options,
                         Execution *execution, Error *err) {
    bool codegen = step->kind == STEP_CODEGEN;
    ProcResult *result = &execution->compile;
    CLEANUP(str_release) Str earlier = result->err;
    result->err = (Str){0};
    if (!codegen) {
        strlist_clear(&execution->compile_cmd);
        strlist_add_all(&execution->compile_cmd, step->command);
    }
    CompilerRun run = {.limits = options->compile_limits,
                       .env = options->compile_env,
                       .writable = options->compile_writable,
                       .no_randomisation = options->no_randomisation};
    if (!compiler_run(runner, dir, step->command, &run, result, err))
        return error_context(err, "cannot run %s", step->command->items[0]);
    execution->compile_us += result->user_us + result->system_us;
    execution->verdict = verdict_of_compile(result);
    if (codegen && execution->verdict != VERDICT_OK)
        execution->verdict = VERDICT_CODEGEN;
    if (earlier.len > 0)
        str_insert(&result->err, 0, earlier.data, earlier.len);
    return true;
}

static bool run_step(Runner *runner, const char *dir, const ExecuteStep *step, bool emulated, bool sanitized,
                     const ExecuteOptions *options, Execution *execution, Error *err) {
    CLEANUP(mem_freep) char *tmp = path_of(dir, "tmp");
    CLEANUP(strlist_release) StrList env = {0};
    strlist_addf(&env, "TMPDIR=%s", tmp); /* emulators keep files there: valgrind does not start without */
    for (const char *const *variable = options->run_env; variable && *variable; variable++)
        strlist_add(&env, *variable);
    ProcConfinement confinement = {.writable_dir = tmp, .no_network = true};
    ProcRequest request = {
        .argv = (const char *const *)step->command->items,
        .dir = dir,
        .env = (const char *const *)env.items,
        .no_randomisation = sanitized, /* older sanitizers clash with the address ranges of newer kernels */
        .limits = options->run_limits,
        .confinement = &confinement,
    };
    request.limits.sanitized |= sanitized || emulated; /* emulators reserve the guest's address space */
    strlist_add_all(&execution->run_cmd, step->command);
    if (!runner_run(runner, &request, &execution->run, err) || !result_is_sound(&execution->run, err))
        return error_context(err, "cannot run the program that %s made", execution->compile_cmd.items[0]);
    execution->ran = true;
    execution->run_us += execution->run.user_us + execution->run.system_us;
    execution->verdict = verdict_of_run(&execution->run, sanitized);
    return true;
}

bool execute(Runner *runner, const char *dir, const ExecuteStep *steps, size_t count, const ExecuteOptions *options,
             Execution *ret_execution, Error *err) {
    execution_release(ret_execution);
    CLEANUP(mem_freep) char *tmp = path_of(dir, "tmp");
    bool sanitized = asks_for_sanitizer(steps, count);
    const char *made = NULL;
    mkdir(tmp, 0700);
    for (size_t i = 0; i < count && ret_execution->verdict == VERDICT_OK; i++) {
        const ExecuteStep *step = &steps[i];
        if (step->makes) {
            CLEANUP(mem_freep) char *path = path_of(dir, step->makes);
            unlink(path); /* or an old one would be taken for the new one */
            made = step->makes;
        }
        bool emulated = step->kind == STEP_RUN && !(made && starts_file(step, made));
        if (step->kind == STEP_RUN ? !run_step(runner, dir, step, emulated, sanitized, options, ret_execution, err)
                                   : !compile_step(runner, dir, step, options, ret_execution, err))
            return false;
        if (ret_execution->verdict == VERDICT_OK && !left_result(dir, step, i + 1 < count ? step + 1 : NULL)) {
            ret_execution->verdict = step->kind == STEP_CODEGEN ? VERDICT_CODEGEN : VERDICT_REJECTS_VALID;
            str_append(&ret_execution->compile.err,
                       "error: the compiler reported success, but left no program that can be started\n");
        }
    }
    return true;
}

void execution_release(Execution *execution) {
    strlist_release(&execution->compile_cmd);
    strlist_release(&execution->run_cmd);
    proc_result_release(&execution->compile);
    proc_result_release(&execution->run);
    *execution = (Execution){0};
}
