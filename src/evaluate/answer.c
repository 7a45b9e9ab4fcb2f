#include "evaluate/answer.h"

#include <stdlib.h>

bool answer_is_ranked(const char *file) {
    UnitFileKind kind = unit_file_kind_of(file);
    return kind == UNIT_FILE_SOURCE || kind == UNIT_FILE_DESCRIPTION;
}

bool answer_has_files(const Answer *answer) {
    for (size_t i = 0; i < answer->files->len; i++)
        if (answer_is_ranked(answer->files->items[i]))
            return true;
    return false;
}

BugRank answer_rank_files(const Isolation *isolation, const Answer *answer) {
    const StrList *files = answer->files;
    size_t *ranks = mem_zalloc(files->len + 1, sizeof *ranks), count = 0;
    for (size_t i = 0; i < files->len; i++) {
        if (!answer_is_ranked(files->items[i]))
            continue;
        size_t file = unit_table_find_file(isolation->units, files->items[i]);
        ranks[count++] = file < isolation->units->file_count ? rank_of(&isolation->files, (uint32_t)file, 0) : 0;
    }
    BugRank rank = metrics_bug(ranks, count, isolation->files.len);
    free(ranks);
    return rank;
}

/* Functions of one name may exist in several files: those in the guilty files count. */
static bool is_function(const Answer *answer, const UnitTable *units, uint32_t function, const char *name) {
    return unit_function_is(units, function, name) &&
           strlist_contains(answer->files, unit_file_name(units, units->functions[function].file));
}

static bool function_exists(const Answer *answer, const UnitTable *units, const char *name) {
    for (uint32_t f = 0; f < units->function_count; f++)
        if (is_function(answer, units, f, name))
            return true;
    return false;
}

bool answer_rank_functions(const Isolation *isolation, const Answer *answer, BugRank *ret_rank) {
    const StrList *functions = answer->functions;
    size_t *ranks = mem_zalloc(functions->len + 1, sizeof *ranks), count = 0;
    for (size_t i = 0; i < functions->len; i++) {
        const char *name = functions->items[i];
        if (!answer->of_recording && !function_exists(answer, isolation->units, name))
            continue;
        for (size_t k = 0; k < isolation->functions.len && !ranks[count]; k++)
            if (is_function(answer, isolation->units, isolation->functions.items[k].group, name))
                ranks[count] = isolation->functions.items[k].rank;
        count++;
    }
    if (count)
        *ret_rank = metrics_bug(ranks, count, isolation->functions.len);
    free(ranks);
    return count > 0;
}
