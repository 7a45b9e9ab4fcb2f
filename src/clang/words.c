/* The words of libclang in ours: kinds of cursors, operators, types. */
#include "clang/internal.h"

NodeKind kind_from_cursor(enum CXCursorKind cursor) {
    static const struct {
        enum CXCursorKind cursor;
        NodeKind kind;
    } kinds[] = {
        {CXCursor_FunctionDecl, NODE_FUNCTION},
        {CXCursor_VarDecl, NODE_VARIABLE},
        {CXCursor_ParmDecl, NODE_PARAMETER},
        {CXCursor_FieldDecl, NODE_FIELD},
        {CXCursor_StructDecl, NODE_RECORD},
        {CXCursor_UnionDecl, NODE_RECORD},
        {CXCursor_ClassDecl, NODE_RECORD},
        {CXCursor_EnumDecl, NODE_ENUM},
        {CXCursor_EnumConstantDecl, NODE_ENUMERATOR},
        {CXCursor_TypedefDecl, NODE_TYPEDEF},
        {CXCursor_TypeAliasDecl, NODE_TYPEDEF},
        {CXCursor_TypeRef, NODE_TYPE_REF},
        {CXCursor_StaticAssert, NODE_STATIC_ASSERT},
        {CXCursor_CompoundStmt, NODE_COMPOUND},
        {CXCursor_DeclStmt, NODE_DECLARATION},
        {CXCursor_LabelStmt, NODE_LABEL},
        {CXCursor_CaseStmt, NODE_CASE},
        {CXCursor_DefaultStmt, NODE_DEFAULT},
        {CXCursor_IfStmt, NODE_IF},
        {CXCursor_SwitchStmt, NODE_SWITCH},
        {CXCursor_WhileStmt, NODE_WHILE},
        {CXCursor_DoStmt, NODE_DO},
        {CXCursor_ForStmt, NODE_FOR},
        {CXCursor_GotoStmt, NODE_GOTO},
        {CXCursor_IndirectGotoStmt, NODE_INDIRECT_GOTO},
        {CXCursor_ContinueStmt, NODE_CONTINUE},
        {CXCursor_BreakStmt, NODE_BREAK},
        {CXCursor_ReturnStmt, NODE_RETURN},
        {CXCursor_NullStmt, NODE_NULL},
        {CXCursor_GCCAsmStmt, NODE_ASM},
        {CXCursor_DeclRefExpr, NODE_NAME},
        {CXCursor_MemberRefExpr, NODE_MEMBER},
        {CXCursor_IntegerLiteral, NODE_INTEGER},
        {CXCursor_FloatingLiteral, NODE_FLOAT},
        {CXCursor_CharacterLiteral, NODE_CHARACTER},
        {CXCursor_StringLiteral, NODE_STRING},
        {CXCursor_ImaginaryLiteral, NODE_IMAGINARY},
        {CXCursor_CallExpr, NODE_CALL},
        {CXCursor_UnaryOperator, NODE_UNARY},
        {CXCursor_BinaryOperator, NODE_BINARY},
        {CXCursor_CompoundAssignOperator, NODE_ASSIGN},
        {CXCursor_ConditionalOperator, NODE_CONDITIONAL},
        {CXCursor_CStyleCastExpr, NODE_CAST},
        {CXCursor_ParenExpr, NODE_PAREN},
        {CXCursor_ArraySubscriptExpr, NODE_SUBSCRIPT},
        {CXCursor_InitListExpr, NODE_INIT_LIST},
        {CXCursor_CompoundLiteralExpr, NODE_COMPOUND_LITERAL},
        {CXCursor_UnaryExpr, NODE_SIZEOF},
        {CXCursor_StmtExpr, NODE_STATEMENT_EXPRESSION},
        {CXCursor_AddrLabelExpr, NODE_ADDRESS_OF_LABEL},
        {CXCursor_GenericSelectionExpr, NODE_GENERIC},
    };
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (kinds[i].cursor == cursor)
            return kinds[i].kind;
    return libclang.isAttribute(cursor) ? NODE_ATTRIBUTE : NODE_OTHER;
}

