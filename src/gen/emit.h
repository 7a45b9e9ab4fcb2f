/* Printing a program as C or C++.
 *
 * Conversions are implicit unless the program has a cast, parentheses stand where precedence needs them (and sometimes
 * elsewhere), and operations in their safe form are spelled out.
 */
#ifndef GEN_EMIT_H
#define GEN_EMIT_H

#include "base/str.h"
#include "gen/dist.h"
#include "gen/ir.h"

typedef struct Emitter {
    Str *out;
    const GenOptions *options;
    const IrProgram *program;
    const Dists *dists;
    Rng rng;                 /* decides on parentheses alone */
    uint64_t executed_bytes; /* of statements that ran */
    uint32_t helpers;        /* bit set: which helpers for safe division are called */
} Emitter;

void emit_text(Emitter *m, const char *text);
void emit_number(Emitter *m, uint64_t value);

/* emit_expr.c */
void emit_expr(Emitter *m, const Expr *e);
void emit_literal(Emitter *m, const Type *type, int64_t value); /* without the cast that narrow types need */
/* The functions that safe division calls; or what makes their external definitions, if they need some. */
void emit_helpers(Emitter *m, bool external);

/* emit_decl.c */
void emit_declarator(Emitter *m, const Type *type, const char *name);
void emit_type_definitions(Emitter *m);
void emit_initialiser(Emitter *m, const Symbol *symbol, const int64_t *cells);
void emit_global(Emitter *m, const Symbol *symbol, bool definition);

/* emit_stmt.c */
void emit_statement(Emitter *m, const Stmt *s, unsigned indent);
void emit_prototype(Emitter *m, const Function *f);
void emit_function(Emitter *m, const Function *f);

/* emit_program.c: the files, from the text of the test functions; and the bytes of all else, as it is now. */
size_t emit_size_of_others(const Emitter *m);
void emit_files(Emitter *m, const Str *tests, Arena *arena, GenProgram *program);

#endif
