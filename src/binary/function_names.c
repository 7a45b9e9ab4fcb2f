/* Where does a function of a stripped compiler come from? Rules, surest first; none of them guesses:
 *
 *  1. Name. The symbol, demangled, is looked up in the source index: as a whole, then without its outer scopes (sources say
 *     `using namespace llvm`). One file defines it: that is it.
 *  2. Part. Code that is entered only from one function, by branches or past its start, is a part of that function which
 *     the compiler moved away (hot and cold code). It shares the function's name and file.
 *  3. Text. A failed assertion says where it stands: code with a gcc_assert mentions the file and the function that it was
 *     written in. A function that mentions one source file is of that file, and if it mentions the name of one function of
 *     that file, that is its own; several are of what was inlined into it. As with places, the rule is tried on functions
 *     whose file or name is known.
 *  4. Place. The linker lays object files one behind the other, so a function between two of one file is of that file. With
 *     link-time optimisation this fails; therefore the rule is tried on the functions whose file is known by name, and what
 *     share of them it gets right is the confidence of its answers. Below PLACE_MIN_PERCENT it is not used. It also decides
 *     between several files that define one name.
 *  5. Company. A function without an exported name is static: only its own file can call it. So its callers' file is its
 *     own, and who calls a static function is of that function's file. If all the company of a function agrees on a file
 *     (one of the two that it lies between, if rule 4 holds), it is that file. What is found this way is company for
 *     others. Inlining across files makes this less than certain.
 *
 * Definitions in headers are instances in whatever object file came first; rules 3 to 5 pass them over as witnesses.
 */
#include "binary/function_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "binary/demangle.h"
#include "binary/unit_table.h"

enum {
    SYMTAB_CONFIDENCE = 98,      /* the linker recorded it; included files count as the including one */
    NAME_CONFIDENCE = 95,        /* headers and macros may define a name twice without ctags noticing */
    NAME_SUFFIX_CONFIDENCE = 90, /* an outer scope was left out */
    NAME_BARE_CONFIDENCE = 70,   /* every scope was left out */
    COMPANY_CONFIDENCE = 70,
    COMPANY_AND_PLACE_CONFIDENCE = 95,
    PLACE_MAX_CONFIDENCE = 90, /* a file without a single name of its own would not be noticed */
    PLACE_MIN_PERCENT = 60,
    TEXT_MIN_PERCENT = 80,
    MIN_TRIALS = 20,
    TEXT_MOST = 200, /* characters of a path or a name */
    COMPANY_ROUNDS = 4,
};

typedef struct Naming {
    const X86Code *code;
    const ElfModule *module;
    const SourceIndex *index;
    Arena *arena;
    FunctionName *names;
    const Definition **candidates; /* of functions whose name several files define */
    uint32_t *part_of;             /* index + 1 of the function that a piece belongs to; 0: it is one itself */
    const char **before, **after;  /* file of the nearest function known by name, excluding itself */
    const char **told;             /* the name of a function without a symbol, by its texts; NULL: they do not tell */
    FunctionNameStats stats;
} Naming;

static size_t count_of(const Naming *naming) { return naming->module->functions.len; }

/* --- Names and parts --- */

static void name_symbols(Naming *naming) {
    CLEANUP(str_release) Str name = {0};
    for (size_t i = 0; i < count_of(naming); i++) {
        const ElfFunction *function = &naming->module->functions.items[i];
        if (!function->name)
            continue;
        str_clear(&name);
        demangle_function(function->name, &name);
        naming->names[i].name = arena_strdup(naming->arena, str_text(&name));
        naming->stats.named++;
    }
}

