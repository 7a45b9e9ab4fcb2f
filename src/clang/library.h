/* libclang, loaded when C is first parsed.
 *
 * It pulls in libLLVM, whose start costs more than most commands do, and many commands never parse. So nothing is linked
 * against it: its functions are called through the table `libclang`, filled by libclang_load. Private to src/clang.
 */
#ifndef CLANG_LIBRARY_H
#define CLANG_LIBRARY_H

#include <clang-c/Index.h>

#include "base/error.h"

/* clang-format off */
/* Every function of libclang that is used; a new one is added here. */
#define LIBCLANG_FUNCTIONS(X)                                                                                    \
    X(Cursor_getStorageClass) X(Cursor_getVarDeclInitializer) X(Cursor_isBitField) X(Cursor_isNull)              \
    X(Cursor_isVariadic) X(Location_isFromMainFile) X(Type_getSizeOf) X(createIndex) X(disposeDiagnostic)        \
    X(disposeIndex) X(disposeString) X(disposeTranslationUnit) X(formatDiagnostic) X(getArrayElementType)        \
    X(getArraySize) X(getCString) X(getCanonicalType) X(getCursorBinaryOperatorKind) X(getCursorExtent)          \
    X(getCursorLocation) X(getCursorReferenced) X(getCursorSpelling) X(getCursorType)                            \
    X(getCursorUnaryOperatorKind) X(getDiagnostic) X(getDiagnosticOption) X(getDiagnosticSeverity)               \
    X(getElementType) X(getEnumConstantDeclValue) X(getEnumDeclIntegerType) X(getFile) X(getFileLocation)        \
    X(getNumDiagnostics) X(getPointeeType) X(getRangeEnd) X(getRangeStart) X(getResultType)                      \
    X(getTranslationUnitCursor) X(getTypeDeclaration) X(getTypeSpelling) X(getUnqualifiedType) X(isAttribute)    \
    X(isConstQualifiedType) X(isCursorDefinition) X(isDeclaration) X(isExpression) X(isFunctionTypeVariadic)     \
    X(isInvalid) X(isPreprocessing) X(isRestrictQualifiedType) X(isVolatileQualifiedType)                        \
    X(parseTranslationUnit2) X(reparseTranslationUnit) X(visitChildren)
/* clang-format on */

typedef struct Libclang {
#define LIBCLANG_FIELD(name) __typeof__(clang_##name) *name;
    LIBCLANG_FUNCTIONS(LIBCLANG_FIELD)
#undef LIBCLANG_FIELD
} Libclang;

/* Empty before libclang_load has succeeded once, and constant from then on. */
extern Libclang libclang;

/* From any thread, as often as wanted; loads once, and never unloads: LLVM does not survive that. */
bool libclang_load(Error *err);

#endif
