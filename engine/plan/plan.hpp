// A plan: the steps that compute some wanted values. It refers to values and scalars by number, so
// that another graph of the same structure can replay it.
#pragma once

#include "engine/plan/cluster.hpp"
#include "jit/kernel_ir/kernel_ir.hpp"
#include "jit/launch/gpu/launched_kernel.hpp"

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sinter::plan {

/// The location of a kernel operand: a value, an offset, and strides over the launch space.
struct operand_binding {
    int value;       // a value of the subgraph; from plan::values on, a temporary; -1: an index
    int64_t offset;  // counted from subgraph::offsets
    std::vector<int64_t> strides;
    bool spread = false;  // see kernel_step::flat

    bool operator==(const operand_binding&) const = default;
};

struct scalar_binding {
    int node;
    int index;  // into the node's scalars; -1: its correction
    kernel_ir::mtype type;
    int part = 0;  // part of a complex number

    bool operator==(const scalar_binding&) const = default;
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
        bool operator==(const dim&) const = default;
    };
    int value;               // the matrix
    int operand;             // the first operand that is the matrix
    std::vector<dim> dims;   // outermost first
    std::vector<int> inner;  // the row dimensions among them, innermost first
    int64_t row_bytes;
    bool whole_rows;  // true if columns are reduced or span several dimensions

    bool operator==(const piecewise&) const = default;
};

/// A kernel that can be launched, and the nodes of the subgraph that it computes.
struct kernel_step : runtime::launched_kernel {
    std::vector<operand_binding> operands;
    std::vector<scalar_binding> scalars;
    std::vector<int> outputs;  // operand numbers; the two parts of a complex value are adjacent
    std::vector<int> nodes;    // in program order
    bool flat = false;         // short rows run as one: jit/launch/flat_rows.hpp
    std::optional<piecewise> pieces;  // only in a step with a product
    int64_t bytes = 0;                // minimum traffic: each element of an operand once
    int number = -1;                  // among the plan's kernels

    bool operator==(const kernel_step&) const = default;
};

/// A kernel, a library call, or a product with fused kernels: the prologue `before` makes rows of
/// its first operand, the epilogue `kernel` takes pieces of its result. They run in this order.
struct plan_step {
    std::optional<kernel_step> before;
    int library = -1;  // node
    std::optional<kernel_step> kernel;
    int bias = -1;                // GPU only: operand of `kernel` (gpu_epilogue.hpp)
    std::vector<int> last_reads;  // values that no later step reads

    std::array<const kernel_step*, 2> kernels() const {
        return {before ? &*before : nullptr, kernel ? &*kernel : nullptr};
    }
    bool operator==(const plan_step&) const = default;
};

struct temporary {
    ScalarType dtype;
    int64_t numel;
    bool operator==(const temporary&) const = default;
};

/// Plain data: copies are equal, and subgraphs of one structure have equal plans.
struct plan {
    int values = 0;   // number of values of the subgraph; temporaries are numbered after them
    int kernels = 0;  // number of kernels in all steps
    std::vector<temporary> temporaries;
    std::vector<plan_step> steps;
    std::vector<cut_record> cuts;
    std::vector<int> inlined;  // nodes that are fused away: no value in memory

    /// Returns the kernel if the plan is one kernel that cannot fail, and nothing else; else null.
    const kernel_step* only_kernel() const {
        const bool one = steps.size() == 1 && temporaries.empty() && steps[0].library < 0 &&
                         !steps[0].before && steps[0].kernel && !steps[0].kernel->guarded;
        return one ? &*steps[0].kernel : nullptr;
    }
    bool operator==(const plan&) const = default;
};

/// `apart`: a second plan that materialises the values of which the cost model is unsure. Both give
/// the same bits.
struct built {
    plan fused;
    std::optional<plan> apart;
};

/// Returns the plans of a subgraph: fuses, builds kernels, orders loops, finds last reads.
built build(const subgraph& w);

/// Throws InternalError if a step reads a value that no earlier step wrote, or two write one.
void verify(const plan& p, const subgraph& w);

/// Returns the operations of a node as text: "mul+add", "sum", "mm".
std::string name_of(const Node& n);

/// What the caller of `print` knows beyond the plan.
struct kernel_note {
    std::string after, below;  // the line of the kernel; its operations
};
struct plan_notes {
    std::function<kernel_note(const kernel_step&)> of_kernel;
    std::string before_cuts;
};

/// Returns the plan as text.
std::string print(const plan& p, const subgraph& w, const plan_notes& notes = {});

}  // namespace sinter::plan
