#include "judge/script.h"

#include <string.h>

#include "compiler/signature.h"
#include "judge/failure.h"

static bool runs_program(const Script *script) {
    return !verdict_is_compile_time(script->verdict) && script->verdict != VERDICT_OK;
}

static bool has_words(const StrList *command) { return command && command->len; }

/* The program with what lies in the working directory in place of the original: that is where reducers put variants. */
static const char copy_of_bug[] =
    "here=$(cd \"$(dirname \"$0\")\" && pwd) || exit 125\n"
    "tmp=$(mktemp -d) || exit 125\n"
    "trap 'rm -rf \"$tmp\"' EXIT\n"
    "trap 'exit 125' HUP INT TERM\n"
    "\n"
    "# The program, with what lies in the working directory in place of the original: that is where reducers put "
    "variants.\n"
    "cp -R \"$here/%s\" \"$tmp/\"\n"
    "for file in \"$tmp\"/%s%s; do\n"
    "    name=${file##*/}\n"
    "    if [ \"$PWD\" != \"$here\" ] && [ -f \"$name\" ]; then cp \"$name\" \"$file\"; fi\n"
    "done\n"
    "cd \"$tmp\" || exit 125\n"
    "command -v \"$CC\" >/dev/null || { echo \"$CC is not installed\" >&2; exit 125; }\n";

/* --- The vocabulary --- */

/* Compilers say in words that they died; a driver may add what became of the process it ran. */
static void append_crash_function(Str *text) {
    static const char *const drivers[] = {"terminated by signal", "due to signal", "Segmentation fault"};
    const char *word;
    str_append(text, "# Whether the compiler died, and did not merely refuse the program.\n"
                     "crashed() {\n"
                     "    [ $status -ge 128 ] && return 0\n"
                     "    grep -q -F");
    for (size_t i = 0; i < ARRAY_LEN(drivers); i++)
        str_printf(text, " -e '%s'", drivers[i]);
    for (size_t i = 0; (word = signature_crash_word(i)); i++) {
        str_append(text, i % 4 ? " -e " : " \\\n        -e ");
        str_append_shell(text, word);
    }
    str_append(text, " log\n}\n");
}

/* run_difference in shell: bytes, or within a tolerance the first line exactly and then "name value". */
static void append_comparison(double tolerance, Str *text) {
    if (tolerance <= 0) {
        str_append(text, "same_output() { cmp -s \"$1\" \"$2\"; }\n");
        return;
    }
    str_printf(
        text,
        "# same_output RIGHT OTHER: floating-point values, behind their names, may differ by this share.\n"
        "same_output() {\n"
        "    awk -v share=%g 'NR == FNR { lines = FNR; right[FNR] = $0; next }\n"
        "        { split(right[FNR], part); others = FNR; apart = $2 - part[2]; limit = share * part[2] }\n"
        "        FNR == 1 ? $0 != right[1] : $1 != part[1] || NF != 2 || apart * apart > limit * limit { wrong = 1 }\n"
        "        END { exit wrong || lines != others }' \"$1\" \"$2\"\n"
        "}\n",
        tolerance);
}

static void append_functions(const Script *script, Str *text) {
    str_append(text, "\n# compile COMMAND…: its messages in log, and $status; 124 after a time-out.\n"
                     "compile() { timeout -k 1 $compile_seconds \"$@\" >log 2>&1; status=$?; return $status; }\n");
    if (runs_program(script) || has_words(script->codegen_cmd) || has_words(script->front_cmd))
        str_append(text, "# make_file FILE COMMAND…: the same; $status is 1 if no FILE is left.\n"
                         "make_file() {\n"
                         "    file=$1; shift; rm -f \"$file\"\n"
                         "    compile \"$@\" && { [ -f \"$file\" ] || status=1; }\n"
                         "    return $status\n"
                         "}\n");
    if (script->words && script->words->len)
        str_append(text, "# says WORDS: whether the compiler said them.\nsays() { grep -q -F -e \"$1\" log; }\n");
    if (script->verdict == VERDICT_CRASH || script->verdict == VERDICT_INVALID_IR)
        append_crash_function(text);
    if (runs_program(script))
        str_append(text, "# answer NAME COMMAND…: what the program prints in NAME.out, how it ends in NAME.status.\n"
                         "answer() { name=$1; shift; timeout -k 1 $run_seconds \"$@\" >$name.out 2>/dev/null; echo $? "
                         ">$name.status; }\n");
    if (runs_program(script) || script->guards)
        append_comparison(script->tolerance, text);
    str_append_char(text, '\n');
}

