/* Names of features, data models and standards, and the defaults. */
#include "gen/gen.h"

#include <string.h>

#include "base/str.h"

static const char *const feature_names[GEN_FEATURE_COUNT] = {
    [GEN_LOOPS] = "loops",
    [GEN_CALLS] = "calls",
    [GEN_RECURSION] = "recursion",
    [GEN_ARRAYS] = "arrays",
    [GEN_POINTERS] = "pointers",
    [GEN_STRUCTS] = "structs",
    [GEN_BITFIELDS] = "bit-fields",
    [GEN_UNIONS] = "unions",
    [GEN_SWITCH] = "switch",
    [GEN_GOTO] = "goto",
    [GEN_COMPOUND] = "compound",
    [GEN_COMMA] = "comma",
    [GEN_VOLATILE] = "volatile",
    [GEN_CONST] = "const",
    [GEN_BOOL] = "bool",
    [GEN_ENUMS] = "enums",
    [GEN_DESIGNATED] = "designated",
    [GEN_STATIC_MEMBERS] = "static-members",
    [GEN_CONTAINERS] = "containers",
    [GEN_STATIC_LOCALS] = "static-locals",
    [GEN_POINTER_MEMBERS] = "pointer-members",
    [GEN_INLINE] = "inline",
    [GEN_FLOATS] = "floats",
    [GEN_VECTORS] = "vectors",
};

static const char *const model_names[] = {[GEN_LP64] = "lp64", [GEN_LLP64] = "llp64", [GEN_ILP32] = "ilp32"};

typedef struct Standard {
    const char *name;
    GenLanguage language;
    bool no_designators;
} Standard;

static const Standard standards[] = {
    {"c99", GEN_C, false},      {"c11", GEN_C, false},       {"c17", GEN_C, false},      {"gnu99", GEN_C, false},
    {"gnu11", GEN_C, false},    {"gnu17", GEN_C, false},     {"c++11", GEN_CXX, true},   {"c++14", GEN_CXX, true},
    {"c++17", GEN_CXX, true},   {"c++20", GEN_CXX, false},   {"gnu++11", GEN_CXX, true}, {"gnu++14", GEN_CXX, true},
    {"gnu++17", GEN_CXX, true}, {"gnu++20", GEN_CXX, false},
};

GenOptions gen_defaults(uint64_t seed) {
    GenFeatures all = (1u << GEN_FEATURE_COUNT) - 1, off = 1u << GEN_FLOATS | 1u << GEN_VECTORS;
    return (GenOptions){.seed = seed, .size = GEN_SIZE_DEFAULT, .policies = true, .features = all & ~off};
}

const char *gen_feature_name(GenFeature feature) { return feature_names[feature]; }

bool gen_feature_parse(const char *name, GenFeature *ret_feature, Error *err) {
    for (unsigned i = 0; i < GEN_FEATURE_COUNT; i++)
        if (str_equal(name, feature_names[i])) {
            *ret_feature = (GenFeature)i;
            return true;
        }
    return error_set(err, "there is no feature '%s'; `culprit help gen` lists them", name);
}

bool gen_switch_parse(const char *word, GenOptions *options, Error *err) {
    GenFeature feature = GEN_FEATURE_COUNT;
    if (*word != '+' && *word != '-') {
        options->single |= str_equal(word, "single");
        if (str_equal(word, "policies") || str_equal(word, "no-policies"))
            options->policies = str_equal(word, "policies");
        else if (!str_equal(word, "single"))
            return error_set(
                err, "the generator has no switch '%s'; it is single, policies, no-policies, +FEATURE or -FEATURE",
                word);
        return true;
    }
    if (!gen_feature_parse(word + 1, &feature, err))
        return false;
    options->features = *word == '+' ? options->features | 1u << feature : options->features & ~(1u << feature);
    return true;
}

const char *gen_model_name(GenModel model) { return model_names[model]; }

bool gen_model_parse(const char *name, GenModel *ret_model, Error *err) {
    for (unsigned i = 0; i < ARRAY_LEN(model_names); i++)
        if (str_equal(name, model_names[i])) {
            *ret_model = (GenModel)i;
            return true;
        }
    return error_set(err, "there is no data model '%s': it is one of lp64, llp64 and ilp32", name);
}

bool gen_standard_parse(const char *name, GenOptions *options, Error *err) {
    for (size_t i = 0; i < ARRAY_LEN(standards); i++) {
        const Standard *s = &standards[i];
        if (!str_equal(name, s->name))
            continue;
        options->language = s->language;
        options->standard = s->name;
        if (s->no_designators)
            options->features &= ~(1u << GEN_DESIGNATED);
        if (s->language == GEN_C)
            options->features &= ~(1u << GEN_CONTAINERS | 1u << GEN_STATIC_MEMBERS);
        return true;
    }
    return error_set(err, "'%s' is not a standard that gen can write: c99 to c17 and c++11 to c++20", name);
}
