#include "mutate/specifiers.h"

#include <string.h>

const char *specifier_word(SpecifierWord word) {
    static const char *const words[] = {"const", "volatile", "restrict", "long", "short", "signed", "unsigned"};
    return words[word];
}

SpecifierWord specifier_word_of(const char *text, const Token *token) {
    const char *word = text + token->begin;
    size_t len = token->end - token->begin;
    if (len > 2 && memcmp(word, "__", 2) == 0) { /* __const, __const__ */
        word += 2;
        len -= 2;
        if (len > 2 && memcmp(word + len - 2, "__", 2) == 0)
            len -= 2;
    }
    for (SpecifierWord i = 0; i < WORD_COUNT; i++)
        if (strlen(specifier_word(i)) == len && memcmp(specifier_word(i), word, len) == 0)
            return i;
    return WORD_COUNT;
}

static bool token_is_any(const char *text, const Token *token, const char *const *words) {
    for (; *words; words++)
        if (token_is(text, token, *words))
            return true;
    return false;
}

static BaseType base_type_of(const char *text, const Token *token) {
    static const struct {
        const char *word;
        BaseType base;
    } bases[] = {{"int", BASE_INT},
                 {"char", BASE_CHAR},
                 {"double", BASE_DOUBLE},
                 {"__int128", BASE_INT128},
                 {"__int128_t", BASE_OTHER}};
    for (size_t i = 0; i < ARRAY_LEN(bases); i++)
        if (token_is(text, token, bases[i].word))
            return bases[i].base;
    return BASE_OTHER;
}

/* Behind the bracketed group that starts at token i, or i if none does. */
static size_t skip_brackets(const Tree *tree, size_t i) {
    size_t depth = 0, start = i;
    for (; i < tree->tokens.len; i++) {
        const Token *token = &tree->tokens.items[i];
        char c = token->kind == TOKEN_PUNCTUATION ? tree->text[token->begin] : '\0';
        if (i == start && c != '(' && c != '{')
            return start;
        depth += c == '(' || c == '{';
        if ((c == ')' || c == '}') && --depth == 0)
            return i + 1;
    }
    return i;
}

/* struct tag { … }: the tag and the body may be missing, attributes may stand between. */
static size_t skip_tagged(const Tree *tree, size_t i) {
    static const char *const attributes[] = {"__attribute__", "__attribute", "_Alignas", NULL};
    while (i < tree->tokens.len && token_is_any(tree->text, &tree->tokens.items[i], attributes))
        i = skip_brackets(tree, i + 1);
    if (i < tree->tokens.len && tree->tokens.items[i].kind == TOKEN_NAME)
        i++;
    if (i < tree->tokens.len && token_is(tree->text, &tree->tokens.items[i], "{"))
        i = skip_brackets(tree, i);
    return i;
}

static void note_type(Specifiers *specifiers, const Token *token) {
    if (!specifiers->has_words)
        specifiers->words_begin = token->begin;
    specifiers->has_words = true;
}

/* One specifier; returns the token behind it, or i where the declarator starts. */
static size_t read_specifier(const Tree *tree, size_t i, Specifiers *ret) {
    static const char *const silent[] = {"static",    "extern",        "register", "auto",        "inline",
                                         "__inline",  "__inline__",    "typedef",  "__thread",    "_Thread_local",
                                         "_Noreturn", "__extension__", "_Complex", "__complex__", NULL};
    static const char *const bracketed[] = {"__attribute__", "__attribute", "_Alignas", "__declspec", NULL};
    static const char *const bracketed_types[] = {"typeof", "__typeof__", "__typeof", "_Atomic", NULL};
    static const char *const tagged[] = {"struct", "union", "enum", NULL};
    const Token *token = &tree->tokens.items[i];
    SpecifierWord word = specifier_word_of(tree->text, token);
    if (token->kind != TOKEN_NAME)
        return i;
    if (word < WORD_COUNT) {
        ret->count[word]++;
        ret->last[word] = (ByteRange){token->begin, token->end};
        if (word >= WORD_LONG)
            note_type(ret, token);
        return i + 1;
    }
    if (token_is_any(tree->text, token, silent))
        return i + 1;
    if (token_is_any(tree->text, token, bracketed))
        return skip_brackets(tree, i + 1);
    BaseType base = base_type_of(tree->text, token);
    if (ret->has_words && (base == BASE_OTHER || ret->base != BASE_NONE))
        return i; /* the declared name */
    ret->base = base;
    note_type(ret, token);
    if (token_is_any(tree->text, token, tagged))
        return skip_tagged(tree, i + 1);
    return token_is_any(tree->text, token, bracketed_types) ? skip_brackets(tree, i + 1) : i + 1;
}

void specifiers_read(const Tree *tree, const Node *declaration, Specifiers *ret) {
    *ret = (Specifiers){.begin = declaration->begin, .end = declaration->begin};
    size_t i = token_at_or_after(&tree->tokens, declaration->begin);
    while (i < tree->tokens.len && tree->tokens.items[i].begin < declaration->name_begin) {
        size_t next = read_specifier(tree, i, ret);
        if (next == i)
            break;
        ret->end = tree->tokens.items[next - 1].end;
        i = next;
    }
}

bool specifiers_are_valid(const Specifiers *specifiers) {
    unsigned longs = specifiers->count[WORD_LONG], shorts = specifiers->count[WORD_SHORT];
    unsigned signs = specifiers->count[WORD_SIGNED] + specifiers->count[WORD_UNSIGNED];
    if (longs > 2 || shorts > 1 || (longs && shorts) || signs > 1)
        return false;
    switch (specifiers->base) {
    case BASE_NONE: return longs + shorts + signs > 0;
    case BASE_INT: return true;
    case BASE_CHAR:
    case BASE_INT128: return longs + shorts == 0;
    case BASE_DOUBLE: return longs <= 1 && shorts + signs == 0;
    case BASE_OTHER: return longs + shorts + signs == 0;
    }
    return false;
}

uint32_t specifiers_bits(const Specifiers *specifiers) {
    switch (specifiers->base) {
    case BASE_CHAR: return 8;
    case BASE_DOUBLE: return specifiers->count[WORD_LONG] ? 128 : 64;
    case BASE_INT128: return 128;
    default: return specifiers->count[WORD_LONG] ? 64 : specifiers->count[WORD_SHORT] ? 16 : 32;
    }
}

bool declarator_pointer(const Tree *tree, const Node *declaration, ByteRange *ret_range) {
    size_t i = token_at_or_after(&tree->tokens, declaration->name_begin);
    while (i-- > 0 && tree->tokens.items[i].begin > declaration->begin) {
        const Token *token = &tree->tokens.items[i];
        if (token_is(tree->text, token, "*")) {
            *ret_range = (ByteRange){token->end, declaration->name_begin};
            return true;
        }
        if (specifier_word_of(tree->text, token) > WORD_RESTRICT)
            return false;
    }
    return false;
}
