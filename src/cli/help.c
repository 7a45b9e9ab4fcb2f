#include "cli/help.h"

#include <ctype.h>
#include <string.h>

#include "base/version.h"
#include "cli/options.h"

static const char description[] =
    "culprit finds compiler bugs, shrinks them, tells duplicates apart, and names the compiler's source files that "
    "cause them.";

enum { TEXT_WIDTH = 80 }; /* of help texts, and of the lines that the manual page is written in */

static const struct {
    int status;
    const char *meaning;
} exit_statuses[] = {
    {STATUS_OK, "success"},
    {STATUS_FINDINGS, "findings: bugs were stored, undefined behaviour was found, a bug reproduces"},
    {STATUS_USAGE, "usage: the command line itself is at fault"},
    {STATUS_FAILED, "failure: what was asked cannot be done, such as a path without a bug"},
    {STATUS_INTERRUPTED, "interrupted before anything could be stored"},
};

/* Appends paragraphs, which empty lines separate, filled anew: lines start at column `indent`, the first one at
 * `column`, where the text stands already. */
static void append_filled(Str *text, const char *plain, size_t indent, size_t column) {
    static const char space[] = " \n";
    const char *word = plain + strspn(plain, space);
    while (*word) {
        size_t len = strcspn(word, space), gap = strspn(word + len, space);
        bool ends_paragraph = gap > 1 && word[len] == '\n' && word[len + 1] == '\n';
        str_append_n(text, word, len);
        column += len;
        word += len + gap;
        if (*word && !ends_paragraph && column + 1 + strcspn(word, space) <= TEXT_WIDTH) {
            str_append_char(text, ' ');
            column++;
        } else {
            str_append(text, *word && ends_paragraph ? "\n\n" : "\n");
            if (*word)
                str_printf(text, "%*s", (int)indent, "");
            column = indent;
        }
    }
}

/* "-j, --jobs N" */
static void append_option_name(Str *text, const Option *option) {
    if (option->letter)
        str_printf(text, "-%c, ", option->letter);
    str_printf(text, "--%s", option->name);
    if (option->kind != OPTION_FLAG)
        str_printf(text, " %s", option->value);
}

static void append_options(Str *text, const Option *options) {
    enum { HELP_COLUMN = 30 };
    for (; options && options->name; options++) {
        size_t start = text->len;
        str_append(text, options->letter ? "  " : "      ");
        append_option_name(text, options);
        if (text->len - start + 2 > HELP_COLUMN) {
            str_append_char(text, '\n');
            start = text->len;
        }
        while (text->len - start < HELP_COLUMN)
            str_append_char(text, ' ');
        append_filled(text, options->help, HELP_COLUMN, HELP_COLUMN);
    }
}

void help_overview(Str *ret_text) {
    str_append(ret_text, "usage: culprit COMMAND [OPTIONS] …\n\n");
    append_filled(ret_text, description, 0, 0);
    const char *group = "";
    for (const Command *const *command = cli_commands; *command; command++) {
        if (!str_equal(group, (*command)->group))
            str_printf(ret_text, "\n%s\n", group = (*command)->group);
        str_printf(ret_text, "  %-10s %s\n", (*command)->name, (*command)->summary);
    }
    str_append(ret_text, "\nEvery command takes\n");
    append_options(ret_text, global_options);
    str_append(ret_text, "\n`culprit help COMMAND` explains a command, with examples. Start with: culprit hunt\n");
}

void help_command(const Command *command, Str *ret_text) {
    str_printf(ret_text, "usage: culprit %s%s%s\n\n%c%s.\n", command->name, *command->operands ? " " : "",
               command->operands, toupper((unsigned char)command->summary[0]), command->summary + 1);
    if (command->details) {
        str_append_char(ret_text, '\n');
        append_filled(ret_text, command->details, 0, 0);
    }
    if (command->options && command->options->name) {
        str_append(ret_text, "\nOptions\n");
        append_options(ret_text, command->options);
    }
    str_append(ret_text, "\nCommon options\n");
    append_options(ret_text, global_options);
    if (command->examples)
        str_printf(ret_text, "\nExamples\n%s", command->examples);
}

/* Troff takes a leading dot, backslashes and hyphens as its own, and makes typographic quotes, circumflexes and tildes
 * of ASCII ones, with which a command that is copied from the page would fail. An empty line ends a paragraph. */
