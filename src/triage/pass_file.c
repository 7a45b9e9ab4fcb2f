/* LLVM's passes are classes named after their file with few exceptions; the table lists
 * the optional passes of the default pipelines and of `opt -passes=help` with the files of LLVM 14 to 19 (facts from
 * its source tree, llvm/lib).
 */
#include "triage/pass_file.h"

#include <string.h>

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
    {"RewriteStatepointsForGC", LIB "Transforms/Scalar/RewriteStatepointsForGC.cpp"},
    {"PartiallyInlineLibCallsPass", LIB "Transforms/Scalar/PartiallyInlineLibCalls.cpp"},
    {"PGOIndirectCallPromotion", LIB "Transforms/Instrumentation/IndirectCallPromotion.cpp"},
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

/* Passes that leave their work, or the larger part of it, to lib/Transforms/Utils. */
static const struct {
    const char *pass, *file;
} llvm_helpers[] = {
    {"AlwaysInlinerPass", LIB "Transforms/Utils/InlineFunction.cpp"},
    {"HotColdSplittingPass", LIB "Transforms/Utils/CodeExtractor.cpp"},
    {"IPSCCPPass", LIB "Transforms/Utils/SCCPSolver.cpp"},
    {"IPSCCPPass", LIB "Transforms/Scalar/SCCP.cpp"},
    {"IROutlinerPass", LIB "Transforms/Utils/CodeExtractor.cpp"},
    {"IndVarSimplifyPass", LIB "Transforms/Utils/SimplifyIndVar.cpp"},
    {"InlinerPass", LIB "Transforms/Utils/InlineFunction.cpp"},
    {"LoopDeletionPass", LIB "Transforms/Utils/LoopUtils.cpp"},
    {"LoopFullUnrollPass", LIB "Transforms/Utils/LoopUnroll.cpp"},
    {"LoopRotatePass", LIB "Transforms/Utils/LoopRotationUtils.cpp"},
    {"LoopUnrollAndJamPass", LIB "Transforms/Utils/LoopUnrollAndJam.cpp"},
    {"LoopUnrollPass", LIB "Transforms/Utils/LoopUnroll.cpp"},
    {"PGOIndirectCallPromotion", LIB "Transforms/Utils/CallPromotionUtils.cpp"},
    {"PartialInlinerPass", LIB "Transforms/Utils/CodeExtractor.cpp"},
    {"PromotePass", LIB "Transforms/Utils/PromoteMemoryToRegister.cpp"},
    {"RegToMemPass", LIB "Transforms/Utils/DemoteRegToStack.cpp"},
    {"SCCPPass", LIB "Transforms/Utils/SCCPSolver.cpp"},
    {"SROAPass", LIB "Transforms/Utils/PromoteMemoryToRegister.cpp"},
    {"SimplifyCFGPass", LIB "Transforms/Utils/SimplifyCFG.cpp"},
};

static void add_all_once(StrList *list, const StrList *others) {
    for (size_t i = 0; others && i < others->len; i++)
        strlist_add_once(list, others->items[i]);
}

/* InstCombine and its like are several files; a class stands for its folder. */
static void add_llvm_family(const char *pass, StrList *ret_files) {
    static const char *const inst_combine[] = {"AddSub",          "AndOrXor", "Calls",   "Casts",  "Compares",
                                               "LoadStoreAlloca", "PHI",      "Select",  "Shifts", "SimplifyDemanded",
                                               "MulDivRem",       "Vectors",  "Negator", NULL};
    if (!str_equal(pass, "InstCombinePass"))
        return;
    for (const char *const *part = inst_combine; *part; part++)
        strlist_addf(ret_files, LIB "Transforms/InstCombine/InstCombine%s.cpp", *part);
}

/* Flags say something if few hide the bug, or if no pass does. */
static void add_flag_files(const PassFiles *files, const TriageFinding *finding, StrList *ret_files) {
    enum { FEW = 2 };
    if (finding->pass && !finding->together && finding->flags.len > FEW)
        return;
    for (size_t i = 0; i < finding->flags.len; i++)
        add_all_once(ret_files, gcc_files_of_flag(&files->gcc, finding->flags.items[i]));
}

void pass_files_of_pass(const PassFiles *files, const char *pass, StrList *ret_files) {
    for (size_t i = 0; i < ARRAY_LEN(llvm_passes); i++)
        if (str_equal(llvm_passes[i].pass, pass))
            strlist_add_once(ret_files, llvm_passes[i].file);
    for (size_t i = 0; i < ARRAY_LEN(llvm_helpers); i++)
        if (str_equal(llvm_helpers[i].pass, pass))
            strlist_add_once(ret_files, llvm_helpers[i].file);
    add_llvm_family(pass, ret_files);
    add_all_once(ret_files, gcc_files_of_pass(&files->gcc, pass));
}

void pass_files_answer(const PassFiles *files, const TriageFinding *finding, StrList *ret_files) {
    bool by_flag = finding->together && finding->flags.len; /* one flag says more than several passes together */
    if (by_flag)
        add_flag_files(files, finding, ret_files);
    if (finding->pass)
        pass_files_of_pass(files, finding->pass, ret_files);
    const char *crashed = finding->crash_file ? gcc_files_path(&files->gcc, finding->crash_file) : NULL;
    if (crashed)
        strlist_add_once(ret_files, crashed);
    if (!by_flag)
        add_flag_files(files, finding, ret_files);
}

bool pass_files_load(PassFiles *files, const char *source, Error *err) {
    *files = (PassFiles){0};
    return !source || gcc_files_load(&files->gcc, source, err);
}

void pass_files_release(PassFiles *files) { gcc_files_release(&files->gcc); }
