/* seq_cost LLVM MODULE-DIR SEQUENCES SAMPLE SEED: CPU time per tested sequence, by stage, of the fork server (flat and as a
 * tree) and of plain commands on the same sequences: opt --verify-each, clang, the program.
 *
 * MODULE-DIR has test.bc, made by that LLVM's clang. SEQUENCES random ones of 50 to 200 production passes are run flat, and as
 * many as branches of a tree, all of whose nodes are tested. SAMPLE sequences of each are run by plain commands; for the tree
 * those of nodes drawn from all that were tested. CPU time is that of all processes, the server's own included. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/file.h"
#include "campaign/seq_settings.h"
#include "sequence/sample.h"

typedef struct Cost {
    double cpu_s;
    size_t tested, changed; /* nodes; those with a module that no other had */
    double passes_s, codegen_s, run_s;
} Cost;

/* Of the processes that ended; a runner's are counted when it is freed. */
static double reaped_s(void) {
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void give_up(const Error *err) {
    fprintf(stderr, "seq_cost: %s\n", err->text);
    exit(1);
}

static Cost measure(const SeqLlvm *llvm, const char *dir, const ServerNode *nodes, size_t count, bool by_opt,
                    SequenceResult *results, Arena *arena) {
    Error err;
    Runner *runner = runner_new(&err);
    double before = reaped_s();
    SequenceRun run = {.runner = runner, .tools = &llvm->tools, .by_opt = by_opt, .dir = dir, .module = "test.bc"};
    if (!runner || !sequence_run(&run, nodes, count, arena, results, &err))
        give_up(&err);
    runner_free(runner);
    Cost cost = {.cpu_s = reaped_s() - before};
    for (size_t i = 0; i < count; i++) {
        cost.tested += results[i].tested;
        cost.changed += results[i].tested && !results[i].same_module;
        cost.passes_s += (double)results[i].passes_us / 1e6;
        cost.codegen_s += (double)results[i].codegen_us / 1e6;
        cost.run_s += (double)results[i].run_us / 1e6;
    }
    return cost;
}

static void print_cost(const char *name, const Cost *cost) {
    double n = (double)MAX_OF(cost->tested, (size_t)1) / 1000;
    printf("  %-12s %6zu tested (%zu modules)  %8.1f ms each: passes %.1f, code %.1f, program %.1f, the rest %.1f\n",
           name, cost->tested, cost->changed, cost->cpu_s / n, cost->passes_s / n, cost->codegen_s / n, cost->run_s / n,
           (cost->cpu_s - cost->passes_s - cost->codegen_s - cost->run_s) / n);
}

/* opt --verify-each on sequences of the batch, instead of verification in the string. */
static double plain_ms(SeqLlvm *llvm, const char *dir, const ServerNode *nodes, const Pipeline *passes, size_t count,
                       size_t sample, Rng *rng, Arena *arena) {
    SequenceResult *results = arena_array(arena, SequenceResult, sample);
    ServerNode *chosen = arena_array(arena, ServerNode, sample);
    for (size_t i = 0; i < sample; i++) {
        CLEANUP(str_release) Str text = {0};
        size_t which = rng_below(rng, count);
        pipeline_print(&passes[which], (PipelineStyle){0}, &text);
        chosen[i] = (ServerNode){-1, nodes[which].level, arena_strdup(arena, str_text(&text))};
    }
    strlist_add(&llvm->opt, "--verify-each");
    Cost cost = measure(llvm, dir, chosen, sample, true, results, arena);
    strlist_remove(&llvm->opt, llvm->opt.len - 1);
    print_cost("plain", &cost);
    return cost.cpu_s * 1000 / (double)MAX_OF(cost.tested, (size_t)1);
}

int main(int argc, char **argv) {
    Error err;
    SeqLlvm llvm = {0};
    CLEANUP(arena_release) Arena arena = {0};
    StrList link = {0};
    strlist_add(&link, "-lm");
    if (argc != 6) {
        fputs("usage: seq_cost LLVM MODULE-DIR SEQUENCES SAMPLE SEED\n", stderr);
        return 2;
    }
    size_t count = strtoul(argv[3], NULL, 10), sample = strtoul(argv[4], NULL, 10);
    Rng rng = rng_from_seed(strtoull(argv[5], NULL, 10));
    Runner *runner = runner_new(&err);
    if (!runner || !seq_llvm_open(argv[1], "production", runner, NULL, &llvm, &err))
        give_up(&err);
    runner_free(runner);
    llvm.tools = (SequenceTools){&llvm.opt, &llvm.clang, llvm.library, &link};
    Corpus sequences = {0};
    sample_random((uint32_t)llvm.passes.len, 2 * count, SEQUENCE_LEAST, SEQUENCE_MOST, &rng, &sequences);
    SequenceTree tree = {0};
    sample_graft(&sequences, count, count, &rng, &tree);

    size_t all = count + tree.len;
    ServerNode *nodes = arena_array(&arena, ServerNode, all);
    Pipeline *passes = arena_array(&arena, Pipeline, all);
    SequenceResult *results = arena_array(&arena, SequenceResult, all);
    int tree_level = (int)rng_below(&rng, 4);
    for (size_t i = 0; i < all; i++) {
        bool in_tree = i >= count;
        CLEANUP(str_release) Str text = {0};
        if (in_tree) {
            const SequenceNode *node = &tree.items[i - count];
            bool is_root = node->parent == SEQUENCE_ROOT;
            const Pipeline *parent = is_root ? NULL : &passes[count + node->parent];
            Pipeline own = {0};
            for (size_t k = 0; parent && k < parent->len; k++)
                vec_push(&passes[i], parent->items[k]);
            vec_push(&passes[i], llvm.passes.items[node->pass]);
            vec_push(&own, llvm.passes.items[node->pass]);
            pipeline_print(&own, (PipelineStyle){.verify = true}, &text);
            vec_release(&own);
            nodes[i] = (ServerNode){is_root ? -1 : (int)node->parent, sample_level(node, tree_level), NULL};
        } else {
            for (size_t k = i ? sequences.ends.items[i - 1] : 0; k < sequences.ends.items[i]; k++)
                vec_push(&passes[i], llvm.passes.items[sequences.words.items[k]]);
            pipeline_print(&passes[i], (PipelineStyle){.verify = true}, &text);
            nodes[i] = (ServerNode){-1, (int)rng_below(&rng, 4), NULL};
        }
        nodes[i].passes = arena_strdup(&arena, str_text(&text));
    }
    Cost flat = measure(&llvm, argv[2], nodes, count, false, results, &arena);
    print_cost("flat", &flat);
    double flat_plain = plain_ms(&llvm, argv[2], nodes, passes, count, sample, &rng, &arena);
    Cost trees = measure(&llvm, argv[2], nodes + count, tree.len, false, results, &arena);
    print_cost("tree", &trees);
    double tree_plain = plain_ms(&llvm, argv[2], nodes + count, passes + count, tree.len, sample, &rng, &arena);
    double flat_ms = flat.cpu_s * 1000 / (double)MAX_OF(flat.tested, (size_t)1);
    double tree_ms = trees.cpu_s * 1000 / (double)MAX_OF(trees.tested, (size_t)1);
    double both_ms = (flat.cpu_s + trees.cpu_s) * 1000 / (double)MAX_OF(flat.tested + trees.tested, (size_t)1);
    double both_plain = (flat_plain * (double)flat.tested + tree_plain * (double)trees.tested) /
                        (double)MAX_OF(flat.tested + trees.tested, (size_t)1);
    printf("  plain commands cost %.1fx of flat, %.1fx of the tree, %.1fx of a batch\n", flat_plain / flat_ms,
           tree_plain / tree_ms, both_plain / both_ms);
    return 0;
}
