#include "cli/gen_switches.h"

#include "gen/gen.h"

bool gen_switches_words(const GenSwitches *switches, StrList *ret_words, Error *err) {
    if (switches->policies && switches->no_policies)
        return error_set(err, "--policies and --no-policies contradict each other; give one of them");
    if (switches->single)
        strlist_add(ret_words, "single");
    if (switches->policies || switches->no_policies)
        strlist_add(ret_words, switches->policies ? "policies" : "no-policies");
    for (size_t i = 0; i < switches->enable.len; i++)
        strlist_addf(ret_words, "+%s", switches->enable.items[i]);
    for (size_t i = 0; i < switches->disable.len; i++)
        strlist_addf(ret_words, "-%s", switches->disable.items[i]);
    GenOptions unused = gen_defaults(0);
    for (size_t i = 0; i < ret_words->len; i++)
        if (!gen_switch_parse(ret_words->items[i], &unused, err))
            return false;
    return true;
}
