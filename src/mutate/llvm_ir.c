/* Mutants of LLVM IR. The papers mutate C; bugs of single passes of LLVM are reported as IR, from which no C can be made.
 *
 * What DiWi does to operators, modifiers, constants and variables is done to tokens here, because IR is regular enough
 * for that: opcodes stand behind `=`, every operand's type stands before it, a flag is one word.
 *
 *     opcode      another of the same kind: add, sub …; fadd …; sext, zext. Flags that the new one may not have go too
 *     predicate   of icmp and fcmp: another
 *     flag        nsw, inbounds, volatile, musttail, nonnull …: removed
 *     constant    an integer: 0, 1, -1, one more, one less, or another of the program
 *     value       another value of the same type, or zeroinitializer, undef, poison
 *     operands    of two-address instructions: exchanged
 *     targets     of a conditional branch: exchanged
 *     effect      a store or a call without a value: removed
 *     end         unreachable: a return
 *
 * A kind that applies is drawn first, then one of its places, so that rare kinds get their turn. Not every mutant is valid
 * (a value may not dominate its new use); LLVM's verifier tells in a few milliseconds, and such a mutant counts as invalid.
 */
#include "mutate/llvm_ir.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct Token {
    uint32_t at, len;
    uint32_t line;     /* index of the first token of its line */
    uint32_t function; /* counted from 1 */
    bool in_head;      /* of the line of `define` */
} Token;

typedef enum PlaceKind {
    PLACE_OPCODE,
    PLACE_PREDICATE,
    PLACE_FLAG,
    PLACE_CONSTANT,
    PLACE_VALUE,
    PLACE_OPERANDS,
    PLACE_TARGETS,
    PLACE_EFFECT,
    PLACE_END,
    PLACE_KINDS,
} PlaceKind;

typedef struct Module {
    const char *text;
    size_t len;
    Vec(Token) tokens; /* of bodies and heads of functions */
    Vec(uint32_t) places[PLACE_KINDS];
} Module;

static void module_release(Module *module) {
    vec_release(&module->tokens);
    for (int kind = 0; kind < PLACE_KINDS; kind++)
        vec_release(&module->places[kind]);
}

/* --- Words --- */

static const char integer_opcodes[] = " add sub mul and or xor shl lshr ashr udiv sdiv urem srem ";
static const char float_opcodes[] = " fadd fsub fmul fdiv frem ";
static const char extensions[] = " sext zext ";
static const char integer_predicates[] = " eq ne ugt uge ult ule sgt sge slt sle ";
static const char float_predicates[] = " oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno ";
static const char arithmetic_flags[] = " nsw nuw exact disjoint nneg samesign ";
static const char flags[] =
    " nsw nuw exact disjoint nneg samesign inbounds nusw volatile fast nnan ninf nsz arcp contract "
    "afn reassoc tail notail musttail nonnull noundef noalias nocapture readonly readnone writeonly "
    "returned nounwind willreturn mustprogress noinline alwaysinline optnone minsize optsize cold hot "
    "norecurse nofree nosync nocallback speculatable convergent signext zeroext inreg swiftself ";
static const char scalar_types[] = " half bfloat float double ptr ";

/* Whether `words`, which has a blank around every word, has this one. */
static bool token_among(const Module *module, size_t token, const char *words) {
    const Token *t = &module->tokens.items[token];
    const char *word = module->text + t->at;
    if (!isalpha((unsigned char)*word))
        return false;
    for (const char *at = words; (at = memmem(at, strlen(at), word, t->len)); at++)
        if (at > words && at[-1] == ' ' && at[t->len] == ' ')
            return true;
    return false;
}

/* Draws a word of the list. */
static void draw_word(const char *words, Rng *rng, Str *ret_word) {
    size_t count = 0;
    for (const char *at = words; *at; at++)
        count += *at == ' ';
    size_t chosen = rng_below(rng, count - 1);
    while (chosen--)
        words = strchr(words + 1, ' ');
    str_append_n(ret_word, words + 1, (size_t)(strchr(words + 1, ' ') - words - 1));
}

/* --- Tokens --- */

/* Behind the token that starts at `at`: a quoted string, a word with its sigil, or one character. */
static size_t token_end(const Module *module, size_t at) {
    const char *text = module->text;
    size_t end = at + (strchr("%@!#-", text[at]) != NULL);
    if (end < module->len && text[end] == '"') {
        const char *close = memchr(text + end + 1, '"', module->len - end - 1);
        return close ? (size_t)(close - text) + 1 : module->len;
    }
    while (end < module->len && (isalnum((unsigned char)text[end]) || (text[end] && strchr("_.$-", text[end]))))
        end++;
    return MAX_OF(end, at + 1);
}

