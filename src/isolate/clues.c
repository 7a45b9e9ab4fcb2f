#include "isolate/clues.h"

#include <stdlib.h>

#include "base/str.h"

const char *const clue_names[CLUE_KINDS] = {"named", "damage", "stack", "history", "unchanged", "front-end"};

static char *copy(const char *text) { return text ? mem_strdup(text) : NULL; }

void clues_add(Clues *clues, ClueKind kind, uint32_t number, const char *file, const char *function, const char *why) {
    vec_push(clues, ((Clue){kind, number, copy(file), copy(function), copy(why)}));
}

void clues_add_all(Clues *clues, const Clues *others) {
    for (size_t i = 0; i < others->len; i++) {
        const Clue *c = &others->items[i];
        clues_add(clues, c->kind, c->number, c->file, c->function, c->why);
    }
}

void clues_release(Clues *clues) {
    for (size_t i = 0; i < clues->len; i++) {
        free(clues->items[i].file);
        free(clues->items[i].function);
        free(clues->items[i].why);
    }
    vec_release(clues);
}

bool clues_have(const Clues *clues, ClueKind kind) {
    for (size_t i = 0; i < clues->len; i++)
        if (clues->items[i].kind == kind)
            return true;
    return false;
}

Json *clues_json(const Clues *clues) {
    Json *rows = json_new_array();
    for (size_t i = 0; i < clues->len; i++) {
        const Clue *c = &clues->items[i];
        const char *const texts[] = {c->file, c->function, c->why};
        Json *row = json_new_array();
        json_push(row, json_new_text(clue_names[c->kind]));
        json_push(row, json_new_int(c->number));
        for (size_t t = 0; t < ARRAY_LEN(texts); t++)
            json_push(row, json_new_text(texts[t] ? texts[t] : ""));
        json_push(rows, row);
    }
    return rows;
}

/* An absent text is written as an empty one. */
static const char *text_at(const Json *row, size_t index) {
    const char *text = json_text(json_item(row, index), "");
    return *text ? text : NULL;
}

void clues_read(const Json *json, Clues *ret_clues) {
    for (size_t i = 0; i < json_len(json); i++) {
        const Json *row = json_item(json, i);
        int64_t number = json_int(json_item(row, 1), 0);
        for (ClueKind kind = 0; kind < CLUE_KINDS; kind++)
            if (json_len(row) == 5 && number > 0 && number <= UINT32_MAX &&
                str_equal(text_at(row, 0), clue_names[kind]))
                clues_add(ret_clues, kind, (uint32_t)number, text_at(row, 2), text_at(row, 3), text_at(row, 4));
    }
}
