/* Sequences of passes: lengths, coverage of pairs, shapes of trees, and the same stream giving the same sequences. */
#include "base/rng.h"
#include "sequence/sample.h"
#include "unit.h"

static void assert_same(const Corpus *a, const Corpus *b) {
    assert_int_equal(corpus_documents(a), corpus_documents(b));
    assert_int_equal(a->words.len, b->words.len);
    assert_memory_equal(a->words.items, b->words.items, a->words.len * sizeof(uint32_t));
}

static void test_random_sequences(void **state) {
    (void)state;
    Corpus first = {0}, second = {0};
    Rng rng = rng_from_seed(1), again = rng_from_seed(1);
    sample_random(40, 2000, SEQUENCE_LEAST, SEQUENCE_MOST, &rng, &first);
    sample_random(40, 2000, SEQUENCE_LEAST, SEQUENCE_MOST, &again, &second);
    assert_same(&first, &second);
    size_t counts[40] = {0}, shortest = SIZE_MAX, longest = 0;
    for (size_t i = 0; i < first.words.len; i++)
        counts[first.words.items[i]]++;
    for (size_t s = 0; s < 2000; s++) {
        size_t length = first.ends.items[s] - (s ? first.ends.items[s - 1] : 0);
        shortest = MIN_OF(shortest, length);
        longest = MAX_OF(longest, length);
    }
    assert_int_equal(shortest, SEQUENCE_LEAST);
    assert_int_equal(longest, SEQUENCE_MOST);
    for (size_t p = 0; p < 40; p++) /* 6,250 expected, standard deviation 78 */
        assert_in_range(counts[p], 5860, 6640);
    corpus_release(&first);
    corpus_release(&second);
}

static size_t missing_pairs(const Corpus *sequences, uint32_t passes) {
    CLEANUP(mem_freep) bool *covered = mem_zalloc((size_t)passes * passes, 1);
    size_t first = 0, missing = 0;
    for (size_t s = 0; s < corpus_documents(sequences); first = sequences->ends.items[s++])
        for (size_t i = first; i < sequences->ends.items[s]; i++)
            for (size_t j = i + 1; j < sequences->ends.items[s]; j++)
                covered[sequences->words.items[i] * (size_t)passes + sequences->words.items[j]] = true;
    for (size_t i = 0; i < (size_t)passes * passes; i++)
        missing += !covered[i];
    return missing;
}

static void test_covering_sequences_have_all_pairs(void **state) {
    (void)state;
    static const struct {
        uint32_t passes;
        size_t length, most;
    } cases[] = {{1, 2, 1}, {5, 2, 25}, {10, 200, 1}, {100, 200, 2}, {150, 200, 9}, {60, 20, 80}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        Corpus sequences = {0}, again = {0};
        Rng rng = rng_from_seed(i), same = rng_from_seed(i);
        sample_covering(cases[i].passes, cases[i].length, &rng, &sequences);
        sample_covering(cases[i].passes, cases[i].length, &same, &again);
        assert_same(&sequences, &again);
        assert_int_equal(missing_pairs(&sequences, cases[i].passes), 0);
        if (corpus_documents(&sequences) > cases[i].most)
            fail_msg("%u passes: %zu sequences of %zu", cases[i].passes, corpus_documents(&sequences), cases[i].length);
        corpus_release(&sequences);
        corpus_release(&again);
    }
}

static void test_representative_sequences_are_different_ones_of_the_pool(void **state) {
    (void)state;
    Corpus first = {0}, second = {0};
    Rng rng = rng_from_seed(4), again = rng_from_seed(4);
    sample_representative(30, 40, 300, 50, 200, 1, &rng, &first);
    sample_representative(30, 40, 300, 50, 200, 1, &again, &second);
    assert_same(&first, &second);
    assert_int_equal(corpus_documents(&first), 40);
    for (size_t a = 0; a < 40; a++)
        for (size_t b = 0; b < a; b++) {
            size_t from_a = first.ends.items[a - 1], from_b = b ? first.ends.items[b - 1] : 0;
            size_t len_a = first.ends.items[a] - from_a, len_b = first.ends.items[b] - from_b;
            assert_true(len_a != len_b ||
                        memcmp(first.words.items + from_a, first.words.items + from_b, len_a * sizeof(uint32_t)) != 0);
        }
    corpus_release(&first);
    corpus_release(&second);
}

