/* Finding the guards' compilers, by making each do what it is for, and telling which of a test's options they need. */
#include "judge/guard_tools.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "compiler/identify.h"
#include "proc/scratch.h"

/* A complaint is quoted by so many lines. */
#define QUOTED_LINES 3

/* Linking a sanitizer's library in costs more than compiling a small program; gold takes half the time of GNU ld. */
#define FAST_LINK " -fuse-ld=gold"

/* What each sanitizer is asked for. The checks sit in front of the operations, so no level of optimisation is needed;
 * float-cast-overflow is part of clang's "undefined" and separate in GCC. */
static const char *const tool_flags[TOOL_COUNT] = {
    [TOOL_GCC] = "-O0",
    [TOOL_CLANG] = "-O0",
    [TOOL_UBSAN] = "-O0 -fsanitize=undefined,float-cast-overflow -fno-sanitize-recover=all",
    [TOOL_ASAN] = "-O0 -g1 -fsanitize=address -fno-omit-frame-pointer",
    [TOOL_MSAN] = "-O0 -g1 -fsanitize=memory -fsanitize-memory-param-retval -fno-omit-frame-pointer",
    [TOOL_UBSAN_ASAN] = "-O0 -fsanitize=undefined,float-cast-overflow,address -fno-sanitize-recover=all",
};

const Config *tool_config(const GuardTools *tools, Tool tool) {
    return tools->configs[tool] < 0 ? NULL : &tools->matrix.configs.items[tools->configs[tool]];
}

bool tool_build_and_run(Runner *runner, const Program *program, const Config *config, const StrList *flags,
                        const char *dir, const ExecuteOptions *options, Execution *ret_execution, Error *err) {
    CLEANUP(strlist_release) StrList command = {0}, run = {0};
    const BuildOptions build = {.flags = flags, .makes = "guard"};
    const ExecuteStep steps[] = {{STEP_COMPILE, &command, build.makes}, {STEP_RUN, &run, NULL}};
    program_build_command(program, config, &build, &command);
    strlist_add(&run, "./guard");
    bool ok = execute(runner, dir, steps, ARRAY_LEN(steps), options, ret_execution, err);
    ret_execution->config = config;
    return ok;
}

/* Adds the command as the tool where it works: the sanitizer's library or the linker may be missing. */
static bool try_command(GuardTools *tools, Runner *runner, Tool tool, const char *command, const char *dir) {
    CLEANUP(program_release) Program program = {.language = tools->language};
    CLEANUP(execution_release) Execution execution = {0};
    if (!matrix_add(&tools->matrix, runner, tools->language, command, NULL))
        return false;
    static const char text[] = "int main(void) { return 0; }\n";
    program_add(&program, tools->language == LANGUAGE_CXX ? "try.cc" : "try.c", text, strlen(text));
    const ExecuteOptions options = execute_defaults();
    bool works = program_write(&program, dir, NULL) &&
                 tool_build_and_run(runner, &program, &vec_last(&tools->matrix.configs), NULL, dir, &options,
                                    &execution, NULL) &&
                 execution.ran && execution.verdict == VERDICT_OK;
    if (works)
        tools->configs[tool] = (int)tools->matrix.configs.len - 1;
    return works;
}

static bool try_tool(GuardTools *tools, Runner *runner, Tool tool, const char *compiler, const char *dir) {
    CLEANUP(str_release) Str command = {0};
    str_printf(&command, "%s %s", compiler, tool_flags[tool]);
    size_t plain_len = command.len;
    str_append(&command, FAST_LINK);
    if (try_command(tools, runner, tool, str_text(&command), dir))
        return true;
    str_truncate(&command, plain_len);
    return try_command(tools, runner, tool, str_text(&command), dir);
}

/* The newest compiler that has the tool, `first` before all others. */
static const char *find_tool(GuardTools *tools, Runner *runner, Tool tool, CompilerFamily family, const StrList *names,
                             const char *first, const char *dir) {
    if (first && try_tool(tools, runner, tool, first, dir))
        return first;
    for (size_t i = names->len; i-- > 0;) {
        const char *name = names->items[i];
        if (compiler_family_of_name(name) == family && !str_equal(name, first) &&
            try_tool(tools, runner, tool, name, dir))
            return name;
    }
    return NULL;
}

GuardTools *guard_tools_new(Runner *runner, Language language, Error *err) {
    CLEANUP(guard_tools_freep) GuardTools *tools = mem_zalloc(1, sizeof *tools);
    CLEANUP(scratch_release) Scratch scratch = {0};
    CLEANUP(strlist_release) StrList names = {0};
    CLEANUP(str_release) Str frama_c = {0};
    tools->language = language;
    memset(tools->configs, 0xff, sizeof tools->configs);
    if (!scratch_new(&scratch, err))
        return NULL;
    compiler_discover(language, &names);
    const char *dir = scratch.path;
    find_tool(tools, runner, TOOL_GCC, FAMILY_GCC, &names, NULL, dir);
    find_tool(tools, runner, TOOL_CLANG, FAMILY_CLANG, &names, NULL, dir);
    const char *clang = find_tool(tools, runner, TOOL_UBSAN, FAMILY_CLANG, &names, NULL, dir);
    find_tool(tools, runner, TOOL_MSAN, FAMILY_CLANG, &names, clang, dir);
    if (!find_tool(tools, runner, TOOL_ASAN, FAMILY_CLANG, &names, clang, dir))
        find_tool(tools, runner, TOOL_ASAN, FAMILY_GCC, &names, NULL, dir);
    find_tool(tools, runner, TOOL_UBSAN_ASAN, FAMILY_GCC, &names, NULL, dir);
    if (tools->configs[TOOL_UBSAN] < 0)
        find_tool(tools, runner, TOOL_UBSAN, FAMILY_GCC, &names, NULL, dir);
    tools->frama_c = language == LANGUAGE_C && path_find_program("frama-c", &frama_c, NULL);
    return TAKE(tools);
}

