#include "judge/script.h"

#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "compiler/signature.h"

/* The parts of the script that are the same for all bugs. */
static const char prologue[] = "set -u\n"
                               "here=$(cd \"$(dirname \"$0\")\" && pwd) || exit 125\n"
                               "tmp=$(mktemp -d) || exit 125\n"
                               "trap 'rm -rf \"$tmp\"' EXIT\n"
                               "trap 'exit 125' HUP INT TERM\n"
                               "\n"
                               "# The program, with what lies in the working directory in place of the original: that "
                               "is where reducers put variants.\n"
                               "cp -R \"$here/%s\" \"$tmp/\"\n"
                               "for file in \"$tmp\"/%s; do\n"
                               "    name=${file##*/}\n"
                               "    if [ \"$PWD\" != \"$here\" ] && [ -f \"$name\" ]; then cp \"$name\" \"$file\"; fi\n"
                               "done\n"
                               "cd \"$tmp\" || exit 125\n"
                               "command -v \"$CC\" >/dev/null || { echo \"$CC is not installed\" >&2; exit 125; }\n"
                               "\n";

static const char functions[] = "# limit SECONDS COMMAND…: its status; 124 after a time-out.\n"
                                "limit() { seconds=$1; shift; timeout -k 1 \"$seconds\" \"$@\"; }\n"
                                "\n";

static const char compare_functions[] = "# answer COMMAND…: what the program prints, and how it ends.\n"
                                        "answer() { limit $run_seconds \"$@\" 2>/dev/null; echo \"status $?\"; }\n"
                                        "\n";

/* Compilers say in words that they died; a driver may add what became of the process it ran. */
static void append_crash_function(Str *str) {
    static const char *const drivers[] = {"terminated by signal", "due to signal", "Segmentation fault"};
    str_append(str, "# Whether the compiler died, and did not merely refuse the program.\n"
                    "crashed() {\n"
                    "    [ \"$1\" -ge 128 ] && return 0\n"
                    "    grep -q -F");
    for (size_t i = 0; i < ARRAY_LEN(drivers); i++)
        str_printf(str, " -e '%s'", drivers[i]);
    const char *word;
    for (size_t i = 0; (word = signature_crash_word(i)); i++) {
        str_append(str, i % 4 ? " -e " : " \\\n        -e ");
        str_append_shell(str, word);
    }
    str_append(str, " log\n}\n\n");
}

/* The command with "$CC" in place of the compiler's name. */
static void append_command(Str *str, const StrList *command, bool use_cc) {
    for (size_t i = 0; i < command->len; i++) {
        if (i)
            str_append_char(str, ' ');
        if (i == 0 && use_cc)
            str_append(str, "\"$CC\"");
        else
            str_append_shell(str, command->items[i]);
    }
}

static bool is_program_kind(Verdict verdict) {
    return verdict == VERDICT_WRONG_CODE || verdict == VERDICT_RUN_CRASH || verdict == VERDICT_RUN_HANG ||
           verdict == VERDICT_SANITIZER || verdict == VERDICT_FLAKY;
}

static void append_run(Str *str, const StrList *emulator) {
    for (size_t i = 0; emulator && i < emulator->len; i++) {
        str_append_shell(str, emulator->items[i]);
        str_append_char(str, ' ');
    }
    str_append(str, "./a.out");
}

static void append_compile_check(const Repro *repro, Str *text) {
    if (repro->pass_cmd->len) {
        str_append(text, "limit $compile_seconds ");
        append_command(text, repro->pass_cmd, false);
        str_append(text, " >/dev/null 2>&1 || exit 1 # not a valid program\n");
    }
    if (repro->verdict == VERDICT_OUT_OF_MEMORY && repro->memory_bytes)
        str_printf(text, "ulimit -v %llu\n", (unsigned long long)(repro->memory_bytes / 1024));
    str_append(text, "limit $compile_seconds ");
    append_command(text, repro->fail_cmd, true);
    str_append(text, " >log 2>&1\nstatus=$?\n");
    switch (repro->verdict) {
    case VERDICT_HANG: str_append(text, "[ $status -eq 124 ]\n"); break;
    case VERDICT_CRASH:
        str_append(text, "[ $status -ne 124 ] && crashed $status");
        if (repro->message) {
            str_append(text, " && grep -q -F -e ");
            str_append_shell(text, repro->message);
            str_append(text, " log");
        }
        str_append(text, "\n");
        break;
    default: /* out of memory, rejects valid code */ str_append(text, "[ $status -ne 0 ] && [ $status -ne 124 ]\n");
    }
}

static void append_run_check(const Repro *repro, Str *text) {
    if (repro->pass_cmd->len) {
        str_append(text, "limit $compile_seconds ");
        append_command(text, repro->pass_cmd, false);
        str_append(text, " >/dev/null 2>&1 || exit 1\nanswer ");
        append_run(text, repro->emulator);
        str_append(text, " >right\n");
    } else {
        str_append(text, "{ cat \"$here/outputs/expected.txt\"; echo 'status 0'; } >right\n");
    }
    str_append(text, "limit $compile_seconds ");
    append_command(text, repro->fail_cmd, true);
    str_append(text, " >/dev/null 2>&1 || exit 1\nanswer ");
    append_run(text, repro->emulator);
    str_append(text, " >wrong\n! cmp -s right wrong\n");
}

