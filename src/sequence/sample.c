#include "sequence/sample.h"

#include "base/bitset.h"
#include "sequence/choose.h"

void sample_random(uint32_t passes, size_t count, size_t least, size_t most, Rng *rng, Corpus *ret_sequences) {
    BUG_ON(passes == 0 || least > most);
    CLEANUP(mem_freep) uint32_t *sequence = mem_zalloc(most + 1, sizeof *sequence);
    for (size_t s = 0; s < count; s++) {
        size_t length = (size_t)rng_range(rng, (int64_t)least, (int64_t)most);
        for (size_t i = 0; i < length; i++)
            sequence[i] = (uint32_t)rng_below(rng, passes);
        corpus_add(ret_sequences, sequence, length);
    }
}

/* --- Two-way --- */

/* Pairs that no sequence has in order yet, by their second pass: bit a of before[b] says that "a before b" is missing. */
typedef struct Missing {
    Bitset *before;
    size_t *after; /* per a: how many pairs "a before …" are missing */
    size_t left;
} Missing;

/* Greedy: a pass is worth the pairs that it completes here and now and, if the sequence does not have it yet, the pairs that it
 * could begin, in proportion to the room left. The last place counts completed pairs alone, so that every sequence covers
 * at least one and the loop ends. */
static uint32_t best_pass(const Missing *missing, const Bitset *present, size_t at, size_t length, Rng *rng) {
    size_t best_score = 0, ties = 0;
    uint32_t best = 0;
    for (uint32_t p = 0; p < present->bits; p++) {
        size_t score = bitset_count_and(&missing->before[p], present) * length;
        if (!bitset_get(present, p))
            score += missing->after[p] * (length - 1 - at);
        if (score < best_score)
            continue;
        ties = score > best_score ? 1 : ties + 1;
        best_score = score;
        if (ties == 1 || rng_below(rng, ties) == 0)
            best = p;
    }
    return best;
}

static void append(Missing *missing, Bitset *present, uint32_t pass) {
    for (size_t a = bitset_next(present, 0); a < present->bits; a = bitset_next(present, a + 1))
        if (bitset_get(&missing->before[pass], a)) {
            bitset_unset(&missing->before[pass], a);
            missing->after[a]--;
            missing->left--;
        }
    bitset_set(present, pass);
}

void sample_covering(uint32_t passes, size_t length, Rng *rng, Corpus *ret_sequences) {
    BUG_ON(passes == 0 || length < 2);
    Missing missing = {.before = mem_zalloc(passes, sizeof(Bitset)),
                       .after = mem_zalloc(passes, sizeof(size_t)),
                       .left = (size_t)passes * passes};
    for (uint32_t p = 0; p < passes; p++) {
        bitset_init(&missing.before[p], passes);
        missing.after[p] = passes;
        for (uint32_t a = 0; a < passes; a++)
            bitset_set(&missing.before[p], a);
    }
    CLEANUP(mem_freep) uint32_t *sequence = mem_zalloc(length, sizeof *sequence);
    CLEANUP(bitset_release) Bitset present;
    bitset_init(&present, passes);
    while (missing.left > 0) {
        bitset_clear(&present);
        for (size_t at = 0; at < length; at++) {
            sequence[at] = best_pass(&missing, &present, at, length, rng);
            append(&missing, &present, sequence[at]);
        }
        corpus_add(ret_sequences, sequence, length);
    }
    for (uint32_t p = 0; p < passes; p++)
        bitset_release(&missing.before[p]);
    free(missing.before);
    free(missing.after);
}

/* --- Representative --- */

void sample_representative(uint32_t passes, size_t count, size_t pool, size_t least, size_t most, size_t threads,
                           Rng *rng, Corpus *ret_sequences) {
    BUG_ON(pool == 0 || count > pool);
    Corpus all = {0};
    Vectors points;
    sample_random(passes, pool, least, most, rng, &all);
    Doc2VecOptions options = doc2vec_defaults();
    options.threads = threads;
    options.seed = rng_next(rng);
    doc2vec_train(&all, &options, &points);
    Vec(size_t) selected = {0};
    vec_reserve(&selected, pool);
    size_t chosen = choose_representatives(&points, count, threads, rng, selected.items);
    for (size_t i = 0; i < chosen; i++) {
        size_t first = selected.items[i] ? all.ends.items[selected.items[i] - 1] : 0;
        corpus_add(ret_sequences, all.words.items + first, all.ends.items[selected.items[i]] - first);
    }
    vec_release(&selected);
    vectors_release(&points);
    corpus_release(&all);
}

