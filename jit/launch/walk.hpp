// The strided space of a launch, and a position in it that moves along its outer dimensions.
#pragma once

#include "jit/launch/launch.hpp"
#include "runtime/memory/stack_array.hpp"
#include "runtime/strided/walk.hpp"

#include <cstdint>

namespace sinter::runtime {

/// Neighbouring dimensions of a request as a strided space (runtime/strided/walk.hpp) of addresses.
struct launch_dims {
    const launch_request& request;
    int first, count;

    std::size_t rank() const { return static_cast<std::size_t>(count); }
    std::size_t operands() const { return request.operands.size(); }
    int64_t size(std::size_t d) const { return extents()[d]; }
    uint64_t start(std::size_t k) const {
        return reinterpret_cast<uint64_t>(request.operands[k].base);
    }
    int64_t stride(std::size_t k, std::size_t d) const { return strides(k)[d]; }

    const int64_t* extents() const { return request.extents + first; }
    const int64_t* strides(std::size_t k) const { return request.operands[k].strides + first; }
};

using launch_cursor = cursor<launch_dims, 32>;

/// A request with its rank extended to at least 2.
struct space {
    explicit space(const launch_request& request);

    const launch_request& request;
    int outer_dims;  // dimensions that the launcher walks
    launch_dims outer_space;
    int64_t outer;  // their product
    int64_t n1, n0;

    int64_t rows() const { return outer * n1; }
    int64_t stride(std::size_t operand, int dim) const {
        return request.operands[operand].strides[dim];
    }
    int64_t stride1(std::size_t operand) const {
        return request.rank >= 2 ? stride(operand, request.rank - 2) : 0;
    }
    int64_t stride0(std::size_t operand) const {
        return request.rank >= 1 ? stride(operand, request.rank - 1) : 0;
    }
};

/// The operands at an outer index and, for a call, at a row and an element of it.
class walker {
public:
    walker(const space& s, int64_t outer_index);

    int64_t outer_index() const { return outer_index_; }
    /// Moves `steps` along the innermost outer dimension, at most to its end.
    void next(int64_t steps = 1) {
        outer_index_ += steps;
        at_.advance(steps);
    }
    /// Returns the number of steps left in the innermost outer dimension.
    int64_t left() const { return at_.run(); }
    /// Returns the arguments for a call at `row` and `element`; valid until the next call.
    const kernel_ir::operand_arg* arguments(int64_t row, int64_t element);
    /// Replaces the address of an operand in the last arguments.
    void place(std::size_t operand, char* at) { args_[operand].ptr = at; }

private:
    int64_t outer_index_;
    launch_cursor at_;
    stack_array<kernel_ir::operand_arg, 32> args_;
};

/// Calls the compiled kernel, or its runner if there is no code.
void call_kernel(const launch_request& r, const kernel_ir::kernel_call& call);

}  // namespace sinter::runtime