/* A bug directory's script has "$CC" in place of the failing compiler. */
static void append_command(const Script *script, const StrList *command, Str *text) {
    for (size_t i = 0; i < command->len; i++) {
        str_append(text, i ? " " : "");
        if (i == 0 && script->program && command == script->fail_cmd)
            str_append(text, "\"$CC\"");
        else
            str_append_shell(text, command->items[i]);
    }
}

static void append_program(const Script *script, Str *text) {
    if (has_words(script->run_cmd)) {
        append_command(script, script->run_cmd, text);
    } else {
        str_append(text, "./");
        str_append_shell(text, command_output(has_words(script->codegen_cmd) ? script->codegen_cmd : script->fail_cmd));
    }
}

static void append_make_file(const Script *script, const StrList *command, Str *text) {
    str_append(text, "make_file ");
    str_append_shell(text, command_output(command));
    str_append_char(text, ' ');
    append_command(script, command, text);
}

/* fail_cmd or pass_cmd, and the back end on what it left. */
static void append_build(const Script *script, const StrList *command, Str *text) {
    append_make_file(script, command, text);
    if (has_words(script->codegen_cmd)) {
        str_append(text, " &&\n    ");
        append_make_file(script, script->codegen_cmd, text);
    }
}

/* --- The test --- */

static void append_compile_failure(const Script *script, Str *text) {
    bool limited = script->verdict == VERDICT_OUT_OF_MEMORY && script->memory_bytes;
    bool codegen = script->verdict == VERDICT_CODEGEN && has_words(script->codegen_cmd);
    if (codegen) {
        append_make_file(script, script->fail_cmd, text);
        str_append(text, " || exit 1\n");
    }
    if (limited) /* in a process of its own: the limit is not for what follows */
        str_printf(text, "( ulimit -v %llu; ", (unsigned long long)(script->memory_bytes / 1024));
    str_append(text, "compile ");
    append_command(script, codegen ? script->codegen_cmd : script->fail_cmd, text);
    str_append(text, limited ? "; exit $status ); status=$?\n" : "\n");
    switch (script->verdict) {
    case VERDICT_HANG: str_append(text, "[ $status -eq 124 ] || exit 1\n"); break;
    case VERDICT_INVALID_IR:
    case VERDICT_CRASH: str_append(text, "[ $status -ne 124 ] && crashed || exit 1\n"); break;
    default: /* out of memory, rejects valid code, code generation */
        str_append(text, "[ $status -ne 0 ] && [ $status -ne 124 ] || exit 1\n");
    }
    for (size_t i = 0; script->words && i < script->words->len; i++) {
        str_append(text, "says ");
        str_append_shell(text, script->words->items[i]);
        str_append(text, " || exit 1\n");
    }
    if (script->pass_cmd->len) {
        if (codegen) {
            append_build(script, script->pass_cmd, text);
        } else {
            str_append(text, "compile ");
            append_command(script, script->pass_cmd, text);
        }
        str_append(text, " || exit 1 # not a valid program\n");
    }
}

/* Both compile, the reference ends by itself (134: abort), and the runs differ. */
static void append_wrong_run(const Script *script, Str *text) {
    append_build(script, script->fail_cmd, text);
    str_append(text, " || exit 1\nanswer wrong ");
    append_program(script, text);
    if (script->pass_cmd->len) {
        str_append_char(text, '\n');
        append_build(script, script->pass_cmd, text);
        str_append(text, " || exit 1\nanswer right ");
        append_program(script, text);
        str_append(text, "\nread end <right.status; [ $end -lt 124 ] || [ $end -eq 134 ] || exit 1\n");
    } else {
        str_append(text, "\ncp \"$here/outputs/expected.txt\" right.out && echo 0 >right.status || exit 125\n");
    }
    if (!script->difference) {
        str_append(text, "! same_output right.out wrong.out || ! cmp -s right.status wrong.status || exit 1\n");
        return;
    }
    str_printf(text, "same_output right.out wrong.out %s exit 1\n",
               script->difference & DIFFERS_IN_OUTPUT ? "&&" : "||");
    str_printf(text, "cmp -s right.status wrong.status %s exit 1\n", script->difference & DIFFERS_IN_END ? "&&" : "||");
}

