/* Converting libclang's cursors into our nodes.
 *
 * Cursors are converted once, in one walk, because every question asked of them afterwards (extent, type, spelling)
 * costs an allocation or a search; a mutator asks thousands. The conversion
 *  1. drops implicit conversions (UnexposedExpr with one child of the same extent) and keeps their type,
 *  2. maps locations out of macro expansions to the expansion, and marks the nodes,
 *  3. makes nodes for declarations of included files only when something refers to them,
 *  4. sorts children by their place, because libclang visits attributes and types out of order.
 * Roles and operator tokens are added by roles.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "clang/internal.h"

typedef struct Range {
    uint32_t begin, end;
} Range;

typedef struct Converter {
    Tree *tree;
    CXTranslationUnit unit;
    CXFile file;           /* the text */
    Map declarations;      /* cursor -> Node */
    Map types;             /* CXType -> Type */
    Vec(Range) expansions; /* of macros in the text, in order */
    Vec(struct Reference {
        Node *node;
        CXCursor target;
    }) references; /* resolved once every node exists */
} Converter;

typedef struct Visit {
    Converter *converter;
    Node *parent;
} Visit;

static char *take_string(Arena *arena, CXString string) {
    const char *text = libclang.getCString(string);
    char *copy = text && *text ? arena_strdup(arena, text) : NULL;
    libclang.disposeString(string);
    return copy;
}

/* What identifies a cursor of a declaration, or of a label, whose first datum is the function around it. */
typedef struct CursorKey {
    uint64_t kind;
    const void *what;
} CursorKey;

static CursorKey cursor_key(CXCursor cursor) {
    return (CursorKey){cursor.kind, cursor.data[cursor.kind == CXCursor_LabelStmt ? 1 : 0]};
}

/* --- Types --- */

static const Type *convert_type(Converter *converter, CXType written);

static void fill_type(Converter *converter, CXType canonical, Type *type) {
    type->class = class_from_type(canonical.kind, &type->is_signed);
    bool has_size = type->class != TYPE_UNKNOWN; /* libclang crashes on the size of placeholder types */
    long long size = has_size ? libclang.Type_getSizeOf(canonical) : 0;
    type->bits = size > 0 ? (uint32_t)size * 8 : 0;
    type->count = -1;
    switch (type->class) {
    case TYPE_ENUM: {
        CXType integer = libclang.getEnumDeclIntegerType(libclang.getTypeDeclaration(canonical));
        class_from_type(libclang.getCanonicalType(integer).kind, &type->is_signed);
        break;
    }
    case TYPE_POINTER: type->target = convert_type(converter, libclang.getPointeeType(canonical)); break;
    case TYPE_FUNCTION: type->target = convert_type(converter, libclang.getResultType(canonical)); break;
    case TYPE_VECTOR:
    case TYPE_COMPLEX: type->target = convert_type(converter, libclang.getElementType(canonical)); break;
    case TYPE_ARRAY:
        type->target = convert_type(converter, libclang.getArrayElementType(canonical));
        type->count = libclang.getArraySize(canonical);
        break;
    default: break;
    }
}

static const Type *convert_type(Converter *converter, CXType written) {
    if (written.kind == CXType_Invalid)
        return NULL;
    CXType canonical = libclang.getCanonicalType(written);
    const void *key = canonical.data[0]; /* the qualified type, unique within the translation unit */
    bool is_new;
    MapEntry *entry = map_insert(&converter->types, &key, sizeof key, &is_new);
    if (!is_new)
        return entry->pointer;
    Arena *arena = &converter->tree->arena;
    Type *type = arena_new(arena, Type);
    entry->pointer = type; /* before the recursion, which may move the entry */
    type->qualifiers = (libclang.isConstQualifiedType(canonical) ? QUALIFIER_CONST : 0) |
                       (libclang.isVolatileQualifiedType(canonical) ? QUALIFIER_VOLATILE : 0) |
                       (libclang.isRestrictQualifiedType(canonical) ? QUALIFIER_RESTRICT : 0);
    type->spelling = take_string(arena, libclang.getTypeSpelling(canonical));
    type->bare = type->qualifiers ? take_string(arena, libclang.getTypeSpelling(libclang.getUnqualifiedType(canonical)))
                                  : type->spelling;
    type->spelling = type->spelling ? type->spelling : "";
    type->bare = type->bare ? type->bare : "";
    fill_type(converter, canonical, type);
    return type;
}