static char first_char(const Module *module, size_t token) {
    return token < module->tokens.len ? module->text[module->tokens.items[token].at] : '\0';
}

static bool token_is(const Module *module, size_t token, const char *word) {
    const Token *t = token < module->tokens.len ? &module->tokens.items[token] : NULL;
    return t && t->len == strlen(word) && memcmp(module->text + t->at, word, t->len) == 0;
}

static void add_tokens(Module *module, size_t at, size_t end, uint32_t function, bool in_head) {
    uint32_t line = (uint32_t)module->tokens.len;
    while (at < end && module->text[at] != ';') {
        if (isspace((unsigned char)module->text[at])) {
            at++;
            continue;
        }
        size_t stop = MIN_OF(token_end(module, at), end);
        vec_push(&module->tokens, (Token){(uint32_t)at, (uint32_t)(stop - at), line, function, in_head});
        at = stop;
    }
}

/* A function starts with `define` and ends with a brace, both at the start of a line. */
static void tokenise(Module *module) {
    uint32_t function = 0;
    bool inside = false;
    for (size_t at = 0, end; at < module->len; at = end + 1) {
        const char *newline = memchr(module->text + at, '\n', module->len - at);
        end = newline ? (size_t)(newline - module->text) : module->len;
        bool head = end - at > 7 && memcmp(module->text + at, "define ", 7) == 0;
        function += head;
        inside = (inside || head) && module->text[at] != '}';
        if (inside)
            add_tokens(module, at, end, function, head);
    }
}

/* --- Places --- */

static bool is_integer_type(const Module *module, size_t token) {
    const Token *t = &module->tokens.items[token];
    bool digits = t->len > 1 && module->text[t->at] == 'i';
    for (uint32_t i = 1; i < t->len; i++)
        digits = digits && isdigit((unsigned char)module->text[t->at + i]);
    return digits;
}

static bool same_line(const Module *module, size_t a, size_t b) {
    return b < module->tokens.len && module->tokens.items[a].line == module->tokens.items[b].line;
}

/* An integer that is no count of elements, alignment or address space. */
static bool is_constant(const Module *module, size_t token) {
    const Token *t = &module->tokens.items[token];
    char c = module->text[t->at];
    if (!isdigit((unsigned char)c) && !(c == '-' && t->len > 1))
        return false;
    for (uint32_t i = 1; i < t->len; i++)
        if (!isdigit((unsigned char)module->text[t->at + i]))
            return false;
    bool operand =
        token > t->line && (is_integer_type(module, token - 1) || strchr(",[", first_char(module, token - 1)));
    return operand && !token_is(module, token + 1, "x") && first_char(module, token + 1) != ':';
}

/* The label of a pair of phi: `[ value, %label ]`. */
static bool is_phi_label(const Module *module, size_t token) {
    return token >= module->tokens.items[token].line + 3 && first_char(module, token - 1) == ',' &&
           first_char(module, token - 3) == '[';
}

static bool is_value(const Module *module, size_t token) {
    return first_char(module, token) == '%' && token > module->tokens.items[token].line &&
           !token_is(module, token - 1, "label") && first_char(module, token + 1) != '=' &&
           !is_phi_label(module, token) && first_char(module, token + 1) != '*';
}

/* Its type, if that is a scalar: the token before a first operand; before the first one, for a second. */
static size_t type_of(const Module *module, size_t token) {
    size_t line = module->tokens.items[token].line;
    for (size_t at = token; at-- > line;)
        if (is_integer_type(module, at) || token_among(module, at, scalar_types))
            return first_char(module, at + 1) == '*' ? SIZE_MAX : at;
        else if (strchr("(>}*", first_char(module, at)))
            return SIZE_MAX;
    return SIZE_MAX;
}

static bool is_opcode(const Module *module, size_t token) {
    const Token *t = &module->tokens.items[token];
    return token == t->line + 2u && first_char(module, token - 1) == '=';
}

/* Where the operands of an instruction of two operands are: `op flags type a, b` up to the end of the line. */
static bool operands_of(const Module *module, size_t opcode, size_t *ret_first) {
    size_t at = opcode + 1;
    while (same_line(module, opcode, at) && first_char(module, at) != ',')
        at++;
    *ret_first = at - 1;
    return same_line(module, opcode, at + 1) && at > opcode + 2 && !same_line(module, opcode, at + 2) &&
           !strchr(")>]}", first_char(module, at - 1));
}

