/* Parsing with libclang: which of a compiler's flags matter, and the errors. */
#include <stdio.h>
#include <stdlib.h>

#include "clang/internal.h"

struct Parser {
    CXIndex index;
    char *name;
    StrList args;
};

/* clang-format off */
/* Flags that change how a text parses, as prefixes. */
static const char *const parsing_prefixes[] = {
    "-std=", "-ansi", "-D", "-U", "-I", "-m32", "-m64", "-march=", "-msse", "-mavx", "-mfma", "-mbmi", "-mf16c",
    "-fsigned-char", "-funsigned-char", "-fshort-enums", "-fgnu89-inline", "-fms-extensions", "-fopenmp",
    "-fno-builtin",
};
/* Those followed by a value in an argument of its own. */
static const char *const parsing_pairs[] = {"-include", "-isystem", "-iquote", "-idirafter", "-x", "-D", "-U", "-I"};

/* C89's liberties are what test programs live on: GCC accepts them, clang made some of them errors. */
static const char *const lenient_args[] = {
    "-w", "-ferror-limit=0", "-Wno-error", "-Wno-implicit-function-declaration", "-Wno-implicit-int",
    "-Wno-int-conversion", "-Wno-return-type", "-Wno-incompatible-pointer-types",
    "-Wno-incompatible-function-pointer-types",
    /* Decimal floating point, which clang does not have. */
    "-D_Decimal32=float", "-D_Decimal64=double", "-D_Decimal128=long double",
    /* Functions in GIMPLE are C with odd labels. */
    "-D__GIMPLE(...)=", "-D__BB(...)=__BB",
};
/* clang-format on */

static bool starts_with_any(const char *flag, const char *const *prefixes, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (str_starts(flag, prefixes[i]))
            return true;
    return false;
}

static bool equals_any(const char *flag, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (str_equal(flag, words[i]))
            return true;
    return false;
}

static void add_parsing_flags(StrList *args, const StrList *flags) {
    for (size_t i = 0; i < flags->len; i++) {
        const char *flag = flags->items[i];
        if (equals_any(flag, parsing_pairs, ARRAY_LEN(parsing_pairs))) {
            if (i + 1 < flags->len) {
                strlist_add(args, flag);
                strlist_add(args, flags->items[++i]);
            }
        } else if (starts_with_any(flag, parsing_prefixes, ARRAY_LEN(parsing_prefixes))) {
            strlist_add(args, flag);
        }
    }
}

Parser *parser_new(const char *name, const StrList *flags) {
    Parser *parser = mem_zalloc(1, sizeof *parser);
    parser->index = clang_createIndex(0, 0);
    parser->name = mem_strdup(name ? name : "text.c");
    for (size_t i = 0; i < ARRAY_LEN(lenient_args); i++)
        strlist_add(&parser->args, lenient_args[i]);
    if (flags)
        add_parsing_flags(&parser->args, flags);
    return parser;
}

void parser_free(Parser *parser) {
    if (!parser)
        return;
    clang_disposeIndex(parser->index);
    free(parser->name);
    strlist_release(&parser->args);
    free(parser);
}

static void count_errors(CXTranslationUnit unit, Tree *tree) {
    unsigned count = clang_getNumDiagnostics(unit);
    for (unsigned i = 0; i < count; i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(unit, i);
        if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error && tree->errors++ == 0) {
            CXString text = clang_formatDiagnostic(diagnostic, CXDiagnostic_DisplaySourceLocation);
            snprintf(tree->first_error, sizeof tree->first_error, "%s", clang_getCString(text));
            clang_disposeString(text);
        }
        clang_disposeDiagnostic(diagnostic);
    }
}

Tree *parser_parse(Parser *parser, const char *text, size_t len, Error *err) {
    if (len >= UINT32_MAX) {
        error_set(err, "%s is too long to parse: %zu bytes", parser->name, len);
        return NULL;
    }
    struct CXUnsavedFile file = {parser->name, text, len};
    CXTranslationUnit unit;
    enum CXErrorCode code = clang_parseTranslationUnit2(parser->index, parser->name,
                                                        (const char *const *)parser->args.items, (int)parser->args.len,
                                                        &file, 1, CXTranslationUnit_DetailedPreprocessingRecord, &unit);
    if (code != CXError_Success) {
        error_set(err, "%s cannot be parsed: %s", parser->name,
                  code == CXError_Crashed ? "the parser (libclang) crashed on it"
                                          : "the parser (libclang) refuses it or its flags");
        return NULL;
    }
    Tree *tree = mem_zalloc(1, sizeof *tree);
    tree->text = text;
    tree->len = len;
    lex(text, len, &tree->tokens);
    count_errors(unit, tree);
    tree_convert(unit, parser->name, tree);
    tree_assign_roles(tree);
    clang_disposeTranslationUnit(unit);
    return tree;
}
