#include "switches/switches.h"

#include "base/file.h"
#include "compiler/execute.h"

Switch *switch_list_add(SwitchList *list, SwitchKind kind, const char *name) {
    vec_push(list, (Switch){.kind = kind, .name = mem_strdup(name)});
    return &vec_last(list);
}

bool switch_list_has(const SwitchList *list, const char *name) {
    for (size_t i = 0; i < list->len; i++)
        if (str_equal(list->items[i].name, name))
            return true;
    return false;
}

void switch_release(Switch *a_switch) {
    free(a_switch->name);
    strlist_release(&a_switch->off);
    strlist_release(&a_switch->instances);
    *a_switch = (Switch){0};
}

void switch_list_release(SwitchList *list) {
    for (size_t i = 0; i < list->len; i++)
        switch_release(&list->items[i]);
    vec_release(list);
}

void switch_limit(const Switch *a_switch, int64_t limit, StrList *ret_words) {
    const char *name = a_switch->name;
    long long number = limit;
    if (a_switch->through_driver)
        strlist_add(ret_words, "-mllvm");
    switch (a_switch->notation) {
    case LIMIT_GCC_COUNTER: strlist_addf(ret_words, "-fdbg-cnt=%s:%lld", name, number); break;
    case LIMIT_LLVM_COUNTER:
        strlist_addf(ret_words, "-debug-counter=%s-skip=0,%s-count=%lld", name, name, number);
        break;
    case LIMIT_LLVM_RANGE: /* an empty range cannot be written, but one that is never reached can */
        if (number)
            strlist_addf(ret_words, "-debug-counter=%s=0-%lld", name, number - 1);
        else
            strlist_addf(ret_words, "-debug-counter=%s=2000000000", name);
        break;
    case LIMIT_LLVM_BISECTION: strlist_addf(ret_words, "-opt-bisect-limit=%lld", number); break;
    }
}

bool switches_ask_words(const SwitchQuery *query, const StrList *words, Str *ret_text, Error *err) {
    CLEANUP(strlist_release) StrList command = {0};
    CLEANUP(proc_result_release) ProcResult result = {0};
    strlist_add_all(&command, query->command);
    strlist_add_all(&command, words);
    CompilerRun run = {.limits = execute_defaults().compile_limits, .merge_output = true};
    /* -opt-bisect-limit prints a line per pass and function; large programs make megabytes of it. */
    run.limits.output_bytes = 64 << 20;
    if (!compiler_run(query->runner, query->dir, &command, &run, &result, err))
        return false;
    if (query->runs)
        ++*query->runs;
    str_clear(ret_text);
    str_append_str(ret_text, &result.out);
    return true;
}

bool switches_ask(const SwitchQuery *query, const char *words, Str *ret_text, Error *err) {
    CLEANUP(strlist_release) StrList list = {0};
    strlist_split(&list, words, ' ');
    return switches_ask_words(query, &list, ret_text, err);
}
