/* Doc2Vec, the distributed memory model of paragraph vectors (Le and Mikolov, 2014), as Gensim trains it and CTOS (section
 * 2.2) uses it. For every position of a document, the word there is predicted from the words around it and the document:
 *
 *     h = (sum of the context words' vectors + d) / (number of context words + 1)
 *
 * A full softmax over the vocabulary is replaced by negative sampling (Mikolov et al., 2013): h is to tell the word that is
 * there from `negative` words drawn at random, in proportion to count^0.75. With f = h . w', label 1 or 0:
 *
 *     g = (label - sigmoid(f)) * alpha         w' += g * h         d and each context word += sum over the words of g * w'
 *
 * As in Gensim: a window is narrowed at random (b in [0, window)), frequent words are skipped with a chance that grows with
 * their frequency, alpha falls linearly from `alpha` to `min_alpha`, and what is already certain (|f| >= 6) is left alone.
 *
 * Where we differ: Gensim's threads write to shared vectors without locks (Hogwild). A vocabulary of some hundred passes
 * fits into the cache, and cores would fight for its lines at every step. Here each thread trains a replica of the word
 * vectors on its own documents, and replicas are averaged several times an epoch (local SGD; Stich, 2019). So the result
 * does not depend on timing. The gradients of one position are computed from the vectors before it, not one negative word
 * after the other, which lets the dot products run side by side.
 */
#include "learn/doc2vec.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#define ROUNDS_PER_EPOCH 8 /* averages; fewer let replicas drift, more gained nothing on sequences of passes */
#define CERTAIN 6.0F
#define SIGMOID_STEPS 1000
#define NEGATIVE_POWER 0.75

void corpus_add(Corpus *corpus, const uint32_t *words, size_t count) {
    vec_reserve(&corpus->words, count);
    for (size_t i = 0; i < count; i++) {
        vec_push(&corpus->words, words[i]);
        corpus->vocabulary = MAX_OF(corpus->vocabulary, words[i] + 1);
    }
    vec_push(&corpus->ends, corpus->words.len);
}

void corpus_release(Corpus *corpus) {
    vec_release(&corpus->words);
    vec_release(&corpus->ends);
    corpus->vocabulary = 0;
}

Doc2VecOptions doc2vec_defaults(void) {
    return (Doc2VecOptions){.columns = 100,
                            .window = 3,
                            .epochs = 20,
                            .negative = 5,
                            .alpha = 0.05,
                            .min_alpha = 0.0001,
                            .sample = 1e-3,
                            .min_count = 5,
                            .threads = 1,
                            .seed = 1};
}

/* --- What all threads read --- */

/* Walker's alias method: a column is drawn uniformly, then the column itself or its alias. */
typedef struct AliasTable {
    uint32_t *threshold; /* of 2^32 */
    uint32_t *alias;
} AliasTable;

typedef struct Model {
    const Corpus *corpus;
    Doc2VecOptions options;
    uint32_t *keep; /* per word: the chance of 2^32 that an occurrence is trained; 0: the word is too rare */
    AliasTable negatives;
    float sigmoid[SIGMOID_STEPS];
    Vectors inputs;  /* of words, as context */
    Vectors outputs; /* of words, as predicted */
    Vectors *documents;
} Model;

static void count_words(const Corpus *corpus, uint64_t *ret_counts) {
    for (size_t i = 0; i < corpus->words.len; i++)
        ret_counts[corpus->words.items[i]]++;
}

/* Gensim's rule, word2vec's: kept with the chance (sqrt(f / sample) + 1) * sample / f, f the share of the corpus. */
static void fill_keep(Model *model, const uint64_t *counts, uint64_t total) {
    for (uint32_t w = 0; w < model->corpus->vocabulary; w++) {
        double bound = model->options.sample * (double)total, count = (double)counts[w];
        double chance = bound > 0 ? (sqrt(count / bound) + 1) * bound / MAX_OF(count, 1.0) : 1;
        bool rare = counts[w] < MAX_OF(model->options.min_count, (size_t)1);
        model->keep[w] = rare ? 0 : chance >= 1 ? UINT32_MAX : (uint32_t)(chance * 4294967296.0);
    }
}

