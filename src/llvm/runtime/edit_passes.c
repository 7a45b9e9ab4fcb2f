/* LLVM's own passes as edits: what simplifies programs for speed often simplifies them for readers. The pass under
 * suspicion may be among them: a crash here is one of the edit, and the candidate is dropped. */
#include "llvm/runtime/edit.h"

static const char *const passes[] = {
    "globaldce",
    "strip-dead-prototypes",
    "deadargelim",
    "function(sroa)",
    "function(simplifycfg)",
    "function(instcombine)",
    "function(early-cse,adce)",
};

static void find_passes(Edit *edit) {
    for (unsigned i = 0; i < sizeof(passes) / sizeof(passes[0]); i++)
        edit_add(edit, NULL, i, 0);
}

static void run_pass(Edit *edit, const EditPlace *place) {
    edit->llvm->LLVMRunPasses(edit->module, passes[place->number], edit->machine, edit->options);
}

const EditRule edit_passes[] = {{"passes", find_passes, run_pass}, {0}};
