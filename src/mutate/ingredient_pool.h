/* Private to src/mutate: what an ingredient pool holds. */
#ifndef MUTATE_INGREDIENT_POOL_H
#define MUTATE_INGREDIENT_POOL_H

#include "base/map.h"
#include "mutate/ingredients.h"
#include "mutate/template.h"

typedef Vec(Template) TemplateList;

typedef struct FunctionIngredient {
    Template definition; /* with the variables it needs; all slots are fresh names, slot 0 is the function's */
    TemplateList calls;  /* argument lists seen in the corpus, or one slot a parameter */
} FunctionIngredient;

#define NO_FUNCTION SIZE_MAX

/* A statement or block, for blending; statements.c. */
typedef struct StatementIngredient {
    Template text;
    size_t function; /* the ingredient that it calls, by a slot for a fresh name; NO_FUNCTION */
} StatementIngredient;

struct Ingredients {
    Arena arena;
    TemplateList branches, loops; /* conditions */
    Vec(FunctionIngredient) functions;
    Vec(StatementIngredient) statements;
    Map seen; /* texts, so that each is kept once; only while building */
};

/* Adds what the program offers. */
void ingredients_harvest(Ingredients *ingredients, const Tree *tree);
/* `functions`: numbers of those ingredients that are this tree's functions, by name. */
void statements_harvest(Ingredients *ingredients, const Tree *tree, const Map *functions);

/* structural.c, for statements.c too. */
bool location_is_insertable(const SeedProgram *program, const Node *node);
void location_insert_before(const SeedProgram *program, Plan *plan, const Node *node, const char *text, bool braces);
/* One new name for each slot of the definition. */
void function_names(const SeedProgram *program, const Template *definition, StrList *ret_names);

/* Whether a statement can be inserted in front of the node, and the edit. */
bool statement_fits(const SeedProgram *program, const Node *node);
bool statement_insert(const SeedProgram *program, const Node *node, Plan *plan);

#endif