static void fill_negatives(Model *model, const uint64_t *counts) {
    uint32_t size = model->corpus->vocabulary;
    CLEANUP(mem_freep) double *share = mem_zalloc(size + 1, sizeof *share);
    CLEANUP(mem_freep) uint32_t *stack = mem_zalloc(size + 1, sizeof *stack);
    double sum = 0;
    for (uint32_t w = 0; w < size; w++)
        sum += share[w] = model->keep[w] ? pow((double)counts[w], NEGATIVE_POWER) : 0;
    uint32_t poor = 0, rich = size; /* two stacks from both ends */
    for (uint32_t w = 0; w < size; w++) {
        share[w] *= size / sum;
        stack[share[w] < 1 ? poor++ : --rich] = w;
    }
    for (uint32_t w = 0; w < size; w++)
        model->negatives.alias[w] = w, model->negatives.threshold[w] = UINT32_MAX;
    while (poor > 0 && rich < size) {
        uint32_t small = stack[--poor], large = stack[rich];
        model->negatives.threshold[small] = (uint32_t)(share[small] * 4294967295.0);
        model->negatives.alias[small] = large;
        share[large] -= 1 - share[small];
        if (share[large] < 1) {
            rich++;
            stack[poor++] = large;
        }
    }
}

static void model_init(Model *model, const Corpus *corpus, const Doc2VecOptions *options, Vectors *documents) {
    uint32_t size = corpus->vocabulary;
    CLEANUP(mem_freep) uint64_t *counts = mem_zalloc((size_t)size + 1, sizeof *counts);
    *model = (Model){.corpus = corpus, .options = *options, .documents = documents};
    model->keep = mem_zalloc((size_t)size + 1, sizeof *model->keep);
    model->negatives.threshold = mem_zalloc((size_t)size + 1, sizeof(uint32_t));
    model->negatives.alias = mem_zalloc((size_t)size + 1, sizeof(uint32_t));
    count_words(corpus, counts);
    fill_keep(model, counts, corpus->words.len);
    fill_negatives(model, counts);
    for (size_t i = 0; i < SIGMOID_STEPS; i++)
        model->sigmoid[i] = 1 / (1 + expf(-(((float)i + 0.5F) * 2 / SIGMOID_STEPS - 1) * CERTAIN));
    Rng rng = rng_from_seed(options->seed);
    Rng words = rng_split_named(&rng, "words"), texts = rng_split_named(&rng, "documents");
    vectors_init(&model->inputs, size, options->columns);
    vectors_init(&model->outputs, size, options->columns);
    vectors_init(documents, corpus_documents(corpus), options->columns);
    vectors_randomise(&model->inputs, &words);
    vectors_randomise(documents, &texts);
}

static void model_release(Model *model) {
    free(model->keep);
    free(model->negatives.threshold);
    free(model->negatives.alias);
    vectors_release(&model->inputs);
    vectors_release(&model->outputs);
}

/* --- One thread's share --- */

typedef struct Shard {
    const Model *model;
    Vectors inputs, outputs;           /* replicas */
    size_t first, past;                /* documents */
    size_t round_first, round_past;    /* of them in this round */
    uint64_t random;                   /* splitmix64's state: two draws a word, so that Rng would be felt */
    uint64_t words_done, words_in_all; /* of this shard, for alpha */
    uint32_t *kept;                    /* words of the document that are trained */
    Lane *hidden, *gradient;
} Shard;

static inline uint64_t draw(Shard *shard) { return rng_mix(shard->random += 0x9E3779B97F4A7C15); }

