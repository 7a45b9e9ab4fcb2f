/* Doc2Vec, X-means and selection on sequences drawn at random, as `bench-learn` compares them with Gensim and pyclustering.
 *
 *   learn_speed corpus SEQUENCES FILE           random sequences of 50 to 200 of 114 passes, one a line
 *   learn_speed doc2vec FILE THREADS VECTORS    trains on it and writes the vectors, a line each
 *   learn_speed planted POINTS CLUSTERS VECTORS writes points of so many Gaussian clusters in 100 dimensions
 *   learn_speed xmeans VECTORS THREADS [LEAST MOST]   clusters them, into LEAST to MOST clusters
 *   learn_speed select COUNT WANT THREADS       the whole of it, from drawing sequences to WANT selected ones
 * Each prints what it did and the CPU and wall seconds of that alone.
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/file.h"
#include "learn/doc2vec.h"
#include "learn/select.h"
#include "learn/xmeans.h"

enum { PASSES = 114, SHORTEST = 50, LONGEST = 200 };

static void draw_sequences(size_t count, Corpus *corpus) {
    Rng rng = rng_from_seed(count);
    for (size_t i = 0; i < count; i++) {
        uint32_t words[LONGEST];
        size_t length = (size_t)rng_range(&rng, SHORTEST, LONGEST);
        for (size_t k = 0; k < length; k++)
            words[k] = (uint32_t)rng_below(&rng, PASSES);
        corpus_add(corpus, words, length);
    }
}

/* Near enough to a normal distribution: the sum of twelve uniform ones. */
static float draw_normal(Rng *rng) {
    double sum = -6;
    for (size_t i = 0; i < 12; i++)
        sum += rng_real(rng);
    return (float)sum;
}

/* Clusters of variance 1 whose centres have variance 1/4: about seven standard deviations from each other. */
static void plant_clusters(size_t count, size_t k, Vectors *points) {
    enum { COLUMNS = 100 };
    Rng rng = rng_from_seed(count);
    Vectors centers;
    vectors_init(points, count, COLUMNS);
    vectors_init(&centers, k, COLUMNS);
    for (size_t c = 0; c < k; c++)
        for (size_t i = 0; i < COLUMNS; i++)
            vectors_row(&centers, c)[i] = draw_normal(&rng) / 2;
    for (size_t r = 0; r < count; r++) {
        const float *center = vectors_row(&centers, rng_below(&rng, k));
        for (size_t i = 0; i < COLUMNS; i++)
            vectors_row(points, r)[i] = center[i] + draw_normal(&rng);
    }
    vectors_release(&centers);
}

static bool read_corpus(const char *path, Corpus *corpus, Error *err) {
    CLEANUP(str_release) Str text = {0};
    if (!file_read(path, &text, err))
        return false;
    for (char *line = text.data; line && *line;) {
        Vec(uint32_t) words = {0};
        for (char *end; *line && *line != '\n'; line = end + (*end == ' '))
            vec_push(&words, (uint32_t)strtoul(line, &end, 10));
        line += *line == '\n';
        corpus_add(corpus, words.items, words.len);
        vec_release(&words);
    }
    return true;
}

static bool read_vectors(const char *path, Vectors *vectors, Error *err) {
    CLEANUP(str_release) Str text = {0};
    if (!file_read(path, &text, err))
        return false;
    Vec(float) all = {0};
    size_t rows = 0;
    for (char *at = text.data, *end; at && *at; at = end + (*end == ' ')) {
        float value = strtof(at, &end);
        if (end == at)
            break;
        vec_push(&all, value);
        if (*end == '\n') {
            rows++;
            end++;
        }
    }
    vectors_init(vectors, rows, rows ? all.len / rows : 0);
    for (size_t r = 0; r < rows; r++)
        memcpy(vectors_row(vectors, r), &all.items[r * vectors->columns], vectors->columns * sizeof(float));
    vec_release(&all);
    return true;
}

