#include "jit/codegen/llvm/pass_list.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Function.h>
#include <llvm/Pass.h>

#include <functional>
#include <utility>

namespace sinter::codegen {
namespace {

/// Passes for things that kernels do not have: exceptions, garbage-collected or thread-local
/// memory, memory comparisons, tile registers, wide integers, stack lifetimes, hardening, and
/// annotations for debuggers and tracers.
constexpr llvm::StringLiteral without_work[] = {
    "Analyze Machine Code For Garbage Collection",
    "Argument Stack Rebase",
    "Check CFA info and insert CFI instructions if needed",
    "Contiguously Lay Out Funclets",
    "Exception handling preparation",
    "Expand indirectbr instructions",
    "Expand large div/rem",
    "Expand large fp convert",
    "Expand memcmp() to load/stores",
    "Expand vector predication intrinsics",
    "Fixup Statepoint Caller Saved",
    "Implement the 'patchable-function' attribute",
    "Init Undef Pass",
    "Insert KCFI indirect call checks",
    "Insert XRay ops",
    "Insert fentry calls",
    "Instrument function entry/exit with calls to e.g. mcount() (post inlining)",
    "Live DEBUG_VALUE analysis",
    "Local Dynamic TLS Access Clean-up",
    "Local Stack Slot Allocation",
    "Lower AMX intrinsics",
    "Lower AMX type for load/store",
    "Lower Garbage Collection Instructions",
    "Machine Sanitizer Binary Metadata",
    "Merge contiguous icmps into a memcmp",
    "Merge disjoint stack slots",
    "Partially inline calls to library functions",
    "Prepare callbr",
    "Pseudo Probe Inserter",
    "Register Allocation Pass Scoring",
    "Remove Redundant DEBUG_VALUE analysis",
    "Replace intrinsics with calls to vector library",
    "Safe Stack instrumentation pass",
    "Shadow Stack GC Lowering",
    "Stack Frame Layout Analysis",
    "StackMap Liveness Analysis",
    "TLS Variable Hoist",
    "Tile Register Configure",
    "Tile Register Pre-configure",
    "Unpack machine instruction bundles",
    "X86 Discriminate Memory Operands",
    "X86 Indirect Branch Tracking",
    "X86 Indirect Thunks",
    "X86 Insert Cache Prefetches",
    "X86 Load Value Injection (LVI) Load Hardening",
    "X86 Load Value Injection (LVI) Ret-Hardening",
    "X86 Lower Tile Copy",
    "X86 PIC Global Base Reg Initialization",
    "X86 Return Thunks",
    "X86 Speculative Execution Side Effect Suppression",
    "X86 Windows Fixup Buffer Security Check",
    "X86 insert wait instruction",
    "X86 speculative load hardening",
};

/// Passes that find nothing in vector loops, or nothing that makes them measurably faster. The
/// scheduler is not among them: without it `any` took 1.1 to 1.2 times as long. Execution domains
/// stay too: without them some constants are not shrunk, and an image then depends on the kernels
/// compiled with it.
constexpr llvm::StringLiteral without_effect[] = {
    "Constant Hoisting",
    "Detect Dead Lanes",
    "Early If-Conversion",
    "Early Tail Duplication",
    "Interleaved Access Pass",
    "Live Range Shrink",
    "Machine Copy Propagation Pass",
    "Machine InstCombiner",
    "Machine Late Instructions Cleanup Pass",
    "Machine code sinking",
    "Optimize machine instruction PHIs",
    "Post RA top-down list latency scheduler",
    "PostRA Machine Sink",
    "Shrink Wrapping analysis",
    "Tail Duplication",
    "X86 Atom pad short functions",
    "X86 Avoid Store Forwarding Blocks",
    "X86 Domain Reassignment Pass",
    "X86 Fixup SetCC",
    "X86 LEA Fixup",
    "X86 LEA Optimize",
    "X86 Optimize Call Frame",
    "X86 Partial Reduction",
    "X86 cmov Conversion",
};

/// Calls something for a function between two passes.
class between_passes : public llvm::FunctionPass {
public:
    using action = std::function<void(llvm::Function&)>;
    explicit between_passes(action act) : llvm::FunctionPass(id), act_(std::move(act)) {}

    bool runOnFunction(llvm::Function& f) override {
        act_(f);
        return false;
    }
    void getAnalysisUsage(llvm::AnalysisUsage& usage) const override { usage.setPreservesAll(); }

private:
    static char id;
    action act_;
};

char between_passes::id = 0;

/// Sets or ends that passes which can be spared skip a plain function.
void skip_plain(llvm::Function& f, bool skip) {
    if (!f.hasFnAttribute(is_plain)) return;
    if (skip)
        f.addFnAttr(llvm::Attribute::OptimizeNone);
    else
        f.removeFnAttr(llvm::Attribute::OptimizeNone);
}

}  // namespace

bool pass_list::needed(llvm::StringRef name) {
    if (name == "Greedy Register Allocator" && allocates_tiles_) return allocates_tiles_ = false;
    return !llvm::is_contained(without_work, name) && !llvm::is_contained(without_effect, name);
}

void pass_list::add(llvm::Pass* pass) {
    const llvm::StringRef name = pass->getPassName();
    if (!needed(name)) {
        delete pass;
        return;
    }
    const bool schedules = name == "Machine Instruction Scheduler";
    if (name == "X86 DAG->DAG Instruction Selection")
        to_.add(new between_passes([&machine = machine_](llvm::Function& f) {
            machine.setFastISel(!f.hasFnAttribute(selects_in_blocks));
        }));
    if (schedules) to_.add(new between_passes([](llvm::Function& f) { skip_plain(f, true); }));
    to_.add(pass);
    if (schedules) to_.add(new between_passes([](llvm::Function& f) { skip_plain(f, false); }));
}

}  // namespace sinter::codegen