/* Edges are sorted by `to`, so that the ways into a piece are neighbours; ways out are looked at while passing. */
static void find_parts(Naming *naming) {
    const CodeEdge *edges = naming->code->edges.items;
    size_t count = naming->code->edges.len;
    uint32_t *sole = mem_zalloc(count_of(naming) + 1, sizeof(*sole)); /* index + 1 of the only piece that enters it */
    CLEANUP(bitset_release) Bitset inside = {0};                      /* linked to it by a way past a start */
    bitset_init(&inside, count_of(naming));
    for (size_t i = 0, end; i < count; i = end) {
        bool only_jumps = true, one = true;
        for (end = i; end < count && edges[end].to == edges[i].to; end++) {
            only_jumps &= edges[end].entry != ENTRY_CALL && edges[end].entry != ENTRY_TABLE;
            one &= edges[end].from == edges[i].from;
        }
        if (only_jumps && one && !naming->names[edges[i].to].name)
            sole[edges[i].to] = edges[i].from + 1;
    }
    for (size_t i = 0; i < count; i++) {
        if (edges[i].entry != ENTRY_INSIDE)
            continue;
        if (sole[edges[i].to] == edges[i].from + 1)
            bitset_set(&inside, edges[i].to);
        if (sole[edges[i].from] == edges[i].to + 1)
            bitset_set(&inside, edges[i].from);
    }
    for (size_t i = bitset_next(&inside, 0); i < inside.bits; i = bitset_next(&inside, i + 1)) {
        if (sole[sole[i] - 1] == i + 1 && sole[i] - 1 > i)
            continue; /* two pieces that enter only each other: the first counts as the function */
        naming->part_of[i] = sole[i];
        naming->stats.parts++;
    }
    free(sole);
}

/* --- Files --- */

static bool is_witness(const Naming *naming, size_t i) {
    return naming->names[i].file && unit_file_kind_of(naming->names[i].file) == UNIT_FILE_SOURCE;
}

static bool all_in_one_file(const SourceIndex *index, const Definition *first) {
    for (const Definition *other = first; (other = source_index_next(index, other));)
        if (other->file != first->file)
            return false;
    return true;
}

/* Definitions of the longest known suffix of the key, and how far it can be trusted. */
static const Definition *find_definitions(const SourceIndex *index, const char *key, uint32_t *ret_confidence) {
    for (const char *suffix = key;;) {
        const Definition *found = source_index_find(index, suffix);
        const char *scope = strstr(suffix, "::");
        if (found) {
            *ret_confidence = suffix == key ? NAME_CONFIDENCE : scope ? NAME_SUFFIX_CONFIDENCE : NAME_BARE_CONFIDENCE;
            return found;
        }
        if (!scope || str_starts(suffix, "operator"))
            return NULL;
        suffix = scope + 2;
    }
}

static void set_file(FunctionName *name, const Definition *definition, uint32_t confidence) {
    name->file = definition->file;
    name->line = definition->line;
    name->confidence = confidence;
}

/* The definition in the file that .symtab names, if there is exactly one such file. */
static const Definition *definition_in(const SourceIndex *index, const Definition *first, const char *file_name) {
    const Definition *chosen = NULL;
    for (const Definition *other = first; other; other = source_index_next(index, other)) {
        if (!str_equal(path_name(other->file), file_name))
            continue;
        if (chosen && chosen->file != other->file)
            return NULL;
        chosen = other;
    }
    return chosen;
}

static void files_by_name(Naming *naming) {
    CLEANUP(str_release) Str key = {0};
    for (size_t i = 0; i < count_of(naming); i++) {
        FunctionName *name = &naming->names[i];
        const char *symbol_file = naming->module->functions.items[i].file;
        if (!name->name)
            continue;
        str_clear(&key);
        source_index_key(name->name, &key);
        uint32_t confidence;
        const Definition *definition = find_definitions(naming->index, str_text(&key), &confidence);
        const Definition *exact = symbol_file ? definition_in(naming->index, definition, symbol_file) : NULL;
        if (exact || (definition && all_in_one_file(naming->index, definition))) {
            set_file(name, exact ? exact : definition, exact ? SYMTAB_CONFIDENCE : confidence);
            naming->stats.by_name++;
        } else {
            naming->candidates[i] = definition;
        }
    }
}

/* Without an index, .symtab's FILE symbols still give the base names of static functions' files. */
static void files_by_symtab(Naming *naming) {
    for (size_t i = 0; i < count_of(naming); i++) {
        const char *symbol_file = naming->module->functions.items[i].file;
        if (!symbol_file)
            continue;
        naming->names[i].file = symbol_file;
        naming->names[i].confidence = SYMTAB_CONFIDENCE;
        naming->stats.by_name++;
    }
}

