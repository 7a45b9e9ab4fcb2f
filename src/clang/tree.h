/* Tree: one C (or C++) text, parsed into compact nodes with byte ranges in that text; the view of a program that edits
 * are planned on. Behind it stands libclang, of which nothing shows.
 *
 *     CLEANUP(parser_freep) Parser *parser = parser_new("fail.c", &flags);
 *     CLEANUP(tree_freep) Tree *tree = parser_parse(parser, text, len, err);
 *     for (Node *n = tree->root; n; n = node_next(n, tree->root)) …       every node, parents first
 *
 * Invariants: children lie inside their parent and are in the order of the text; implicit conversions are no nodes
 * (their type is kept in `converted`); nodes that come out of a macro have the range of the expansion and the flag
 * NODE_IN_MACRO; of included files only the declarations that the text refers to are nodes, with NODE_EXTERNAL, no
 * range and no parent. A text with errors (`errors` > 0) gives the nodes that the parser could recover. The tree
 * borrows `text`. Outside of functions, the variables of one declaration all start where it starts, at its specifiers:
 * `int a, b` gives "int a" and "int a, b".
 */
#ifndef CLANG_TREE_H
#define CLANG_TREE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/strlist.h"
#include "clang/lex.h"
#include "clang/operator.h"
#include "clang/type.h"

typedef enum NodeKind {
    NODE_ROOT,
    NODE_OTHER, /* anything without a kind of its own */
    /* declarations */
    NODE_FUNCTION, /* definition or prototype; its body is the child of kind NODE_COMPOUND */
    NODE_VARIABLE,
    NODE_PARAMETER,
    NODE_FIELD,
    NODE_RECORD,
    NODE_ENUM,
    NODE_ENUMERATOR,
    NODE_TYPEDEF,
    NODE_TYPE_REF, /* a struct, enum or typedef named in a declaration */
    NODE_ATTRIBUTE,
    NODE_STATIC_ASSERT,
    /* statements */
    NODE_COMPOUND,
    NODE_DECLARATION, /* a statement that declares */
    NODE_LABEL,       /* name: …; declared here */
    NODE_CASE,
    NODE_DEFAULT,
    NODE_IF,
    NODE_SWITCH,
    NODE_WHILE,
    NODE_DO,
    NODE_FOR,
    NODE_GOTO,
    NODE_INDIRECT_GOTO,
    NODE_CONTINUE,
    NODE_BREAK,
    NODE_RETURN,
    NODE_NULL, /* ; */
    NODE_ASM,
    /* expressions; as a statement, an expression is simply the child of a statement */
    NODE_NAME, /* variable, function or enumerator; `decl` */
    NODE_MEMBER,
    NODE_INTEGER,
    NODE_FLOAT,
    NODE_CHARACTER,
    NODE_STRING,
    NODE_IMAGINARY,
    NODE_CALL, /* first child: what is called */
    NODE_UNARY,
    NODE_BINARY,
    NODE_ASSIGN, /* = and the compound assignments */
    NODE_CONDITIONAL,
    NODE_CAST,
    NODE_PAREN,
    NODE_SUBSCRIPT,
    NODE_INIT_LIST,
    NODE_COMPOUND_LITERAL,
    NODE_SIZEOF, /* sizeof, _Alignof, __builtin_offsetof and their like */
    NODE_STATEMENT_EXPRESSION,
    NODE_ADDRESS_OF_LABEL,
    NODE_GENERIC,
} NodeKind;

/* What a child is to its parent, if the kind does not tell. */
typedef enum NodeRole {
    ROLE_NONE,
    ROLE_CONDITION, /* of if, switch, while, do, for, ?: */
    ROLE_THEN,      /* of if and ?: */
    ROLE_ELSE,
    ROLE_BODY,  /* of loops, switch, labels, functions */
    ROLE_FIRST, /* for (FIRST; …; STEP) */
    ROLE_STEP,
    ROLE_INITIALIZER, /* of a variable */
    ROLE_BOUND,       /* array bound in a declaration, bit-field width, enumerator's value, case label */
    ROLE_CALLEE,
    ROLE_ARGUMENT,
    ROLE_LEFT,
    ROLE_RIGHT,
} NodeRole;

