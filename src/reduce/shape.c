#include "reduce/shape.h"

#include <string.h>

#include "base/file.h"
#include "reduce/merge.h"

typedef enum Shape { SHAPE_FLAT, SHAPE_MERGED, SHAPE_SEPARATE, SHAPE_COUNT } Shape;

/* Whether there is more for the preprocessor to do than to include the system's headers. */
static bool has_directives(const char *text) {
    for (const char *hash = text; (hash = strchr(hash, '#')); hash++) {
        const char *word = hash + 1 + strspn(hash + 1, " \t");
        bool line_start = hash == text || hash[-1] == '\n';
        bool system =
            str_starts(word, "include") && word[strlen("include") + strspn(word + strlen("include"), " \t")] == '<';
        if (line_start && !system && !str_starts(word, "pragma"))
            return true;
    }
    return false;
}

/* The program as one file; *ret_program is left empty if the shape does not differ from plain merging. */
static bool merge(const Bug *bug, const StrList *sources, Shape shape, const char *dir, Program *ret_program,
                  Error *err) {
    CLEANUP(str_release) Str text = {0}, flat = {0};
    const char *name = bug_language(bug) == LANGUAGE_CXX ? "reduced.cpp" : "reduced.c";
    if (!merge_sources(bug, sources, &text, err))
        return false;
    if (shape == SHAPE_FLAT && has_directives(str_text(&text))) {
        CLEANUP(runner_freep) Runner *runner = runner_new(err);
        if (!runner || !merge_flatten(runner, bug, &text, dir, &flat, err))
            return false;
    }
    const Str *made = shape == SHAPE_FLAT ? &flat : &text;
    if (made->len)
        program_add(ret_program, name, made->data, made->len);
    return true;
}

/* Every source with its headers; names lose their directories. */
static bool separate(const Bug *bug, const StrList *sources, Program *ret_program, Error *err) {
    for (size_t i = 0; i < sources->len; i++) {
        CLEANUP(str_release) Str text = {0};
        CLEANUP(strlist_release) StrList one = {0};
        strlist_add(&one, sources->items[i]);
        if (!merge_sources(bug, &one, &text, err))
            return false;
        program_add(ret_program, path_name(sources->items[i]), str_text(&text), text.len);
    }
    return true;
}

/* *ret_test stays NULL if the shape does not apply or the bug does not show in it; why_not says why. */
static bool try_shape(const Bug *bug, Shape shape, const ReduceOptions *options, const char *dir, Bug *ret_bug,
                      Interestingness **ret_test, Str *why_not, Error *err) {
    CLEANUP(strlist_release) StrList sources = {0};
    CLEANUP(program_release) Program program = {0};
    CLEANUP(bug_release) Bug shaped = {0};
    bool interesting;
    const char *why;
    bug_sources(bug, &sources);
    bool applies = shape != SHAPE_SEPARATE || sources.len > 1;
    if (!applies)
        return true;
    if (!(shape == SHAPE_SEPARATE ? separate(bug, &sources, &program, err)
                                  : merge(bug, &sources, shape, dir, &program, err)))
        return false;
    program.language = bug_language(bug);
    if (!program.files.len)
        return true;
    if (!merge_bug(bug, dir, &program, shape == SHAPE_FLAT, &shaped, err))
        return false;
    *ret_bug = shaped; /* the test keeps its address */
    shaped = (Bug){0};
    CLEANUP(interesting_freep) Interestingness *test = interesting_new(ret_bug, options, err);
    if (!test || !interesting_original(test, &interesting, &why, err))
        return false;
    if (interesting) {
        *ret_test = TAKE(test);
    } else {
        str_clear(why_not);
        str_append(why_not, why);
    }
    return true;
}

bool shape_open(const Bug *bug, const ReduceOptions *options, const char *dir, Bug *ret_bug, Interestingness **ret_test,
                Error *err) {
    CLEANUP(str_release) Str why_not = {0};
    *ret_test = NULL;
    if (!bug_stays_inside(bug, err))
        return false;
    for (Shape shape = 0; shape < SHAPE_COUNT; shape++) {
        CLEANUP(str_release) Str shape_dir = {0};
        str_printf(&shape_dir, "%s/%d", dir, (int)shape);
        if (!try_shape(bug, shape, options, str_text(&shape_dir), ret_bug, ret_test, &why_not, err))
            return false;
        if (*ret_test)
            return true;
        bug_release(ret_bug);
    }
    if (!why_not.len)
        return error_set(err, "%s cannot be reduced: its command names no source file", bug->id);
    return error_set(err, "%s cannot be reduced: with its own headers put into the sources, %s", bug->id,
                     str_text(&why_not));
}
