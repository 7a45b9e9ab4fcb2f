/* Sequences of passes to test, as numbers below `passes`: random (CTOS' RS), covering all orders of two (2W),
 * representative (SS), and trees for the fork server. The same stream gives the same sequences.
 */
#ifndef SEQUENCE_SAMPLE_H
#define SEQUENCE_SAMPLE_H

#include "learn/doc2vec.h"

#define SEQUENCE_LEAST 50 /* passes of a sequence, as in CTOS */
#define SEQUENCE_MOST 200

/* Adds `count` sequences: a length uniform in [least, most], then every pass uniform and independent. */
void sample_random(uint32_t passes, size_t count, size_t least, size_t most, Rng *rng, Corpus *ret_sequences);

/* Adds sequences of `length` >= 2 passes so that for every two passes a and b, a = b included, some sequence has an a
 * somewhere before a b. Greedy; one sequence is enough up to length / 2 passes. */
void sample_covering(uint32_t passes, size_t length, Rng *rng, Corpus *ret_sequences);

/* Adds `count` of `pool` random sequences of [least, most] passes, far from each other: Doc2Vec, X-means, medoids, then CTOS' Algorithm 3. At least
 * as many as there are clusters, fewer than `count` if the pool has not so many different ones. */
void sample_representative(uint32_t passes, size_t count, size_t pool, size_t least, size_t most, size_t threads,
                           Rng *rng, Corpus *ret_sequences);

typedef struct SequenceNode {
    uint32_t pass;
    uint32_t parent; /* SEQUENCE_ROOT, or an earlier node */
    uint32_t depth;  /* passes from the root to here, this one included */
    uint32_t children;
} SequenceNode;

#define SEQUENCE_ROOT UINT32_MAX

/* Every node is a sequence to test: the passes on the way to it. Parents stand before their children. */
typedef Vec(SequenceNode) SequenceTree;

/* Grows a tree of `nodes` nodes branch by branch. A branch begins at the root or a node drawn uniformly among those above
 * the length drawn for it, uniform in [least, most], and goes down to that length; the last one may end earlier.
 *
 * The shape is drawn without looking at passes. A pass is drawn uniformly, at a branching among those that no sibling has. So
 * by symmetry the sequence of every node is uniform among all of its length, as in sample_random; but nodes of one tree
 * share prefixes, and siblings never are the same. A node all of whose passes are taken is not branched at again;
 * if no more branches fit, the tree has fewer nodes. */
void sample_tree(uint32_t passes, size_t nodes, size_t least, size_t most, Rng *rng, SequenceTree *ret_tree);

/* Makes a tree of given sequences: each begins at the root or a node drawn uniformly among those above its length, and goes
 * on from there with the rest of its own passes. Random sequences stay uniform at every node; chosen ones keep their ends. */
void sample_graft(const Corpus *sequences, size_t first, size_t count, Rng *rng, SequenceTree *ret_tree);

/* The back end's level for a node: that of the tree at its ends and branchings, 0 in between. A pass that breaks the program
 * does so at every level, level 0 costs a quarter of the others, and the ends meet the rest of the back end. */
int sample_level(const SequenceNode *node, int tree_level);

#endif
