#include "campaign/seq_table.h"

#include "base/file.h"
#include "judge/oracle.h"

#define KNOWN_MOST 64 /* reduced sequences that a test gets to try first */

static const char *row_text(const StoreExclusion *row, Arena *arena) {
    return *row->second ? arena_printf(arena, "%s … %s", row->first, row->second) : row->first;
}

bool seq_table_learn(Campaign *campaign, const SeqLlvm *llvm, const char *key, const char *kind, Error *err) {
    CLEANUP(arena_release) Arena arena = {0};
    CLEANUP(strlist_release) StrList texts = {0};
    Vec(Pipeline) reduced = {0};
    StoreExclusions rows = {0};
    Exclusion found;
    bool ok = store_sequences(campaign->store, key, llvm->name, &texts, err) &&
              store_exclusions(campaign->store, &arena, &rows, err);
    for (size_t i = 0; ok && i < texts.len; i++) {
        Pipeline pipeline = {0};
        if (pipeline_parse(texts.items[i], &arena, &pipeline, NULL))
            vec_push(&reduced, pipeline);
    }
    if (ok && exclusion_find(reduced.items, reduced.len, EXCLUDE_AFTER, &arena, &found)) {
        StoreExclusion row = {.compiler = llvm->name,
                              .version = llvm->catalogue->version,
                              .first = found.first,
                              .second = found.second ? found.second : "",
                              .bug = key,
                              .kind = kind,
                              .hits = found.hits};
        bool is_new = true;
        for (size_t i = 0; i < rows.len; i++)
            is_new &= !(str_equal(rows.items[i].compiler, row.compiler) && str_equal(rows.items[i].first, row.first) &&
                        str_equal(rows.items[i].second, row.second) && !rows.items[i].ended);
        ok = store_set_exclusion(campaign->store, &row, err);
        if (ok && is_new)
            console_info(campaign->console, "%s: sequences do without %s from now on, after %zu hits of one %s",
                         llvm->name, row_text(&row, &arena), found.hits, kind);
    }
    for (size_t i = 0; i < reduced.len; i++)
        vec_release(&reduced.items[i]);
    vec_release(&reduced);
    vec_release(&rows);
    return ok;
}

/* Whether the row's bug still shows; one whose directory is gone, or that cannot be asked, is taken to. */
static bool still_shows(Campaign *campaign, const StoreExclusion *row, Arena *arena) {
    StoreBug bug_row;
    bool found;
    if (!store_bug(campaign->store, row->bug, arena, &bug_row, &found, NULL) || !found || !bug_row.directory)
        return true;
    CLEANUP(bug_release) Bug bug = {0};
    CLEANUP(oracle_answer_release) OracleAnswer answer = {0};
    const char *dir = arena_printf(arena, "%s/bugs/%s", campaign->options->dir, bug_row.directory);
    if (!bug_load(dir, &bug, NULL) || !str_equal(bug.compiler, row->compiler))
        return true;
    CLEANUP(oracle_freep) Oracle *oracle = oracle_new(campaign->runner, &bug, NULL, NULL);
    return !oracle || !oracle_ask(oracle, &(OracleQuestion){0}, &answer, NULL) || answer.outcome != OUTCOME_PASSES;
}

static const SeqLlvm *find_llvm(const SeqSettings *settings, const char *name) {
    for (size_t i = 0; i < settings->llvms.len; i++)
        if (str_equal(settings->llvms.items[i].name, name))
            return &settings->llvms.items[i];
    return NULL;
}

bool seq_table_retry(Campaign *campaign, const SeqSettings *settings, Error *err) {
    CLEANUP(arena_release) Arena arena = {0};
    StoreExclusions rows = {0};
    bool ok = store_exclusions(campaign->store, &arena, &rows, err);
    for (size_t i = 0; ok && i < rows.len; i++) {
        StoreExclusion *row = &rows.items[i];
        const SeqLlvm *llvm = find_llvm(settings, row->compiler);
        if (row->ended || !llvm)
            continue;
        if (!str_equal(row->version, llvm->catalogue->version))
            row->ended = arena_printf(&arena, "version %s is installed now", llvm->catalogue->version);
        else if (!still_shows(campaign, row, &arena))
            row->ended = "its bug no longer shows";
        if (row->ended) {
            console_info(campaign->console, "%s: sequences have %s again: %s", row->compiler, row_text(row, &arena),
                         row->ended);
            ok = store_set_exclusion(campaign->store, row, err);
        }
    }
    vec_release(&rows);
    return ok;
}

bool seq_table_copy(Campaign *campaign, const SeqLlvm *llvm, Arena *arena, SeqKnown *ret_known, Error *err) {
    StoreExclusions rows = {0};
    StoreBugs bugs = {0};
    CLEANUP(strlist_release) StrList texts = {0};
    bool ok = store_exclusions(campaign->store, arena, &rows, err) && store_bugs(campaign->store, arena, &bugs, err) &&
              store_sequences(campaign->store, NULL, llvm->name, &texts, err);
    for (size_t i = 0; ok && i < bugs.len; i++)
        if (bugs.items[i].hits >= EXCLUDE_AFTER && str_equal(bugs.items[i].compiler, llvm->name))
            strlist_add(&ret_known->often, bugs.items[i].key);
    for (size_t i = 0; ok && i < rows.len; i++)
        if (!rows.items[i].ended && str_equal(rows.items[i].compiler, llvm->name))
            vec_push(&ret_known->exclusions,
                     (Exclusion){rows.items[i].first, *rows.items[i].second ? rows.items[i].second : NULL,
                                 rows.items[i].hits});
    for (size_t i = texts.len; ok && i > 0 && ret_known->reduced.len < KNOWN_MOST; i--) {
        Pipeline pipeline = {0};
        if (pipeline_parse(texts.items[i - 1], arena, &pipeline, NULL))
            vec_push(&ret_known->reduced, pipeline);
    }
    vec_release(&bugs);
    vec_release(&rows);
    return ok;
}
