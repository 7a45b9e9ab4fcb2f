/* Doc2Vec: vectors for documents, so that documents of similar words in a similar order are near each other.
 *
 *     Corpus corpus = {0};
 *     corpus_add(&corpus, words, count);                  word numbers below some vocabulary, one call per document
 *     Doc2VecOptions options = doc2vec_defaults();
 *     doc2vec_train(&corpus, &options, &documents);       documents.rows == corpus.documents
 *
 * The same corpus, seed and number of threads give the same bits.
 */
#ifndef LEARN_DOC2VEC_H
#define LEARN_DOC2VEC_H

#include "base/vec.h"
#include "learn/vectors.h"

typedef struct Corpus {
    Vec(uint32_t) words;
    Vec(size_t) ends;    /* of each document, in words */
    uint32_t vocabulary; /* one more than the largest word */
} Corpus;

void corpus_add(Corpus *corpus, const uint32_t *words, size_t count);
void corpus_release(Corpus *corpus);
static inline size_t corpus_documents(const Corpus *corpus) { return corpus->ends.len; }

typedef struct Doc2VecOptions {
    size_t columns;          /* of the vectors */
    size_t window;           /* words on each side of the predicted one, at most */
    size_t epochs;           /* passes over the corpus */
    size_t negative;         /* words drawn for every predicted one; at most DOC2VEC_NEGATIVE_MOST */
    double alpha, min_alpha; /* learning rate at the start and at the end */
    double sample;           /* words more frequent than this are skipped at random */
    size_t min_count;        /* rarer words are left out */
    size_t threads;
    uint64_t seed;
} Doc2VecOptions;

#define DOC2VEC_NEGATIVE_MOST 20

Doc2VecOptions doc2vec_defaults(void); /* CTOS': 100 columns, window 3, 20 epochs, alpha 0.05; the rest Gensim's */

void doc2vec_train(const Corpus *corpus, const Doc2VecOptions *options, Vectors *ret_documents);

#endif