/* --- Places --- */

/* The expansion that holds the byte strictly inside of it or at its start, or NULL. */
static const Range *expansion_at(const Converter *converter, uint32_t offset) {
    for (size_t i = 0; i < converter->expansions.len; i++) {
        const Range *range = &converter->expansions.items[i];
        if (range->begin <= offset && offset < range->end)
            return range;
    }
    return NULL;
}

/* False where the cursor does not stand in the text. */
static bool place_of(const Converter *converter, CXCursor cursor, Range *ret_range) {
    CXSourceRange extent = libclang.getCursorExtent(cursor);
    CXFile begin_file, end_file;
    unsigned begin, end;
    libclang.getFileLocation(libclang.getRangeStart(extent), &begin_file, NULL, NULL, &begin);
    libclang.getFileLocation(libclang.getRangeEnd(extent), &end_file, NULL, NULL, &end);
    if (begin_file != converter->file || end_file != converter->file || begin > end || end > converter->tree->len)
        return false;
    *ret_range = (Range){begin, end};
    return true;
}

static void place_node(const Converter *converter, Range range, Node *node) {
    const Range *first = expansion_at(converter, range.begin);
    const Range *last = range.end > range.begin ? expansion_at(converter, range.end - 1) : first;
    node->begin = first ? first->begin : range.begin;
    node->end = last ? MAX_OF(last->end, range.end) : range.end;
    if (first && first == last)
        node->flags |= NODE_IN_MACRO;
}

static uint32_t name_place(const Converter *converter, CXCursor cursor) {
    CXFile file;
    unsigned offset;
    libclang.getFileLocation(libclang.getCursorLocation(cursor), &file, NULL, NULL, &offset);
    return file == converter->file ? offset : 0;
}

/* --- Nodes --- */

static void append_child(Node *parent, Node *child) {
    child->parent = parent;
    child->previous = parent->last;
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
}

/* Sorts by place; stable, and linear where libclang's order is that of the text. */
static void sort_children(Node *parent) {
    Node *sorted = NULL, *last = NULL;
    for (Node *child = parent->first, *next; child; child = next) {
        next = child->next;
        Node *after = last;
        while (after && after->begin > child->begin)
            after = after->previous;
        child->previous = after;
        child->next = after ? after->next : sorted;
        if (child->next)
            child->next->previous = child;
        else
            last = child;
        if (after)
            after->next = child;
        else
            sorted = child;
    }
    parent->first = sorted;
    parent->last = last;
}

/* Puts the only child in the place of its parent. */
static void splice_only_child(Node *node) {
    Node *child = node->first, *parent = node->parent;
    child->previous = node->previous;
    child->next = node->next;
    child->parent = parent;
    if (child->previous)
        child->previous->next = child;
    else
        parent->first = child;
    if (child->next)
        child->next->previous = child;
    else
        parent->last = child;
}

static void fill_declaration(Converter *converter, CXCursor cursor, Node *node) {
    enum CX_StorageClass storage = libclang.Cursor_getStorageClass(cursor);
    bool file_scope = node->parent && node->parent->kind == NODE_ROOT;
    if (node->kind == NODE_VARIABLE && (file_scope || storage == CX_SC_Static || storage == CX_SC_Extern))
        node->flags |= NODE_STATIC;
    if (storage == CX_SC_Static)
        node->flags |= NODE_INTERNAL;
    if (storage == CX_SC_Register)
        node->flags |= NODE_REGISTER;
    if (libclang.isCursorDefinition(cursor) || (node->kind == NODE_VARIABLE && storage != CX_SC_Extern))
        node->flags |= NODE_DEFINITION;
    if (node->kind == NODE_FIELD && libclang.Cursor_isBitField(cursor))
        node->flags |= NODE_BIT_FIELD;
    if (node->kind == NODE_FUNCTION && libclang.Cursor_isVariadic(cursor))
        node->flags |= NODE_VARIADIC;
    if (node->kind == NODE_ENUMERATOR) {
        node->value = libclang.getEnumConstantDeclValue(cursor);
        node->has_value = true;
    }
    node->name_begin = name_place(converter, cursor);
    CursorKey key = cursor_key(cursor);
    map_insert(&converter->declarations, &key, sizeof key, NULL)->pointer = node;
}

