/* Parsing with libclang: which of a compiler's flags matter, and the errors. */
#include <stdio.h>
#include <stdlib.h>

#include "clang/internal.h"

struct Parser {
    CXIndex index; /* NULL before the first text */
    char *name;
    StrList args;
    CXTranslationUnit unit; /* of parser_complaints, kept for the headers that it has read; NULL before */
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

/* For strict parsers: what no one who reports a bug would write, and what betrays undefined behaviour on its face. */
static const char *const strict_args[] = {
    "-Wno-everything", "-ferror-limit=0", "-Werror=implicit-function-declaration", "-Werror=implicit-int",
    "-Werror=int-conversion", "-Werror=incompatible-pointer-types", "-Werror=incompatible-function-pointer-types",
    "-Werror=return-type", "-Werror=return-mismatch", "-Werror=deprecated-non-prototype",
    "-Werror=missing-declarations", "-Werror=c23-extensions", "-Werror=visibility", "-Werror=main",
    "-Werror=main-return-type", "-Werror=pointer-integer-compare", "-Werror=compare-distinct-pointer-types",
    "-Werror=knr-promoted-parameter",
    "-Werror=uninitialized", "-Werror=unsequenced", "-Werror=division-by-zero", "-Werror=array-bounds",
    "-Werror=shift-count-overflow", "-Werror=shift-count-negative", "-Werror=shift-overflow",
    "-Werror=format-extra-args", "-Werror=format-insufficient-args", "-Werror=format",
    "-Werror=return-stack-address", "-Werror=nonnull", "-Werror=null-dereference", "-Werror=zero-length-array",
    "-Werror=gnu-empty-struct", "-Werror=empty-translation-unit",
    "-Wno-unknown-warning-option",
};
/* clang-format on */

static void add_parsing_flags(StrList *args, const StrList *flags) {
    for (size_t i = 0; i < flags->len; i++) {
        const char *flag = flags->items[i];
        if (str_is_any(flag, parsing_pairs, ARRAY_LEN(parsing_pairs))) {
            if (i + 1 < flags->len) {
                strlist_add(args, flag);
                strlist_add(args, flags->items[++i]);
            }
        } else if (str_starts_any(flag, parsing_prefixes, ARRAY_LEN(parsing_prefixes))) {
            strlist_add(args, flag);
        }
    }
}

static Parser *new_parser(const char *name, const StrList *flags, const char *const *args, size_t count) {
    Parser *parser = mem_zalloc(1, sizeof *parser);
    parser->name = mem_strdup(name ? name : "text.c");
    for (size_t i = 0; i < count; i++)
        strlist_add(&parser->args, args[i]);
    if (flags)
        add_parsing_flags(&parser->args, flags);
    return parser;
}

Parser *parser_new(const char *name, const StrList *flags) {
    return new_parser(name, flags, lenient_args, ARRAY_LEN(lenient_args));
}

Parser *parser_new_strict(const char *name, const StrList *flags) {
    return new_parser(name, flags, strict_args, ARRAY_LEN(strict_args));
}

void parser_free(Parser *parser) {
    if (!parser)
        return;
    if (parser->unit)
        libclang.disposeTranslationUnit(parser->unit);
    if (parser->index)
        libclang.disposeIndex(parser->index);
    free(parser->name);
    strlist_release(&parser->args);
    free(parser);
}

static bool open_parser(Parser *parser, Error *err) {
    if (!libclang_load(err))
        return false;
    if (!parser->index)
        parser->index = libclang.createIndex(0, 0);
    return true;
}

static void count_errors(CXTranslationUnit unit, Tree *tree) {
    unsigned count = libclang.getNumDiagnostics(unit);
    for (unsigned i = 0; i < count; i++) {
        CXDiagnostic diagnostic = libclang.getDiagnostic(unit, i);
        if (libclang.getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error && tree->errors++ == 0) {
            CXString text = libclang.formatDiagnostic(diagnostic, CXDiagnostic_DisplaySourceLocation);
            snprintf(tree->first_error, sizeof tree->first_error, "%s", libclang.getCString(text));
            libclang.disposeString(text);
        }
        libclang.disposeDiagnostic(diagnostic);
    }
}

Tree *parser_parse(Parser *parser, const char *text, size_t len, Error *err) {
    if (len >= UINT32_MAX) {
        error_set(err, "%s is too long to parse: %zu bytes", parser->name, len);
        return NULL;
    }
    if (!open_parser(parser, err))
        return NULL;
    struct CXUnsavedFile file = {parser->name, text, len};
    CXTranslationUnit unit;
    enum CXErrorCode code = libclang.parseTranslationUnit2(
        parser->index, parser->name, (const char *const *)parser->args.items, (int)parser->args.len, &file, 1,
        CXTranslationUnit_DetailedPreprocessingRecord, &unit);
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
    libclang.disposeTranslationUnit(unit);
    return tree;
}

/* The unit is parsed again in place: libclang keeps what the headers at its top gave. */
static bool parse_again(Parser *parser, const char *text, size_t len) {
    struct CXUnsavedFile file = {parser->name, text, len};
    unsigned options = CXTranslationUnit_PrecompiledPreamble | CXTranslationUnit_CreatePreambleOnFirstParse;
    if (parser->unit && libclang.reparseTranslationUnit(parser->unit, 1, &file, options)) {
        libclang.disposeTranslationUnit(parser->unit); /* nothing else may be done with it */
        parser->unit = NULL;
    }
    if (parser->unit)
        return true;
    bool parsed =
        libclang.parseTranslationUnit2(parser->index, parser->name, (const char *const *)parser->args.items,
                                       (int)parser->args.len, &file, 1, options, &parser->unit) == CXError_Success;
    if (!parsed)
        parser->unit = NULL;
    return parsed;
}

bool parser_complaints(Parser *parser, const char *text, size_t len, StrList *ret_kinds) {
    if (!open_parser(parser, NULL) || !parse_again(parser, text, len))
        return false;
    unsigned count = libclang.getNumDiagnostics(parser->unit);
    for (unsigned i = 0; i < count; i++) {
        CXDiagnostic diagnostic = libclang.getDiagnostic(parser->unit, i);
        CXString option = libclang.getDiagnosticOption(diagnostic, NULL);
        const char *kind = libclang.getCString(option);
        kind = kind && *kind ? kind : "error";
        if (libclang.getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error)
            strlist_add_once(ret_kinds, kind);
        libclang.disposeString(option);
        libclang.disposeDiagnostic(diagnostic);
    }
    return true;
}

const char *const *parser_strict_args(size_t *ret_count) {
    *ret_count = ARRAY_LEN(strict_args);
    return strict_args;
}