static bool write_vectors(const Vectors *vectors, const char *path, Error *err) {
    CLEANUP(str_release) Str text = {0};
    for (size_t r = 0; r < vectors->rows; r++)
        for (size_t c = 0; c < vectors->columns; c++)
            str_printf(&text, "%.6g%c", (double)vectors_row(vectors, r)[c], c + 1 < vectors->columns ? ' ' : '\n');
    return file_write(path, text.data, text.len, err);
}

static int64_t start_us, start_cpu_us;

static void start(void) {
    start_us = clock_us();
    start_cpu_us = clock_cpu_us();
}

static void report(const char *what) {
    double cpu = (double)(clock_cpu_us() - start_cpu_us) / 1e6, wall = (double)(clock_us() - start_us) / 1e6;
    printf("%s cpu %.4f wall %.4f\n", what, cpu, wall);
}

static bool run(int argc, char **argv, Error *err) {
    char what[200];
    Corpus corpus = {0};
    Vectors vectors = {0};
    Rng rng = rng_from_seed(1);
    if (argc == 4 && str_equal(argv[1], "corpus")) {
        CLEANUP(str_release) Str text = {0};
        draw_sequences(strtoul(argv[2], NULL, 10), &corpus);
        for (size_t d = 0, i = 0; d < corpus_documents(&corpus); d++)
            for (; i < corpus.ends.items[d]; i++)
                str_printf(&text, "%u%c", corpus.words.items[i], i + 1 < corpus.ends.items[d] ? ' ' : '\n');
        return file_write(argv[3], text.data, text.len, err);
    }
    if (argc == 5 && str_equal(argv[1], "doc2vec")) {
        Doc2VecOptions options = doc2vec_defaults();
        options.threads = strtoul(argv[3], NULL, 10);
        if (!read_corpus(argv[2], &corpus, err))
            return false;
        start();
        doc2vec_train(&corpus, &options, &vectors);
        snprintf(what, sizeof what, "words %zu", corpus.words.len * options.epochs);
        report(what);
        return write_vectors(&vectors, argv[4], err);
    }
    if (argc == 5 && str_equal(argv[1], "planted")) {
        plant_clusters(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10), &vectors);
        return write_vectors(&vectors, argv[4], err);
    }
    if ((argc == 4 || argc == 6) && str_equal(argv[1], "xmeans")) {
        XMeansOptions options = xmeans_defaults();
        Clusters clusters;
        options.kmeans.threads = strtoul(argv[3], NULL, 10);
        if (argc == 6) {
            options.least = strtoul(argv[4], NULL, 10);
            options.most = strtoul(argv[5], NULL, 10);
        }
        if (!read_vectors(argv[2], &vectors, err))
            return false;
        start();
        xmeans(&vectors, &options, &rng, &clusters);
        snprintf(what, sizeof what, "clusters %zu inertia %.6g bic %.6g", clusters.centers.rows, clusters.inertia,
                 clusters.bic);
        report(what);
        return true;
    }
    if (argc == 5 && str_equal(argv[1], "select")) {
        size_t want = strtoul(argv[3], NULL, 10);
        size_t *selected = mem_zalloc(want + 20, sizeof *selected);
        Doc2VecOptions options = doc2vec_defaults();
        XMeansOptions clustering = xmeans_defaults();
        Clusters clusters;
        options.threads = clustering.kmeans.threads = strtoul(argv[4], NULL, 10);
        draw_sequences(strtoul(argv[2], NULL, 10), &corpus);
        start();
        doc2vec_train(&corpus, &options, &vectors);
        report("embed");
        start();
        xmeans(&vectors, &clustering, &rng, &clusters);
        report("cluster");
        start();
        clusters_medoids(&clusters, &vectors, selected);
        size_t count = select_representatives(&vectors, selected, clusters.centers.rows, want);
        struct rusage usage;
        getrusage(RUSAGE_SELF, &usage);
        snprintf(what, sizeof what, "selected %zu peak_mib %ld", count, usage.ru_maxrss / 1024);
        report(what);
        free(selected);
        return true;
    }
    return error_set(err, "usage: see the start of bench/learn_speed.c");
}

int main(int argc, char **argv) {
    Error err;
    if (run(argc, argv, &err))
        return 0;
    fprintf(stderr, "learn_speed: %s\n", err.text);
    return 3;
}
