/* What an isolation tells: instructive witnesses, diffs, annotated sources, JSON. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "isolate/isolate.h"
#include "clang/edit.h"

enum {
    JSON_FILES = 50,
    JSON_OTHERS = 10,
    JSON_FUNCTIONS = 50,
    FUNCTIONS_OF_A_FILE = 3,
    INSTRUCTIVE = 3,
    JSON_REASONS = 10
};
enum { HISTORY_FILES = 6, EXCERPTS = 8, EXCERPT_LINES = 15 };

/* --- Witnesses --- */

/* Instructive witness: little else than the bug separates it from the failing program, so low orders and similar
 * coverage first; fakes late and ordinary programs last; and each at a place of its own while there are any. An option
 * and a sequence of passes stand for a mutation of first order. */
static double lesson_value(const Witness *witness) {
    bool same_program =
        witness->kind == WITNESS_OPTION || witness->kind == WITNESS_SEQUENCE || witness->kind == WITNESS_STEP;
    double order = same_program ? 1 : witness->order;
    return witness->similarity - order - (witness->fake ? 10 : 0) - (witness->kind == WITNESS_ORDINARY ? 20 : 0);
}

static size_t most_instructive(const Isolation *isolation, bool only_new_places, const size_t *chosen, size_t count) {
    size_t none = isolation->witnesses.len, best = none;
    for (size_t i = 0; i < none; i++) {
        const Witness *witness = &isolation->witnesses.items[i];
        bool taken = false;
        for (size_t k = 0; k < count && !taken; k++)
            taken = chosen[k] == i || (only_new_places && isolation->witnesses.items[chosen[k]].line == witness->line);
        if (!taken && (best == none || lesson_value(witness) > lesson_value(&isolation->witnesses.items[best])))
            best = i;
    }
    return best;
}

size_t isolation_instructive(const Isolation *isolation, size_t want, size_t *ret_witnesses) {
    size_t count = 0;
    for (int only_new_places = 1; only_new_places >= 0; only_new_places--) {
        while (count < want) {
            size_t best = most_instructive(isolation, only_new_places, ret_witnesses, count);
            if (best == isolation->witnesses.len)
                break;
            ret_witnesses[count++] = best;
        }
    }
    return count;
}

void isolation_diff(const Isolation *isolation, size_t witness, Str *ret_diff) {
    const char *text = isolation->witnesses.items[witness].text;
    text_diff("failing", isolation->original, "passing", text ? text : isolation->original, ret_diff);
}

/* --- Sources --- */

static bool find_file(const UnitTable *units, const char *name, size_t *ret_file, Error *err) {
    size_t file = unit_table_find_file(units, name);
    for (size_t f = 0; file == units->file_count && f < units->file_count; f++)
        if (str_equal(path_name(unit_file_name(units, (uint32_t)f)), name))
            file = f;
    if (file == units->file_count)
        return error_set(err, "the subject has no file %s; name one as the table of suspects does", name);
    *ret_file = file;
    return true;
}

bool isolation_annotate(const Isolation *isolation, const char *name, const char *source_root, Str *ret_text,
                        Error *err) {
    const UnitTable *units = isolation->units;
    size_t file = 0;
    if (!find_file(units, name, &file, err))
        return false;
    if (!source_root)
        return error_set(err, "the subject does not know where its sources are: give them with --source DIR");
    CLEANUP(mem_freep) char *path = path_of(source_root, unit_file_name(units, (uint32_t)file));
    CLEANUP(str_release) Str source = {0};
    if (!file_read(path, &source, err))
        return error_context(err, "cannot annotate %s", name);
    uint32_t line = 1;
    for (const char *start = str_text(&source), *end; *start; start = *end ? end + 1 : end, line++) {
        end = strchrnul(start, '\n');
        size_t unit = unit_table_find(units, file, line);
        if (unit < units->unit_count && bitset_get(&isolation->set.failing, unit))
            str_printf(ret_text, "%6.3f %6u| ", isolation->scores[unit], line);
        else
            str_printf(ret_text, "%6s %6u| ", unit < units->unit_count ? "-" : "", line);
        str_append_n(ret_text, start, (size_t)(end - start));
        str_append_char(ret_text, '\n');
    }
    return true;
}

/* --- JSON --- */

void isolation_file_functions(const Isolation *isolation, uint32_t file, size_t most, StrList *ret_names) {
    const UnitTable *units = isolation->units;
    for (size_t i = 0; i < isolation->functions.len && ret_names->len < most; i++) {
        uint32_t function = isolation->functions.items[i].group;
        if (units->functions[function].file == file)
            strlist_add(ret_names, unit_function_name(units, function));
    }
}

static Json *evidence_json(const Isolation *isolation, uint32_t file) {
    double evidence[EVIDENCE_KINDS];
    Json *json = json_new_object();
    isolation_evidence(isolation, file, evidence);
    for (int kind = 0; kind < EVIDENCE_KINDS; kind++)
        if (isolation->evidence[kind])
            json_put_real(json, evidence_name(kind), evidence[kind]);
    return json;
}

