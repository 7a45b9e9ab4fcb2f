/* Doc2Vec, X-means and the selection of representatives: properties, naive models, and formulae by hand. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "learn/doc2vec.h"
#include "learn/select.h"
#include "learn/xmeans.h"
#include "unit.h"

static void random_points(Vectors *points, size_t rows, size_t columns, uint64_t seed) {
    Rng rng = rng_from_seed(seed);
    vectors_init(points, rows, columns);
    vectors_randomise(points, &rng);
}

static double naive_distance(const Vectors *points, size_t a, const float *b) {
    double sum = 0;
    for (size_t c = 0; c < points->columns; c++)
        sum += pow((double)vectors_row(points, a)[c] - (double)b[c], 2);
    return sqrt(sum);
}

/* --- Vectors --- */

static void test_distances_are_those_of_the_definition(void **state) {
    (void)state;
    static const size_t columns[] = {1, 3, 15, 16, 17, 100};
    for (size_t i = 0; i < ARRAY_LEN(columns); i++) {
        Vectors points;
        random_points(&points, 9, columns[i], 5 + i);
        float distances[9];
        vectors_distances_squared(&points, 0, 9, vectors_lanes(&points, 4), distances);
        for (size_t r = 0; r < 9; r++) {
            double expected = pow(naive_distance(&points, r, vectors_row(&points, 4)), 2);
            assert_true(fabs(expected - (double)distances[r]) < 1e-6);
            assert_true(distances[r] == vectors_distance_squared(&points, r, 4));
        }
        vectors_release(&points);
    }
}

/* --- Doc2Vec --- */

enum { TOPICS = 4, WORDS_PER_TOPIC = 6, TEXTS_PER_TOPIC = 30, TEXT_WORDS = 60 };

/* Documents about one of four topics, each with words of its own and a few that are everywhere. */
static void make_topics(Corpus *corpus) {
    Rng rng = rng_from_seed(11);
    for (uint32_t d = 0; d < TOPICS * TEXTS_PER_TOPIC; d++) {
        uint32_t text[TEXT_WORDS], topic = d % TOPICS;
        for (size_t i = 0; i < TEXT_WORDS; i++) {
            uint32_t word = (uint32_t)rng_below(&rng, WORDS_PER_TOPIC);
            text[i] = rng_chance(&rng, 30) ? TOPICS * WORDS_PER_TOPIC + word : topic * WORDS_PER_TOPIC + word;
        }
        corpus_add(corpus, text, TEXT_WORDS);
    }
}

/* How many documents have a nearest neighbour, by angle, of their own topic. */
static size_t count_agreements(const Vectors *documents, size_t topics) {
    size_t agreements = 0;
    for (size_t a = 0; a < documents->rows; a++) {
        double best = -2;
        size_t nearest = a;
        for (size_t b = 0; b < documents->rows; b++) {
            const Lane *x = vectors_lanes(documents, a), *y = vectors_lanes(documents, b);
            size_t n = documents->lanes_per_row;
            double cosine = (double)(lanes_dot(x, y, n) / sqrtf(lanes_dot(x, x, n) * lanes_dot(y, y, n)));
            if (a != b && cosine > best) {
                best = cosine;
                nearest = b;
            }
        }
        agreements += a % topics == nearest % topics;
    }
    return agreements;
}

static void test_documents_of_one_topic_are_neighbours(void **state) {
    (void)state;
    Corpus corpus = {0};
    make_topics(&corpus);
    for (size_t threads = 1; threads <= 2; threads++) {
        Doc2VecOptions options = doc2vec_defaults();
        options.threads = threads;
        options.sample = 0; /* so few words are all frequent */
        Vectors documents;
        doc2vec_train(&corpus, &options, &documents);
        assert_int_equal(documents.rows, TOPICS * TEXTS_PER_TOPIC);
        assert_int_equal(count_agreements(&documents, TOPICS), TOPICS * TEXTS_PER_TOPIC);
        vectors_release(&documents);
    }
    corpus_release(&corpus);
}

static void test_training_is_repeatable(void **state) {
    (void)state;
    Corpus corpus = {0};
    make_topics(&corpus);
    Doc2VecOptions options = doc2vec_defaults();
    for (options.threads = 1; options.threads <= 3; options.threads++) {
        Vectors first, again, other;
        doc2vec_train(&corpus, &options, &first);
        doc2vec_train(&corpus, &options, &again);
        options.seed++;
        doc2vec_train(&corpus, &options, &other);
        size_t bytes = first.rows * first.lanes_per_row * sizeof(Lane);
        assert_memory_equal(first.lanes, again.lanes, bytes);
        assert_true(memcmp(first.lanes, other.lanes, bytes) != 0);
        vectors_release(&first);
        vectors_release(&again);
        vectors_release(&other);
    }
    corpus_release(&corpus);
}