/* The value of a decimal, octal, hexadecimal or binary literal as it is written. */
static void fill_integer(const Tree *tree, Node *node) {
    char digits[80];
    size_t len = node->end - node->begin;
    if ((node->flags & NODE_IN_MACRO) || len == 0 || len >= sizeof digits)
        return;
    memcpy(digits, tree->text + node->begin, len);
    digits[len] = '\0';
    bool binary = digits[0] == '0' && (digits[1] == 'b' || digits[1] == 'B');
    char *rest;
    errno = 0;
    node->value = (int64_t)strtoull(digits + (binary ? 2 : 0), &rest, binary ? 2 : 0);
    node->has_value = errno == 0 && rest > digits && strspn(rest, "uUlLzZ") == strlen(rest);
}

static void fill_expression(Converter *converter, CXCursor cursor, Node *node) {
    switch (node->kind) {
    case NODE_UNARY: node->op = (uint8_t)operator_from_unary(libclang.getCursorUnaryOperatorKind(cursor)); break;
    case NODE_BINARY:
    case NODE_ASSIGN:
        node->op = (uint8_t)operator_from_binary(libclang.getCursorBinaryOperatorKind(cursor));
        node->kind = node->op >= OP_ASSIGN && node->op != OP_COMMA ? NODE_ASSIGN : NODE_BINARY;
        break;
    case NODE_INTEGER: fill_integer(converter->tree, node); break;
    case NODE_MEMBER:
    case NODE_NAME:
        node->name_begin = name_place(converter, cursor);
        vec_push(&converter->references, (struct Reference){node, libclang.getCursorReferenced(cursor)});
        break;
    default: break;
    }
}

static void fill_node(Converter *converter, CXCursor cursor, Node *node) {
    bool declares = node_is_declaration(node) || node->kind == NODE_LABEL;
    if (declares || node->kind == NODE_NAME || node->kind == NODE_MEMBER)
        node->name = take_string(&converter->tree->arena, libclang.getCursorSpelling(cursor));
    if (libclang.isExpression(cursor.kind) || libclang.isDeclaration(cursor.kind))
        node->type = node->converted = convert_type(converter, libclang.getCursorType(cursor));
    if (declares)
        fill_declaration(converter, cursor, node);
    else if (libclang.isExpression(cursor.kind))
        fill_expression(converter, cursor, node);
}

static void mark_initializer(CXCursor cursor, const Converter *converter, Node *node) {
    Range range;
    CXCursor initializer = libclang.Cursor_getVarDeclInitializer(cursor);
    if (libclang.Cursor_isNull(initializer) || !place_of(converter, initializer, &range))
        return;
    Node place = {0};
    place_node(converter, range, &place);
    for (Node *child = node->last; child; child = child->previous) {
        if (child->begin == place.begin && child->end == place.end && node_is_expression(child)) {
            child->role = ROLE_INITIALIZER;
            return;
        }
    }
}

/* A struct defined in a declaration is visited once by itself and once below every variable, the first operand of the
 * GNU `a ?: b` three times. */
