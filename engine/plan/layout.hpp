// Loop order. Runs after a cluster's kernel body is built, because the strides of all operands
// decide, and before the key, because the stride classes are part of it.
#pragma once

#include "engine/plan/plan.hpp"
#include "runtime/strided/walk.hpp"

#include <span>

namespace sinter::plan {

struct layout_operand {
    index_map at;
    bool memory = true;  // false: an index, which reads no memory
    bool output = false;
    bool per_row = false;  // read or written once per row
    bool wide = false;     // elements have 8 bytes
};

/// The launch space, and how a kernel runs over it.
struct loop_order : runtime::strided_space {
    kernel_ir::lanes along = kernel_ir::lanes::element;
    int reduced = 1;    // number of reduced dimensions, innermost ones
    bool flat = false;  // map whose short rows run as one: flat_rows
};

/// If the innermost loop has fewer elements, lanes run along the next loop, if that has more.
inline constexpr int64_t few_elements = 8;

/// Returns the class of a lane stride in elements, for lanes along a dimension of this extent.
kernel_ir::stride_class class_of(int64_t stride, int64_t extent);
/// Returns true if a map kernel with lanes::element should read an input as tiles and transpose
/// them in registers.
bool reads_across(std::span<const int64_t> extents, std::span<const int64_t> strides);

/// Sorts the row dimensions by stride, merges adjacent dimensions that are contiguous for all
/// operands, and chooses the lane dimension: the one with the fewest gathered operands, or always
/// rows if `dense_rows`. Reduced dimensions keep their order. `cost`: primitives per element.
loop_order order_loops(const dims_vector& space, const std::vector<bool>& reduced,
                       const std::vector<layout_operand>& operands, double cost,
                       bool dense_rows = false);

/// Returns the loop order for a GPU, whose kernels walk all dimensions; lanes run along elements.
loop_order order_gpu_loops(const dims_vector& space, const std::vector<bool>& reduced,
                           const std::vector<layout_operand>& operands);

/// Returns the row dimension along which the lanes of a reduction should run although operands are
/// dense along the reduced range instead, or -1. This pays if rows are short and many, and operands
/// repeat, so that copying them is cheap.
int find_lane_rows(const dims_vector& space, const std::vector<bool>& reduced,
                   const std::vector<layout_operand>& operands);

/// Returns true if the dimensions that are reduced make one range of an operand. The functions get
/// the number of a dimension.
template <class Reduced, class Size, class Stride>
bool is_one_range(std::size_t rank, Reduced is_reduced, Size size, Stride stride) {
    std::size_t before = rank;
    for (std::size_t k = 0; k < rank; ++k) {
        if (!is_reduced(k) || size(k) == 1) continue;
        if (before < rank && stride(before) != stride(k) * size(k)) return false;
        before = k;
    }
    return true;
}
bool reduced_ranges_merge(const dims_vector& space, const std::vector<bool>& reduced,
                          const index_map& at);

/// Returns true if, for this input, a launch may walk reduced dimensions that do not merge
/// (jit/launch/nested_range.hpp): rows are long enough for a call, and no long rows would be better
/// reduced with lanes along another dimension.
bool may_nest(const dims_vector& space, const std::vector<bool>& reduced, const index_map& at);

}  // namespace sinter::plan
