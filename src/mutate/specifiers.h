/* Private to src/mutate: the words of a declaration, read from its tokens. */
#ifndef MUTATE_SPECIFIERS_H
#define MUTATE_SPECIFIERS_H

#include "mutate/plan.h"

typedef enum BaseType { BASE_NONE, BASE_INT, BASE_CHAR, BASE_DOUBLE, BASE_INT128, BASE_OTHER } BaseType;

/* How often each word stands in front of the declarators, and what it modifies. */
typedef struct Specifiers {
    uint32_t begin, end; /* of all specifiers */
    BaseType base;
    bool has_words;             /* a modifier or base type */
    uint32_t words_begin;       /* the first of them */
    uint8_t count[WORD_COUNT];  /* "long long" counts twice */
    ByteRange last[WORD_COUNT]; /* the last of each */
} Specifiers;

/* `declaration` is any of its group. */
void specifiers_read(const Tree *tree, const Node *declaration, Specifiers *ret);
bool specifiers_are_valid(const Specifiers *specifiers); /* as a C type */
uint32_t specifiers_bits(const Specifiers *specifiers);  /* of the integer or floating type they name */

const char *specifier_word(SpecifierWord word);
/* Which word the token is, in any of its GNU spellings, or WORD_COUNT. */
SpecifierWord specifier_word_of(const char *text, const Token *token);

/* Where the declarator's own pointer qualifiers stand, between its last * and its name; false if it has no *. */
bool declarator_pointer(const Tree *tree, const Node *declaration, ByteRange *ret_range);

#endif
