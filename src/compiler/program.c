#include "compiler/program.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"

void program_add(Program *program, const char *name, const char *text, size_t len) {
    char *copy = mem_alloc(len + 1);
    memcpy(copy, text, len);
    copy[len] = '\0';
    vec_push(&program->files, (ProgramFile){mem_strdup(name), copy, len});
}

static bool has_ending(const char *name, const char *const *endings, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (str_ends(name, endings[i]))
            return true;
    }
    return false;
}

bool program_is_source(const char *name) {
    static const char *const endings[] = {".c", ".cc", ".cpp", ".cxx", ".C", ".c++", ".ll", ".bc"};
    return has_ending(name, endings, ARRAY_LEN(endings));
}

static bool is_header(const char *name) {
    static const char *const endings[] = {".h", ".hh", ".hpp", ".inc", ".def"};
    return has_ending(name, endings, ARRAY_LEN(endings));
}

static bool load_file(const char *dir, const char *name, Program *program, Error *err) {
    CLEANUP(mem_freep) char *path = path_of(dir, name);
    CLEANUP(str_release) Str text = {0};
    if (!file_read(path, &text, err))
        return false;
    program_add(program, path_name(name), str_text(&text), text.len);
    if (program_is_source(name) && language_of_file(name) != LANGUAGE_C)
        program->language = language_of_file(name);
    return true;
}

bool program_load(const char *path, Program *ret_program, Error *err) {
    CLEANUP(program_release) Program program = {0};
    if (dir_exists(path)) {
        CLEANUP(strlist_release) StrList names = {0};
        size_t sources = 0;
        if (!dir_list(path, &names, err))
            return false;
        for (size_t i = 0; i < names.len; i++) {
            bool source = program_is_source(names.items[i]);
            if ((source || is_header(names.items[i])) && !load_file(path, names.items[i], &program, err))
                return false;
            sources += source;
        }
        if (sources == 0)
            return error_set(err, "%s holds no source files (.c, .cc, .cpp, .ll)", path);
    } else if (!load_file(".", path, &program, err)) {
        return false;
    }
    *ret_program = program;
    program = (Program){0};
    return true;
}

bool program_write(const Program *program, const char *dir, Error *err) {
    for (size_t i = 0; i < program->files.len; i++) {
        const ProgramFile *file = &program->files.items[i];
        CLEANUP(mem_freep) char *path = path_of(dir, file->name);
        if (!file_write(path, file->text, file->len, err))
            return false;
    }
    return true;
}

size_t program_bytes(const Program *program) {
    size_t bytes = 0;
    for (size_t i = 0; i < program->files.len; i++)
        bytes += program->files.items[i].len;
    return bytes;
}

void program_copy(const Program *program, Program *ret_program) {
    Program copy = {.language = program->language, .standard = mem_strdup(program->standard)};
    for (size_t i = 0; i < program->files.len; i++)
        program_add(&copy, program->files.items[i].name, program->files.items[i].text, program->files.items[i].len);
    *ret_program = copy;
}

void program_clear(Program *program) {
    for (size_t i = 0; i < program->files.len; i++) {
        free(program->files.items[i].name);
        free(program->files.items[i].text);
    }
    vec_clear(&program->files);
    free(program->standard);
    program->standard = NULL;
    program->language = LANGUAGE_C;
}

void program_release(Program *program) {
    program_clear(program);
    vec_release(&program->files);
}

void program_build_command(const Program *program, const Config *config, const BuildOptions *options,
                           StrList *ret_command) {
    config_command(config, ret_command);
    if (config->compiler->family != FAMILY_OTHER) {
        strlist_add(ret_command, "-w");
        if (program->standard)
            strlist_addf(ret_command, "-std=%s", program->standard);
    }
    if (options->flags)
        strlist_add_all(ret_command, options->flags);
    for (size_t i = 0; i < program->files.len; i++) {
        const char *name = program->files.items[i].name;
        if (program_is_source(name))
            strlist_addf(ret_command, "%s%s%s", options->folder ? options->folder : "", options->folder ? "/" : "",
                         name);
    }
    strlist_add(ret_command, "-o");
    strlist_add(ret_command, options->makes);
    if (options->link_flags)
        strlist_add_all(ret_command, options->link_flags);
}

const char *command_output(const StrList *command) {
    for (size_t i = command->len; i-- > 1;) {
        if (str_equal(command->items[i - 1], "-o"))
            return command->items[i];
    }
    return "a.out";
}
