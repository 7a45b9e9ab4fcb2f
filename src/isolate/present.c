/* What an isolation tells: instructive witnesses, diffs, annotated sources, JSON. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "isolate/isolate.h"
#include "clang/edit.h"

enum { JSON_FILES = 50, JSON_OTHERS = 10, JSON_FUNCTIONS = 50, FUNCTIONS_OF_A_FILE = 3, INSTRUCTIVE = 3 };

/* --- Witnesses --- */

static bool at_new_place(const Isolation *isolation, size_t witness, const size_t *chosen, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (isolation->witnesses.items[chosen[i]].line == isolation->witnesses.items[witness].line)
            return false;
    return true;
}

static bool chosen_already(size_t witness, const size_t *chosen, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (chosen[i] == witness)
            return true;
    return false;
}

/* Instructive witness: little else than the bug separates it from the failing program, so low orders and similar
 * coverage first; fakes late and ordinary programs last; and each at a place of its own while there are any. An option
 * and a sequence of passes stand for a mutation of first order. */
static double lesson_value(const Witness *witness) {
    bool same_program = witness->kind == WITNESS_OPTION || witness->kind == WITNESS_SEQUENCE;
    double order = same_program ? 1 : witness->order;
    return witness->similarity - order - (witness->fake ? 10 : 0) - (witness->kind == WITNESS_ORDINARY ? 20 : 0);
}

static size_t most_instructive(const Isolation *isolation, bool only_new_places, const size_t *chosen, size_t count) {
    size_t none = isolation->witnesses.len, best = none;
    for (size_t i = 0; i < none; i++) {
        if (chosen_already(i, chosen, count) || (only_new_places && !at_new_place(isolation, i, chosen, count)))
            continue;
        const Witness *witness = &isolation->witnesses.items[i];
        if (best == none || lesson_value(witness) > lesson_value(&isolation->witnesses.items[best]))
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
            json_put_real(json, evidence_names[kind], evidence[kind]);
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
    json_put_int(json, "failing_statements", (int64_t)s->failing_statements);
    json_put_int(json, "covered_files", (int64_t)isolation->files.len);
    json_put_text(json, "stopped_by", s->stopped_by);
    return json;
}

static Json *witnesses_json(const Isolation *isolation) {
    size_t chosen[INSTRUCTIVE];
    size_t count = isolation_instructive(isolation, INSTRUCTIVE, chosen);
    Json *array = json_new_array();
    for (size_t i = 0; i < count; i++) {
        const Witness *witness = &isolation->witnesses.items[chosen[i]];
        CLEANUP(str_release) Str diff = {0};
        isolation_diff(isolation, chosen[i], &diff);
        Json *row = json_new_object();
        json_put_text(row, "change", witness->summary);
        json_put_text(row, "kind", evidence_names[witness->kind]);
        json_put_real(row, "similarity", witness->similarity);
        json_put_int(row, "order", witness->order);
        json_put_bool(row, "fake", witness->fake);
        json_put_text(row, "diff", str_text(&diff));
        json_push(array, row);
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
    json_put_text(json, "fitness", fitness_name(options->fitness));
    json_put_int(json, "seed", (int64_t)options->seed);
    if (isolation->lean)
        json_put_text(json, "lean_options", isolation->lean);
    json_put(json, "statistics", statistics_json(isolation));
    json_put(json, "files", ranked_json(isolation, &isolation->files, JSON_FILES, true));
    json_put(json, "headers", ranked_json(isolation, &isolation->others, JSON_OTHERS, true));
    json_put(json, "functions", ranked_json(isolation, &isolation->functions, JSON_FUNCTIONS, false));
    json_put(json, "witnesses", witnesses_json(isolation));
    return json;
}