static void append_head(const Script *script, Str *text) {
    if (!script->program) {
        str_printf(text, "#!/bin/sh\n# Exits 0 while %s, in the directory this runs in, shows the same bug: %s.\n",
                   script->name, verdict_phrase(script->verdict));
        return;
    }
    const char *name = str_equal(script->program, "test") ? "repro.sh" : "repro-reduced.sh";
    str_printf(text,
               "#!/bin/sh\n"
               "# %s: exits 0 while %s, 1 where it does not, 125 where that cannot be told.\n"
               "# CC=other-compiler sh %s tries another one, as in\n"
               "#     git bisect run sh -c 'make || exit 125; CC=$PWD/build/gcc sh %s/%s'\n"
               "CC=${CC:-",
               script->id, verdict_phrase(script->verdict), name, script->id, name);
    str_append_shell(text, script->fail_cmd->items[0]);
    str_append(text, "}\n");
}

void script_render(const Script *script, Str *ret_text) {
    append_head(script, ret_text);
    str_printf(ret_text, "compile_seconds=%.3f\nrun_seconds=%.3f\nexport LC_ALL=C\n", (double)script->compile_ms / 1000,
               (double)script->run_ms / 1000);
    if (script->program)
        str_printf(ret_text, copy_of_bug, script->program, script->program, script->is_folder ? "/*" : "");
    append_functions(script, ret_text);
    if (has_words(script->front_cmd)) {
        append_make_file(script, script->front_cmd, ret_text);
        str_append(ret_text, " || exit 1 # not a valid program\n");
    }
    if (runs_program(script))
        append_wrong_run(script, ret_text);
    else
        append_compile_failure(script, ret_text);
    if (script->check_cmd && script->check_cmd->len) {
        str_append(ret_text, "compile ");
        append_command(script, script->check_cmd, ret_text);
        str_append(ret_text, " || exit 1\n");
    }
    if (script->guards)
        guard_script(script->guards, script->guard_options, script->name, ret_text);
    str_append(ret_text, "exit 0\n");
}

/* --- The Makefile --- */

/* make wants a dollar sign twice. */
static void append_recipe(const StrList *command, Str *text) {
    if (!has_words(command))
        return;
    CLEANUP(mem_freep) char *line = strlist_join_shell(command);
    str_append_char(text, '\t');
    for (const char *c = line; *c; c++)
        str_append(text, *c == '$' ? "$$" : (char[]){*c, '\0'});
    str_append_char(text, '\n');
}

static void append_target(const Script *script, const char *name, const StrList *command, Str *text) {
    str_printf(text, "%s:\n", name);
    append_recipe(script->front_cmd, text);
    append_recipe(command, text);
    append_recipe(script->codegen_cmd, text);
    if (runs_program(script)) {
        str_append(text, "\t-");
        append_program(script, text);
        str_append_char(text, '\n');
    }
    str_append_char(text, '\n');
}

void script_render_makefile(const Script *script, Str *ret_text) {
    str_printf(ret_text,
               "# %s\n#   make fail    what goes wrong\n#   make pass    the same as it should be\n"
               "#   make repro   succeeds while the bug reproduces\n\n.PHONY: fail pass repro clean\n",
               script->id);
    append_target(script, "fail", script->fail_cmd, ret_text);
    if (script->pass_cmd->len)
        append_target(script, "pass", script->pass_cmd, ret_text);
    else if (script->has_expected)
        str_append(ret_text, "pass:\n\tcat outputs/expected.txt\n\n");
    str_append(ret_text, "repro:\n\tsh ./repro.sh\n\nclean:\n\trm -f a.out\n");
}