/* What is said about functions; each of them counts only if all that is said about it agrees. */
typedef struct Votes {
    const void **said; /* NULL: nothing */
    Bitset split;      /* contradictions */
} Votes;

static void votes_init(Votes *votes, size_t count) {
    votes->said = mem_zalloc(count + 1, sizeof(*votes->said));
    bitset_init(&votes->split, count);
}

static void votes_release(Votes *votes) {
    free(votes->said);
    bitset_release(&votes->split);
}

static void vote(Votes *votes, size_t i, const void *what) {
    if (votes->said[i] && votes->said[i] != what)
        bitset_set(&votes->split, i);
    votes->said[i] = what;
}

static const void *verdict(const Votes *votes, size_t i) {
    return bitset_get(&votes->split, i) ? NULL : votes->said[i];
}

/* How often a rule was right; 0 if it was hardly tried. */
static uint32_t percent_of(size_t right, size_t trials) {
    return trials < MIN_TRIALS ? 0 : (uint32_t)(100 * right / trials);
}

/* --- Texts --- */

static size_t owner_of(const Naming *naming, size_t piece) {
    for (int steps = 0; naming->part_of[piece] && steps < 8; steps++) /* parts may form a circle */
        piece = naming->part_of[piece] - 1;
    return piece;
}

/* The source file of the tree that a text such as "../../src/gcc/tree-sra.cc" means, or NULL. */
static const char *file_of_text(const SourceIndex *index, const char *text) {
    if (unit_file_kind_of(text) != UNIT_FILE_SOURCE)
        return NULL;
    for (const char *path = text; path; path = strchr(path, '/')) {
        path += *path == '/';
        const MapEntry *entry = map_find_str(&index->files, path);
        if (entry)
            return entry->key;
    }
    return NULL;
}

/* The one of these definitions that is in the file, or NULL. */
static const Definition *one_in(const SourceIndex *index, const Definition *definition, const char *file) {
    while (definition && definition->file != file)
        definition = source_index_next(index, definition);
    return definition;
}

static void files_by_text(Naming *naming) {
    Votes votes;
    votes_init(&votes, count_of(naming));
    for (size_t m = 0; m < naming->code->made.len; m++) {
        const MadeAddress *made = &naming->code->made.items[m];
        const char *text = elf_module_string(naming->module, made->address, TEXT_MOST);
        const char *file = text ? file_of_text(naming->index, text) : NULL;
        if (file)
            vote(&votes, owner_of(naming, made->function), file);
    }
    size_t trials = 0, right = 0;
    for (size_t i = 0; i < count_of(naming); i++) {
        if (!is_witness(naming, i) || !verdict(&votes, i))
            continue;
        trials++;
        right += naming->names[i].file == verdict(&votes, i);
    }
    naming->stats.text_percent = percent_of(right, trials);
    for (size_t i = 0; naming->stats.text_percent >= TEXT_MIN_PERCENT && i < count_of(naming); i++) {
        FunctionName *name = &naming->names[i];
        const char *file = verdict(&votes, i);
        if (!file || name->file)
            continue;
        const Definition *own = one_in(naming->index, naming->candidates[i], file);
        set_file(name, own ? own : &(Definition){.file = file}, MIN_OF(naming->stats.text_percent, NAME_CONFIDENCE));
        naming->candidates[i] = NULL;
        naming->stats.by_text++;
    }
    votes_release(&votes);
}

/* Of several names that a function mentions, all but its own are of what was inlined into it: then none is taken. A function
 * that has a symbol is not the one without. */
