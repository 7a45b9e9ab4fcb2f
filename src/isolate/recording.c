/* The file: a line that says what it is, then a JSON object behind its length, then numbers of 32 bits and bits:
 *
 *     culprit recording 1\n
 *     u32 length, JSON      bug, subject, method, the answer, names of files and functions
 *     u32 units             for each: u32 file, line, function, confidence
 *     u32 runs              for each: u32 programs tested, kind, then a bit for each unit in words of 64
 */
#include "isolate/recording.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "isolate/strategy.h"

/* Of a run that is no witness: the kinds of witnesses may become more. */
enum { KIND_FAILING = 255 };

static const char MARK[] = "culprit recording 1\n";

/* --- Writing --- */

static void put_u32(Str *bytes, uint32_t value) { str_append_n(bytes, (const char *)&value, sizeof value); }

/* Names of functions that have no suspect are left empty: there are ten times as many. */
static void put_names(const UnitTable *units, const Bitset *suspects, Json *head) {
    Json *files = json_new_array(), *functions = json_new_array();
    bool *used = mem_zalloc(units->function_count + 1, sizeof *used);
    for (size_t s = bitset_next(suspects, 0); s < suspects->bits; s = bitset_next(suspects, s + 1))
        used[units->units[s].function] = true;
    for (uint32_t f = 0; f < units->file_count; f++)
        json_push(files, json_new_text(unit_file_name(units, f)));
    for (uint32_t f = 0; f < units->function_count; f++)
        json_push(functions, json_new_text(used[f] ? unit_function_name(units, f) : ""));
    free(used);
    json_put(head, "file_names", files);
    json_put(head, "function_names", functions);
}

/* The functions of the answer that this compiler has: the others nothing could rank. */
static Json *known_functions(const UnitTable *units, const Bug *bug) {
    Json *known = json_new_array();
    for (size_t i = 0; i < bug->functions.len; i++) {
        bool exists = false;
        for (uint32_t f = 0; f < units->function_count && !exists; f++)
            exists = unit_function_is(units, f, bug->functions.items[i]) &&
                     strlist_contains(&bug->files, unit_file_name(units, units->functions[f].file));
        if (exists)
            json_push(known, json_new_text(bug->functions.items[i]));
    }
    return known;
}

static void put_head(const Isolation *isolation, const Bug *bug, const Subject *subject, const IsolateOptions *options,
                     Str *bytes) {
    CLEANUP(json_freep) Json *head = json_new_object();
    CLEANUP(str_release) Str text = {0};
    json_put_text(head, "bug", bug->id);
    json_put_text(head, "subject", subject->name);
    json_put_text(head, "method", options->method->name);
    json_put_strings(head, "files", &bug->files);
    json_put(head, "functions", known_functions(isolation->units, bug));
    json_put(head, "clues", clues_json(&isolation->clues));
    put_names(isolation->units, &isolation->spectrum.suspects, head);
    json_format(head, false, &text);
    put_u32(bytes, (uint32_t)text.len);
    str_append_n(bytes, str_text(&text), text.len);
}

bool recording_write(const Isolation *isolation, const Bug *bug, const Subject *subject, const IsolateOptions *options,
                     const char *path, Error *err) {
    const Spectrum *spectrum = &isolation->spectrum;
    const Bitset *suspects = &spectrum->suspects;
    CLEANUP(str_release) Str bytes = {0};
    str_append(&bytes, MARK);
    put_head(isolation, bug, subject, options, &bytes);
    put_u32(&bytes, (uint32_t)bitset_count(suspects));
    for (size_t s = bitset_next(suspects, 0); s < suspects->bits; s = bitset_next(suspects, s + 1)) {
        const Unit *unit = &isolation->units->units[s];
        const uint32_t numbers[] = {unit->file, unit->line, unit->function, unit->confidence};
        str_append_n(&bytes, (const char *)numbers, sizeof numbers);
    }
    put_u32(&bytes, (uint32_t)spectrum->runs.len);
    for (size_t i = 0; i < spectrum->runs.len; i++) {
        const SpectrumRun *run = &spectrum->runs.items[i];
        put_u32(&bytes, run->tested);
        put_u32(&bytes, run->kind == SPECTRUM_FAILING ? KIND_FAILING : run->kind);
        str_append_n(&bytes, (const char *)run->cover.words, BITSET_WORDS(run->cover.bits) * sizeof(uint64_t));
    }
    return file_write(path, bytes.data, bytes.len, err);
}

/* --- Reading --- */

typedef struct Reader {
    const char *at, *end;
} Reader;

static bool get_bytes(Reader *reader, void *ret_bytes, size_t len) {
    if ((size_t)(reader->end - reader->at) < len)
        return false;
    memcpy(ret_bytes, reader->at, len);
    reader->at += len;
    return true;
}

static bool get_u32(Reader *reader, uint32_t *ret_value) { return get_bytes(reader, ret_value, sizeof *ret_value); }