Operator operator_from_binary(enum CXBinaryOperatorKind kind) {
    static const uint8_t operators[] = {
        [CXBinaryOperator_Mul] = OP_MUL,
        [CXBinaryOperator_Div] = OP_DIV,
        [CXBinaryOperator_Rem] = OP_REM,
        [CXBinaryOperator_Add] = OP_ADD,
        [CXBinaryOperator_Sub] = OP_SUB,
        [CXBinaryOperator_Shl] = OP_SHL,
        [CXBinaryOperator_Shr] = OP_SHR,
        [CXBinaryOperator_LT] = OP_LT,
        [CXBinaryOperator_GT] = OP_GT,
        [CXBinaryOperator_LE] = OP_LE,
        [CXBinaryOperator_GE] = OP_GE,
        [CXBinaryOperator_EQ] = OP_EQ,
        [CXBinaryOperator_NE] = OP_NE,
        [CXBinaryOperator_And] = OP_AND,
        [CXBinaryOperator_Xor] = OP_XOR,
        [CXBinaryOperator_Or] = OP_OR,
        [CXBinaryOperator_LAnd] = OP_LOGICAL_AND,
        [CXBinaryOperator_LOr] = OP_LOGICAL_OR,
        [CXBinaryOperator_Assign] = OP_ASSIGN,
        [CXBinaryOperator_MulAssign] = OP_MUL_ASSIGN,
        [CXBinaryOperator_DivAssign] = OP_DIV_ASSIGN,
        [CXBinaryOperator_RemAssign] = OP_REM_ASSIGN,
        [CXBinaryOperator_AddAssign] = OP_ADD_ASSIGN,
        [CXBinaryOperator_SubAssign] = OP_SUB_ASSIGN,
        [CXBinaryOperator_ShlAssign] = OP_SHL_ASSIGN,
        [CXBinaryOperator_ShrAssign] = OP_SHR_ASSIGN,
        [CXBinaryOperator_AndAssign] = OP_AND_ASSIGN,
        [CXBinaryOperator_XorAssign] = OP_XOR_ASSIGN,
        [CXBinaryOperator_OrAssign] = OP_OR_ASSIGN,
        [CXBinaryOperator_Comma] = OP_COMMA,
    };
    return (size_t)kind < ARRAY_LEN(operators) ? operators[kind] : OP_NONE;
}

Operator operator_from_unary(enum CXUnaryOperatorKind kind) {
    static const uint8_t operators[] = {
        [CXUnaryOperator_PostInc] = OP_POST_INC,
        [CXUnaryOperator_PostDec] = OP_POST_DEC,
        [CXUnaryOperator_PreInc] = OP_PRE_INC,
        [CXUnaryOperator_PreDec] = OP_PRE_DEC,
        [CXUnaryOperator_AddrOf] = OP_ADDRESS,
        [CXUnaryOperator_Deref] = OP_DEREF,
        [CXUnaryOperator_Plus] = OP_PLUS,
        [CXUnaryOperator_Minus] = OP_MINUS,
        [CXUnaryOperator_Not] = OP_NOT,
        [CXUnaryOperator_LNot] = OP_LOGICAL_NOT,
        [CXUnaryOperator_Real] = OP_REAL,
        [CXUnaryOperator_Imag] = OP_IMAG,
        [CXUnaryOperator_Extension] = OP_EXTENSION,
    };
    return (size_t)kind < ARRAY_LEN(operators) ? operators[kind] : OP_NONE;
}

TypeClass class_from_type(enum CXTypeKind kind, bool *ret_signed) {
    static const struct {
        enum CXTypeKind kind;
        TypeClass class;
        bool is_signed;
    } classes[] = {
        {CXType_Void, TYPE_VOID, false},
        {CXType_Bool, TYPE_BOOL, false},
        {CXType_Char_S, TYPE_INTEGER, true},
        {CXType_SChar, TYPE_INTEGER, true},
        {CXType_Short, TYPE_INTEGER, true},
        {CXType_Int, TYPE_INTEGER, true},
        {CXType_Long, TYPE_INTEGER, true},
        {CXType_LongLong, TYPE_INTEGER, true},
        {CXType_Int128, TYPE_INTEGER, true},
        {CXType_Char_U, TYPE_INTEGER, false},
        {CXType_UChar, TYPE_INTEGER, false},
        {CXType_WChar, TYPE_INTEGER, false},
        {CXType_Char16, TYPE_INTEGER, false},
        {CXType_Char32, TYPE_INTEGER, false},
        {CXType_UShort, TYPE_INTEGER, false},
        {CXType_UInt, TYPE_INTEGER, false},
        {CXType_ULong, TYPE_INTEGER, false},
        {CXType_ULongLong, TYPE_INTEGER, false},
        {CXType_UInt128, TYPE_INTEGER, false},
        {CXType_Half, TYPE_FLOATING, false},
        {CXType_Float16, TYPE_FLOATING, false},
        {CXType_BFloat16, TYPE_FLOATING, false},
        {CXType_Float, TYPE_FLOATING, false},
        {CXType_Double, TYPE_FLOATING, false},
        {CXType_LongDouble, TYPE_FLOATING, false},
        {CXType_Float128, TYPE_FLOATING, false},
        {CXType_Complex, TYPE_COMPLEX, false},
        {CXType_Enum, TYPE_ENUM, false},
        {CXType_Pointer, TYPE_POINTER, false},
        {CXType_ConstantArray, TYPE_ARRAY, false},
        {CXType_IncompleteArray, TYPE_ARRAY, false},
        {CXType_VariableArray, TYPE_ARRAY, false},
        {CXType_Vector, TYPE_VECTOR, false},
        {CXType_ExtVector, TYPE_VECTOR, false},
        {CXType_Record, TYPE_RECORD, false},
        {CXType_FunctionProto, TYPE_FUNCTION, false},
        {CXType_FunctionNoProto, TYPE_FUNCTION, false},
    };
    for (size_t i = 0; i < ARRAY_LEN(classes); i++) {
        if (classes[i].kind == kind) {
            *ret_signed = classes[i].is_signed;
            return classes[i].class;
        }
    }
    *ret_signed = false;
    return TYPE_UNKNOWN;
}