/* The same words as often, but next to other ones: no bag of words could tell these documents apart. */
static void test_neighbourhood_of_words_is_seen(void **state) {
    (void)state;
    enum { TEXTS = 60, PAIRS = 60 };
    static const uint32_t pairs[2][2][2] = {{{0, 1}, {2, 3}}, {{0, 2}, {1, 3}}};
    Corpus corpus = {0};
    for (uint32_t d = 0; d < TEXTS; d++) {
        uint32_t text[2 * PAIRS];
        for (size_t i = 0; i < PAIRS; i++) /* 0 1 0 1 … 2 3 2 3 …, or 0 2 0 2 … 1 3 1 3 … */
            memcpy(&text[2 * i], pairs[d % 2][i >= PAIRS / 2], sizeof pairs[0][0]);
        corpus_add(&corpus, text, 2 * PAIRS);
    }
    Doc2VecOptions options = doc2vec_defaults();
    options.sample = 0;
    Vectors documents;
    doc2vec_train(&corpus, &options, &documents);
    assert_int_equal(count_agreements(&documents, 2), TEXTS);
    vectors_release(&documents);
    corpus_release(&corpus);
}

static void test_degenerate_corpora_are_harmless(void **state) {
    (void)state;
    Doc2VecOptions options = doc2vec_defaults();
    Vectors documents;
    Corpus empty = {0}, rare = {0};
    doc2vec_train(&empty, &options, &documents);
    assert_int_equal(documents.rows, 0);
    vectors_release(&documents);
    corpus_add(&rare, (const uint32_t[]){7, 8}, 2); /* rarer than min_count */
    corpus_add(&rare, NULL, 0);
    doc2vec_train(&rare, &options, &documents);
    assert_int_equal(documents.rows, 2);
    vectors_release(&documents);
    corpus_release(&rare);
}

/* --- X-means --- */

/* `k` balls of points, far apart. */
static void make_balls(Vectors *points, size_t k, size_t each, size_t columns) {
    Rng rng = rng_from_seed(k);
    random_points(points, k * each, columns, 21);
    Vectors middles;
    vectors_init(&middles, k, columns);
    vectors_randomise(&middles, &rng);
    for (size_t i = 0; i < points->rows; i++)
        for (size_t c = 0; c < columns; c++)
            vectors_row(points, i)[c] += 40 * vectors_row(&middles, i % k)[c];
    vectors_release(&middles);
}

static void test_xmeans_finds_the_number_of_clusters(void **state) {
    (void)state;
    static const size_t numbers[] = {2, 3, 5, 9};
    for (size_t n = 0; n < ARRAY_LEN(numbers); n++) {
        Vectors points;
        Clusters clusters;
        Rng rng = rng_from_seed(1);
        XMeansOptions options = xmeans_defaults();
        make_balls(&points, numbers[n], 200, 8);
        xmeans(&points, &options, &rng, &clusters);
        assert_int_equal(clusters.centers.rows, numbers[n]);
        for (size_t i = numbers[n]; i < points.rows; i++)
            assert_int_equal(clusters.of[i], clusters.of[i % numbers[n]]);
        clusters_release(&clusters);
        vectors_release(&points);
    }
}

static void test_clusters_do_not_depend_on_threads(void **state) {
    (void)state;
    Vectors points;
    random_points(&points, 9000, 20, 4);
    Clusters results[3];
    for (size_t t = 0; t < 3; t++) {
        Rng rng = rng_from_seed(9);
        XMeansOptions options = xmeans_defaults();
        options.kmeans.threads = t + 1;
        options.kmeans.iterations = 12;
        xmeans(&points, &options, &rng, &results[t]);
        assert_memory_equal(results[t].of, results[0].of, points.rows * sizeof *results[0].of);
        assert_true(results[t].inertia == results[0].inertia);
    }
    for (size_t t = 0; t < 3; t++)
        clusters_release(&results[t]);
    vectors_release(&points);
}

/* Hamerly's bounds skip only what need not be looked at: every point is with its nearest centre, and the inertia is so. */
static void test_points_are_with_their_nearest_centre(void **state) {
    (void)state;
    Vectors points;
    Clusters clusters;
    Rng rng = rng_from_seed(2);
    XMeansOptions options = xmeans_defaults();
    random_points(&points, 5000, 10, 8);
    kmeans(&points, 12, &options.kmeans, &rng, &clusters);
    double inertia = 0;
    for (size_t i = 0; i < points.rows; i++) {
        double own = naive_distance(&points, i, vectors_row(&clusters.centers, clusters.of[i]));
        for (size_t c = 0; c < clusters.centers.rows; c++)
            assert_true(own <= naive_distance(&points, i, vectors_row(&clusters.centers, c)) + 1e-6);
        inertia += own * own;
    }
    assert_true(fabs(inertia - clusters.inertia) < 1e-4 * inertia);
    clusters_release(&clusters);
    vectors_release(&points);
}

