/* Private to src/clang: what stands between libclang and the Tree. */
#ifndef CLANG_INTERNAL_H
#define CLANG_INTERNAL_H

#include "clang/library.h"
#include "clang/tree.h"

NodeKind kind_from_cursor(enum CXCursorKind cursor);
Operator operator_from_binary(enum CXBinaryOperatorKind kind);
Operator operator_from_unary(enum CXUnaryOperatorKind kind);
TypeClass class_from_type(enum CXTypeKind kind, bool *ret_signed);

/* Fills the tree's nodes from the parsed text, whose file is called `name`. */
void tree_convert(CXTranslationUnit unit, const char *name, Tree *tree);
/* Roles, operator tokens and constant contexts, from the finished shape of the tree and its tokens. */
void tree_assign_roles(Tree *tree);

#endif