void repro_script(const Repro *repro, Str *ret_text) {
    bool runs = is_program_kind(repro->verdict);
    const char *name = str_equal(repro->program, "test") ? "repro.sh" : "repro-reduced.sh";
    str_printf(ret_text,
               "#!/bin/sh\n"
               "# %s: exits 0 while %s, 1 where it does not, 125 where that cannot be told.\n"
               "# CC=other-compiler sh %s tries another one, as in\n"
               "#     git bisect run sh -c 'make || exit 125; CC=$PWD/build/gcc sh %s/%s'\n",
               repro->id, verdict_phrase(repro->verdict), name, repro->id, name);
    str_append(ret_text, "CC=${CC:-");
    str_append_shell(ret_text, repro->fail_cmd->items[0]);
    str_printf(ret_text, "}\ncompile_seconds=%lld\nrun_seconds=%lld\n", (long long)repro->compile_s,
               (long long)repro->run_s);
    CLEANUP(str_release) Str files = {0};
    str_printf(&files, "%s%s", repro->program, repro->is_folder ? "/*" : "");
    str_printf(ret_text, prologue, repro->program, str_text(&files));
    str_append(ret_text, functions);
    if (repro->verdict == VERDICT_CRASH)
        append_crash_function(ret_text);
    if (runs)
        str_append(ret_text, compare_functions);
    if (runs)
        append_run_check(repro, ret_text);
    else
        append_compile_check(repro, ret_text);
}

/* Makefile: a dollar sign is written twice. */
static void append_recipe(Str *str, const StrList *command) {
    CLEANUP(mem_freep) char *line = strlist_join_shell(command);
    for (const char *c = line; *c; c++)
        str_append_n(str, *c == '$' ? "$$" : c, *c == '$' ? 2 : 1);
}

static void append_target(Str *str, const char *name, const StrList *command, const Repro *repro) {
    str_printf(str, "%s:\n\t", name);
    append_recipe(str, command);
    if (is_program_kind(repro->verdict)) {
        str_append(str, "\n\t-");
        append_run(str, repro->emulator);
    }
    str_append(str, "\n\n");
}

void repro_makefile(const Repro *repro, Str *ret_text) {
    str_printf(ret_text,
               "# %s\n#   make fail    what goes wrong\n#   make pass    the same as it should be\n"
               "#   make repro   succeeds while the bug reproduces\n\n.PHONY: fail pass repro clean\n",
               repro->id);
    append_target(ret_text, "fail", repro->fail_cmd, repro);
    if (repro->pass_cmd->len)
        append_target(ret_text, "pass", repro->pass_cmd, repro);
    else if (repro->has_expected)
        str_append(ret_text, "pass:\n\tcat outputs/expected.txt\n\n");
    str_append(ret_text, "repro:\n\tsh ./repro.sh\n\nclean:\n\trm -f a.out\n");
}

const char *repro_message(const char *messages, int signal, Arena *arena) {
    Signature signature;
    if (!signature_extract(messages, signal, arena, &signature))
        return NULL;
    return signature.message && strstr(messages, signature.message) ? signature.message : NULL;
}

bool repro_write_script(const Repro *repro, const char *path, Error *err) {
    CLEANUP(str_release) Str script = {0};
    repro_script(repro, &script);
    return file_write(path, script.data, script.len, err) &&
           (chmod(path, 0755) == 0 || error_errno(err, "cannot make %s executable", path));
}

bool repro_write_reduced(const Bug *original, Error *err) {
    const Bug bug = bug_smallest(original);
    CLEANUP(arena_release) Arena arena = {0};
    CLEANUP(str_release) Str messages = {0};
    CLEANUP(strlist_release) StrList sources = {0};
    CLEANUP(mem_freep) char *path = path_of(bug.dir, BUG_REDUCED_SCRIPT);
    CLEANUP(mem_freep) char *output = path_of(bug.dir, BUG_MESSAGES);
    bug_sources(&bug, &sources);
    if (!bug_is_reduced(original) || !sources.len)
        return true;
    if (file_exists(output) && !file_read(output, &messages, err))
        return false;
    const ExecuteOptions limits = execute_defaults();
    StrList emulator = bug.run_cmd; /* borrows; the program's name stands last */
    emulator.len -= emulator.len > 0;
    Repro repro = {
        .id = bug.id,
        .verdict = bug.kind,
        .program = sources.len > 1 ? BUG_REDUCED : sources.items[0],
        .is_folder = sources.len > 1,
        .fail_cmd = &bug.fail_cmd,
        .pass_cmd = &bug.pass_cmd,
        .emulator = &emulator,
        .message = bug.kind == VERDICT_CRASH ? repro_message(str_text(&messages), 0, &arena) : NULL,
        .compile_s = MAX_OF(limits.compile_limits.wall_ms / 1000, 1),
        .run_s = MAX_OF(limits.run_limits.wall_ms / 1000, 1),
        .memory_bytes = limits.compile_limits.memory_bytes,
    };
    return repro_write_script(&repro, path, err);
}