static void test_grafted_trees_keep_the_ends_of_sequences(void **state) {
    (void)state;
    Corpus sequences = {0};
    SequenceTree tree = {0};
    Rng rng = rng_from_seed(9);
    sample_random(20, 12, 10, 30, &rng, &sequences);
    sample_graft(&sequences, 2, 10, &rng, &tree);
    assert_true(tree.len < sequences.ends.items[11] - sequences.ends.items[1]); /* something is shared */
    for (size_t i = 0; i < tree.len; i++) {
        const SequenceNode *node = &tree.items[i];
        assert_true(node->parent == SEQUENCE_ROOT || node->parent < i);
        assert_int_equal(node->depth, node->parent == SEQUENCE_ROOT ? 1 : tree.items[node->parent].depth + 1);
        size_t children = 0;
        for (size_t k = i + 1; k < tree.len; k++)
            children += tree.items[k].parent == i;
        assert_int_equal(node->children, children);
        assert_int_equal(sample_level(node, 2), children == 1 ? 0 : 2);
    }
    for (size_t s = 2; s < 12; s++) { /* its last pass stands at its depth */
        size_t length = sequences.ends.items[s] - sequences.ends.items[s - 1];
        bool found = false;
        for (size_t i = 0; i < tree.len && !found; i++)
            found = tree.items[i].depth == length &&
                    tree.items[i].pass == sequences.words.items[sequences.ends.items[s] - 1];
        assert_true(found);
    }
    vec_release(&tree);
    corpus_release(&sequences);
}

static void test_trees(void **state) {
    (void)state;
    size_t counts[5] = {0}, branches = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        SequenceTree tree, again;
        Rng rng = rng_from_seed(seed), same = rng_from_seed(seed);
        sample_tree(5, 300, 10, 30, &rng, &tree);
        sample_tree(5, 300, 10, 30, &same, &again);
        assert_int_equal(tree.len, 300);
        assert_memory_equal(tree.items, again.items, tree.len * sizeof *tree.items);
        for (size_t i = 0; i < tree.len; i++) {
            const SequenceNode *node = &tree.items[i];
            assert_true(node->parent == SEQUENCE_ROOT || node->parent < i);
            assert_int_equal(node->depth, node->parent == SEQUENCE_ROOT ? 1 : tree.items[node->parent].depth + 1);
            assert_in_range(node->depth, 1, 30);
            counts[node->pass]++;
            for (size_t j = 0; j < i; j++)
                if (tree.items[j].parent == node->parent) {
                    assert_int_not_equal(tree.items[j].pass, node->pass);
                    branches++;
                }
        }
        vec_release(&tree);
        vec_release(&again);
    }
    assert_true(branches > 400);
    for (size_t p = 0; p < 5; p++) /* 2,400 expected */
        assert_in_range(counts[p], 2180, 2620);
}

static void test_full_trees_end(void **state) {
    (void)state;
    SequenceTree tree;
    Rng rng = rng_from_seed(8);
    sample_tree(2, 100, 1, 3, &rng, &tree);
    assert_int_equal(tree.len, 2 + 4 + 8);
    vec_release(&tree);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_sequences),
        cmocka_unit_test(test_covering_sequences_have_all_pairs),
        cmocka_unit_test(test_representative_sequences_are_different_ones_of_the_pool),
        cmocka_unit_test(test_grafted_trees_keep_the_ends_of_sequences),
        cmocka_unit_test(test_trees),
        cmocka_unit_test(test_full_trees_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
