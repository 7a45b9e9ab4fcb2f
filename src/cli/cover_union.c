#include "cli/cover_union.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/table.h"
#include "cover/union.h"
#include "proc/interrupt.h"
#include "proc/pool.h"
#include "proc/scratch.h"

enum { LARGEST_INPUT = 64 << 20 };

typedef struct Input {
    Cover *cover;
    const StrList *command;
    const ProcLimits *limits;
    const char *path; /* absolute */
    Bitset units, edges;
    bool ok, accepted; /* it ran; the compiler was content */
    Error err;
} Input;

/* Programs of the languages that subjects compile; what a folder holds besides is no input. */
static bool find_inputs(const StrList *paths, StrList *ret_inputs, Error *err) {
    static const char *const endings[] = {".c", ".i", ".cc", ".cpp", ".C", ".ll"};
    for (size_t i = 0; i < paths->len; i++) {
        CLEANUP(mem_freep) char *path = realpath(paths->items[i], NULL);
        if (!path)
            return error_errno(err, "cannot find %s", paths->items[i]);
        if (!dir_exists(path)) {
            strlist_add(ret_inputs, path);
            continue;
        }
        for (size_t k = 0; k < ARRAY_LEN(endings); k++)
            if (!dir_walk(path, endings[k], LARGEST_INPUT, ret_inputs, err))
                return false;
    }
    return true;
}

/* In a folder of its own, so that what compilers write does not collide. */
static void run_input(Runner *runner, size_t worker, void *job) {
    (void)worker;
    Input *input = job;
    CLEANUP(scratch_release) Scratch scratch = {0};
    CLEANUP(strlist_release) StrList argv = {0};
    CLEANUP(proc_result_release) ProcResult result = {0};
    strlist_add_all(&argv, input->command);
    strlist_add(&argv, input->path);
    ProcRequest request = {.argv = (const char *const *)argv.items, .limits = *input->limits};
    bitset_init(&input->units, cover_units(input->cover)->unit_count);
    bitset_init(&input->edges, cover_edge_count(input->cover));
    if (!scratch_new(&scratch, &input->err))
        return;
    request.dir = scratch.path;
    input->ok = cover_run_edges(input->cover, runner, &request, &input->units, &input->edges, &result, &input->err);
    input->accepted = proc_ok(&result);
}

typedef struct UnionRun {
    CoverUnion all;
    uint64_t refused; /* inputs that the compiler did not accept; what they cover counts all the same */
    bool failed;
    Error *err;
} UnionRun;

static void take(UnionRun *run, Input *input) {
    if (input->ok) {
        cover_union_add(&run->all, &input->units, &input->edges);
        run->refused += !input->accepted;
    } else if (!run->failed && interrupt_count() == 0) {
        run->failed = true;
        *run->err = input->err;
    }
    bitset_release(&input->units);
    bitset_release(&input->edges);
    free(input);
}

static bool run_inputs(Cli *cli, Cover *cover, const StrList *command, const ProcLimits *limits, const StrList *inputs,
                       UnionRun *run) {
    CLEANUP(pool_freep) Pool *pool = pool_new(cli->jobs, POOL_AS_FINISHED, run->err);
    if (!pool)
        return false;
    Input *done;
    for (size_t i = 0; i < inputs->len && !run->failed && interrupt_count() == 0; i++) {
        Input *input = mem_zalloc(1, sizeof *input);
        *input = (Input){.cover = cover, .command = command, .limits = limits, .path = inputs->items[i]};
        pool_submit(pool, run_input, input);
        while ((done = pool_poll(pool)))
            take(run, done);
        if (console_status_due(cli->console))
            console_status(cli->console, "%zu of %zu inputs", i, inputs->len);
    }
    while ((done = pool_next(pool)))
        take(run, done);
    console_status_end(cli->console);
    return !run->failed;
}

/* --- Output --- */

static void put_share(Json *json, const CoverShare *share) {
    json_put_int(json, "functions", (int64_t)share->functions);
    json_put_int(json, "functions_covered", (int64_t)share->functions_run);
    json_put_int(json, "lines", (int64_t)share->lines);
    json_put_int(json, "lines_covered", (int64_t)share->lines_run);
    json_put_int(json, "edges", (int64_t)share->edges);
    json_put_int(json, "edges_covered", (int64_t)share->edges_run);
}

static void add_percent(Table *table, uint64_t run, uint64_t all) {
    if (all)
        table_cell(table, "%.2f%%", 100.0 * (double)run / (double)all);
    else
        table_cell(table, "-");
    table_cell(table, "%llu", (unsigned long long)all);
}

static void add_row(Table *table, const char *name, const CoverShare *share) {
    table_row(table);
    table_cell(table, "%s", name);
    add_percent(table, share->functions_run, share->functions);
    add_percent(table, share->lines_run, share->lines);
    add_percent(table, share->edges_run, share->edges);
}

static ExitStatus print(Cli *cli, const UnionRun *run, const Cover *cover) {
    CoverFolders folders = {0};
    CoverShare sum;
    CLEANUP(str_release) Str text = {0};
    static const char *const columns[] = {"folder", ">functions", ">of", ">lines", ">of", ">edges", ">of", NULL};
    CLEANUP(table_freep) Table *table = table_new(columns);
    Json *json = json_new_object(), *rows = json_new_array();
    cover_union_folders(&run->all, cover, &folders, &sum);
    for (size_t i = 0; i < folders.len; i++) {
        Json *row = json_new_object();
        add_row(table, *folders.items[i].name ? folders.items[i].name : ".", &folders.items[i].share);
        json_put_text(row, "folder", folders.items[i].name);
        put_share(row, &folders.items[i].share);
        json_push(rows, row);
    }
    add_row(table, "all", &sum);
    cover_folders_release(&folders);
    json_put_int(json, "inputs", (int64_t)run->all.inputs);
    json_put_int(json, "refused", (int64_t)run->refused);
    put_share(json, &sum);
    json_put(json, "folders", rows);
    if (cli->json)
        return cli_print_json(cli, json, STATUS_OK);
    json_free(json);
    table_format(table, cli->width, cli->color, &text);
    fprintf(cli->out, "%s%llu inputs, %llu of them refused by the compiler\n", str_text(&text),
            (unsigned long long)run->all.inputs, (unsigned long long)run->refused);
    return STATUS_OK;
}

ExitStatus cover_union_command(Cli *cli, const UnionArgs *args, Cover *cover, const StrList *command,
                               const ProcLimits *limits) {
    CLEANUP(strlist_release) StrList inputs = {0};
    Error err = {0};
    UnionRun run = {.err = &err};
    if (!find_inputs(&args->inputs, &inputs, &err))
        return cli_fail(cli, &err);
    interrupt_catch();
    cover_union_init(&run.all, cover);
    bool ok = run_inputs(cli, cover, command, limits, &inputs, &run);
    for (size_t i = 0; ok && i < args->add.len; i++)
        ok = cover_union_join(&run.all, args->add.items[i], &err);
    if (ok && run.all.inputs == 0)
        ok =
            error_set(&err, "there is no program in what --union names; it takes source files and directories of them");
    ok = ok && (!args->save || cover_union_save(&run.all, args->save, &err));
    ExitStatus status = ok ? print(cli, &run, cover) : cli_fail(cli, &err);
    cover_union_release(&run.all);
    return status;
}
