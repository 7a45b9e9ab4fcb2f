/* GCC defines a pass by a table entry in the file that implements it:
 *
 *     const pass_data pass_data_ccp =
 *     {
 *       GIMPLE_PASS, ...
 *       "ccp", ...
 *
 * so the source tree is the index. LLVM's passes are classes named after their file with few exceptions; the table lists
 * the optional passes of the default pipelines and of `opt -passes=help` with the files of LLVM 14 to 19 (facts from
 * its source tree, llvm/lib).
 */
#include "triage/pass_file.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"

#define LIB "llvm/lib/"

static const struct {
    const char *pass, *file;
} llvm_passes[] = {
    {"ADCEPass", LIB "Transforms/Scalar/ADCE.cpp"},
    {"AggressiveInstCombinePass", LIB "Transforms/AggressiveInstCombine/AggressiveInstCombine.cpp"},
    {"AlignmentFromAssumptionsPass", LIB "Transforms/Scalar/AlignmentFromAssumptions.cpp"},
    {"AlwaysInlinerPass", LIB "Transforms/IPO/AlwaysInliner.cpp"},
    {"ArgumentPromotionPass", LIB "Transforms/IPO/ArgumentPromotion.cpp"},
    {"BDCEPass", LIB "Transforms/Scalar/BDCE.cpp"},
    {"CallSiteSplittingPass", LIB "Transforms/Scalar/CallSiteSplitting.cpp"},
    {"CalledValuePropagationPass", LIB "Transforms/IPO/CalledValuePropagation.cpp"},
    {"ConstantHoistingPass", LIB "Transforms/Scalar/ConstantHoisting.cpp"},
    {"ConstraintEliminationPass", LIB "Transforms/Scalar/ConstraintElimination.cpp"},
    {"CorrelatedValuePropagationPass", LIB "Transforms/Scalar/CorrelatedValuePropagation.cpp"},
    {"DCEPass", LIB "Transforms/Scalar/DCE.cpp"},
    {"DFAJumpThreadingPass", LIB "Transforms/Scalar/DFAJumpThreading.cpp"},
    {"DSEPass", LIB "Transforms/Scalar/DeadStoreElimination.cpp"},
    {"DeadArgumentEliminationPass", LIB "Transforms/IPO/DeadArgumentElimination.cpp"},
    {"DivRemPairsPass", LIB "Transforms/Scalar/DivRemPairs.cpp"},
    {"EarlyCSEPass", LIB "Transforms/Scalar/EarlyCSE.cpp"},
    {"ElimAvailExternPass", LIB "Transforms/IPO/ElimAvailExtern.cpp"},
    {"Float2IntPass", LIB "Transforms/Scalar/Float2Int.cpp"},
    {"ForceFunctionAttrsPass", LIB "Transforms/IPO/ForceFunctionAttrs.cpp"},
    {"GVNHoistPass", LIB "Transforms/Scalar/GVNHoist.cpp"},
    {"GVNPass", LIB "Transforms/Scalar/GVN.cpp"},
    {"GVNSinkPass", LIB "Transforms/Scalar/GVNSink.cpp"},
    {"GlobalDCEPass", LIB "Transforms/IPO/GlobalDCE.cpp"},
    {"GlobalOptPass", LIB "Transforms/IPO/GlobalOpt.cpp"},
    {"GuardWideningPass", LIB "Transforms/Scalar/GuardWidening.cpp"},
    {"HotColdSplittingPass", LIB "Transforms/IPO/HotColdSplitting.cpp"},
    {"IPSCCPPass", LIB "Transforms/IPO/SCCP.cpp"},
    {"IRCEPass", LIB "Transforms/Scalar/InductiveRangeCheckElimination.cpp"},
    {"IROutlinerPass", LIB "Transforms/IPO/IROutliner.cpp"},
    {"IndVarSimplifyPass", LIB "Transforms/Scalar/IndVarSimplify.cpp"},
    {"InferAddressSpacesPass", LIB "Transforms/Scalar/InferAddressSpaces.cpp"},
    {"InferAlignmentPass", LIB "Transforms/Scalar/InferAlignment.cpp"},
    {"InferFunctionAttrsPass", LIB "Transforms/IPO/InferFunctionAttrs.cpp"},
    {"InlinerPass", LIB "Transforms/IPO/Inliner.cpp"},
    {"InstCombinePass", LIB "Transforms/InstCombine/InstructionCombining.cpp"},
    {"InstSimplifyPass", LIB "Transforms/Scalar/InstSimplifyPass.cpp"},
    {"JumpTableToSwitchPass", LIB "Transforms/Scalar/JumpTableToSwitch.cpp"},
    {"JumpThreadingPass", LIB "Transforms/Scalar/JumpThreading.cpp"},
    {"LICMPass", LIB "Transforms/Scalar/LICM.cpp"},
    {"LoopDataPrefetchPass", LIB "Transforms/Scalar/LoopDataPrefetch.cpp"},
    {"LoopDeletionPass", LIB "Transforms/Scalar/LoopDeletion.cpp"},
    {"LoopDistributePass", LIB "Transforms/Scalar/LoopDistribute.cpp"},
    {"LoopFlattenPass", LIB "Transforms/Scalar/LoopFlatten.cpp"},
    {"LoopFusePass", LIB "Transforms/Scalar/LoopFuse.cpp"},
    {"LoopIdiomRecognizePass", LIB "Transforms/Scalar/LoopIdiomRecognize.cpp"},
    {"LoopInstSimplifyPass", LIB "Transforms/Scalar/LoopInstSimplify.cpp"},
    {"LoopInterchangePass", LIB "Transforms/Scalar/LoopInterchange.cpp"},
    {"LoopLoadEliminationPass", LIB "Transforms/Scalar/LoopLoadElimination.cpp"},
    {"LoopPredicationPass", LIB "Transforms/Scalar/LoopPredication.cpp"},
    {"LoopRerollPass", LIB "Transforms/Scalar/LoopRerollPass.cpp"},
    {"LoopRotatePass", LIB "Transforms/Scalar/LoopRotation.cpp"},
    {"LoopSimplifyCFGPass", LIB "Transforms/Scalar/LoopSimplifyCFG.cpp"},
    {"LoopSinkPass", LIB "Transforms/Scalar/LoopSink.cpp"},
    {"LoopStrengthReducePass", LIB "Transforms/Scalar/LoopStrengthReduce.cpp"},
    {"LoopUnrollAndJamPass", LIB "Transforms/Scalar/LoopUnrollAndJamPass.cpp"},
    {"LoopUnrollPass", LIB "Transforms/Scalar/LoopUnrollPass.cpp"},
    {"LoopFullUnrollPass", LIB "Transforms/Scalar/LoopUnrollPass.cpp"},
    {"LoopVectorizePass", LIB "Transforms/Vectorize/LoopVectorize.cpp"},
    {"LoopVersioningLICMPass", LIB "Transforms/Scalar/LoopVersioningLICM.cpp"},
    {"LowerConstantIntrinsicsPass", LIB "Transforms/Scalar/LowerConstantIntrinsics.cpp"},
    {"LowerExpectIntrinsicPass", LIB "Transforms/Scalar/LowerExpectIntrinsic.cpp"},
    {"MemCpyOptPass", LIB "Transforms/Scalar/MemCpyOptimizer.cpp"},
    {"MergeFunctionsPass", LIB "Transforms/IPO/MergeFunctions.cpp"},
    {"MergeICmpsPass", LIB "Transforms/Scalar/MergeICmps.cpp"},
    {"MergedLoadStoreMotionPass", LIB "Transforms/Scalar/MergedLoadStoreMotion.cpp"},
    {"ModuleInlinerPass", LIB "Transforms/IPO/ModuleInliner.cpp"},
    {"MoveAutoInitPass", LIB "Transforms/Utils/MoveAutoInit.cpp"},
    {"NaryReassociatePass", LIB "Transforms/Scalar/NaryReassociate.cpp"},
    {"NewGVNPass", LIB "Transforms/Scalar/NewGVN.cpp"},
    {"OpenMPOptPass", LIB "Transforms/IPO/OpenMPOpt.cpp"},
    {"PartialInlinerPass", LIB "Transforms/IPO/PartialInlining.cpp"},
    {"PostOrderFunctionAttrsPass", LIB "Transforms/IPO/FunctionAttrs.cpp"},
    {"PromotePass", LIB "Transforms/Utils/Mem2Reg.cpp"},
    {"ReassociatePass", LIB "Transforms/Scalar/Reassociate.cpp"},
    {"Reg2MemPass", LIB "Transforms/Scalar/Reg2Mem.cpp"},
    {"RegToMemPass", LIB "Transforms/Scalar/Reg2Mem.cpp"},
    {"RelLookupTableConverterPass", LIB "Transforms/Utils/RelLookupTableConverter.cpp"},
    {"ReversePostOrderFunctionAttrsPass", LIB "Transforms/IPO/FunctionAttrs.cpp"},
    {"SCCPPass", LIB "Transforms/Scalar/SCCP.cpp"},
    {"SLPVectorizerPass", LIB "Transforms/Vectorize/SLPVectorizer.cpp"},
    {"SROAPass", LIB "Transforms/Scalar/SROA.cpp"},
    {"SROA", LIB "Transforms/Scalar/SROA.cpp"},
    {"ScalarizerPass", LIB "Transforms/Scalar/Scalarizer.cpp"},
    {"SeparateConstOffsetFromGEPPass", LIB "Transforms/Scalar/SeparateConstOffsetFromGEP.cpp"},
    {"SimpleLoopUnswitchPass", LIB "Transforms/Scalar/SimpleLoopUnswitch.cpp"},
    {"SimplifyCFGPass", LIB "Transforms/Scalar/SimplifyCFGPass.cpp"},
    {"SinkingPass", LIB "Transforms/Scalar/Sink.cpp"},
    {"SpeculativeExecutionPass", LIB "Transforms/Scalar/SpeculativeExecution.cpp"},
    {"StraightLineStrengthReducePass", LIB "Transforms/Scalar/StraightLineStrengthReduce.cpp"},
    {"StructurizeCFGPass", LIB "Transforms/Scalar/StructurizeCFG.cpp"},
    {"TailCallElimPass", LIB "Transforms/Scalar/TailRecursionElimination.cpp"},
    {"VectorCombinePass", LIB "Transforms/Vectorize/VectorCombine.cpp"},
    {"WarnMissedTransformationsPass", LIB "Transforms/Scalar/WarnMissedTransforms.cpp"},
    {"CodeGen Prepare", LIB "CodeGen/CodeGenPrepare.cpp"},
    {"Machine InstCombiner", LIB "CodeGen/MachineCombiner.cpp"},
    {"Peephole Optimizations", LIB "CodeGen/PeepholeOptimizer.cpp"},
    {"Machine code sinking", LIB "CodeGen/MachineSink.cpp"},
    {"Machine Common Subexpression Elimination", LIB "CodeGen/MachineCSE.cpp"},
    {"Early Machine Loop Invariant Code Motion", LIB "CodeGen/MachineLICM.cpp"},
    {"Machine Loop Invariant Code Motion", LIB "CodeGen/MachineLICM.cpp"},
    {"Control Flow Optimizer", LIB "CodeGen/BranchFolding.cpp"},
    {"Early If-Conversion", LIB "CodeGen/EarlyIfConversion.cpp"},
    {"Live Variable Analysis", LIB "CodeGen/LiveVariables.cpp"},
    {"Loop Strength Reduction", LIB "Transforms/Scalar/LoopStrengthReduce.cpp"},
    {"X86 DAG->DAG Instruction Selection", LIB "Target/X86/X86ISelDAGToDAG.cpp"},
};

