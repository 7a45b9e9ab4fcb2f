#include "evaluate/converge.h"

#include "base/table.h"
#include "evaluate/answer.h"

const uint64_t converge_sizes[CONVERGE_SIZES] = {10, 20, 40, 80, 160, 320, 640, 1280};

bool convergence_add(Convergence *convergence, const Recording *recording, const IsolateOptions *options) {
    const Answer answer = {&recording->files, &recording->functions, true};
    if (!answer_has_files(&answer))
        return false;
    for (size_t i = 0; i < CONVERGE_SIZES; i++) {
        Isolation isolation;
        BugRank functions;
        recording_replay(recording, converge_sizes[i], options, &isolation);
        BugRank files = answer_rank_files(&isolation, &answer);
        metrics_add(&convergence->files[i], &files);
        if (answer_rank_functions(&isolation, &answer, &functions))
            metrics_add(&convergence->functions[i], &functions);
        convergence->whole[i] += recording_programs(recording) >= converge_sizes[i];
        isolation_release(&isolation);
    }
    return true;
}

static Json *metrics_json(const Metrics *metrics) {
    Json *json = json_new_object(), *tops = json_new_array();
    json_put_int(json, "bugs", (int64_t)metrics->bugs);
    for (size_t i = 0; i < METRICS_TOPS; i++)
        json_push(tops, json_new_int((int64_t)metrics->top[i]));
    json_put(json, "top", tops);
    json_put_real(json, "mfr", metrics->mfr);
    json_put_real(json, "mar", metrics->mar);
    return json;
}

Json *convergence_json(const Convergence *convergence) {
    Json *rows = json_new_array();
    for (size_t i = 0; i < CONVERGE_SIZES; i++) {
        Json *row = json_new_object();
        json_put_int(row, "programs", (int64_t)converge_sizes[i]);
        json_put_int(row, "whole", (int64_t)convergence->whole[i]);
        json_put(row, "files", metrics_json(&convergence->files[i]));
        json_put(row, "functions", metrics_json(&convergence->functions[i]));
        json_push(rows, row);
    }
    return rows;
}

static void add_shares(Table *table, const Metrics *metrics) {
    for (size_t i = 0; i < METRICS_TOPS; i++)
        table_cell(table, "%.0f%%", 100.0 * (double)metrics->top[i] / (double)MAX_OF(metrics->bugs, (size_t)1));
    table_cell(table, "%.1f", metrics->mfr);
}

void convergence_table(const Convergence *convergence, size_t width, bool color, Str *ret_text) {
    CLEANUP(table_freep)
    Table *table =
        table_new((const char *const[]){">programs", ">bugs with so many", ">Top-1", ">Top-5", ">Top-10", ">Top-20",
                                        ">MFR", ">functions: Top-1", ">Top-5", ">Top-10", ">Top-20", ">MFR", NULL});
    for (size_t i = 0; i < CONVERGE_SIZES; i++) {
        table_row(table);
        table_cell(table, "%llu", (unsigned long long)converge_sizes[i]);
        table_cell(table, "%zu of %zu", convergence->whole[i], convergence->files[i].bugs);
        add_shares(table, &convergence->files[i]);
        add_shares(table, &convergence->functions[i]);
    }
    table_format(table, width, color, ret_text);
}
