// A plan: the steps that compute some wanted values, with values and scalars by number, so that
// another graph of the same structure replays it.
#pragma once

#include "engine/measure/autotune.hpp"
#include "engine/measure/timing.hpp"
#include "engine/plan/cluster.hpp"
#include "engine/plan/specialization.hpp"
#include "jit/interpret/block_kernel.hpp"
#include "jit/interpret/interpret.hpp"
#include "jit/kernel_ir/call.hpp"
#include "jit/kernel_ir/kernel_ir.hpp"
#include "jit/launch/gpu/launched_kernel.hpp"
#include "jit/launch/reduction_plan.hpp"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>

namespace sinter::plan {

class gpu_replay;

/// Where an operand of a kernel is: an element of a value and strides over the launch space.
struct operand_binding {
    int value;  // a value of the work; beyond those, a temporary of the plan; -1: index
    int64_t offset;
    std::vector<int64_t> strides;
    bool spread = false;  // see kernel_step::flat
};

struct scalar_binding {
    int node;
    int index;  // of the node's scalars; -1: its correction
    kernel_ir::mtype type;
    int part = 0;  // of a complex number
};

/// How a kernel's space is made of the rows and columns of a matrix, which it reads or writes and a
/// product has piece by piece. Rows are counted through the batch.
struct piecewise {
    struct dim {
        std::size_t from;  // dimension of the launch space
        int64_t step;      // indices of it that one of this dimension is
        int64_t extent;
        bool column;
        int64_t unit;  // rows or columns that one index is
    };
    int value;               // the matrix
    int operand;             // the first that is the matrix
    std::vector<dim> dims;   // outermost first
    std::vector<int> inner;  // the rows among them, innermost first
    int64_t row_bytes;
    bool whole_rows;  // columns are reduced, or are several dimensions
};

/// A kernel that can be launched, and what of the work it computes.
struct kernel_step : launched_kernel {
    std::vector<operand_binding> operands;
    std::vector<scalar_binding> scalars;
    std::vector<int>
        outputs;             // operand numbers; both parts of a complex value, one after the other
    std::vector<int> nodes;  // in program order
    bool flat = false;       // short rows run as one: jit/launch/flat_rows.hpp
    std::unique_ptr<runtime::reduction_plan> reductions;
    std::unique_ptr<piecewise> pieces;  // in a step with a product
    int64_t bytes = 0;                  // that it must move: each element of an operand once
    std::shared_ptr<kernel_timing> timing = std::make_shared<kernel_timing>();
    mutable std::atomic<kernel_ir::kernel_fn> fn{nullptr};  // once looked up
    std::unique_ptr<special> own;  // a kernel for these extents and scalars, where it might pay
    // ---- what runs it without code, once asked for
    mutable std::once_flag interpreter_made, blocks_made;
    mutable std::unique_ptr<kernel_ir::interpreter> interpreter;
    mutable std::unique_ptr<eager::block_kernel> blocks;
};

/// A kernel, a library call, or a product with kernels that run piece by piece: `before` makes rows
/// of its first operand, `kernel` takes pieces of its result. In this order, where they exist.
struct plan_step {
    std::unique_ptr<kernel_step> before;
    int library = -1;  // node
    std::unique_ptr<kernel_step> kernel;
    int bias = -1;                // on a GPU: gpu_epilogue.hpp; an operand of `kernel`
    std::vector<int> last_reads;  // values that no later step reads

    std::array<const kernel_step*, 2> kernels() const { return {before.get(), kernel.get()}; }
};

struct temporary {
    ScalarType dtype;
    int64_t numel;
};

struct plan {
    int values = 0;  // of the work; temporaries follow
    std::vector<temporary> temporaries;
    std::vector<plan_step> steps;
    std::vector<cut_record> cuts;
    std::vector<int> inlined;            // nodes that ran without a value in memory
    std::unique_ptr<choice> other;       // where the cost model was not sure
    std::shared_ptr<gpu_replay> replay;  // of a GPU's plan: how its launches get there
    std::vector<uint64_t> key;  // structure_key of what it was built from; empty outside the cache
};

/// Makes the plan of a work: fuse, build kernels, lay them out, find last reads.
std::shared_ptr<plan> build(const subgraph& w);

/// Throws InternalError if a step reads what no earlier step wrote, or two write one value.
void verify(const plan& p, const subgraph& w);

/// Returns the operations that a node does, as text: "mul+add", "sum", "mm".
std::string name_of(const Node& n);

/// `launches`: what to say of how a GPU's launches get there, if anything.
std::string print(const plan& p, const subgraph& w, const std::string& launches = {});

}  // namespace sinter::plan