/* Lloyd's algorithm as it is defined, in double precision; returns the inertia. */
static double improve_naively(const Vectors *points, const KMeansOptions *options, Vectors *centers, uint32_t *ret_of) {
    double inertia = 0, moved = INFINITY;
    for (size_t n = 0; n <= options->iterations; n++) {
        bool last = n == options->iterations || moved <= options->tolerance;
        double sums[64][128] = {{0}}, counts[64] = {0};
        inertia = moved = 0;
        for (size_t i = 0; i < points->rows; i++) {
            double best = INFINITY;
            for (uint32_t c = 0; c < centers->rows; c++) {
                double d = naive_distance(points, i, vectors_row(centers, c));
                ret_of[i] = d < best ? c : ret_of[i];
                best = MIN_OF(best, d);
            }
            inertia += best * best;
            counts[ret_of[i]]++;
            for (size_t c = 0; c < points->columns; c++)
                sums[ret_of[i]][c] += (double)vectors_row(points, i)[c];
        }
        if (last)
            break;
        for (size_t c = 0; c < centers->rows; c++) {
            double squared = 0;
            for (size_t i = 0; i < centers->columns && counts[c] > 0; i++) {
                float *at = &vectors_row(centers, c)[i], to = (float)(sums[c][i] / counts[c]);
                squared += pow((double)to - (double)*at, 2);
                *at = to;
            }
            moved = MAX_OF(moved, squared);
        }
    }
    return inertia;
}

/* Few and many centres, points at the origin and far away from it, where dot products have lost all digits; repeated ones;
 * few and many iterations. */
static void test_kmeans_is_lloyds(void **state) {
    (void)state;
    static const struct {
        size_t rows, columns, k, iterations;
        float offset;
    } cases[] = {{700, 5, 2, 100, 0},   {700, 100, 3, 100, 0}, {900, 20, 4, 3, 0},      {3000, 16, 5, 100, 0},
                 {900, 33, 16, 100, 0}, {900, 10, 17, 100, 0}, {600, 4, 40, 100, 0},    {500, 7, 1, 10, 0},
                 {700, 8, 6, 100, 30},  {700, 8, 3, 100, 300}, {5000, 3, 9, 100, -100}, {900, 12, 20, 1, 0}};
    for (size_t n = 0; n < ARRAY_LEN(cases); n++) {
        Vectors points, fast, naive;
        Rng rng = rng_from_seed(n);
        KMeansOptions options = {.tolerance = 1e-9, .iterations = cases[n].iterations, .threads = 1 + n % 2};
        random_points(&points, cases[n].rows, cases[n].columns, 60 + n);
        for (size_t i = 0; i < points.rows; i++)
            for (size_t c = 0; c < points.columns; c++)
                vectors_row(&points, i)[c] = vectors_row(&points, i / 2 * 2)[c] + (i % 2 ? 0 : cases[n].offset);
        kmeans_choose_centers(&points, cases[n].k, &rng, &fast);
        vectors_init_copy(&naive, &fast);
        uint32_t *of = mem_zalloc(points.rows, sizeof *of), *expected = mem_zalloc(points.rows, sizeof *expected);
        double inertia = kmeans_improve(&points, &options, &fast, of);
        double naive_inertia = improve_naively(&points, &options, &naive, expected);
        assert_memory_equal(of, expected, points.rows * sizeof *of);
        assert_true(fabs(inertia - naive_inertia) <= 1e-5 * naive_inertia);
        free(of);
        free(expected);
        vectors_release(&points);
        vectors_release(&fast);
        vectors_release(&naive);
    }
}

/* Tiny clusters far from each other: what tells them apart is in the last digits of the points. */
static void test_xmeans_splits_far_from_the_origin(void **state) {
    (void)state;
    enum { EACH = 150, PLACES = 3 };
    Vectors points;
    Clusters clusters;
    Rng rng = rng_from_seed(5);
    XMeansOptions options = xmeans_defaults();
    options.kmeans.tolerance = 1e-12;
    random_points(&points, EACH * PLACES * 2, 6, 77);
    for (size_t i = 0; i < points.rows; i++)
        for (size_t c = 0; c < points.columns; c++) {
            float *at = &vectors_row(&points, i)[c];
            *at = (float)(i % PLACES) * 64 + (float)(i / PLACES % 2) / 16 + *at / 64;
        }
    xmeans(&points, &options, &rng, &clusters);
    assert_int_equal(clusters.centers.rows, PLACES * 2);
    for (size_t i = PLACES * 2; i < points.rows; i++)
        assert_int_equal(clusters.of[i], clusters.of[i % (PLACES * 2)]);
    clusters_release(&clusters);
    vectors_release(&points);
}