/* An instruction on a line of its own that has an effect and no value. */
static bool is_effect(const Module *module, size_t token) {
    bool starts =
        token_is(module, token, "store") || (token_is(module, token, "call") && token_is(module, token + 1, "void"));
    int depth = 0;
    for (size_t at = token; starts && same_line(module, token, at); at++)
        depth += (strchr("([{<", first_char(module, at)) != NULL) - (strchr(")]}>", first_char(module, at)) != NULL);
    return starts && depth == 0 && module->tokens.items[token].line == token;
}

static void find_places_in_body(Module *module, uint32_t token) {
    bool binary = token_among(module, token, integer_opcodes) || token_among(module, token, float_opcodes);
    bool compares = token_is(module, token, "icmp") || token_is(module, token, "fcmp");
    size_t first;
    if (is_opcode(module, token) && (binary || token_among(module, token, extensions)))
        vec_push(&module->places[PLACE_OPCODE], token);
    if (is_opcode(module, token) && (binary || compares) && operands_of(module, token, &first))
        vec_push(&module->places[PLACE_OPERANDS], (uint32_t)first);
    for (uint32_t at = token + 1; compares && same_line(module, token, at); at++)
        if (token_among(module, at, integer_predicates) || token_among(module, at, float_predicates)) {
            vec_push(&module->places[PLACE_PREDICATE], at);
            break;
        }
    if (is_constant(module, token))
        vec_push(&module->places[PLACE_CONSTANT], token);
    if (is_value(module, token))
        vec_push(&module->places[PLACE_VALUE], token);
    /* br i1 c , label a , label b */
    if (token_is(module, token, "br") && token_is(module, token + 4, "label") && token_is(module, token + 7, "label") &&
        same_line(module, token, token + 8))
        vec_push(&module->places[PLACE_TARGETS], token + 5);
    if (is_effect(module, token))
        vec_push(&module->places[PLACE_EFFECT], token);
    if (token_is(module, token, "unreachable"))
        vec_push(&module->places[PLACE_END], token);
}

static void find_places(Module *module) {
    for (uint32_t token = 0; token < module->tokens.len; token++) {
        if (token_among(module, token, flags) || first_char(module, token) == '#')
            vec_push(&module->places[PLACE_FLAG], token);
        if (!module->tokens.items[token].in_head)
            find_places_in_body(module, token);
    }
}

/* --- Mutations --- */

static void append_token(const Module *module, size_t token, Str *ret_text) {
    const Token *t = &module->tokens.items[token];
    str_append_n(ret_text, module->text + t->at, t->len);
}

static bool same_token(const Module *module, size_t a, size_t b) {
    const Token *left = &module->tokens.items[a], *right = &module->tokens.items[b];
    return left->len == right->len && memcmp(module->text + left->at, module->text + right->at, left->len) == 0;
}

/* By nothing at all: with the blank behind it. */
static void replace_token(const Module *module, size_t token, const char *text, EditList *edits) {
    const Token *t = &module->tokens.items[token];
    size_t end = t->at + t->len;
    bool blank = !*text && end < module->len && module->text[end] == ' ';
    edits_add(edits, t->at, t->len + blank, text);
}

static void exchange_tokens(const Module *module, size_t a, size_t b, EditList *edits) {
    CLEANUP(str_release) Str first = {0};
    CLEANUP(str_release) Str second = {0};
    append_token(module, a, &first);
    append_token(module, b, &second);
    replace_token(module, a, str_text(&second), edits);
    replace_token(module, b, str_text(&first), edits);
}

static void mutate_opcode(const Module *module, size_t token, Rng *rng, Str *ret_word, EditList *edits) {
    static const char *const kinds[] = {integer_opcodes, float_opcodes, extensions};
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (token_among(module, token, kinds[i]))
            draw_word(kinds[i], rng, ret_word);
    replace_token(module, token, str_text(ret_word), edits);
    for (size_t at = token + 1; same_line(module, token, at) && token_among(module, at, arithmetic_flags); at++)
        replace_token(module, at, "", edits);
}

static void draw_constant(const Module *module, size_t token, Rng *rng, Str *ret_word) {
    const Token *t = &module->tokens.items[token];
    CLEANUP(str_release) Str old = {0};
    append_token(module, token, &old);
    long long value = t->len < 19 ? atoll(str_text(&old)) : 0;
    const long long near[] = {0, 1, -1, value + 1, value - 1};
    size_t choice = rng_below(rng, ARRAY_LEN(near) + 1);
    if (choice < ARRAY_LEN(near))
        str_append_i64(ret_word, near[choice]);
    else
        append_token(module, module->places[PLACE_CONSTANT].items[rng_below(rng, module->places[PLACE_CONSTANT].len)],
                     ret_word);
}

