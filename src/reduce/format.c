#include "reduce/format.h"

#include <string.h>

#include "reduce/span.h"

/* How printf shows a value of the type; NULL for what it does not. */
static const char *conversion_for(const Type *type) {
    if (type->class == TYPE_FLOATING)
        return strcmp(type->bare, "long double") == 0 ? "%Lf" : "%f";
    if (!type_is_integer(type))
        return NULL;
    if (strstr(type->bare, "long long"))
        return type->is_signed ? "%lld" : "%llu";
    if (type->bits == 64)
        return type->is_signed ? "%ld" : "%lu";
    return !type->is_signed && type->bits == 32 ? "%u" : "%d"; /* what is narrower becomes int on the way */
}

/* Where the conversion with this number stands, counted from 0: [*begin, *end). "%%" is none; a "*" takes an argument
 * of its own and ends the search. */
static bool find_conversion(const Tree *tree, const Node *format, size_t number, uint32_t *ret_begin,
                            uint32_t *ret_end) {
    const char *text = tree->text;
    for (uint32_t at = format->begin; at + 1 < format->end; at++) {
        if (text[at] != '%')
            continue;
        uint32_t end = at + 1;
        while (end < format->end && strchr("-+ #0123456789.hlLjzt", text[end]))
            end++;
        bool none = text[end] == '%' && end == at + 1;
        if (text[end] == '*' || end >= format->end)
            return false;
        if (!none && number-- == 0) {
            *ret_begin = at;
            *ret_end = end + 1;
            return true;
        }
        at = end;
    }
    return false;
}

const Node *format_of(const Node *argument) {
    const Node *format = argument->parent && argument->parent->kind == NODE_CALL ? argument->previous : NULL;
    while (format && format->kind != NODE_STRING)
        format = format->previous;
    return format && node_editable(format) ? format : NULL;
}

void format_follow(const Tree *tree, Atoms *atoms, const Node *argument, const Type *type) {
    const Node *format = format_of(argument);
    const char *conversion = format && type ? conversion_for(type) : NULL;
    if (!conversion)
        return;
    size_t number = 0, len = strlen(conversion);
    for (const Node *before = argument->previous; before != format; before = before->previous)
        number++;
    uint32_t begin, end;
    bool found = find_conversion(tree, format, number, &begin, &end);
    if (found && (end - begin != len || memcmp(tree->text + begin, conversion, len) != 0))
        atoms_edit(atoms, begin, end, conversion, len);
}
