#include "llvm/pipeline.h"

#include <string.h>

static const char *const kind_names[PASS_KINDS] = {"module", "cgscc", "function", "loop", "loop-mssa"};

const char *pass_kind_name(PassKind kind) { return kind_names[kind]; }

bool pass_kind_parse(const char *name, PassKind *ret_kind) {
    for (PassKind kind = 0; kind < PASS_KINDS; kind++)
        if (str_equal(name, kind_names[kind])) {
            *ret_kind = kind;
            return true;
        }
    return false;
}

size_t pass_name_len(const char *text) { return strcspn(text, "<"); }

bool pipeline_equal(const Pipeline *a, const Pipeline *b) {
    if (a->len != b->len)
        return false;
    for (size_t i = 0; i < a->len; i++)
        if (a->items[i].kind != b->items[i].kind || !str_equal(a->items[i].text, b->items[i].text))
            return false;
    return true;
}

/* --- Printing --- */

/* The verifier's opinion is an analysis, which a pass that says it changed nothing leaves in the cache: without dropping it, what
 * cg-profile does to a module is noticed behind some later pass. */
#define VERIFY "verify,invalidate<verify>"

/* What stands before and behind passes of a kind, and behind those that share a manager and are verified. */
static const struct {
    const char *open, *close, *close_verified;
} managers[PASS_KINDS] = {
    [PASS_MODULE] = {"", "", "," VERIFY},
    [PASS_CGSCC] = {"cgscc(", ")", ")," VERIFY},
    [PASS_FUNCTION] = {"function(", ")", "," VERIFY ")"},
    [PASS_LOOP] = {"function(loop(", "))", ")," VERIFY ")"},
    [PASS_LOOP_MSSA] = {"function(loop-mssa(", "))", ")," VERIFY ")"},
};

void pipeline_print(const Pipeline *pipeline, PipelineStyle style, Str *ret_text) {
    const Pass *passes = pipeline->items;
    for (size_t i = 0; i < pipeline->len; i++) {
        PassKind kind = passes[i].kind;
        bool joins = style.shared && i > 0 && passes[i - 1].kind == kind;
        bool goes_on = style.shared && i + 1 < pipeline->len && passes[i + 1].kind == kind;
        if (i > 0)
            str_append_char(ret_text, ',');
        if (!joins)
            str_append(ret_text, managers[kind].open);
        str_append(ret_text, passes[i].text);
        if (goes_on)
            str_append(ret_text, style.verify && (kind == PASS_MODULE || kind == PASS_FUNCTION) ? "," VERIFY : "");
        else if (style.verify && style.shared)
            str_append(ret_text, managers[kind].close_verified);
        else /* The whole module is looked at: a function pass may not touch the rest, and some do. */
            str_printf(ret_text, "%s%s", managers[kind].close, style.verify ? "," VERIFY : "");
    }
}

/* --- Reading ---
 *   list    = element { "," element }
 *   element = name [ "(" list ")" ]         name may hold "<…>" with anything inside, nested as in print<a><b<c>>
 */

typedef struct Parser {
    const char *start, *at;
    Arena *arena;
    Pipeline *pipeline;
    Error *err;
} Parser;

static bool parse_list(Parser *parser, PassKind kind, int depth);

static bool complain(Parser *parser, const char *what) {
    return error_set(parser->err, "the pipeline '%s' has %s at character %zu", parser->start, what,
                     (size_t)(parser->at - parser->start) + 1);
}

/* The kind inside a manager, or false where the name is no manager that may stand here. */
static bool manager_kind(const char *name, PassKind outer, PassKind *ret_kind) {
    CLEANUP(str_release) Str bare = {0};
    str_append_n(&bare, name, pass_name_len(name));
    if (str_equal(str_text(&bare), "devirt") || str_equal(str_text(&bare), "repeat")) {
        *ret_kind = outer;
        return true;
    }
    return pass_kind_parse(str_text(&bare), ret_kind) && *ret_kind >= outer;
}

static bool parse_element(Parser *parser, PassKind kind, int depth) {
    const char *from = parser->at;
    int angles = 0;
    for (; *parser->at && (angles > 0 || !strchr(",()", *parser->at)); parser->at++)
        angles += *parser->at == '<' ? 1 : *parser->at == '>' ? -1 : 0;
    if (parser->at == from)
        return complain(parser, "no pass");
    if (angles != 0)
        return complain(parser, "a '<' without its '>'");
    const char *name = arena_strndup(parser->arena, from, (size_t)(parser->at - from));
    if (*parser->at != '(') {
        if (!str_equal(name, "verify") && !str_equal(name, "invalidate<verify>"))
            vec_push(parser->pipeline, (Pass){kind, name});
        return true;
    }
    PassKind inner;
    if (!manager_kind(name, kind, &inner))
        return complain(parser, "a pass manager that cannot stand there or is unknown");
    parser->at++;
    if (!parse_list(parser, inner, depth + 1))
        return false;
    parser->at++;
    return true;
}

static bool parse_list(Parser *parser, PassKind kind, int depth) {
    if (depth > 64)
        return complain(parser, "too many nested managers");
    for (;;) {
        if (!parse_element(parser, kind, depth))
            return false;
        if (*parser->at == ',')
            parser->at++;
        else if (*parser->at == (depth > 0 ? ')' : '\0'))
            return true;
        else
            return complain(parser, depth > 0 ? "a missing ')'" : "a stray ')'");
    }
}

bool pipeline_parse(const char *text, Arena *arena, Pipeline *ret_pipeline, Error *err) {
    Pipeline read = {0};
    Parser parser = {text, text, arena, &read, err};
    if (*text && !parse_list(&parser, PASS_MODULE, 0)) {
        vec_release(&read);
        return false;
    }
    *ret_pipeline = read;
    return true;
}