static void append_troff(Str *text, const char *plain) {
    for (const char *at = plain; *at; at++) {
        bool line_start = at == plain || at[-1] == '\n';
        if (line_start && *at == '.')
            str_append(text, "\\&");
        if (line_start && *at == '\n')
            str_append(text, ".PP");
        switch (*at) {
        case '\\': str_append(text, "\\e"); break;
        case '-': str_append(text, "\\-"); break;
        case '\'': str_append(text, "\\(aq"); break;
        case '`': str_append(text, "\\(ga"); break;
        case '^': str_append(text, "\\(ha"); break;
        case '~': str_append(text, "\\(ti"); break;
        default: str_append_char(text, *at);
        }
    }
}

/* Paragraphs for troff to fill. */
static void append_man_text(Str *text, const char *plain) {
    CLEANUP(str_release) Str filled = {0};
    append_filled(&filled, plain, 0, 0);
    append_troff(text, str_text(&filled));
}

/* "\fB-j\fR, \fB--jobs\fR \fIN\fR" and the help below. */
static void append_man_options(Str *text, const Option *options) {
    for (; options && options->name; options++) {
        str_append(text, ".TP\n");
        if (options->letter)
            str_printf(text, "\\fB\\-%c\\fR, ", options->letter);
        str_append(text, "\\fB\\-\\-");
        append_troff(text, options->name);
        str_append(text, "\\fR");
        if (options->kind != OPTION_FLAG) {
            str_append(text, " \\fI");
            append_troff(text, options->value);
            str_append(text, "\\fR");
        }
        str_append_char(text, '\n');
        append_man_text(text, options->help);
    }
}

static void append_man_command(Str *text, const Command *command) {
    str_printf(text, ".SS culprit %s ", command->name);
    append_troff(text, command->operands);
    str_printf(text, "\n%c", toupper((unsigned char)command->summary[0]));
    append_troff(text, command->summary + 1);
    str_append(text, ".\n");
    if (command->details) {
        str_append(text, ".PP\n");
        append_man_text(text, command->details);
    }
    append_man_options(text, command->options);
    if (command->examples) {
        str_append(text, ".PP\nExamples:\n.PP\n.nf\n");
        append_troff(text, command->examples);
        str_append(text, ".fi\n");
    }
}

void help_man_page(Str *ret_text) {
    str_append(ret_text,
               ".TH CULPRIT 1 \"" CULPRIT_DATE "\" \"culprit " CULPRIT_VERSION "\" \"User Commands\"\n.nh\n.ad l\n"
               ".SH NAME\nculprit \\- find, shrink, tell apart and explain compiler bugs\n"
               ".SH SYNOPSIS\n.B culprit\n.I COMMAND\n[OPTIONS] ...\n.SH DESCRIPTION\n");
    append_man_text(ret_text, description);
    str_append(ret_text, ".SH COMMANDS\n");
    for (const Command *const *command = cli_commands; *command; command++)
        append_man_command(ret_text, *command);
    str_append(ret_text, ".SH COMMON OPTIONS\nEvery command takes these.\n");
    append_man_options(ret_text, global_options);
    str_append(ret_text, ".SH EXIT STATUS\n");
    for (size_t i = 0; i < ARRAY_LEN(exit_statuses); i++)
        str_printf(ret_text, ".TP\n.B %d\n%s\n", exit_statuses[i].status, exit_statuses[i].meaning);
}

/* Appends "--name" of each option, separated by spaces. */
static void append_option_words(Str *text, const Option *options) {
    for (; options && options->name; options++)
        str_printf(text, " --%s", options->name);
}

static void append_command_words(Str *text) {
    for (const Command *const *command = cli_commands; *command; command++)
        str_printf(text, "%s%s", command == cli_commands ? "" : " ", (*command)->name);
}

/* Appends "choice choice" of an option that has choices. */
static void append_choices(Str *text, const Option *option) {
    for (const char *at = option->value; *at; at++)
        str_append_char(text, *at == '|' ? ' ' : *at);
}

static void append_bash_choices(Str *text, const Option *options) {
    for (; options && options->name; options++)
        if (options->kind == OPTION_CHOICE) {
            str_printf(text, "        --%s) COMPREPLY=($(compgen -W '", options->name);
            append_choices(text, options);
            str_append(text, "' -- \"$word\")); return ;;\n");
        }
}

