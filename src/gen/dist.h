/* Every random decision of the generator draws from one of these distributions.
 *
 * With policies, each is re-drawn per program ("parameter shuffling" of the paper), so that one program has mostly
 * shifts of char and the next none. Choices that need a feature which is off have no weight.
 */
#ifndef GEN_DIST_H
#define GEN_DIST_H

#include "base/rng.h"
#include "gen/gen.h"

/* The first 23 are those that YARPGen v1 shuffles. */
typedef enum DistId {
    DIST_MEMBER_USE,
    DIST_MEMBER_CLASS,
    DIST_BITFIELD_KIND,
    DIST_OUTPUT_TYPE,
    DIST_OUTPUT_CATEGORY,
    DIST_ARRAY_BASE,
    DIST_ARRAY_KIND,
    DIST_SUBSCRIPT,
    DIST_UNARY,
    DIST_BINARY,
    DIST_STATEMENT,
    DIST_LEAF,
    DIST_VARIABLE,
    DIST_COMMON_USE,
    DIST_CONSTANT_LEAVES,
    DIST_CONTEXT,
    DIST_CONSTANT_NEW,
    DIST_REUSED_TYPE,
    DIST_SPECIAL,
    DIST_CONSTANT_KIND,
    DIST_TRANSFORM,
    DIST_ELSE,
    DIST_DECLARATION,
    DIST_INT_TYPE,
    DIST_NODE,
    DIST_ROLE,
    DIST_QUALIFIER,
    DIST_GLOBAL,
    DIST_ASSIGNMENT,
    DIST_LOOP,
    DIST_LOOP_BOUND,
    DIST_LOOP_SHAPE,
    DIST_COUNTER_TYPE,
    DIST_INDEX,
    DIST_SHIFT_COUNT,
    DIST_PLACEMENT,
    DIST_PARAMETER,
    DIST_PURITY,
    DIST_POINTER_FORM,
    DIST_JUMP,
    DIST_CASE_END,
    DIST_INITIALISER,
    DIST_PARENTHESES,
    DIST_COUNT,
} DistId;

/* Choices, in the order of the table in dist.c. */
enum { MEMBER_NEVER, MEMBER_RARELY, MEMBER_OFTEN };
enum { CLASS_INT, CLASS_BITFIELD, CLASS_ARRAY, CLASS_STRUCT, CLASS_STATIC };
enum { BITFIELD_NARROW, BITFIELD_MEDIUM, BITFIELD_WIDE, BITFIELD_BOOL };
enum { OUTPUT_SCALAR, OUTPUT_MEMBER, OUTPUT_ELEMENT, OUTPUT_POINTED };
enum { CATEGORY_LOCAL, CATEGORY_MIXED, CATEGORY_OUTPUT };
enum { BASE_INT, BASE_STRUCT };
enum { SUBSCRIPT_BRACKETS, SUBSCRIPT_AT };
enum { UNARY_PLUS, UNARY_MINUS, UNARY_NOT, UNARY_LNOT };
enum {
    KIND_DECLARATION,
    KIND_ASSIGNMENT,
    KIND_IF,
    KIND_LOOP,
    KIND_SWITCH,
    KIND_GOTO,
    KIND_CALL,
    KIND_COPY,
    KIND_POINTER,
    KIND_COMMA,
    KIND_VOLATILE,
    KIND_VECTOR,
    KIND_REAL,
};
enum { LEAF_SCALAR, LEAF_MEMBER, LEAF_ELEMENT, LEAF_POINTED };
enum { LEAF_IS_VARIABLE, LEAF_IS_CONSTANT };
enum { COMMON_NO, COMMON_YES };
enum { LEAVES_MIXED, LEAVES_HALF, LEAVES_ALL };
enum {
    CONTEXT_NONE,
    CONTEXT_ADDITIVE,
    CONTEXT_BITWISE,
    CONTEXT_LOGICAL,
    CONTEXT_MULTIPLICATIVE,
    CONTEXT_BIT_SHIFT,
    CONTEXT_ARITHMETIC,
    CONTEXTS,
};
enum { CONSTANT_FRESH, CONSTANT_REUSED };
enum { REUSED_SAME_TYPE, REUSED_OTHER_TYPE };
enum { SPECIAL_ZERO, SPECIAL_SMALL, SPECIAL_NEAR_MIN, SPECIAL_NEAR_MAX };
enum { KIND_SPECIAL, KIND_END_BITS, KIND_BLOCK, KIND_RANDOM };
enum { TRANSFORM_NONE, TRANSFORM_NEGATE, TRANSFORM_COMPLEMENT };
enum { ELSE_NO, ELSE_YES };
enum { DECLARE_INT, DECLARE_ARRAY, DECLARE_STRUCT, DECLARE_POINTER };
enum { NODE_LEAF, NODE_UNARY, NODE_BINARY, NODE_COND, NODE_CAST, NODE_CALL, NODE_POINTER };
enum { QUALIFIER_NONE, QUALIFIER_CONST, QUALIFIER_VOLATILE };
enum { GLOBAL_INT, GLOBAL_ARRAY, GLOBAL_MATRIX, GLOBAL_STRUCT, GLOBAL_POINTER, GLOBAL_UNION };
enum { ASSIGN_PLAIN, ASSIGN_COMPOUND, ASSIGN_STEP };
enum { LOOP_FOR_UP, LOOP_FOR_DOWN, LOOP_WHILE, LOOP_DO, LOOP_BITS, LOOP_POINTER };
enum { BOUND_CONSTANT, BOUND_MASKED, BOUND_REMAINDER, BOUND_VARIABLE };
enum { SHAPE_GENERAL, SHAPE_MAP, SHAPE_REDUCTION, SHAPE_CONDITIONAL, SHAPE_STENCIL, SHAPE_NEST };
enum { INDEX_CONSTANT, INDEX_COUNTER, INDEX_MASKED, INDEX_FREE };
enum { COUNT_SMALL, COUNT_MASKED, COUNT_FREE };
enum { PARAMETER_INT, PARAMETER_POINTER, PARAMETER_STRUCT, PARAMETER_STRUCT_POINTER };
enum { PURITY_PURE, PURITY_EFFECTS };
enum { POINTER_DEREF, POINTER_INDEX, POINTER_OFFSET };
enum { JUMP_NONE, JUMP_BREAK, JUMP_CONTINUE };
enum { CASE_BREAK, CASE_FALLS };
enum { INIT_LIST, INIT_DESIGNATED, INIT_ZERO };
enum { PARENTHESES_NEEDED, PARENTHESES_EXTRA };

#define DIST_CHOICES 18

typedef struct Dists {
    uint16_t cumulative[DIST_COUNT][DIST_CHOICES]; /* sums of the weights up to each choice */
    uint8_t count[DIST_COUNT];
} Dists;

/* The features that this program uses: those of the options, minus what the swarm switches off. */
GenFeatures dist_features(const GenOptions *options, Rng *rng);
void dist_init(Dists *dists, const GenOptions *options, GenFeatures features, Rng *rng);
const char *dist_name(DistId id);

/* Draws a choice. */
static inline unsigned dist_draw(const Dists *dists, DistId id, Rng *rng) {
    const uint16_t *sums = dists->cumulative[id];
    unsigned last = dists->count[id] - 1u, i = 0;
    unsigned point = (unsigned)(((rng_next(rng) >> 32) * sums[last]) >> 32);
    while (i < last && point >= sums[i])
        i++;
    return i;
}

#endif