void guard_tools_free(GuardTools *tools) {
    if (!tools)
        return;
    matrix_release(&tools->matrix);
    free(tools);
}

/* --- Options --- */

/* Guards do not optimise, and compilers do not know each other's optimisations: only what changes the meaning stays. */
static bool changes_meaning(const char *flag) {
    static const char *const prefixes[] = {
        "-std",
        "-ansi",
        "-D",
        "-U",
        "-I",
        "-i",
        "-m",
        "-x",
        "-fwrapv",
        "-ftrapv",
        "-fsigned-",
        "-funsigned-",
        "-fshort-",
        "-fgnu",
        "-fms-",
        "-fgimple",
        "-fpermissive",
        "-fcommon",
        "-fno-common",
        "-fno-builtin",
        "-ffreestanding",
        "-fpack-struct",
        "-fexceptions",
        "-pthread",
        "-fopenmp",
    };
    return str_starts_any(flag, prefixes, ARRAY_LEN(prefixes));
}

static bool takes_value(const char *flag) {
    static const char *const flags[] = {"-D", "-U", "-I", "-x", "-include", "-imacros", "-isystem", "-idirafter"};
    return str_is_any(flag, flags, ARRAY_LEN(flags));
}

void meaningful_flags(const StrList *flags, StrList *ret_flags) {
    for (size_t i = 0; flags && i < flags->len; i++) {
        if (!changes_meaning(flags->items[i]))
            continue;
        strlist_add(ret_flags, flags->items[i]);
        if (takes_value(flags->items[i]) && i + 1 < flags->len)
            strlist_add(ret_flags, flags->items[++i]);
    }
}

void quote_lines(Str *out, const char *text, const char *const *words) {
    size_t quoted = 0, len;
    for (const char *line; quoted < QUOTED_LINES && (line = str_next_line(&text, &len));) {
        for (const char *const *word = words; *word; word++) {
            if (memmem(line, len, *word, strlen(*word))) {
                str_printf(out, "%s%.*s", quoted++ ? "\n" : "", (int)len, line);
                break;
            }
        }
    }
}

/* *ret_error is what the compiler says against an empty program with these flags, empty if it takes them. */
static bool ask_about_flags(Runner *runner, const Config *config, const StrList *flags, const char *dir, Str *ret_error,
                            Error *err) {
    CLEANUP(strlist_release) StrList command = {0};
    CLEANUP(proc_result_release) ProcResult result = {0};
    const CompilerRun options = {.merge_output = true};
    config_command(config, &command);
    strlist_add_all(&command, flags);
    strlist_add(&command, "-fsyntax-only");
    strlist_add(&command, "-x");
    strlist_add(&command, language_name(config->compiler->language));
    strlist_add(&command, "/dev/null");
    if (!compiler_run(runner, dir, &command, &options, &result, err))
        return false;
    str_clear(ret_error);
    if (!proc_ok(&result))
        quote_lines(ret_error, str_text(&result.out), (const char *const[]){"error", NULL});
    return true;
}

bool guard_check_flags(const GuardTools *tools, Runner *runner, const StrList *flags, Error *err) {
    static const Tool asked[] = {TOOL_GCC, TOOL_CLANG};
    CLEANUP(scratch_release) Scratch scratch = {0};
    CLEANUP(strlist_release) StrList checked = {0};
    CLEANUP(str_release) Str error = {0};
    for (size_t i = 0; flags && i < flags->len; i++) {
        if (str_equal(flags->items[i], "-include") || str_equal(flags->items[i], "-imacros"))
            i++; /* the file is the program's, and may need what the program defines */
        else
            strlist_add(&checked, flags->items[i]);
    }
    if (checked.len == 0)
        return true;
    if (!scratch_new(&scratch, err))
        return false;
    CLEANUP(mem_freep) char *tmp = path_of(scratch.path, "tmp"), *line = strlist_join_shell(&checked);
    if (!dir_make(tmp, err))
        return false;
    bool refused = false;
    for (size_t i = 0; i < ARRAY_LEN(asked); i++) {
        const Config *config = tool_config(tools, asked[i]);
        if (!config)
            continue;
        if (!ask_about_flags(runner, config, &checked, scratch.path, &error, err))
            return false;
        if (error.len == 0)
            return true;
        refused = true;
    }
    return !refused || error_set(err, "no compiler of the guards takes the options %s; leave out what is wrong: %s",
                                 line, str_text(&error));
}
