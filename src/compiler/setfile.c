#include "compiler/setfile.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

/* One block of a set, while it is read. */
typedef struct Block {
    StrList compilers, options; /* command parts */
    size_t line;                /* where it starts */
} Block;

typedef struct SetReader {
    const char *path, *wanted; /* wanted: the set's name, NULL for all */
    char *set;                 /* the one being read */
    size_t line;
    bool seen_wanted;
    Block block;
    StrList *commands;
} SetReader;

static void reader_release(SetReader *reader) {
    free(reader->set);
    strlist_release(&reader->block.compilers);
    strlist_release(&reader->block.options);
}

/* "text" without white space at both ends and without a comment; a '#' inside a word is not one. */
static char *clean_line(const char *line, size_t len) {
    for (size_t i = 0; i < len; i++) {
        if (line[i] == '#' && (i == 0 || isspace((unsigned char)line[i - 1])))
            len = i;
    }
    while (len > 0 && isspace((unsigned char)line[len - 1]))
        len--;
    while (len > 0 && isspace((unsigned char)*line))
        line++, len--;
    CLEANUP(str_release) Str text = {0};
    str_append_n(&text, line, len);
    return str_detach(&text);
}

/* Splits "a, b c, d" and trims the parts; empty parts are an error, for they are a slip of the pen. */
static bool split_parts(const char *text, char separator, bool allow_empty, StrList *ret_parts) {
    for (;;) {
        const char *end = strchr(text, separator);
        size_t len = end ? (size_t)(end - text) : strlen(text);
        CLEANUP(mem_freep) char *part = clean_line(text, len);
        if (!allow_empty && !(part && *part))
            return false;
        strlist_add(ret_parts, part ? part : "");
        if (!end)
            return true;
        text = end + 1;
    }
}

static bool is_wanted(const SetReader *reader) { return !reader->wanted || str_equal(reader->wanted, reader->set); }

/* Ends the block: every compiler with every option list. */
static bool finish_block(SetReader *reader, Error *err) {
    Block *block = &reader->block;
    if (block->compilers.len == 0 && block->options.len == 0)
        return true;
    if (block->compilers.len == 0)
        return error_set(err, "%s:%zu: options without compilers; put a line \"compilers …\" in front of them",
                         reader->path, block->line);
    if (block->options.len == 0)
        strlist_add(&block->options, "");
    for (size_t c = 0; is_wanted(reader) && c < block->compilers.len; c++) {
        for (size_t o = 0; o < block->options.len; o++) {
            const char *options = block->options.items[o];
            strlist_addf(reader->commands, "%s%s%s", block->compilers.items[c], *options ? " " : "", options);
        }
    }
    strlist_clear(&block->compilers);
    strlist_clear(&block->options);
    return true;
}

static bool start_set(SetReader *reader, const char *line, Error *err) {
    size_t len = strlen(line);
    if (len < 3 || line[len - 1] != ']')
        return error_set(err, "%s:%zu: a set's name stands alone in brackets: [name]", reader->path, reader->line);
    if (!finish_block(reader, err))
        return false;
    free(reader->set);
    reader->set = clean_line(line + 1, len - 2);
    reader->seen_wanted |= reader->wanted && is_wanted(reader);
    return true;
}

static bool read_line(SetReader *reader, const char *line, Error *err) {
    if (*line == '[')
        return start_set(reader, line, err);
    size_t word = strcspn(line, " \t");
    const char *rest = line + word + strspn(line + word, " \t");
    bool compilers = word == 9 && strncmp(line, "compilers", 9) == 0;
    if (!compilers && !(word == 7 && strncmp(line, "options", 7) == 0))
        return error_set(err, "%s:%zu: expected [name], \"compilers …\" or \"options …\", not \"%.*s\"", reader->path,
                         reader->line, (int)word, line);
    if (!reader->set)
        return error_set(err, "%s:%zu: a set's name in brackets must come first: [name]", reader->path, reader->line);
    /* A second list of compilers starts a new block, unless no options came between. */
    if (compilers && reader->block.options.len > 0 && !finish_block(reader, err))
        return false;
    if (reader->block.compilers.len == 0 && reader->block.options.len == 0)
        reader->block.line = reader->line;
    if (compilers ? !*rest || !split_parts(rest, ',', false, &reader->block.compilers)
                  : !split_parts(rest, '|', true, &reader->block.options))
        return error_set(err, "%s:%zu: a compiler is missing; separate them by single commas", reader->path,
                         reader->line);
    return true;
}

bool setfile_commands(const char *text, const char *path, const char *name, StrList *ret_commands, Error *err) {
    CLEANUP(strlist_release) StrList commands = {0};
    CLEANUP(reader_release) SetReader reader = {.path = path, .wanted = name, .commands = &commands};
    size_t len;
    for (const char *start; (start = str_next_line(&text, &len));) {
        CLEANUP(mem_freep) char *line = clean_line(start, len);
        reader.line++;
        if (line && *line && !read_line(&reader, line, err))
            return false;
    }
    if (!finish_block(&reader, err))
        return false;
    if (name && !reader.seen_wanted)
        return error_set(err, "%s has no set called \"%s\"; those it has stand in brackets: [name]", path, name);
    if (commands.len == 0)
        return error_set(err, "%s names no compilers; give it a line such as \"compilers gcc, clang\"", path);
    strlist_add_all(ret_commands, &commands);
    return true;
}
