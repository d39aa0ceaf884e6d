// A plan: the steps that compute some wanted values. It refers to values and scalars by number, so
// that another graph of the same structure can replay it.
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

/// The location of a kernel operand: a value, an offset, and strides over the launch space.
struct operand_binding {
    int value;  // a value of the subgraph; from plan::values on, a temporary; -1: an index
    int64_t offset;
    std::vector<int64_t> strides;
    bool spread = false;  // see kernel_step::flat
};

struct scalar_binding {
    int node;
    int index;  // into the node's scalars; -1: its correction
    kernel_ir::mtype type;
    int part = 0;  // part of a complex number
};

/// Maps a kernel's space to the rows and columns of the matrix that it shares with a product, which
/// handles the matrix in pieces. Rows are counted through the batch.
struct piecewise {
    struct dim {
        std::size_t from;  // dimension of the launch space
        int64_t step;      // indices of `from` per index of this dimension
        int64_t extent;
        bool column;
        int64_t unit;  // rows or columns per index
    };
    int value;               // the matrix
    int operand;             // the first operand that is the matrix
    std::vector<dim> dims;   // outermost first
    std::vector<int> inner;  // the row dimensions among them, innermost first
    int64_t row_bytes;
    bool whole_rows;  // true if columns are reduced or span several dimensions
};

/// A kernel that can be launched, and the nodes of the subgraph that it computes.
struct kernel_step : launched_kernel {
    std::vector<operand_binding> operands;
    std::vector<scalar_binding> scalars;
    std::vector<int> outputs;  // operand numbers; the two parts of a complex value are adjacent
    std::vector<int> nodes;    // in program order
    bool flat = false;         // short rows run as one: jit/launch/flat_rows.hpp
    std::unique_ptr<runtime::reduction_plan> reductions;
    std::unique_ptr<piecewise> pieces;  // only in a step with a product
    int64_t bytes = 0;                  // minimum traffic: each element of an operand once
    std::shared_ptr<kernel_timing> timing = std::make_shared<kernel_timing>();
    mutable std::atomic<kernel_ir::kernel_fn> fn{nullptr};  // null until looked up
    std::unique_ptr<special> own;  // specialised for these extents and scalars, if it might pay
    // ---- run the kernel without compiled code; made on first use
    mutable std::once_flag interpreter_made, blocks_made;
    mutable std::unique_ptr<kernel_ir::interpreter> interpreter;
    mutable std::unique_ptr<eager::block_kernel> blocks;
};

/// A kernel, a library call, or a product with fused kernels: the prologue `before` makes rows of
/// its first operand, the epilogue `kernel` takes pieces of its result. They run in this order.
struct plan_step {
    std::unique_ptr<kernel_step> before;
    int library = -1;  // node
    std::unique_ptr<kernel_step> kernel;
    int bias = -1;                // GPU only: operand of `kernel` (gpu_epilogue.hpp)
    std::vector<int> last_reads;  // values that no later step reads

    std::array<const kernel_step*, 2> kernels() const { return {before.get(), kernel.get()}; }
};

struct temporary {
    ScalarType dtype;
    int64_t numel;
};

struct plan {
    int values = 0;  // number of values of the subgraph; temporaries are numbered after them
    std::vector<temporary> temporaries;
    std::vector<plan_step> steps;
    std::vector<cut_record> cuts;
    std::vector<int> inlined;            // nodes that are fused away: no value in memory
    std::unique_ptr<choice> other;       // second plan, if the cost model was unsure
    std::shared_ptr<gpu_replay> replay;  // GPU only: submits the launches
    std::vector<uint64_t> key;           // structure_key of its subgraph; empty outside the cache
};

/// Returns the plan of a subgraph: fuses, builds kernels, orders loops, finds last reads.
std::shared_ptr<plan> build(const subgraph& w);

/// Throws InternalError if a step reads a value that no earlier step wrote, or two write one.
void verify(const plan& p, const subgraph& w);

/// Returns the plan as text. `launches`: text on how GPU launches are submitted, or empty.
std::string print(const plan& p, const subgraph& w, const std::string& launches = {});

}  // namespace sinter::plan
