/* JSON values; a thin face over the library behind json.c (Jansson).
 *
 * Objects keep their order and unknown members survive reading and writing. A Json is reference-counted inside: the
 * functions called json_put… and json_push… take over the value they are given, json_get… lend one that lives as long
 * as its parent. A getter on a missing member, or on one of another type, gives the default, so that readers need no
 * ladder of checks; json_expect… give an Error that names the member instead.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/error.h"
#include "base/strlist.h"

typedef struct json_t Json;

Json *json_new_object(void);
Json *json_new_array(void);
Json *json_new_text(const char *text); /* NULL gives null; invalid UTF-8 is replaced by '?' */
Json *json_new_int(int64_t value);
Json *json_new_real(double value); /* not finite gives null */
Json *json_new_bool(bool value);
Json *json_copy_deep(const Json *json);
void json_free(Json *json);
DEFINE_FREEP(Json, json_free)

bool json_parse(const char *text, size_t len, Json **ret_json, Error *err);
bool json_read_file(const char *path, Json **ret_json, Error *err);
bool json_write_file(const char *path, const Json *json, Error *err); /* durable, indented */
void json_format(const Json *json, bool indented, Str *ret_text);     /* appends */
void json_format_short(const Json *json, Str *ret_text); /* the same without blanks, reals with six digits */

bool json_is_object_value(const Json *json);
bool json_is_array_value(const Json *json);

/* Members of objects. */
bool json_has(const Json *object, const char *name);
const Json *json_get(const Json *object, const char *name);
const char *json_get_text(const Json *object, const char *name, const char *otherwise);
int64_t json_get_int(const Json *object, const char *name, int64_t otherwise);
double json_get_real(const Json *object, const char *name, double otherwise); /* accepts integers */
bool json_get_bool(const Json *object, const char *name, bool otherwise);
void json_get_strings(const Json *object, const char *name, StrList *ret_list); /* appends the strings of an array */
bool json_expect_text(const Json *object, const char *name, const char **ret_text, Error *err);

void json_put(Json *object, const char *name, Json *value); /* replaces; takes value */
void json_put_text(Json *object, const char *name, const char *text);
void json_put_int(Json *object, const char *name, int64_t value);
void json_put_real(Json *object, const char *name, double value);
void json_put_bool(Json *object, const char *name, bool value);
void json_put_strings(Json *object, const char *name, const StrList *list);
void json_drop(Json *object, const char *name);

/* Items of arrays, and values themselves. */
size_t json_len(const Json *array); /* 0 for anything else */
const Json *json_item(const Json *array, size_t i);
void json_push(Json *array, Json *value); /* takes value */
const char *json_text(const Json *value, const char *otherwise);
int64_t json_int(const Json *value, int64_t otherwise);

#endif