/* --- Trees --- */

/* Where a branch of that length begins, uniform among the root and the nodes above it that have passes left. False if there
 * is none. */
static bool draw_start(const SequenceTree *tree, uint32_t passes, const uint32_t *children, size_t length, Rng *rng,
                       uint32_t *ret_start) {
    size_t candidates = 0;
    for (size_t at = 0; at <= tree->len; at++) {
        size_t depth = at ? tree->items[at - 1].depth : 0;
        if (depth < length && children[at] < passes && rng_below(rng, ++candidates) == 0)
            *ret_start = at ? (uint32_t)(at - 1) : SEQUENCE_ROOT;
    }
    return candidates > 0;
}

static uint32_t draw_pass(const SequenceTree *tree, uint32_t passes, uint32_t parent, uint32_t siblings, Rng *rng) {
    for (;;) {
        uint32_t pass = (uint32_t)rng_below(rng, passes);
        bool taken = false;
        for (size_t i = 0; siblings > 0 && i < tree->len && !taken; i++)
            taken = tree->items[i].parent == parent && tree->items[i].pass == pass;
        if (!taken)
            return pass;
    }
}

static void add_node(SequenceTree *tree, uint32_t pass, uint32_t parent, size_t depth) {
    if (parent != SEQUENCE_ROOT)
        tree->items[parent].children++;
    vec_push(tree, (SequenceNode){.pass = pass, .parent = parent, .depth = (uint32_t)depth + 1});
}

void sample_tree(uint32_t passes, size_t nodes, size_t least, size_t most, Rng *rng, SequenceTree *ret_tree) {
    BUG_ON(passes == 0 || least == 0 || least > most || nodes >= SEQUENCE_ROOT);
    SequenceTree tree = {0};
    CLEANUP(mem_freep)
    uint32_t *children = mem_zalloc(nodes + 1, sizeof *children); /* of the root, then of each node */
    while (tree.len < nodes) {
        size_t length = (size_t)rng_range(rng, (int64_t)least, (int64_t)most);
        uint32_t parent;
        if (!draw_start(&tree, passes, children, length, rng, &parent) &&
            !draw_start(&tree, passes, children, length = most, rng, &parent))
            break; /* the tree is full */
        for (size_t depth = parent == SEQUENCE_ROOT ? 0 : tree.items[parent].depth; depth < length && tree.len < nodes;
             depth++) {
            uint32_t *siblings = &children[parent == SEQUENCE_ROOT ? 0 : parent + 1];
            uint32_t pass = draw_pass(&tree, passes, parent, *siblings, rng);
            ++*siblings;
            add_node(&tree, pass, parent, depth);
            parent = (uint32_t)tree.len - 1;
        }
    }
    *ret_tree = tree;
}

void sample_graft(const Corpus *sequences, size_t first, size_t count, Rng *rng, SequenceTree *ret_tree) {
    for (size_t s = first; s < first + count; s++) {
        size_t start = s ? sequences->ends.items[s - 1] : 0, length = sequences->ends.items[s] - start;
        uint32_t parent = SEQUENCE_ROOT;
        size_t candidates = 1;
        for (size_t at = 0; at < ret_tree->len; at++)
            if (ret_tree->items[at].depth < length && rng_below(rng, ++candidates) == 0)
                parent = (uint32_t)at;
        for (size_t depth = parent == SEQUENCE_ROOT ? 0 : ret_tree->items[parent].depth; depth < length; depth++) {
            uint32_t pass = sequences->words.items[start + depth];
            add_node(ret_tree, pass, parent, depth);
            parent = (uint32_t)ret_tree->len - 1;
        }
    }
}

int sample_level(const SequenceNode *node, int tree_level) { return node->children == 1 ? 0 : tree_level; }
