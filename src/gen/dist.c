/* The table of distributions: names, choices and their weights before shuffling. */
#include "gen/dist.h"

#define NONE GEN_FEATURE_COUNT /* the choice needs no feature */

typedef struct Choice {
    uint8_t weight;
    uint8_t feature;
    bool always; /* shuffling may make it rare but not remove it */
} Choice;

typedef struct Dist {
    const char *name;
    Choice choices[DIST_CHOICES]; /* the first without weight ends the list */
} Dist;

#define W(weight) \
    { weight, NONE, false }
#define KEEP(weight) \
    { weight, NONE, true }
#define IF(feature, weight) \
    { weight, feature, false }

static const Dist table[DIST_COUNT] = {
    [DIST_MEMBER_USE] = {"member-use", {W(10), W(30), W(60)}},
    [DIST_MEMBER_CLASS] = {"member-class",
                           {KEEP(50), IF(GEN_BITFIELDS, 30), IF(GEN_ARRAYS, 12), W(12), IF(GEN_STATIC_MEMBERS, 8),
                            IF(GEN_POINTER_MEMBERS, 10)}},
    [DIST_BITFIELD_KIND] = {"bit-field-kind", {KEEP(40), W(40), W(20), IF(GEN_BOOL, 5)}},
    [DIST_OUTPUT_TYPE] = {"output-type", {KEEP(45), IF(GEN_STRUCTS, 20), IF(GEN_ARRAYS, 25), IF(GEN_POINTERS, 15)}},
    [DIST_OUTPUT_CATEGORY] = {"output-category", {W(15), KEEP(45), KEEP(40)}},
    [DIST_ARRAY_BASE] = {"array-base", {KEEP(85), IF(GEN_STRUCTS, 15)}},
    [DIST_ARRAY_KIND] = {"array-kind",
                         {KEEP(40), IF(GEN_CONTAINERS, 20), IF(GEN_CONTAINERS, 20), IF(GEN_CONTAINERS, 20)}},
    [DIST_SUBSCRIPT] = {"subscript", {KEEP(60), IF(GEN_CONTAINERS, 40)}},
    [DIST_UNARY] = {"unary", {W(15), W(35), W(35), W(15)}},
    [DIST_BINARY] = {"binary",
                     {W(14), W(14), W(12), W(7), W(7), W(8), W(8), W(8), W(7), W(7), W(4), W(4), W(4), W(4), W(4), W(4),
                      W(4), W(4)}},
    [DIST_STATEMENT] = {"statement",
                        {W(14), KEEP(48), W(12), IF(GEN_LOOPS, 12), IF(GEN_SWITCH, 3), IF(GEN_GOTO, 2),
                         IF(GEN_CALLS, 6), IF(GEN_STRUCTS, 2), IF(GEN_POINTERS, 4), IF(GEN_COMMA, 3),
                         IF(GEN_VOLATILE, 3), IF(GEN_VECTORS, 20), IF(GEN_FLOATS, 20)}},
    [DIST_LEAF] = {"arithmetic-leaf", {KEEP(50), IF(GEN_STRUCTS, 18), IF(GEN_ARRAYS, 18), IF(GEN_POINTERS, 14)}},
    [DIST_VARIABLE] = {"variable-or-constant", {KEEP(72), W(28)}},
    [DIST_COMMON_USE] = {"common-subexpression", {KEEP(82), W(18)}},
    [DIST_CONSTANT_LEAVES] = {"constant-leaves", {KEEP(78), W(18), W(4)}},
    [DIST_CONTEXT] = {"operator-context", {KEEP(50), W(8), W(8), W(4), W(6), W(8), W(6)}},
    [DIST_CONSTANT_NEW] = {"constant-new", {KEEP(50), W(50)}},
    [DIST_REUSED_TYPE] = {"reused-type", {KEEP(70), W(30)}},
    [DIST_SPECIAL] = {"special-constant", {W(15), KEEP(45), W(20), W(20)}},
    [DIST_CONSTANT_KIND] = {"constant-kind", {KEEP(40), W(20), W(20), W(20)}},
    [DIST_TRANSFORM] = {"reused-transformation", {KEEP(50), W(25), W(25)}},
    [DIST_ELSE] = {"else", {KEEP(50), W(50)}},
    [DIST_DECLARATION] = {"declaration", {KEEP(75), IF(GEN_ARRAYS, 8), IF(GEN_STRUCTS, 8), IF(GEN_POINTERS, 9)}},

    [DIST_INT_TYPE] = {"integer-type",
                       {IF(GEN_BOOL, 6), W(10), W(10), W(10), W(10), KEEP(18), W(12), W(12), W(10), W(10), W(10)}},
    [DIST_NODE] = {"expression-node", {KEEP(26), W(12), KEEP(44), W(5), W(8), IF(GEN_CALLS, 3), IF(GEN_POINTERS, 2)}},
    [DIST_ROLE] = {"role", {KEEP(35), KEEP(30), KEEP(35)}},
    [DIST_QUALIFIER] = {"qualifier", {KEEP(80), IF(GEN_CONST, 12), IF(GEN_VOLATILE, 8)}},
    [DIST_GLOBAL] = {"global-kind",
                     {KEEP(50), IF(GEN_ARRAYS, 20), IF(GEN_ARRAYS, 6), IF(GEN_STRUCTS, 14), IF(GEN_POINTERS, 10),
                      IF(GEN_UNIONS, 4)}},
    [DIST_ASSIGNMENT] = {"assignment", {KEEP(65), IF(GEN_COMPOUND, 28), IF(GEN_COMPOUND, 7)}},
    [DIST_LOOP] = {"loop", {KEEP(45), W(15), W(10), W(8), W(5), IF(GEN_POINTERS, 8)}},
    [DIST_LOOP_BOUND] = {"loop-bound", {KEEP(50), W(20), W(15), W(15)}},
    [DIST_LOOP_SHAPE] = {"loop-shape",
                         {KEEP(30), IF(GEN_ARRAYS, 25), IF(GEN_ARRAYS, 18), IF(GEN_ARRAYS, 12), IF(GEN_ARRAYS, 10),
                          IF(GEN_ARRAYS, 10)}},
    [DIST_COUNTER_TYPE] = {"counter-type", {W(50), W(20), W(15), W(10), W(5), W(5)}},
    [DIST_INDEX] = {"index", {KEEP(35), W(35), W(20), W(10)}},
    [DIST_SHIFT_COUNT] = {"shift-count", {KEEP(50), W(20), W(30)}},
    [DIST_PLACEMENT] = {"placement", {KEEP(40), W(25), W(15), W(20), IF(GEN_INLINE, 12)}},
    [DIST_PARAMETER] = {"parameter", {KEEP(60), IF(GEN_POINTERS, 20), IF(GEN_STRUCTS, 10), IF(GEN_STRUCTS, 10)}},
    [DIST_PURITY] = {"purity", {KEEP(55), KEEP(45)}},
    [DIST_POINTER_FORM] = {"pointer-form", {KEEP(40), W(35), W(25)}},
    [DIST_JUMP] = {"jump", {KEEP(94), W(3), W(3)}},
    [DIST_CASE_END] = {"case-end", {KEEP(65), W(35)}},
    [DIST_INITIALISER] = {"initialiser", {KEEP(60), IF(GEN_DESIGNATED, 25), W(15)}},
    [DIST_PARENTHESES] = {"parentheses", {KEEP(70), W(30)}},
    [DIST_IDIOM_USE] = {"idiom-use", {KEEP(85), W(15)}},
    [DIST_IDIOM] = {"idiom", {KEEP(10), W(6), W(4), W(8), W(5), W(20), W(12), W(10), W(8), W(12), W(8)}},
    [DIST_STATEMENT_IDIOM_USE] = {"statement-idiom-use", {KEEP(80), W(20)}},
    [DIST_STATEMENT_IDIOM] = {"statement-idiom",
                              {KEEP(150), W(10), W(10), W(12), W(8), W(10), W(8), W(6), IF(GEN_CALLS, 10), W(26),
                               IF(GEN_STRUCTS, 8)}},
    [DIST_LOOP_IDIOM] = {"loop-idiom", {KEEP(30), W(8), W(12), W(10), W(12), W(20), W(8), W(6)}},
    [DIST_STORAGE] = {"storage", {KEEP(85), IF(GEN_STATIC_LOCALS, 15)}},
    [DIST_ELEMENT_TYPE] = {"element-type", {KEEP(50), W(50)}},
    [DIST_DEPTH] = {"expression-depth", {W(25), KEEP(25), W(25), W(25)}},
    [DIST_SUBTREE_POLICY] = {"subtree-policy", {KEEP(90), W(10)}},
    [DIST_SCOPE] = {"scope", {KEEP(55), KEEP(45)}},
    [DIST_BLOCK_LENGTH] = {"block-length", {W(25), KEEP(25), W(25), W(25)}},
    [DIST_CASES] = {"cases", {W(20), KEEP(20), W(20), W(20), W(20)}},
    [DIST_COMMA_FORM] = {"comma-form", {KEEP(10), W(10), W(10)}},
    [DIST_LOOP_START] = {"loop-start", {KEEP(75), W(25)}},
    [DIST_LOOP_STEP] = {"loop-step", {KEEP(81), W(6), W(6), W(6)}},
    [DIST_LOOP_SHORT] = {"loop-short", {KEEP(67), W(33)}},
    [DIST_LOOP_CONDITION] = {"loop-condition", {KEEP(60), W(20), W(20)}},
    [DIST_COUNTER_INDEX] = {"counter-index", {KEEP(67), W(8), W(25)}},
    [DIST_REDUCTION] = {"reduction", {KEEP(75), W(25)}},
    [DIST_BOUNDED] = {"bounded", {KEEP(50), W(50)}},
    [DIST_STEP_FORM] = {"step-form", {KEEP(50), W(50)}},
    [DIST_BODY_LENGTH] = {"body-length", {W(20), KEEP(20), W(20), W(20), W(20), W(20)}},
    [DIST_PARAMETERS] = {"parameters", {W(20), KEEP(20), W(20), W(20), W(20)}},
    [DIST_RECURSION] = {"recursion", {KEEP(80), IF(GEN_RECURSION, 20)}},
    [DIST_VOID] = {"void", {KEEP(67), W(33)}},
    [DIST_RESULT_USE] = {"result-use", {W(25), KEEP(75)}},
    [DIST_VOLATILE_MEMBER] = {"volatile-member", {KEEP(67), W(33)}},
    [DIST_VOLATILE_WRITE] = {"volatile-write", {KEEP(50), W(50)}},
    [DIST_LOCAL_CONST] = {"local-const", {KEEP(88), IF(GEN_CONST, 12)}},
    [DIST_ENUMERATOR] = {"enumerator", {KEEP(94), IF(GEN_ENUMS, 6)}},
    [DIST_NARROW_CONSTANT] = {"narrow-constant", {KEEP(75), W(25)}},
    [DIST_POINTED] = {"pointed", {KEEP(50), IF(GEN_ARRAYS, 50)}},
    [DIST_POINTER_LEVEL] = {"pointer-level", {KEEP(75), W(25)}},
    [DIST_POINTER_STORE] = {"pointer-store", {KEEP(67), IF(GEN_POINTER_MEMBERS, 33)}},
    [DIST_POINTER_NODE] = {"pointer-node", {KEEP(67), W(33)}},

    [DIST_IDIOM_OPERAND] = {"idiom-operand", {KEEP(75), W(25)}},
    [DIST_EXTREME_BOUND] = {"extreme-bound", {KEEP(50), W(50)}},
    [DIST_ROTATION_JOIN] = {"rotation-join", {KEEP(50), W(25), W(25)}},
    [DIST_BYTES_COUNT] = {"bytes-count", {KEEP(67), W(33)}},
    [DIST_BYTES_ORDER] = {"bytes-order", {KEEP(33), W(67)}},
    [DIST_PAIR] = {"pair",
                   {KEEP(10), W(10), W(10), W(10), W(10), W(10), W(10), W(10), W(10), W(10), W(10), W(10), W(10), W(10),
                    W(10)}},
    [DIST_PAIR_OPERAND] = {"pair-operand", {KEEP(75), W(25)}},
    [DIST_PAIR_CONSTANTS] = {"pair-constants", {KEEP(33), W(67)}},
    [DIST_PAIR_RELATED] = {"pair-related", {KEEP(50), W(50)}},
    [DIST_DIVISOR_POWER] = {"divisor-power", {KEEP(50), W(50)}},
    [DIST_DIVISION] = {"division", {KEEP(25), W(25), W(25), W(25)}},
    [DIST_RANGE] = {"range", {KEEP(50), W(50)}},
    [DIST_RANGE_INSIDE] = {"range-inside", {KEEP(50), W(50)}},
    [DIST_EXTENSION] = {"extension", {KEEP(34), W(33), W(33)}},
    [DIST_EXTENSION_SIGN] = {"extension-unsigned", {KEEP(50), W(50)}},
    [DIST_IDENTITY] = {"identity", {KEEP(14), W(14), W(14), W(14), W(14), W(14), W(14)}},
    [DIST_TRUTH] = {"truth", {KEEP(25), W(25), W(25), W(25)}},
    [DIST_THREAD_CONDITION] = {"thread-condition", {KEEP(50), W(50)}},
    [DIST_THREAD_BETWEEN] = {"thread-between", {KEEP(50), W(50)}},
    [DIST_OVERWRITE] = {"overwrite", {KEEP(20), W(40), W(40)}},
    [DIST_REDUNDANT_ELSE] = {"redundant-else", {KEEP(50), W(50)}},
    [DIST_TABLE_LINEAR] = {"table-linear", {KEEP(50), W(50)}},
    [DIST_TABLE_DEFAULT] = {"table-default", {KEEP(50), W(50)}},
    [DIST_CASES_SWITCH] = {"cases-switch", {KEEP(50), W(50)}},
    [DIST_CASE_CONSTANT] = {"case-constant", {KEEP(50), W(50)}},
    [DIST_RANGES_OUTER] = {"ranges-outer-less", {KEEP(50), W(50)}},
    [DIST_RANGES_INNER] = {"ranges-inner-unequal", {KEEP(50), W(50)}},
    [DIST_RANGES_ELSE] = {"ranges-else", {KEEP(50), W(50)}},
    [DIST_NEIGHBOURS] = {"neighbours", {KEEP(25), W(25), W(25), W(25)}},
    [DIST_HORIZONTAL_SHIFT] = {"horizontal-shift", {KEEP(67), W(33)}},
    [DIST_TEMPORARY] = {"temporary", {KEEP(25), W(25), W(25), W(25)}},
    [DIST_TEMPORARY_ELSE] = {"temporary-else", {KEEP(50), W(50)}},
    [DIST_INVARIANT] = {"invariant", {KEEP(33), W(34), W(33)}},
    [DIST_MAP] = {"map", {KEEP(12), W(12), W(12), W(12), W(12), W(12), W(12), W(12)}},
    [DIST_CONDITIONAL_ELSE] = {"conditional-else", {KEEP(50), W(50)}},
    [DIST_SPLIT] = {"split", {KEEP(50), W(50)}},
    [DIST_CARRIED] = {"carried", {KEEP(50), W(50)}},
    [DIST_STENCIL_WIDE] = {"stencil-wide", {KEEP(50), W(50)}},
    [DIST_REDUCTION_FORM] = {"reduction-form", {KEEP(34), W(17), W(17), W(17), W(17)}},
    [DIST_FINAL_STEP] = {"final-step", {KEEP(50), W(50)}},
    [DIST_FINAL_STORE] = {"final-store", {KEEP(50), W(50)}},
    [DIST_REPEATED] = {"repeated", {KEEP(67), W(33)}},
};