static size_t keep_words(Shard *shard, size_t document) {
    const Corpus *corpus = shard->model->corpus;
    size_t from = document ? corpus->ends.items[document - 1] : 0, kept = 0;
    for (size_t i = from; i < corpus->ends.items[document]; i++) {
        uint32_t word = corpus->words.items[i], chance = shard->model->keep[word];
        if (chance == UINT32_MAX || (chance && (uint32_t)draw(shard) < chance))
            shard->kept[kept++] = word;
    }
    shard->words_done += corpus->ends.items[document] - from;
    return kept;
}

static uint32_t draw_negative(Shard *shard, uint64_t random) {
    const AliasTable *table = &shard->model->negatives;
    uint32_t column = (uint32_t)((random >> 32) * shard->model->corpus->vocabulary >> 32);
    return (uint32_t)random <= table->threshold[column] ? column : table->alias[column];
}

static inline __attribute__((always_inline)) void add_scaled(Lane *to, const Lane *what, float scale, size_t lanes) {
    for (size_t i = 0; i < lanes; i++)
        to[i] += what[i] * scale;
}

/* Trains one position; the formulae stand at the top of the file. */
static inline __attribute__((always_inline)) void train_position(Shard *shard, Lane *document, size_t at, size_t kept,
                                                                 float alpha) {
    const Doc2VecOptions *options = &shard->model->options;
    const size_t lanes = shard->inputs.lanes_per_row;
    const uint32_t *words = shard->kept;
    Lane *hidden = shard->hidden, *gradient = shard->gradient;
    size_t reach = options->window - (draw(shard) >> 32) % options->window;
    size_t from = at > reach ? at - reach : 0, past = MIN_OF(at + reach + 1, kept);
    for (size_t l = 0; l < lanes; l++)
        hidden[l] = document[l];
    for (size_t i = from; i < past; i++)
        if (i != at)
            add_scaled(hidden, vectors_lanes(&shard->inputs, words[i]), 1, lanes);
    float share = 1 / (float)(past - from);
    for (size_t l = 0; l < lanes; l++) {
        hidden[l] *= share;
        gradient[l] = (Lane){0};
    }
    Lane *targets[DOC2VEC_NEGATIVE_MOST + 1];
    float steps[DOC2VEC_NEGATIVE_MOST + 1];
    size_t count = 0;
    for (size_t n = 0; n <= options->negative; n++) {
        uint32_t word = n ? draw_negative(shard, draw(shard)) : words[at];
        if (n && word == words[at])
            continue;
        Lane *target = vectors_lanes(&shard->outputs, word);
        float f = lanes_dot(hidden, target, lanes);
        if (f <= -CERTAIN || f >= CERTAIN)
            continue;
        float sigmoid = shard->model->sigmoid[(size_t)((f + CERTAIN) * (SIGMOID_STEPS / CERTAIN / 2))];
        targets[count] = target;
        steps[count++] = ((n == 0) - sigmoid) * alpha;
    }
    for (size_t n = 0; n < count; n++) {
        add_scaled(gradient, targets[n], steps[n], lanes);
        add_scaled(targets[n], hidden, steps[n], lanes);
    }
    add_scaled(document, gradient, 1, lanes);
    for (size_t i = from; i < past; i++)
        if (i != at)
            add_scaled(vectors_lanes(&shard->inputs, words[i]), gradient, 1, lanes);
}

FOR_EACH_WIDTH
static void train_document(Shard *shard, size_t document, size_t kept, float alpha) {
    Lane *vector = vectors_lanes(shard->model->documents, document);
    for (size_t at = 0; at < kept; at++)
        train_position(shard, vector, at, kept, alpha);
}

static void *train_round(void *argument) {
    Shard *shard = argument;
    const Doc2VecOptions *options = &shard->model->options;
    for (size_t document = shard->round_first; document < shard->round_past; document++) {
        double progress = (double)shard->words_done / (double)MAX_OF(shard->words_in_all, (uint64_t)1);
        float alpha = (float)(options->alpha - (options->alpha - options->min_alpha) * progress);
        train_document(shard, document, keep_words(shard, document), alpha);
    }
    return NULL;
}