/* The first string literal behind `at`; "" where there is none nearby. */
static void string_behind(const char *at, char *name, size_t size) {
    name[0] = '\0';
    const char *open = strchr(at, '"'), *stop = strchr(at, ';');
    if (open && (!stop || open < stop))
        snprintf(name, size, "%.*s", (int)strcspn(open + 1, "\""), open + 1);
}

static void index_file(PassFiles *files, const char *text, const char *path) {
    static const struct {
        const char *type, *prefix;
    } types[] = {{"GIMPLE_PASS", "tree"}, {"RTL_PASS", "rtl"}, {"SIMPLE_IPA_PASS", "ipa"}, {"IPA_PASS", "ipa"}};
    for (const char *at = text; (at = strstr(at, "pass_data pass_data_")); at++) {
        const char *body = strchr(at, '{');
        if (!body)
            return;
        body += 1 + strspn(body + 1, " \t\n");
        char name[64], key[80];
        string_behind(body, name, sizeof name);
        for (size_t i = 0; *name && i < ARRAY_LEN(types); i++)
            if (str_starts(body, types[i].type)) {
                snprintf(key, sizeof key, "%s-%s", types[i].prefix, name);
                map_insert_str(&files->gcc, key, NULL)->pointer = arena_strdup(&files->arena, path);
                break;
            }
    }
}