/* R = 4 points at 0, 1 and 10, 11: by hand from the formula. */
static void test_bic_is_that_of_the_paper(void **state) {
    (void)state;
    double one = clusters_bic(1, (const size_t[]){4}, 1, 101), two = clusters_bic(2, (const size_t[]){2, 2}, 1, 1);
    double log_2pi = log(2 * M_PI);
    double expected_one = -2 * log_2pi - 2 * log(101.0 / 3) - 1.5 - 1 * log(4);
    double expected_two = 2 * (2 * log(2) - 2 * log(4) - log_2pi - log(0.5) - 0) - 2 * log(4);
    assert_true(fabs(one - expected_one) < 1e-9);
    assert_true(fabs(two - expected_two) < 1e-9);
    assert_true(two > one);
}

static void test_equal_points_are_one_cluster(void **state) {
    (void)state;
    Vectors points;
    Clusters clusters;
    Rng rng = rng_from_seed(2);
    XMeansOptions options = xmeans_defaults();
    vectors_init(&points, 50, 3);
    xmeans(&points, &options, &rng, &clusters);
    assert_int_equal(clusters.centers.rows, 1);
    clusters_release(&clusters);
    points.rows = 1;
    xmeans(&points, &options, &rng, &clusters);
    assert_int_equal(clusters.centers.rows, 1);
    clusters_release(&clusters);
    vectors_release(&points);
}

/* --- Selection --- */

/* Algorithm 3, word by word. */
static size_t select_naively(const Vectors *points, size_t *selected, size_t given, size_t want) {
    Vectors center;
    vectors_init(&center, 1, points->columns);
    vectors_mean(points, center.lanes);
    for (size_t count = given; count < want; count++) {
        float best = 0;
        size_t chosen = points->rows;
        for (size_t i = 0; i < points->rows; i++) {
            float d, nearest = INFINITY;
            vectors_distances_squared(points, i, 1, center.lanes, &d);
            for (size_t s = 0; s < count; s++)
                nearest = MIN_OF(nearest, vectors_distance_squared(points, i, selected[s]));
            float score = sqrtf(d) * (count ? sqrtf(nearest) : 1);
            if (score > best) {
                best = score;
                chosen = i;
            }
        }
        if (chosen == points->rows) {
            want = count;
            break;
        }
        selected[count] = chosen;
    }
    vectors_release(&center);
    return want;
}

static void test_lazy_selection_is_algorithm_3(void **state) {
    (void)state;
    static const struct {
        size_t rows, columns, given, want;
    } cases[] = {{200, 7, 3, 60}, {500, 100, 5, 40}, {30, 2, 1, 30}, {40, 4, 0, 10}, {20, 3, 2, 25}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        Vectors points;
        size_t fast[64] = {0}, naive[64] = {0};
        random_points(&points, cases[i].rows, cases[i].columns, 31 + i);
        for (size_t s = 0; s < cases[i].given; s++)
            fast[s] = naive[s] = s * 3;
        size_t count = select_representatives(&points, fast, cases[i].given, cases[i].want);
        assert_int_equal(count, select_naively(&points, naive, cases[i].given, cases[i].want));
        assert_memory_equal(fast, naive, count * sizeof *fast);
        vectors_release(&points);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distances_are_those_of_the_definition),
        cmocka_unit_test(test_documents_of_one_topic_are_neighbours),
        cmocka_unit_test(test_training_is_repeatable),
        cmocka_unit_test(test_neighbourhood_of_words_is_seen),
        cmocka_unit_test(test_degenerate_corpora_are_harmless),
        cmocka_unit_test(test_xmeans_finds_the_number_of_clusters),
        cmocka_unit_test(test_clusters_do_not_depend_on_threads),
        cmocka_unit_test(test_points_are_with_their_nearest_centre),
        cmocka_unit_test(test_kmeans_is_lloyds),
        cmocka_unit_test(test_xmeans_splits_far_from_the_origin),
        cmocka_unit_test(test_bic_is_that_of_the_paper),
        cmocka_unit_test(test_equal_points_are_one_cluster),
        cmocka_unit_test(test_lazy_selection_is_algorithm_3),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