static Json *ranked_json(const Isolation *isolation, const RankedList *list, size_t most, bool files) {
    Json *array = json_new_array();
    for (size_t i = 0; i < list->len && i < most; i++) {
        const Ranked *item = &list->items[i];
        const UnitTable *units = isolation->units;
        Json *row = json_new_object();
        uint32_t file = files ? item->group : units->functions[item->group].file;
        json_put_int(row, "rank", (int64_t)item->rank);
        json_put_real(row, "score", item->score);
        json_put_text(row, "file", unit_file_name(units, file));
        if (!files) {
            json_put_text(row, "function", unit_function_name(units, item->group));
            json_put_int(row, "line", units->functions[item->group].line);
        }
        json_put_int(row, "statements", (int64_t)item->statements);
        if (files) {
            StrList names = {0};
            isolation_file_functions(isolation, file, FUNCTIONS_OF_A_FILE, &names);
            json_put_strings(row, "functions", &names);
            json_put(row, "evidence", evidence_json(isolation, file));
            strlist_clear(&names);
            if (i < JSON_REASONS)
                isolation_reasons(isolation, file, &names);
            json_put_strings(row, "reasons", &names);
            strlist_release(&names);
        }
        json_push(array, row);
    }
    return array;
}

static Json *statistics_json(const Isolation *isolation) {
    const IsolateStatistics *s = &isolation->statistics;
    double minutes = (double)MAX_OF(s->wall_ms, (int64_t)1) / 60000;
    Json *json = json_new_object();
    json_put_int(json, "tested", (int64_t)s->tested);
    json_put_int(json, "repeated", (int64_t)s->repeated);
    json_put_int(json, "invalid", (int64_t)s->outcomes[OUTCOME_OTHER]);
    json_put_int(json, "fails", (int64_t)s->outcomes[OUTCOME_FAILS]);
    json_put_int(json, "passes", (int64_t)s->outcomes[OUTCOME_PASSES]);
    json_put_int(json, "undefined", (int64_t)s->outcomes[OUTCOME_UNDEFINED]);
    json_put_int(json, "witnesses", (int64_t)isolation->witnesses.len);
    json_put_int(json, "failing_runs", (int64_t)isolation->spectrum.failing_runs);
    json_put_int(json, "fake_passes", (int64_t)s->fakes);
    json_put_int(json, "order", s->order);
    json_put_int(json, "wall_ms", s->wall_ms);
    json_put_real(json, "mutants_per_minute", (double)s->tested / minutes);
    json_put_real(json, "witnesses_per_minute", (double)isolation->witnesses.len / minutes);
    json_put_real(json, "similarity", s->similarity);
    json_put_real(json, "diversity", s->diversity);
    json_put_real(json, "least_distance", s->least_distance);
    json_put_int(json, "failing_statements", (int64_t)s->failing_statements);
    json_put_int(json, "covered_files", (int64_t)isolation->files.len);
    json_put_text(json, "stopped_by", s->stopped_by);
    return json;
}

static Json *witness_json(const Witness *witness) {
    Json *row = json_new_object();
    json_put_text(row, "change", witness->summary);
    json_put_text(row, "kind", evidence_name(witness->kind));
    if (witness->rule) {
        json_put_text(row, "operator", mutation_operator_name(witness->rule->operator));
        json_put_text(row, "rule", witness->rule->name);
    }
    json_put_real(row, "similarity", witness->similarity);
    json_put_int(row, "order", witness->order);
    json_put_bool(row, "fake", witness->fake);
    return row;
}

/* What each operator contributed: how many witnesses it made (RecBi, section 4.5.1). */
Json *isolation_operators_json(const Isolation *isolation) {
    size_t counts[MUTATION_OPERATORS] = {0};
    Json *json = json_new_object();
    for (size_t i = 0; i < isolation->witnesses.len; i++)
        if (isolation->witnesses.items[i].rule)
            counts[isolation->witnesses.items[i].rule->operator]++;
    for (MutationOperator op = 0; op < MUTATION_OPERATORS; op++)
        if (counts[op])
            json_put_int(json, mutation_operator_name(op), (int64_t)counts[op]);
    return json;
}

static Json *witnesses_json(const Isolation *isolation) {
    size_t chosen[INSTRUCTIVE];
    size_t count = isolation_instructive(isolation, INSTRUCTIVE, chosen);
    Json *array = json_new_array();
    for (size_t i = 0; i < count; i++) {
        CLEANUP(str_release) Str diff = {0};
        isolation_diff(isolation, chosen[i], &diff);
        Json *row = witness_json(&isolation->witnesses.items[chosen[i]]);
        json_put_text(row, "diff", str_text(&diff));
        json_push(array, row);
    }
    return array;
}

