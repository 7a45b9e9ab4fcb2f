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

static const char *messages(const ProcResult *result) {
    return result->err.len > 0 ? str_text(&result->err) : str_text(&result->out);
}

bool result_is_sound(const ProcResult *result, Error *err) {
    static const char *const troubles[] = {"No space left on device", "Disk quota exceeded",
                                           "Resource temporarily unavailable", "Too many open files in system"};
    if (result->limit == PROC_LIMIT_CANCELLED)
        return error_set(err, "interrupted");
    for (size_t i = 0; result->exit_code != 0 && i < ARRAY_LEN(troubles); i++) {
        if (strstr(messages(result), troubles[i]))
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
    if (strstr(messages(result), "CPU time limit exceeded"))
        return VERDICT_HANG;
    /* Nobody but the kernel, short of memory, sends a compiler SIGKILL. */
    if (result->signal == SIGKILL || says_out_of_memory(messages(result)))
        return VERDICT_OUT_OF_MEMORY;
    return signature_is_crash(messages(result), result->signal) ? VERDICT_CRASH : VERDICT_REJECTS_VALID;
}

static bool has_sanitizer_report(const char *text) {
    return strstr(text, "runtime error: ") || strstr(text, "Sanitizer: ") || strstr(text, "Sanitizer:DEADLYSIGNAL");
}

Verdict verdict_of_run(const ProcResult *result, bool sanitized) {
    if (ran_out_of_time(result))
        return VERDICT_RUN_HANG;
    if (sanitized && has_sanitizer_report(str_text(&result->err)))
        return VERDICT_SANITIZER;
    return result->limit != PROC_LIMIT_NONE || result->signal != 0 ? VERDICT_RUN_CRASH : VERDICT_OK;
}

bool run_equal(const ProcResult *a, const ProcResult *b) {
    return a->exit_code == b->exit_code && a->signal == b->signal && a->limit == b->limit && a->out.len == b->out.len &&
           (a->out.len == 0 || memcmp(a->out.data, b->out.data, a->out.len) == 0);
}

/* --- Steps --- */

/* What the steps of one execution share. */
typedef struct Steps {
    Runner *runner;
    const Program *program;
    const char *dir, *tag;
    const Config *config;
    const ExecuteOptions *options;
    Execution *execution;
    StrList objects; /* names in dir */
} Steps;

static void steps_release(Steps *steps) {
    for (size_t i = 0; i < steps->objects.len; i++) {
        CLEANUP(mem_freep) char *path = path_of(steps->dir, steps->objects.items[i]);
        unlink(path);
    }
    strlist_release(&steps->objects);
}

/* Options that every compile step gets. Unknown compilers are spared those that they may not know. */
static void add_common(StrList *command, const Program *program, const Config *config, const ExecuteOptions *options) {
    config_command(config, command);
    if (config->compiler->family != FAMILY_OTHER) {
        strlist_add(command, "-w");
        if (program->standard)
            strlist_addf(command, "-std=%s", program->standard);
    }
    if (options->extra_flags)
        strlist_add_all(command, options->extra_flags);
}

static bool asks_for_sanitizer(const StrList *flags) {
    for (size_t i = 0; flags && i < flags->len; i++) {
        if (str_starts(flags->items[i], "-fsanitize="))
            return true;
    }
    return false;
}

/* Runs one step of the compiler; its messages are added to those of earlier steps. */
static bool compile_step(Steps *steps, const StrList *command, Error *err) {
    Execution *execution = steps->execution;
    CLEANUP(mem_freep) char *line = strlist_join_shell(command);
    CLEANUP(str_release) Str earlier = execution->compile.err;
    execution->compile.err = (Str){0};
    strlist_add(&execution->commands, line);
    CompilerRun run = {.limits = steps->options->compile_limits};
    if (!compiler_run(steps->runner, steps->dir, command, &run, &execution->compile, err))
        return error_context(err, "cannot run %s", steps->config->name);
    execution->compile_us += execution->compile.user_us + execution->compile.system_us;
    execution->verdict = verdict_of_compile(&execution->compile);
    if (earlier.len > 0)
        str_insert(&execution->compile.err, 0, earlier.data, earlier.len);
    return true;
}

static bool compile_sources(Steps *steps, Error *err) {
    const Program *program = steps->program;
    for (size_t i = 0; i < program->files.len && steps->execution->verdict == VERDICT_OK; i++) {
        if (!program_is_source(program->files.items[i].name))
            continue;
        CLEANUP(strlist_release) StrList command = {0};
        add_common(&command, program, steps->config, steps->options);
        strlist_add(&command, "-c");
        strlist_add(&command, program->files.items[i].name);
        strlist_addf(&steps->objects, "%s-%zu.o", steps->tag, i);
        strlist_add(&command, "-o");
        strlist_add(&command, steps->objects.items[steps->objects.len - 1]);
        if (!compile_step(steps, &command, err))
            return false;
    }
    return true;
}

static bool link_objects(Steps *steps, const char *program_name, Error *err) {
    CLEANUP(strlist_release) StrList command = {0};
    add_common(&command, steps->program, steps->config, steps->options);
    strlist_add_all(&command, &steps->objects);
    strlist_add(&command, "-o");
    strlist_add(&command, program_name);
    if (steps->options->link_flags)
        strlist_add_all(&command, steps->options->link_flags);
    return compile_step(steps, &command, err);
}

/* In a matrix of native and cross compilers the emulator of another machine is not for the native ones; one that stands
 * in for this machine (an instruction-set emulator, valgrind) is. */
static const StrList *emulator_of(const Steps *steps) {
    const StrList *emulator = steps->options->emulator;
    if (!emulator || emulator->len == 0)
        return NULL;
    bool other_machine = str_starts(path_name(emulator->items[0]), "qemu-");
    return steps->config->compiler->cross || !other_machine ? emulator : NULL;
}

/* A compiler that succeeds without leaving a program has not compiled it: that is the program's failure to run, not
 * the machine's. */
static bool is_program(const char *path) {
    char magic[4] = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool readable = read(fd, magic, sizeof magic) == sizeof magic;
    close(fd);
    return readable && (memcmp(magic, "\177ELF", 4) == 0 || memcmp(magic, "#!", 2) == 0) && access(path, X_OK) == 0;
}

static bool start_program(Steps *steps, const StrList *command, Error *err) {
    Execution *execution = steps->execution;
    CLEANUP(mem_freep) char *tmp = path_of(steps->dir, "tmp");
    bool sanitized = asks_for_sanitizer(&steps->config->flags) || asks_for_sanitizer(steps->options->extra_flags);
    ProcConfinement confinement = {.writable_dir = tmp, .no_network = true};
    ProcRequest request = {
        .argv = (const char *const *)command->items,
        .dir = steps->dir,
        .env = steps->options->run_env,
        .no_randomisation = sanitized, /* older sanitizers clash with the address ranges of newer kernels */
        .limits = steps->options->run_limits,
        .confinement = &confinement,
    };
    request.limits.sanitized |= sanitized || emulator_of(steps); /* emulators reserve the guest's address space */
    if (!runner_run(steps->runner, &request, &execution->run, err) || !result_is_sound(&execution->run, err))
        return error_context(err, "cannot run the program that %s made", steps->config->name);
    execution->ran = true;
    execution->run_us = execution->run.user_us + execution->run.system_us;
    execution->verdict = verdict_of_run(&execution->run, sanitized);
    return true;
}

static bool run_program(Steps *steps, const char *program_name, Error *err) {
    Execution *execution = steps->execution;
    const StrList *emulator = emulator_of(steps);
    CLEANUP(mem_freep) char *path = path_of(steps->dir, program_name);
    CLEANUP(strlist_release) StrList command = {0};
    if (emulator)
        strlist_add_all(&command, emulator);
    strlist_addf(&command, "./%s", program_name);
    CLEANUP(mem_freep) char *line = strlist_join_shell(&command);
    strlist_add(&execution->commands, line);
    bool ok = true;
    if (emulator ? file_exists(path) : is_program(path)) {
        ok = start_program(steps, &command, err);
    } else {
        execution->verdict = VERDICT_RUN_CRASH;
        execution->run.exit_code = 127;
        str_append(&execution->run.err, "the compiler reported success, but left no program that can be started\n");
    }
    unlink(path);
    return ok;
}

bool execute(Runner *runner, const Program *program, const char *dir, const char *tag, const Config *config,
             const ExecuteOptions *options, Execution *ret_execution, Error *err) {
    execution_release(ret_execution);
    ret_execution->config = config;
    CLEANUP(steps_release) Steps steps = {runner, program, dir, tag, config, options, ret_execution, {0}};
    CLEANUP(mem_freep) char *tmp = path_of(dir, "tmp");
    CLEANUP(str_release) Str name = {0};
    str_printf(&name, "%s.exe", tag);
    mkdir(tmp, 0700);
    if (config->compiler->cross && !options->compile_only && !(options->emulator && options->emulator->len > 0))
        return error_set(err,
                         "programs of %s do not run on this machine; give an emulator, as in "
                         "--run \"qemu-aarch64 -L /usr/aarch64-linux-gnu\"",
                         config->name);
    if (!compile_sources(&steps, err))
        return false;
    if (options->compile_only || ret_execution->verdict != VERDICT_OK)
        return true;
    if (!link_objects(&steps, str_text(&name), err))
        return false;
    return ret_execution->verdict != VERDICT_OK || run_program(&steps, str_text(&name), err);
}

void execution_release(Execution *execution) {
    strlist_release(&execution->commands);
    proc_result_release(&execution->compile);
    proc_result_release(&execution->run);
    *execution = (Execution){0};
}

void execute_one_command(const Program *program, const Config *config, const ExecuteOptions *options,
                         const char *out_name, StrList *ret_command) {
    add_common(ret_command, program, config, options);
    for (size_t i = 0; i < program->files.len; i++) {
        if (program_is_source(program->files.items[i].name))
            strlist_add(ret_command, program->files.items[i].name);
    }
    strlist_add(ret_command, "-o");
    strlist_add(ret_command, out_name);
    if (options->link_flags)
        strlist_add_all(ret_command, options->link_flags);
}