const char *dist_name(DistId id) { return table[id].name; }

GenFeatures dist_features(const GenOptions *options, Rng *rng) {
    GenFeatures features = options->features;
    for (unsigned f = 0; f < GEN_FEATURE_COUNT; f++)
        if (options->policies && rng_chance(rng, 5) && f != GEN_FLOATS && f != GEN_VECTORS)
            features &= ~(1u << f);
    return features;
}

/* Shuffling: a choice vanishes in one program of twenty, else its weight is multiplied by 1/4 to 4. */
static unsigned shuffled(const Choice *choice, Rng *rng) {
    static const unsigned factors[] = {1, 2, 4, 4, 4, 8, 16};
    bool vanishes = rng_chance(rng, 5);
    unsigned weight = choice->weight * factors[rng_below(rng, ARRAY_LEN(factors))];
    return vanishes && !choice->always ? 0 : weight;
}

void dist_init(Dists *dists, const GenOptions *options, GenFeatures features, Rng *rng) {
    for (size_t id = 0; id < DIST_COUNT; id++) {
        const Choice *choices = table[id].choices;
        unsigned sum = 0, i = 0;
        for (; i < DIST_CHOICES && choices[i].weight; i++) {
            bool possible = choices[i].feature == NONE || (features >> choices[i].feature & 1);
            unsigned weight = options->policies ? shuffled(&choices[i], rng) : choices[i].weight * 4u;
            sum += possible ? weight : 0;
            dists->cumulative[id][i] = (uint16_t)sum;
        }
        dists->count[id] = (uint8_t)i;
        if (sum == 0) /* everything vanished: all choices are as likely as before */
            for (unsigned k = 0; k < i; k++)
                dists->cumulative[id][k] = (uint16_t)((k ? dists->cumulative[id][k - 1] : 0) + choices[k].weight);
    }
}