/* --- All of them --- */

static void shard_init(Shard *shard, const Model *model, size_t number, size_t threads) {
    const Corpus *corpus = model->corpus;
    size_t documents = corpus_documents(corpus), longest = 0;
    Rng rng = rng_from_seed(model->options.seed);
    *shard = (Shard){.model = model,
                     .first = documents * number / threads,
                     .past = documents * (number + 1) / threads,
                     .random = rng_split(&rng, number).state[0]};
    for (size_t d = shard->first; d < shard->past; d++) {
        size_t length = corpus->ends.items[d] - (d ? corpus->ends.items[d - 1] : 0);
        shard->words_in_all += length * model->options.epochs;
        longest = MAX_OF(longest, length);
    }
    vectors_init_copy(&shard->inputs, &model->inputs);
    vectors_init_copy(&shard->outputs, &model->outputs);
    shard->kept = mem_zalloc(longest + 1, sizeof *shard->kept);
    shard->hidden = aligned_alloc(sizeof(Lane), 2 * model->inputs.lanes_per_row * sizeof(Lane));
    if (!shard->hidden)
        BUG("out of memory");
    shard->gradient = shard->hidden + model->inputs.lanes_per_row;
}

static void shard_release(Shard *shard) {
    vectors_release(&shard->inputs);
    vectors_release(&shard->outputs);
    free(shard->kept);
    free(shard->hidden);
}

static void average(Shard *shards, size_t count, size_t offset) {
    Vectors *first = (Vectors *)((char *)&shards[0] + offset);
    size_t lanes = first->rows * first->lanes_per_row;
    for (size_t l = 0; l < lanes; l++) {
        Lane sum = first->lanes[l];
        for (size_t s = 1; s < count; s++)
            sum += ((Vectors *)((char *)&shards[s] + offset))->lanes[l];
        sum *= 1 / (float)count;
        for (size_t s = 0; s < count; s++)
            ((Vectors *)((char *)&shards[s] + offset))->lanes[l] = sum;
    }
}

static void run_round(Shard *shards, size_t count, size_t round) {
    pthread_t *threads = mem_zalloc(count, sizeof *threads);
    for (size_t s = 0; s < count; s++) {
        size_t documents = shards[s].past - shards[s].first;
        shards[s].round_first = shards[s].first + documents * round / ROUNDS_PER_EPOCH;
        shards[s].round_past = shards[s].first + documents * (round + 1) / ROUNDS_PER_EPOCH;
        if (s > 0 && pthread_create(&threads[s], NULL, train_round, &shards[s]) != 0)
            BUG("no thread can be started");
    }
    train_round(&shards[0]);
    for (size_t s = 1; s < count; s++)
        pthread_join(threads[s], NULL);
    free(threads);
    if (count > 1) {
        average(shards, count, offsetof(Shard, inputs));
        average(shards, count, offsetof(Shard, outputs));
    }
}

void doc2vec_train(const Corpus *corpus, const Doc2VecOptions *options, Vectors *ret_documents) {
    BUG_ON(options->negative > DOC2VEC_NEGATIVE_MOST || options->window == 0 || options->columns == 0);
    Model model;
    model_init(&model, corpus, options, ret_documents);
    size_t threads = MAX_OF(MIN_OF(options->threads, corpus_documents(corpus)), (size_t)1);
    Shard *shards = mem_zalloc(threads, sizeof *shards);
    for (size_t s = 0; s < threads; s++)
        shard_init(&shards[s], &model, s, threads);
    for (size_t epoch = 0; epoch < options->epochs; epoch++)
        for (size_t round = 0; round < ROUNDS_PER_EPOCH; round++)
            run_round(shards, threads, round);
    for (size_t s = 0; s < threads; s++)
        shard_release(&shards[s]);
    free(shards);
    model_release(&model);
}