static void names_by_text(Naming *naming) {
    Votes votes;
    Map symbols = {0};
    votes_init(&votes, count_of(naming));
    for (size_t i = 0; i < count_of(naming); i++)
        if (naming->names[i].name)
            map_insert_str(&symbols, naming->names[i].name, NULL);
    for (size_t m = 0; m < naming->code->made.len; m++) {
        const MadeAddress *made = &naming->code->made.items[m];
        size_t owner = owner_of(naming, made->function);
        const FunctionName *name = &naming->names[owner];
        const char *text =
            is_witness(naming, owner) ? elf_module_string(naming->module, made->address, TEXT_MOST) : NULL;
        const Definition *found = text ? source_index_find(naming->index, text) : NULL;
        if (!(found = one_in(naming->index, found, name->file)) || (!name->name && map_find_str(&symbols, text)))
            continue;
        vote(&votes, owner, found);
        naming->told[owner] = text;
    }
    size_t trials = 0, right = 0;
    for (size_t i = 0; i < count_of(naming); i++) {
        if (!verdict(&votes, i) || !naming->names[i].name)
            continue;
        trials++;
        right += str_equal(naming->told[i], naming->names[i].name);
    }
    naming->stats.text_name_percent = percent_of(right, trials);
    for (size_t i = 0; i < count_of(naming); i++) {
        const Definition *own = verdict(&votes, i);
        if (!own || naming->names[i].name || naming->stats.text_name_percent < TEXT_MIN_PERCENT) {
            naming->told[i] = NULL;
            continue;
        }
        naming->names[i].line = own->line;
        naming->stats.named_by_text++;
    }
    map_release(&symbols);
    votes_release(&votes);
}

/* --- Neighbours and company --- */

static void find_neighbours(Naming *naming) {
    const char *known = NULL;
    for (size_t i = 0; i < count_of(naming); i++) {
        naming->before[i] = known;
        if (is_witness(naming, i))
            known = naming->names[i].file;
    }
    known = NULL;
    for (size_t i = count_of(naming); i-- > 0;) {
        naming->after[i] = known;
        if (is_witness(naming, i))
            known = naming->names[i].file;
    }
}

/* The file that both neighbours are of, or NULL. */
static const char *place_of(const Naming *naming, size_t i) {
    return naming->before[i] == naming->after[i] ? naming->before[i] : NULL;
}

static uint32_t try_places(const Naming *naming) {
    size_t trials = 0, right = 0;
    for (size_t i = 0; i < count_of(naming); i++) {
        if (!is_witness(naming, i) || !place_of(naming, i))
            continue;
        trials++;
        right += naming->names[i].file == place_of(naming, i);
    }
    return percent_of(right, trials);
}

/* Of several definitions the one, and only one, whose file is a neighbour's. */
static void decide_candidates(Naming *naming) {
    for (size_t i = 0; i < count_of(naming); i++) {
        const Definition *chosen = NULL;
        size_t fitting = 0;
        for (const Definition *other = naming->candidates[i]; other; other = source_index_next(naming->index, other)) {
            if (other->file != naming->before[i] && other->file != naming->after[i])
                continue;
            fitting += !chosen || chosen->file != other->file;
            chosen = other;
        }
        if (fitting == 1 && naming->stats.place_percent >= PLACE_MIN_PERCENT) {
            set_file(&naming->names[i], chosen, naming->stats.place_percent);
            naming->stats.by_name++;
        } else {
            naming->stats.ambiguous += naming->candidates[i] != NULL;
        }
    }
}

/* Places a function between two of one file; also those whose name the index lacks, which generated code defines. */
static void files_by_place(Naming *naming) {
    for (size_t i = 0; i < count_of(naming); i++) {
        FunctionName *name = &naming->names[i];
        const char *place = place_of(naming, i);
        if (!place || name->file || naming->part_of[i] || naming->candidates[i])
            continue;
        name->file = place;
        name->confidence = MIN_OF(naming->stats.place_percent, PLACE_MAX_CONFIDENCE);
        naming->stats.by_place++;
    }
}

static void collect_votes(const Naming *naming, Votes *votes) {
    for (size_t e = 0; e < naming->code->edges.len; e++) {
        const CodeEdge *edge = &naming->code->edges.items[e];
        size_t from = naming->part_of[edge->from] ? naming->part_of[edge->from] - 1 : edge->from, to = edge->to;
        if (naming->names[to].name || naming->part_of[to])
            continue; /* exported functions are called from anywhere */
        if (is_witness(naming, from))
            vote(votes, to, naming->names[from].file);
        if (is_witness(naming, to))
            vote(votes, from, naming->names[to].file);
    }
}