/* Another value that stands behind the same type somewhere in the function; a plain constant if there is none. */
static void draw_value(const Module *module, size_t token, bool will_run, Rng *rng, Str *ret_word) {
    static const char *const constants[] = {"zeroinitializer", "undef", "poison"};
    size_t type = type_of(module, token), seen = 0, chosen = 0;
    for (size_t at = 1; type != SIZE_MAX && at < module->tokens.len; at++)
        if (module->tokens.items[at].function == module->tokens.items[token].function &&
            first_char(module, at) == '%' && same_token(module, at - 1, type) && !same_token(module, at, token) &&
            rng_below(rng, ++seen) == 0)
            chosen = at;
    if (seen > 0 && rng_chance(rng, 50))
        append_token(module, chosen, ret_word);
    else
        str_append(ret_word, constants[rng_below(rng, will_run ? 1 : ARRAY_LEN(constants))]);
}

/* Of the type that stands before the function's name, if that is one word. */
static void return_anything(const Module *module, size_t token, Str *ret_word) {
    size_t name = token;
    while (name > 0 && !module->tokens.items[name].in_head)
        name--;
    for (name = module->tokens.items[name].line; first_char(module, name) != '@' && name < token;)
        name++;
    str_append(ret_word, "ret ");
    append_token(module, name - 1, ret_word);
    str_append(ret_word, token_is(module, name - 1, "void") ? "" : " zeroinitializer");
}

/* From this token to the end of its line. */
static void remove_line(const Module *module, size_t token, EditList *edits) {
    size_t last = token;
    while (same_line(module, token, last + 1))
        last++;
    const Token *t = &module->tokens.items[token], *end = &module->tokens.items[last];
    edits_add(edits, t->at, end->at + end->len - t->at, "");
}

static void mutate_place(const Module *module, PlaceKind kind, size_t token, bool will_run, Rng *rng, Str *ret_word,
                         EditList *edits) {
    switch (kind) {
    case PLACE_OPCODE: mutate_opcode(module, token, rng, ret_word, edits); return;
    case PLACE_PREDICATE:
        draw_word(token_among(module, token, integer_predicates) ? integer_predicates : float_predicates, rng,
                  ret_word);
        break;
    case PLACE_FLAG: break;
    case PLACE_CONSTANT: draw_constant(module, token, rng, ret_word); break;
    case PLACE_VALUE: draw_value(module, token, will_run, rng, ret_word); break;
    case PLACE_OPERANDS: exchange_tokens(module, token, token + 2, edits); return;
    case PLACE_TARGETS: exchange_tokens(module, token, token + 3, edits); return;
    case PLACE_EFFECT: remove_line(module, token, edits); return;
    case PLACE_END: return_anything(module, token, ret_word); break;
    case PLACE_KINDS: BUG("no such place");
    }
    replace_token(module, token, str_text(ret_word), edits);
}

static void describe(const Module *module, PlaceKind kind, size_t token, const Str *word, Mutation *mutation) {
    const Token *t = &module->tokens.items[token];
    mutation->begin = t->at;
    mutation->end = t->at + t->len;
    mutation->line = text_line(module->text, module->len, t->at);
    str_clear(&mutation->summary);
    str_printf(&mutation->summary, "line %u: %.*s ", mutation->line, (int)t->len, module->text + t->at);
    if (kind == PLACE_OPERANDS || kind == PLACE_TARGETS)
        str_append(&mutation->summary, "and its neighbour exchanged");
    else if (word->len == 0)
        str_append(&mutation->summary, "removed");
    else
        str_printf(&mutation->summary, "becomes %s", str_text(word));
}

bool ir_mutate(const char *text, size_t len, bool will_run, Rng *rng, Str *ret_text, Mutation *ret_mutation) {
    CLEANUP(module_release) Module module = {.text = text, .len = len};
    CLEANUP(str_release) Str word = {0};
    tokenise(&module);
    find_places(&module);
    PlaceKind kinds[PLACE_KINDS];
    size_t count = 0;
    for (PlaceKind kind = 0; kind < PLACE_KINDS; kind++)
        if (module.places[kind].len)
            kinds[count++] = kind;
    str_clear(ret_text);
    if (count == 0)
        return false;
    PlaceKind kind = kinds[rng_below(rng, count)];
    size_t token = module.places[kind].items[rng_below(rng, module.places[kind].len)];
    edits_clear(&ret_mutation->edits);
    mutate_place(&module, kind, token, will_run, rng, &word, &ret_mutation->edits);
    describe(&module, kind, token, &word, ret_mutation);
    return edits_apply(&ret_mutation->edits, text, len, ret_text);
}