static void bash_completion(Str *text) {
    str_append(text, "# Completion of culprit for bash.\n_culprit() {\n    local word=${COMP_WORDS[COMP_CWORD]}\n"
                     "    local before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} options\n"
                     "    if [ $COMP_CWORD = 1 ]; then COMPREPLY=($(compgen -W '");
    append_command_words(text);
    str_append(text, "' -- \"$word\")); return; fi\n    case $before in\n");
    append_bash_choices(text, global_options);
    str_append(text, "    esac\n    case $command in\n");
    for (const Command *const *command = cli_commands; *command; command++) {
        str_printf(text, "    %s)\n        case $before in\n", (*command)->name);
        append_bash_choices(text, (*command)->options);
        str_append(text, "        esac\n        options='");
        append_option_words(text, (*command)->options);
        str_append(text, "' ;;\n");
    }
    str_append(text, "    esac\n    case $word in\n        -*) COMPREPLY=($(compgen -W \"$options");
    append_option_words(text, global_options);
    str_append(text, "\" -- \"$word\")) ;;\n    esac\n}\ncomplete -o default -F _culprit culprit\n");
}

/* Inside zsh's single quotes; brackets and colons would end the text. */
static void append_zsh_text(Str *text, const char *plain) {
    for (const char *at = plain; *at; at++) {
        if (*at == '\'')
            str_append(text, "'\\''");
        else if (strchr("[]:", *at))
            str_printf(text, "\\%c", *at);
        else
            str_append_char(text, *at);
    }
}

/* '--name=[help]:value:action' */
static void append_zsh_options(Str *text, const Option *options) {
    for (; options && options->name; options++) {
        str_printf(text, "        '--%s%s[", options->name, options->kind == OPTION_FLAG ? "" : "=");
        append_zsh_text(text, options->help);
        str_append_char(text, ']');
        if (options->kind == OPTION_CHOICE) {
            str_append(text, ":value:(");
            append_choices(text, options);
            str_append_char(text, ')');
        } else if (options->kind != OPTION_FLAG)
            str_append(text, ":value:_files");
        str_append(text, "' \\\n");
    }
}

static void zsh_completion(Str *text) {
    str_append(
        text,
        "#compdef culprit\n# Completion of culprit for zsh.\n_culprit() {\n    local -a commands\n    commands=(\n");
    for (const Command *const *command = cli_commands; *command; command++) {
        str_printf(text, "        '%s:", (*command)->name);
        append_zsh_text(text, (*command)->summary);
        str_append(text, "'\n");
    }
    str_append(text, "    )\n    if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
                     "    case $words[2] in\n");
    for (const Command *const *command = cli_commands; *command; command++) {
        str_printf(text, "    %s) _arguments \\\n", (*command)->name);
        append_zsh_options(text, (*command)->options);
        append_zsh_options(text, global_options);
        str_append(text, "        '*:file:_files' ;;\n");
    }
    str_append(text, "    esac\n}\n_culprit \"$@\"\n");
}

static void append_fish_options(Str *text, const char *condition, const Option *options) {
    for (; options && options->name; options++) {
        str_printf(text, "complete -c culprit %s -l %s", condition, options->name);
        if (options->letter)
            str_printf(text, " -s %c", options->letter);
        if (options->kind == OPTION_CHOICE) {
            str_append(text, " -x -a '");
            append_choices(text, options);
            str_append_char(text, '\'');
        } else if (options->kind != OPTION_FLAG)
            str_append(text, " -r");
        str_append(text, " -d ");
        str_append_shell(text, options->help);
        str_append_char(text, '\n');
    }
}

static void fish_completion(Str *text) {
    str_append(text, "# Completion of culprit for fish.\n");
    for (const Command *const *command = cli_commands; *command; command++) {
        str_printf(text, "complete -c culprit -n __fish_use_subcommand -f -a %s -d ", (*command)->name);
        str_append_shell(text, (*command)->summary);
        str_append_char(text, '\n');
        CLEANUP(str_release) Str condition = {0};
        str_printf(&condition, "-n '__fish_seen_subcommand_from %s'", (*command)->name);
        append_fish_options(text, str_text(&condition), (*command)->options);
    }
    append_fish_options(text, "", global_options);
}

bool help_completion(const char *shell, Str *ret_text, Error *err) {
    if (str_equal(shell, "bash"))
        bash_completion(ret_text);
    else if (str_equal(shell, "zsh"))
        zsh_completion(ret_text);
    else if (str_equal(shell, "fish"))
        fish_completion(ret_text);
    else
        return error_set(err, "there is no completion for '%s'; there is one for bash, zsh and fish", shell);
    return true;
}