static bool index_dir(PassFiles *files, const char *root, const char *dir, Error *err) {
    CLEANUP(mem_freep) char *full = path_of(root, dir);
    CLEANUP(strlist_release) StrList names = {0};
    if (!dir_list(full, &names, err))
        return error_context(err, "%s is no GCC source tree", root);
    for (size_t i = 0; i < names.len; i++) {
        if (!str_ends(names.items[i], ".c") && !str_ends(names.items[i], ".cc"))
            continue;
        CLEANUP(mem_freep) char *relative = path_of(dir, names.items[i]), *path = path_of(root, relative);
        CLEANUP(str_release) Str text = {0};
        if (file_read(path, &text, NULL))
            index_file(files, str_text(&text), relative);
    }
    return true;
}

bool pass_files_load(PassFiles *files, const char *source, Error *err) {
    *files = (PassFiles){0};
    if (!source)
        return true;
    return index_dir(files, source, "gcc", err) && index_dir(files, source, "gcc/config/i386", err);
}

void pass_files_release(PassFiles *files) {
    map_release(&files->gcc);
    arena_release(&files->arena);
}

const char *pass_files_find(const PassFiles *files, const char *pass) {
    for (size_t i = 0; i < ARRAY_LEN(llvm_passes); i++)
        if (str_equal(llvm_passes[i].pass, pass))
            return llvm_passes[i].file;
    const MapEntry *entry = map_find_str(&files->gcc, pass);
    size_t len = strlen(pass);
    while (!entry && len && isdigit((unsigned char)pass[len - 1]))
        entry = map_find(&files->gcc, pass, --len);
    return entry ? entry->pointer : NULL;
}