typedef enum NodeFlag {
    NODE_IN_MACRO = 1,   /* comes out of a macro: an edit of its range would change the expansion */
    NODE_EXTERNAL = 2,   /* declared in an included file or by the compiler */
    NODE_DEFINITION = 4, /* function with a body, record with fields, variable that is not extern */
    NODE_STATIC = 8,     /* variable of static storage duration: file scope, static, extern */
    NODE_INTERNAL = 16,  /* declared static */
    NODE_REGISTER = 32,
    NODE_BIT_FIELD = 64,
    NODE_VARIADIC = 128, /* function */
    NODE_CONSTANT = 256, /* the language wants a constant expression here: static initialisers, bounds, labels */
} NodeFlag;

typedef struct Node {
    uint8_t kind; /* NodeKind */
    uint8_t role; /* NodeRole */
    uint8_t op;   /* Operator, of unary, binary and assign */
    bool has_value;
    uint32_t flags;            /* NodeFlag */
    uint32_t index;            /* below tree->nodes, in pre-order; external ones last: for tables about nodes */
    uint32_t begin, end;       /* bytes in the text; declarations end before their ; or , */
    uint32_t name_begin;       /* where `name` stands: declarations, names, members; 0 if it stands nowhere */
    uint32_t op_begin, op_end; /* the operator's token; equal if unknown */
    const char *name;          /* declared, referred to; NULL if there is none */
    const Type *type;          /* NULL for statements */
    const Type *converted;     /* what the expression is implicitly converted to, or its type */
    struct Node *decl;         /* names, members, goto: what is referred to; NULL if unknown */
    struct Node *parent, *first, *last, *next, *previous;
    int64_t value; /* of integer and character constants; the bits of unsigned ones */
} Node;

typedef Vec(Node *) NodeList;
static inline void node_list_release(NodeList *list) { vec_release(list); }

typedef struct Tree {
    Arena arena;
    const char *text; /* borrowed */
    size_t len;
    Node *root;
    NodeList externals; /* declarations outside of the text */
    TokenList tokens;
    size_t nodes;  /* how many */
    size_t errors; /* that the parser found */
    char first_error[200];
} Tree;

typedef struct Parser Parser;

/* `name` tells the language by its suffix. Of the compiler's `flags` (may be NULL) those that matter to parsing are
 * used: -std, -D, -U, -I, -include, -m…, -f…-char and their like; "-x c++" beats the suffix. One thread at a time. */
Parser *parser_new(const char *name, const StrList *flags);
/* One that takes for an error what compilers only warn of: implicit int and declarations, calls without a prototype,
 * conversions between pointers and integers, and what is undefined on its face. For parser_complaints. */
Parser *parser_new_strict(const char *name, const StrList *flags);
void parser_free(Parser *parser);
DEFINE_FREEP(Parser, parser_free)

/* NULL, with err, if there is nothing to work with: the parser gave up, or the text is 4 GiB or more. */
Tree *parser_parse(Parser *parser, const char *text, size_t len, Error *err);
void tree_free(Tree *tree);
DEFINE_FREEP(Tree, tree_free)
/* The kinds of errors that a text has ("-Wimplicit-int"; "error" for those without a name), each once, and nothing else:
 * several times as fast. False if the parser gave up. */
bool parser_complaints(Parser *parser, const char *text, size_t len, StrList *ret_kinds);
/* What a strict parser is told, for those who want to ask a clang the same. */
const char *const *parser_strict_args(size_t *ret_count);

/* Walking: the next node in pre-order within `top`, NULL at the end; node_skip does not enter `node`. */
Node *node_next(const Node *node, const Node *top);
Node *node_skip(const Node *node, const Node *top);
Node *node_child(const Node *node, NodeRole role); /* the first with that role, or NULL */
size_t node_child_count(const Node *node);

Node *node_at(const Tree *tree, uint32_t begin, uint32_t end); /* the smallest that covers the range, root otherwise */
Node *node_function(const Node *node);                         /* the function definition around it, or NULL */
Node *node_statement(
    const Node
        *node); /* the smallest statement around it: a child of a block, or a branch or body; NULL outside functions */
bool node_contains(const Node *outer, const Node *inner); /* also when equal */

bool node_is_expression(const Node *node);
bool node_is_declaration(const Node *node);
bool node_is_statement(const Node *node); /* by kind or, for expressions, by place */
bool node_is_lvalue(const Node *node);    /* names of variables, members, subscripts, *p, parentheses around them */
/* Whether its value is changed or its address taken: target of an assignment, ++ or --, &, asm output, array decay. */
bool node_is_modified(const Node *node);
const Node *node_without_parens(const Node *node);

/* The end of a statement with its semicolon; a declaration or expression node ends before it. */
uint32_t statement_end(const Tree *tree, const Node *statement);

const char *node_kind_name(NodeKind kind);

#endif
