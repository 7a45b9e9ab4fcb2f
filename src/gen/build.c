#include "gen/build.h"

void build_init(Builder *b, const GenOptions *options, Arena *arena, GenStatistics *statistics) {
    *b = (Builder){.options = options, .arena = arena, .statistics = statistics, .policies = options->policies};
    b->rng = rng_from_seed(options->seed);
    Rng swarm = rng_split_named(&b->rng, "swarm"), shuffle = rng_split_named(&b->rng, "shuffle");
    b->features = dist_features(options, &swarm);
    dist_init(&b->dists, options, b->features, &shuffle);
    types_init(&b->program.types, options->model);
    statistics->features = b->features;
    /* Globals are drawn as if by a function that may write them. */
    b->function = arena_new(arena, Function);
    b->trips = 1;
}

void build_release(Builder *b) {
    for (size_t i = 0; i < SYMBOL_CLASSES; i++) {
        vec_release(&b->readable[i]);
        vec_release(&b->writable[i]);
    }
    vec_release(&b->volatiles);
    vec_release(&b->vectors);
    vec_release(&b->locals);
    vec_release(&b->common);
    interp_release(&b->interp);
    ir_release(&b->program);
}

const char *build_name(Builder *b, const char *prefix) {
    char digits[12], *start = digits + sizeof(digits);
    *--start = '\0';
    for (unsigned n = ++b->names; n; n /= 10)
        *--start = (char)('0' + n % 10);
    size_t len = strlen(prefix);
    char *name = arena_alloc(b->arena, len + strlen(start) + 1);
    memcpy(name, prefix, len);
    memcpy(name + len, start, strlen(start) + 1);
    return name;
}

Function *build_function(Builder *b, const char *prefix) {
    Function *f = arena_new(b->arena, Function);
    f->name = build_name(b, prefix);
    b->function = f;
    b->entered = b->live = false;
    b->may_break = false;
    b->depth = b->loop_depth = 0;
    b->trips = 1;
    b->cost = 0;
    b->preferred = NULL;
    b->context = CONTEXT_NONE;
    b->leaves = LEAVES_MIXED;
    b->block_common = 0;
    vec_clear(&b->locals);
    vec_clear(&b->common);
    return f;
}
