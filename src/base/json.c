#include "base/json.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

Json *json_new_object(void) { return json_object(); }
Json *json_new_array(void) { return json_array(); }
Json *json_new_int(int64_t value) { return json_integer(value); }
Json *json_new_real(double value) { return isfinite(value) ? json_real(value) : json_null(); }
Json *json_new_bool(bool value) { return json_boolean(value); }
Json *json_copy_deep(const Json *json) { return json_deep_copy(json); }
void json_free(Json *json) { json_decref(json); }

/* Compilers print anything: bytes that are no UTF-8 become '?'. Jansson is the judge, one byte at a time. */
static Json *text_repaired(const char *text) {
    CLEANUP(str_release) Str repaired = {0};
    while (*text) {
        size_t len = 1;
        for (; len <= 4 && text[len - 1]; len++) {
            CLEANUP(json_freep) Json *character = json_stringn(text, len);
            if (character)
                break;
        }
        bool valid = len <= 4 && text[len - 1];
        str_append_n(&repaired, valid ? text : "?", valid ? len : 1);
        text += valid ? len : 1;
    }
    return json_string(str_text(&repaired));
}

Json *json_new_text(const char *text) {
    if (!text)
        return json_null();
    Json *json = json_string(text);
    return json ? json : text_repaired(text);
}

bool json_parse(const char *text, size_t len, Json **ret_json, Error *err) {
    json_error_t reason;
    Json *json = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &reason);
    if (!json)
        return error_set(err, "invalid JSON in line %d, column %d: %s", reason.line, reason.column, reason.text);
    *ret_json = json;
    return true;
}

bool json_read_file(const char *path, Json **ret_json, Error *err) {
    CLEANUP(str_release) Str text = {0};
    if (!file_read(path, &text, err))
        return false;
    return json_parse(str_text(&text), text.len, ret_json, err) || error_context(err, "cannot read %s", path);
}

static int append_to_str(const char *bytes, size_t len, void *str) {
    str_append_n(str, bytes, len);
    return 0;
}

void json_format(const Json *json, bool indented, Str *ret_text) {
    size_t flags = JSON_ENCODE_ANY | (indented ? JSON_INDENT(1) : 0);
    BUG_ON(json_dump_callback(json, append_to_str, ret_text, flags));
}

void json_format_short(const Json *json, Str *ret_text) {
    BUG_ON(json_dump_callback(json, append_to_str, ret_text, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6)));
}

bool json_write_file(const char *path, const Json *json, Error *err) {
    CLEANUP(str_release) Str text = {0};
    json_format(json, true, &text);
    str_append_char(&text, '\n');
    return file_write_durable(path, text.data, text.len, err);
}

bool json_is_object_value(const Json *json) { return json_is_object(json); }
bool json_is_array_value(const Json *json) { return json_is_array(json); }

const Json *json_get(const Json *object, const char *name) { return json_object_get(object, name); }
bool json_has(const Json *object, const char *name) { return json_get(object, name) != NULL; }

const char *json_text(const Json *value, const char *otherwise) {
    return json_is_string(value) ? json_string_value(value) : otherwise;
}

int64_t json_int(const Json *value, int64_t otherwise) {
    return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

const char *json_get_text(const Json *object, const char *name, const char *otherwise) {
    return json_text(json_get(object, name), otherwise);
}

int64_t json_get_int(const Json *object, const char *name, int64_t otherwise) {
    return json_int(json_get(object, name), otherwise);
}

double json_get_real(const Json *object, const char *name, double otherwise) {
    const Json *value = json_get(object, name);
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

bool json_get_bool(const Json *object, const char *name, bool otherwise) {
    const Json *value = json_get(object, name);
    return json_is_boolean(value) ? json_is_true(value) : otherwise;
}

void json_get_strings(const Json *object, const char *name, StrList *ret_list) {
    const Json *array = json_get(object, name);
    for (size_t i = 0; i < json_len(array); i++)
        if (json_text(json_item(array, i), NULL))
            strlist_add(ret_list, json_text(json_item(array, i), NULL));
}

bool json_expect_text(const Json *object, const char *name, const char **ret_text, Error *err) {
    const char *text = json_get_text(object, name, NULL);
    if (!text)
        return error_set(err, "the member \"%s\" is missing or not a string", name);
    *ret_text = text;
    return true;
}

void json_put(Json *object, const char *name, Json *value) { BUG_ON(json_object_set_new(object, name, value)); }
void json_put_text(Json *object, const char *name, const char *text) { json_put(object, name, json_new_text(text)); }
void json_put_int(Json *object, const char *name, int64_t value) { json_put(object, name, json_new_int(value)); }
void json_put_real(Json *object, const char *name, double value) { json_put(object, name, json_new_real(value)); }
void json_put_bool(Json *object, const char *name, bool value) { json_put(object, name, json_new_bool(value)); }
void json_drop(Json *object, const char *name) { json_object_del(object, name); }

void json_put_strings(Json *object, const char *name, const StrList *list) {
    Json *array = json_new_array();
    for (size_t i = 0; i < list->len; i++)
        json_push(array, json_new_text(list->items[i]));
    json_put(object, name, array);
}

size_t json_len(const Json *array) { return json_array_size(array); }
const Json *json_item(const Json *array, size_t i) { return json_array_get(array, i); }
void json_push(Json *array, Json *value) { BUG_ON(json_array_append_new(array, value)); }
