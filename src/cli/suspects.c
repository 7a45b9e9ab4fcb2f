#include "cli/suspects.h"

#include "base/table.h"

static void add_file_row(Table *table, const Isolation *isolation, const Ranked *file) {
    CLEANUP(strlist_release) StrList functions = {0};
    isolation_file_functions(isolation, file->group, 3, &functions);
    CLEANUP(mem_freep) char *names = strlist_join(&functions, ", ");
    double evidence[EVIDENCE_KINDS];
    isolation_evidence(isolation, file->group, evidence);
    table_row(table);
    table_cell(table, "%zu", file->rank);
    table_cell(table, "%.4f", file->score);
    table_cell(table, "%s", unit_file_name(isolation->units, file->group));
    for (int kind = 0; kind < EVIDENCE_KINDS; kind++)
        if (isolation->evidence[kind])
            table_cell(table, "%.2f", evidence[kind]);
    table_cell(table, "%zu", file->statements);
    table_cell(table, "%s", names);
}

/* A column for each kind of evidence: how strongly it speaks against the file's most suspicious statements. */
static Table *new_file_table(const Isolation *isolation) {
    char names[EVIDENCE_KINDS][16];
    const char *columns[EVIDENCE_KINDS + 6] = {">rank", ">score", "file"};
    size_t count = 3;
    for (int kind = 0; kind < EVIDENCE_KINDS; kind++)
        if (isolation->evidence[kind]) {
            snprintf(names[kind], sizeof names[kind], ">%s", evidence_name(kind));
            columns[count++] = names[kind];
        }
    columns[count++] = ">statements";
    columns[count++] = "functions";
    return table_new(columns);
}

static void print_files(Cli *cli, const Isolation *isolation, const RankedList *list, const char *title, size_t most) {
    if (list->len == 0)
        return;
    CLEANUP(table_freep) Table *table = new_file_table(isolation);
    CLEANUP(str_release) Str text = {0};
    for (size_t i = 0; i < list->len && i < most; i++)
        add_file_row(table, isolation, &list->items[i]);
    table_format(table, cli->width, cli->color, &text);
    fprintf(cli->out, "%s\n%s\n", title, str_text(&text));
}

/* Where no file is known: a compiler that is traced without its sources. */
static void print_functions(Cli *cli, const Isolation *isolation, size_t most) {
    CLEANUP(table_freep) Table *table = table_new((const char *const[]){">rank", ">score", "function", NULL});
    CLEANUP(str_release) Str text = {0};
    for (size_t i = 0; i < isolation->functions.len && i < most; i++) {
        const Ranked *function = &isolation->functions.items[i];
        table_row(table);
        table_cell(table, "%zu", function->rank);
        table_cell(table, "%.4f", function->score);
        table_cell(table, "%s", unit_function_name(isolation->units, function->group));
    }
    table_format(table, cli->width, cli->color, &text);
    fprintf(cli->out, "Suspicious functions (give the compiler's sources with --source DIR to see files)\n%s\n",
            str_text(&text));
}

void print_suspects(Cli *cli, const Isolation *isolation, size_t top) {
    if (isolation->files.len == 0)
        print_functions(cli, isolation, top);
    print_files(cli, isolation, &isolation->files, "Suspicious files", top);
    print_files(cli, isolation, &isolation->others, "Headers and generated files (a fix is seldom there alone)",
                MIN_OF(top, (size_t)5));
}

void print_reasons(Cli *cli, const Isolation *isolation) {
    enum { FILES = 5 };
    for (size_t i = 0; i < isolation->files.len && i < FILES; i++) {
        CLEANUP(strlist_release) StrList clauses = {0};
        uint32_t file = isolation->files.items[i].group;
        isolation_reasons(isolation, file, &clauses);
        fprintf(cli->out, "%zu. %s\n", isolation->files.items[i].rank, unit_file_name(isolation->units, file));
        for (size_t c = 0; c < clauses.len; c++)
            fprintf(cli->out, "   - %s\n", clauses.items[c]);
    }
    fprintf(cli->out, "\n");
}