static bool is_repeated(const Visit *outer, CXCursor cursor, Range range) {
    CursorKey key = cursor_key(cursor);
    if (libclang.isDeclaration(cursor.kind))
        return map_find(&outer->converter->declarations, &key, sizeof key) != NULL;
    const Node *before = outer->parent->last;
    return before && before->type && !(before->flags & NODE_IN_MACRO) && libclang.isExpression(cursor.kind) &&
           before->begin == range.begin && before->end == range.end;
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data) {
    (void)parent;
    Visit *outer = data;
    Converter *converter = outer->converter;
    if (cursor.kind == CXCursor_LabelRef) { /* the parent is the goto */
        outer->parent->name = take_string(&converter->tree->arena, libclang.getCursorSpelling(cursor));
        outer->parent->name_begin = name_place(converter, cursor);
        vec_push(&converter->references, (struct Reference){outer->parent, libclang.getCursorReferenced(cursor)});
        return CXChildVisit_Continue;
    }
    Range range;
    if (libclang.isPreprocessing(cursor.kind) || !place_of(converter, cursor, &range) ||
        is_repeated(outer, cursor, range))
        return CXChildVisit_Continue;
    Node *node = arena_new(&converter->tree->arena, Node);
    node->kind = (uint8_t)kind_from_cursor(cursor.kind);
    place_node(converter, range, node);
    append_child(outer->parent, node);
    fill_node(converter, cursor, node);
    if (cursor.kind == CXCursor_TypeRef)
        vec_push(&converter->references, (struct Reference){node, libclang.getCursorReferenced(cursor)});
    Visit inner = {converter, node};
    libclang.visitChildren(cursor, visit, &inner);
    sort_children(node);
    for (const Node *child = node->first; child; child = child->next) { /* unclosed declarations end too early */
        node->begin = MIN_OF(node->begin, child->begin);
        node->end = MAX_OF(node->end, child->end);
    }
    if (node->kind == NODE_VARIABLE)
        mark_initializer(cursor, converter, node);
    /* Implicit conversions and other wrappers without a text of their own: their child stands for them. */
    Node *child = node->first;
    if (cursor.kind == CXCursor_UnexposedExpr && child && !child->next && child->begin == node->begin &&
        child->end == node->end && child->type) {
        child->converted = node->type;
        splice_only_child(node);
    }
    return CXChildVisit_Continue;
}

/* Step 3: a declaration outside of the text. */
static Node *external_declaration(Converter *converter, CXCursor cursor) {
    Node *node = arena_new(&converter->tree->arena, Node);
    node->kind = (uint8_t)kind_from_cursor(cursor.kind);
    node->flags = NODE_EXTERNAL | (node->kind == NODE_VARIABLE ? NODE_STATIC : 0);
    node->name = take_string(&converter->tree->arena, libclang.getCursorSpelling(cursor));
    node->type = node->converted = convert_type(converter, libclang.getCursorType(cursor));
    if (node->kind == NODE_FUNCTION && node->type && libclang.isFunctionTypeVariadic(libclang.getCursorType(cursor)))
        node->flags |= NODE_VARIADIC;
    CursorKey key = cursor_key(cursor);
    map_insert(&converter->declarations, &key, sizeof key, NULL)->pointer = node;
    vec_push(&converter->tree->externals, node);
    return node;
}

static void resolve_references(Converter *converter) {
    for (size_t i = 0; i < converter->references.len; i++) {
        CXCursor target = converter->references.items[i].target;
        if (libclang.Cursor_isNull(target) || libclang.isInvalid(target.kind))
            continue;
        CursorKey key = cursor_key(target);
        MapEntry *entry = map_find(&converter->declarations, &key, sizeof key);
        converter->references.items[i].node->decl = entry ? entry->pointer : external_declaration(converter, target);
    }
}

static enum CXChildVisitResult visit_expansion(CXCursor cursor, CXCursor parent, CXClientData data) {
    (void)parent;
    Converter *converter = data;
    Range range;
    if (cursor.kind == CXCursor_MacroExpansion && place_of(converter, cursor, &range))
        vec_push(&converter->expansions, range);
    return CXChildVisit_Continue;
}

static enum CXChildVisitResult visit_top(CXCursor cursor, CXCursor parent, CXClientData data) {
    if (!libclang.Location_isFromMainFile(libclang.getCursorLocation(cursor)))
        return CXChildVisit_Continue;
    return visit(cursor, parent, data);
}

void tree_convert(CXTranslationUnit unit, const char *name, Tree *tree) {
    Converter converter = {.tree = tree, .unit = unit, .file = libclang.getFile(unit, name)};
    CXCursor top = libclang.getTranslationUnitCursor(unit);
    libclang.visitChildren(top, visit_expansion, &converter);
    tree->root = arena_new(&tree->arena, Node);
    tree->root->kind = NODE_ROOT;
    tree->root->end = (uint32_t)tree->len;
    Visit visit_data = {&converter, tree->root};
    libclang.visitChildren(top, visit_top, &visit_data);
    sort_children(tree->root);
    resolve_references(&converter);
    map_release(&converter.declarations);
    map_release(&converter.types);
    vec_release(&converter.expansions);
    vec_release(&converter.references);
}