static bool get_head(Reader *reader, Recording *recording, Json **ret_head) {
    uint32_t len;
    if (!get_u32(reader, &len) || (size_t)(reader->end - reader->at) < len)
        return false;
    if (!json_parse(reader->at, len, ret_head, NULL))
        return false;
    const Json *head = *ret_head;
    reader->at += len;
    recording->bug = mem_strdup(json_get_text(head, "bug", ""));
    recording->subject = mem_strdup(json_get_text(head, "subject", ""));
    recording->method = mem_strdup(json_get_text(head, "method", ""));
    json_get_strings(head, "files", &recording->files);
    json_get_strings(head, "functions", &recording->functions);
    clues_read(json_get(head, "clues"), &recording->clues);
    return true;
}

/* ret_ids[i] is the number that the i-th recorded unit has in the table. */
static bool get_units(Reader *reader, const Json *head, Recording *recording, uint32_t **ret_ids, uint32_t *ret_count) {
    const Json *files = json_get(head, "file_names"), *functions = json_get(head, "function_names");
    UnitBuilder builder = {0};
    uint32_t numbers[4];
    bool ok = get_u32(reader, ret_count) && *ret_count <= (size_t)(reader->end - reader->at) / sizeof numbers;
    for (uint32_t i = 0; ok && i < *ret_count; i++) {
        ok = get_bytes(reader, numbers, sizeof numbers) && numbers[0] < json_len(files) &&
             numbers[2] < json_len(functions);
        if (ok)
            unit_builder_add_distinct(&builder,
                                      unit_builder_file(&builder, json_text(json_item(files, numbers[0]), ""), NULL),
                                      numbers[1], json_text(json_item(functions, numbers[2]), ""), numbers[3]);
    }
    if (ok)
        unit_builder_finish(&builder, &recording->units, ret_ids);
    else
        unit_builder_release(&builder);
    return ok;
}

static bool get_run(Reader *reader, const uint32_t *ids, uint32_t units, Recording *recording) {
    SpectrumRun run = {0};
    size_t bytes = BITSET_WORDS(units) * sizeof(uint64_t);
    if (!get_u32(reader, &run.tested) || !get_u32(reader, &run.kind) ||
        (run.kind >= WITNESS_KINDS && run.kind != KIND_FAILING) || (size_t)(reader->end - reader->at) < bytes)
        return false;
    run.kind = MIN_OF(run.kind, (uint32_t)SPECTRUM_FAILING);
    Bitset recorded;
    bitset_init(&recorded, units);
    bitset_init(&run.cover, units);
    get_bytes(reader, recorded.words, bytes);
    for (size_t i = bitset_next(&recorded, 0); i < units; i = bitset_next(&recorded, i + 1))
        bitset_set(&run.cover, ids[i]);
    bitset_release(&recorded);
    vec_push(&recording->runs, run);
    return true;
}

bool recording_read(const char *path, Recording *ret_recording, Error *err) {
    CLEANUP(str_release) Str bytes = {0};
    CLEANUP(json_freep) Json *head = NULL;
    CLEANUP(mem_freep) uint32_t *ids = NULL;
    Recording recording = {0};
    uint32_t units = 0, runs = 0;
    if (!file_read(path, &bytes, err))
        return false;
    if (!str_starts(str_text(&bytes), MARK))
        return error_set(err, "%s is no recording; `culprit isolate --record FILE` makes one", path);
    Reader reader = {bytes.data + strlen(MARK), bytes.data + bytes.len};
    bool ok = get_head(&reader, &recording, &head) && get_units(&reader, head, &recording, &ids, &units) &&
              get_u32(&reader, &runs);
    for (uint32_t i = 0; ok && i < runs; i++)
        ok = get_run(&reader, ids, units, &recording);
    if (!ok) {
        recording_release(&recording);
        return error_set(err, "%s is damaged; record the isolation again", path);
    }
    *ret_recording = recording;
    return true;
}

void recording_release(Recording *recording) {
    free(recording->bug);
    free(recording->subject);
    free(recording->method);
    strlist_release(&recording->files);
    strlist_release(&recording->functions);
    clues_release(&recording->clues);
    unit_table_release(&recording->units);
    spectrum_runs_release(&recording->runs);
    *recording = (Recording){0};
}

/* --- Replaying --- */

uint64_t recording_programs(const Recording *recording) {
    return recording->runs.len ? vec_last(&recording->runs).tested : 0;
}

void recording_replay(const Recording *recording, uint64_t programs, const IsolateOptions *options,
                      Isolation *ret_isolation) {
    Isolation isolation = {.units = &recording->units};
    Bitset suspects;
    bitset_init(&suspects, recording->units.unit_count);
    for (size_t s = 0; s < suspects.bits; s++)
        bitset_set(&suspects, s);
    witness_set_init(&isolation.set, &suspects, 0);
    spectrum_init(&isolation.spectrum, &suspects);
    isolation.spectrum.distinct = options->method->distinct;
    for (size_t i = 0; i < recording->runs.len && recording->runs.items[i].tested <= programs; i++) {
        const SpectrumRun *run = &recording->runs.items[i];
        isolation.statistics.tested = run->tested;
        if (run->kind == SPECTRUM_FAILING)
            spectrum_add_failing(&isolation.spectrum, &run->cover);
        else
            spectrum_add_passing(&isolation.spectrum, (WitnessKind)run->kind, &run->cover);
    }
    clues_add_all(&isolation.clues, &recording->clues);
    isolation.statistics.failing_statements = suspects.bits;
    bitset_release(&suspects);
    isolation_rank(&isolation, options);
    *ret_isolation = isolation;
}
