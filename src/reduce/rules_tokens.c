/* Tokens, whatever they mean: a few neighbours go; balanced brackets go with or without their content; names shrink. */
#include <ctype.h>
#include <string.h>

#include "base/map.h"
#include "base/str.h"
#include "reduce/rules.h"
#include "reduce/span.h"

/* Windows of `len` tokens at every place. */
static void propose_windows(const Tree *tree, Atoms *atoms, size_t len) {
    for (size_t i = 0; i + len <= tree->tokens.len; i++)
        if (!tree->tokens.items[i].directive && !tree->tokens.items[i + len - 1].directive)
            atoms_remove(atoms, tree->tokens.items[i].begin, tree->tokens.items[i + len - 1].end);
}

static void propose_1(const Tree *tree, Atoms *atoms) { propose_windows(tree, atoms, 1); }
static void propose_2(const Tree *tree, Atoms *atoms) { propose_windows(tree, atoms, 2); }
static void propose_3(const Tree *tree, Atoms *atoms) { propose_windows(tree, atoms, 3); }
static void propose_4(const Tree *tree, Atoms *atoms) { propose_windows(tree, atoms, 4); }
static void propose_7(const Tree *tree, Atoms *atoms) { propose_windows(tree, atoms, 7); }

/* (…) without the parentheses, or wholly gone; the same for braces and brackets. */
static void propose_brackets(const Tree *tree, Atoms *atoms) {
    for (size_t i = 0; i < tree->tokens.len; i++) {
        const Token *open = &tree->tokens.items[i];
        if (open->directive || open->kind != TOKEN_PUNCTUATION || !strchr("([{", tree->text[open->begin]))
            continue;
        const Token *close = token_closing(tree, open);
        if (!close)
            continue;
        atoms_remove(atoms, open->begin, close->end);
        atoms_begin(atoms);
        atoms_edit(atoms, open->begin, open->end, " ", 1);
        atoms_edit(atoms, close->begin, close->end, " ", 1);
    }
}

static bool is_declared(const Node *node) {
    switch (node->kind) {
    case NODE_FUNCTION:
    case NODE_VARIABLE:
    case NODE_PARAMETER:
    case NODE_FIELD:
    case NODE_RECORD:
    case NODE_ENUM:
    case NODE_ENUMERATOR:
    case NODE_TYPEDEF:
    case NODE_LABEL: return node->name && *node->name && node_editable(node) && !str_equal(node->name, "main");
    default: return false;
    }
}

/* a, b, …, z, A, …, Z, a1, … */
static void short_name(size_t number, char *name) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    *name++ = letters[number % strlen(letters)];
    for (number /= strlen(letters); number; number /= 10)
        *name++ = (char)('0' + number % 10);
    *name = '\0';
}

/* Every name that the program declares gets the next short one, wherever it stands as a token. */
static void propose_names(const Tree *tree, Atoms *atoms) {
    Map used = {0}, renamed = {0};
    for (size_t i = 0; i < tree->tokens.len; i++) {
        const Token *token = &tree->tokens.items[i];
        if (token->kind == TOKEN_NAME)
            map_insert(&used, tree->text + token->begin, token->end - token->begin, NULL);
    }
    size_t number = 0;
    for (const Node *node = tree->root; node; node = node_next(node, tree->root)) {
        if (!is_declared(node))
            continue;
        bool is_new;
        map_insert_str(&renamed, node->name, &is_new);
        char name[24];
        do
            short_name(number++, name);
        while (is_new && map_find_str(&used, name) && !str_equal(name, node->name));
        if (!is_new || strlen(name) >= strlen(node->name)) {
            number -= !is_new;
            continue;
        }
        atoms_begin(atoms);
        for (size_t i = 0; i < tree->tokens.len; i++) {
            const Token *token = &tree->tokens.items[i];
            if (token->kind == TOKEN_NAME && token_is(tree->text, token, node->name))
                atoms_edit(atoms, token->begin, token->end, name, strlen(name));
        }
    }
    map_release(&used);
    map_release(&renamed);
}

const Rule token_rules[] = {
    {.name = "brackets", .propose = propose_brackets, .single = true},
    {.name = "seven tokens", .propose = propose_7, .single = true},
    {.name = "four tokens", .propose = propose_4, .single = true},
    {.name = "three tokens", .propose = propose_3, .single = true},
    {.name = "two tokens", .propose = propose_2, .single = true},
    {.name = "tokens", .propose = propose_1, .single = true},
    {.name = "names", .propose = propose_names},
    {0},
};
