/* The passes of one LLVM: which there are, of which kind, which its own pipelines use, which are worth trying.
 *
 * Everything is asked of the LLVM under test, not known in advance: `opt --print-passes` for names and parameters,
 * -print-pipeline-passes of default<O1> to default<Oz> for what is in production, and trials on small programs for the
 * rest: whether a loop pass needs MemorySSA, whether a parameter is accepted, whether the pass survives alone. Only the
 * reasons for leaving passes out (printers, sanitizers, other languages) are a table of ours.
 *
 * A pass that no default pipeline has is *non-production*: LLVM's maintainers do not want reports about those.
 */
#ifndef LLVM_CATALOGUE_H
#define LLVM_CATALOGUE_H

#include "base/console.h"
#include "base/json.h"
#include "proc/run.h"
#include "llvm/pipeline.h"

typedef struct CataloguePass {
    PassKind kind; /* PASS_LOOP_MSSA: refuses to run without MemorySSA */
    const char *name;
    bool production;
    /* Loop passes that the default pipelines also run in loop-mssa(…), although they can do without. */
    bool takes_mssa;
    const char *left_out; /* why no sequence should have it, or NULL */
    const char *alone;  /* how it fails alone on the small programs ("SIGSEGV", "time"), or NULL; such a pass is kept */
    StrList parameters; /* as --print-passes says: "keep-loops", "bonus-inst-threshold=N" */
    StrList in_pipelines; /* parameter lists that the default pipelines give it; "": none */
    StrList
        variants; /* parameter lists that work: "" first where it works, those of the default pipelines, single ones */
} CataloguePass;

typedef struct Catalogue {
    Arena arena;
    const char *opt;           /* the program asked */
    const char *version;       /* "14.0.6" */
    Vec(CataloguePass) passes; /* in the order of --print-passes */
} Catalogue;

/* Reads the catalogue of `opt`, from the cache where that program has not changed since, else by asking (ten seconds or so,
 * half a minute where opt is instrumented), and writes the cache. `cache_dir` NULL: $XDG_CACHE_HOME/culprit, else
 * ~/.cache/culprit; "": none. */
bool catalogue_open(Runner *runner, const char *opt, const char *cache_dir, Console *console, Catalogue **ret_catalogue,
                    Error *err);
void catalogue_free(Catalogue *catalogue);
DEFINE_FREEP(Catalogue, catalogue_free)

Json *catalogue_to_json(const Catalogue *catalogue);
bool catalogue_from_json(const Json *json, Catalogue **ret_catalogue, Error *err);

/* The pass of that name, parameters ignored; of the kind, or of any where `kind` is PASS_KINDS. NULL: there is none. */
const CataloguePass *catalogue_find(const Catalogue *catalogue, const char *text, PassKind kind);

/* Gives passes that stand outside all managers in a user's string ("sroa,licm") the kinds they have. */
bool catalogue_resolve(const Catalogue *catalogue, Pipeline *pipeline, Error *err);

/* The passes that sequences are drawn from: those of the default pipelines with the parameters that these give them, or all,
 * each as often as it has variants. Texts live as long as the catalogue. */
void catalogue_choose(Catalogue *catalogue, bool all, Pipeline *ret_passes);
/* Whether a default pipeline has the pass, with parameters that are left at their defaults or are a default pipeline's. */
bool catalogue_is_production(const Catalogue *catalogue, const char *text);

void catalogue_table(const Catalogue *catalogue, size_t width, bool color, Str *ret_text); /* for people */

/* Whether a message of LLVM says that a loop pass stood in the wrong manager: our mistake and no bug. */
bool catalogue_is_nesting_message(const char *message);
/* Whether it is a check that passes only make if a user asks for them so, and that says nothing about a pipeline:
 * instcombine's of its own fixpoint. */
bool catalogue_is_check_message(const char *message);

#endif