/* One round; returns how many functions got a file. */
static size_t files_by_company(Naming *naming, bool places_count) {
    Votes votes;
    votes_init(&votes, count_of(naming));
    collect_votes(naming, &votes);
    size_t found = 0;
    for (size_t i = 0; i < count_of(naming); i++) {
        FunctionName *name = &naming->names[i];
        const char *file = verdict(&votes, i);
        if (!file || name->name || naming->part_of[i])
            continue;
        if (name->file == file && place_of(naming, i) == file)
            name->confidence = MAX_OF(name->confidence, COMPANY_AND_PLACE_CONFIDENCE);
        bool fits = file == naming->before[i] || file == naming->after[i];
        if (name->file || (places_count && !fits))
            continue;
        name->file = file;
        name->confidence =
            places_count ? MIN_OF(naming->stats.place_percent, PLACE_MAX_CONFIDENCE) : COMPANY_CONFIDENCE;
        found++;
    }
    votes_release(&votes);
    return found;
}

static void files_of_the_rest(Naming *naming) {
    bool places_count = naming->stats.place_percent >= PLACE_MIN_PERCENT;
    if (places_count)
        files_by_place(naming);
    for (int round = 0; round < COMPANY_ROUNDS; round++) {
        size_t found = files_by_company(naming, places_count);
        naming->stats.by_company += found;
        if (found == 0)
            break;
    }
}

/* GCC's genmatch compiles match.pd into a source that starts by including a hand-written head: what is in that source and
 * not defined in the head comes from match.pd. */
static void files_of_generated_code(Naming *naming) {
    static const char *const heads[] = {"gcc/gimple-match-head.c", "gcc/generic-match-head.c"};
    static const char origin[] = "gcc/match.pd";
    for (size_t i = 0; i < count_of(naming); i++) {
        FunctionName *name = &naming->names[i];
        for (size_t head = 0; name->file && name->line == 0 && head < ARRAY_LEN(heads); head++)
            if (str_starts(name->file, heads[head])) /* .c, .cc since GCC 12 */
                name->file = origin;
    }
}

static void finish_names(Naming *naming) {
    for (size_t i = 0; i < count_of(naming); i++) {
        FunctionName *name = &naming->names[i];
        if (!name->name && naming->told[i])
            name->name = arena_strdup(naming->arena, naming->told[i]);
        if (!name->name)
            name->name = arena_printf(naming->arena, "%s+%#llx", path_name(naming->module->path),
                                      (unsigned long long)naming->module->functions.items[i].start);
    }
    for (size_t i = 0; i < count_of(naming); i++)
        naming->names[i] = naming->names[owner_of(naming, i)];
}

FunctionName *function_names_make(const X86Code *code, const SourceIndex *index, Arena *arena,
                                  FunctionNameStats *ret_stats) {
    size_t count = code->module->functions.len;
    CLEANUP(arena_release) Arena scratch = {0};
    Naming naming = {.code = code,
                     .module = code->module,
                     .index = index,
                     .arena = arena,
                     .names = arena_array(arena, FunctionName, count),
                     .candidates = arena_array(&scratch, const Definition *, count),
                     .part_of = arena_array(&scratch, uint32_t, count),
                     .before = arena_array(&scratch, const char *, count),
                     .after = arena_array(&scratch, const char *, count),
                     .told = arena_array(&scratch, const char *, count),
                     .stats = {.functions = count}};
    name_symbols(&naming);
    find_parts(&naming);
    if (index) {
        files_by_name(&naming);
        files_by_text(&naming);
        find_neighbours(&naming);
        naming.stats.place_percent = try_places(&naming);
        decide_candidates(&naming);
        files_of_the_rest(&naming);
        names_by_text(&naming);
        files_of_generated_code(&naming);
    } else {
        files_by_symtab(&naming);
    }
    finish_names(&naming);
    *ret_stats = naming.stats;
    return naming.names;
}