/* How the files that are most suspicious now stood before; 0 where one was not ranked. */
static Json *history_json(const Isolation *isolation) {
    Json *json = json_new_object(), *counts = json_new_array(), *files = json_new_array();
    for (size_t k = 0; k < isolation->history.len; k++)
        json_push(counts, json_new_int((int64_t)isolation->history.items[k].witnesses));
    json_push(counts, json_new_int((int64_t)isolation->witnesses.len));
    for (size_t i = 0; i < isolation->files.len && i < HISTORY_FILES; i++) {
        const Ranked *file = &isolation->files.items[i];
        Json *row = json_new_object(), *ranks = json_new_array();
        for (size_t k = 0; k < isolation->history.len; k++)
            json_push(ranks, json_new_int((int64_t)rank_of(&isolation->history.items[k].files, file->group, 0)));
        json_push(ranks, json_new_int((int64_t)file->rank));
        json_put_text(row, "file", unit_file_name(isolation->units, file->group));
        json_put(row, "ranks", ranks);
        json_push(files, row);
    }
    json_put(json, "witnesses", counts);
    json_put(json, "files", files);
    return json;
}

/* The source around a function's most suspicious statement, each line with its suspicion; NULL if there is no source. */
static Json *excerpt_json(const Isolation *isolation, uint32_t function, const char *source_root) {
    const UnitTable *units = isolation->units;
    const UnitFunction *f = &units->functions[function];
    const UnitFile *file = &units->files[f->file];
    uint32_t first = UINT32_MAX, last = 0, best_line = 0;
    double best = -1;
    for (size_t s = file->first_unit; s < file->first_unit + file->unit_count; s++) {
        const Unit *unit = &units->units[s];
        if (unit->function != function)
            continue;
        first = MIN_OF(first, unit->line);
        last = MAX_OF(last, unit->line);
        if (isolation->scores[s] > best) {
            best = isolation->scores[s];
            best_line = unit->line;
        }
    }
    CLEANUP(mem_freep) char *path = path_of(source_root, unit_file_name(units, f->file));
    CLEANUP(str_release) Str source = {0};
    if (best <= 0 || !file_exists(path) || !file_read(path, &source, NULL))
        return NULL;
    first = MAX_OF(first, best_line > EXCERPT_LINES ? best_line - EXCERPT_LINES : 1);
    last = MIN_OF(last, best_line + EXCERPT_LINES);
    Json *json = json_new_object(), *lines = json_new_array();
    uint32_t line = 1;
    for (const char *start = str_text(&source), *end; *start && line <= last; start = *end ? end + 1 : end, line++) {
        end = strchrnul(start, '\n');
        if (line < first)
            continue;
        CLEANUP(mem_freep) char *text = strndup(start, (size_t)(end - start));
        Json *row = json_new_object();
        size_t unit = unit_table_find(units, f->file, line);
        json_put_int(row, "line", line);
        if (unit < units->unit_count && bitset_get(&isolation->set.failing, unit))
            json_put_real(row, "score", isolation->scores[unit]);
        json_put_text(row, "text", text);
        json_push(lines, row);
    }
    json_put_text(json, "file", unit_file_name(units, f->file));
    json_put_text(json, "function", unit_function_name(units, function));
    json_put_real(json, "highest", best);
    json_put(json, "lines", lines);
    return json;
}

static Json *excerpts_json(const Isolation *isolation, const char *source_root) {
    Json *array = json_new_array();
    for (size_t i = 0; source_root && i < isolation->functions.len && i < EXCERPTS; i++) {
        Json *excerpt = excerpt_json(isolation, isolation->functions.items[i].group, source_root);
        if (excerpt)
            json_push(array, excerpt);
    }
    return array;
}

Json *isolation_json(const Isolation *isolation, const Bug *bug, const Subject *subject,
                     const IsolateOptions *options) {
    Json *json = json_new_object();
    json_put_text(json, "bug", bug->id);
    json_put_text(json, "subject", subject->name);
    json_put_text(json, "method", options->method->name);
    json_put_text(json, "formula", formula_name(options->formula));
    json_put_text(json, "aggregation", aggregation_name(options->aggregation));
    json_put_real(json, "alpha", options->alpha);
    json_put_int(json, "horizon", (int64_t)options->horizon);
    json_put_text(json, "fitness", fitness_name(options->fitness));
    json_put_int(json, "seed", (int64_t)options->seed);
    if (isolation->lean)
        json_put_text(json, "lean_options", isolation->lean);
    json_put(json, "statistics", statistics_json(isolation));
    json_put(json, "files", ranked_json(isolation, &isolation->files, JSON_FILES, true));
    json_put(json, "headers", ranked_json(isolation, &isolation->others, JSON_OTHERS, true));
    json_put(json, "functions", ranked_json(isolation, &isolation->functions, JSON_FUNCTIONS, false));
    json_put(json, "witnesses", witnesses_json(isolation));
    Json *all = json_new_array();
    for (size_t i = 0; i < isolation->witnesses.len; i++)
        json_push(all, witness_json(&isolation->witnesses.items[i]));
    json_put(json, "all_witnesses", all);
    json_put(json, "operators", isolation_operators_json(isolation));
    json_put(json, "history", history_json(isolation));
    json_put(json, "excerpts", excerpts_json(isolation, subject->source_root));
    return json;
}
