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

struct Ingredients {
    Arena arena;
    TemplateList branches, loops; /* conditions */
    Vec(FunctionIngredient) functions;
    Map seen; /* texts, so that each is kept once; only while building */
};

/* Adds what the program offers. */
void ingredients_harvest(Ingredients *ingredients, const Tree *tree);

#endif
