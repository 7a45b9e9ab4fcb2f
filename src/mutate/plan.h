/* Private to src/mutate: holes, what is known about variables, and the functions that plan edits. */
#ifndef MUTATE_PLAN_H
#define MUTATE_PLAN_H

#include "base/rng.h"
#include "mutate/mutator.h"
#include "clang/edit.h"
#include "clang/tree.h"

typedef enum RuleActionKind {
    ACTION_INSERT_QUALIFIER,
    ACTION_REMOVE_QUALIFIER,
    ACTION_INSERT_MODIFIER,
    ACTION_REMOVE_MODIFIER,
    ACTION_REPLACE_MODIFIER,
    ACTION_REPLACE_VARIABLE,
    ACTION_REPLACE_BINARY,
    ACTION_REPLACE_UNARY,
    ACTION_REMOVE_UNARY,
    ACTION_CHANGE_CONSTANT,
    ACTION_INSERT_IF,
    ACTION_INSERT_WHILE,
    ACTION_INSERT_CALL,
    ACTION_INSERT_GOTO,
} RuleActionKind;

typedef enum SpecifierWord {
    WORD_CONST,
    WORD_VOLATILE,
    WORD_RESTRICT,
    WORD_LONG,
    WORD_SHORT,
    WORD_SIGNED,
    WORD_UNSIGNED,
    WORD_COUNT,
} SpecifierWord;

typedef enum ConstantChange {
    CONSTANT_PLUS_1,
    CONSTANT_MINUS_1,
    CONSTANT_TIMES_0,
    CONSTANT_TIMES_MINUS_1,
} ConstantChange;

/* What the program does with a variable, parameter or field. */
typedef struct Usage {
    bool written;         /* assigned, stepped, output of asm; a member or element of it too */
    bool written_through; /* the same to what it points to */
    bool address_taken;   /* &x, or an array that decays other than in x[i] */
    bool variadic;        /* an argument of f(…, ...) */
    bool redeclared;      /* declared more than once: both must agree */
} Usage;

typedef struct ByteRange {
    uint32_t begin, end;
} ByteRange;

/* One program under mutation: what every planning function looks at. */
typedef struct SeedProgram {
    const Tree *tree;
    const Ingredients *ingredients;
    bool mutate_guards;
    Usage *usage; /* by node index */
    bool assigns_records;
    Vec(ByteRange) oracle; /* statements never touched */
} SeedProgram;

/* A mutation being planned. */
typedef struct Plan {
    Rng *rng;
    EditList *edits;
    Str *summary;
} Plan;

const SeedProgram *mutator_program(const Mutator *mutator);

/* oracle.c */
bool is_oracle_name(const char *function);
void program_find_oracle(SeedProgram *program);
bool program_is_oracle(const SeedProgram *program, const Node *node);       /* is, or is inside of, the oracle */
bool program_contains_oracle(const SeedProgram *program, const Node *node); /* an oracle stands inside of it */

/* usage.c */
void program_find_usage(SeedProgram *program);

/* Whether the hole accepts the rule, decided by types and contexts; and the edit, drawn if there is a choice. */
bool declaration_accepts(const SeedProgram *program, const Node *node, const Rule *rule);
bool declaration_mutate(const SeedProgram *program, const Node *node, const Rule *rule, Plan *plan);
bool variable_accepts(const SeedProgram *program, const Node *node);
bool variable_mutate(const SeedProgram *program, const Node *node, Plan *plan);
bool binary_accepts(const Node *node, const Rule *rule);
bool binary_mutate(const SeedProgram *program, const Node *node, const Rule *rule, Plan *plan);
bool unary_accepts(const Node *node, const Rule *rule);
bool unary_mutate(const SeedProgram *program, const Node *node, const Rule *rule, Plan *plan);
bool constant_accepts(const SeedProgram *program, const Node *node, const Rule *rule);
bool constant_mutate(const SeedProgram *program, const Node *node, const Rule *rule, Plan *plan);
bool location_accepts(const SeedProgram *program, const Node *node, const Rule *rule);
bool location_mutate(const SeedProgram *program, const Node *node, const Rule *rule, Plan *plan);

#endif
