// Order of loops. Stands after a cluster's kernel body is known, because every operand's strides
// decide; before the key, because the stride classes are part of it.
#pragma once

#include "engine/plan/plan.hpp"

#include <span>

namespace sinter::plan {

struct layout_operand {
    index_map at;
    bool memory = true;  // false: an index, which has no bytes to fetch
    bool output = false;
    bool per_row = false;  // read or written once a row
    bool wide = false;     // of 8 bytes
};

struct loop_order {
    kernel_ir::lanes along = kernel_ir::lanes::element;
    std::vector<int64_t> extents;               // launch space, innermost last
    std::vector<std::vector<int64_t>> strides;  // per operand, over the launch space
    int reduced = 1;                            // innermost dimensions that are reduced
    bool flat = false;                          // a map over short rows that run as one: flat_rows
};

/// Below this many elements in the innermost loop lanes run along the next one, if that has more.
inline constexpr int64_t few_elements = 8;

/// The class of a stride, in elements, along lanes of an extent.
kernel_ir::stride_class class_of(int64_t stride, int64_t extent);
/// Whether a map kernel with lanes::element had better read tiles of an input and turn them round.
bool reads_across(std::span<const int64_t> extents, std::span<const int64_t> strides);

/// Sorts the rows by stride, merges what all operands see as one dimension, and picks the lanes:
/// where fewest operands must be gathered lane by lane, with `dense_rows` along rows in any case.
/// `cost`: primitives of an element.
/// The reduced dimensions keep their order and are merged as far as all operands see them as one.
loop_order order_loops(const dims_vector& space, const std::vector<bool>& reduced,
                       const std::vector<layout_operand>& operands, double cost,
                       bool dense_rows = false);

/// The same for a GPU, whose kernels walk all dimensions: lanes run along elements.
loop_order order_gpu_loops(const dims_vector& space, const std::vector<bool>& reduced,
                           const std::vector<layout_operand>& operands);

/// The dimension of rows along which lanes of a reduction should run although operands are dense
/// along the reduced range instead: rows are short, many, and made of operands that repeat, so that
/// copies of these pay. -1: none.
int find_lane_rows(const dims_vector& space, const std::vector<bool>& reduced,
                   const std::vector<layout_operand>& operands);

bool reduced_ranges_merge(const dims_vector& space, const std::vector<bool>& reduced,
                          const index_map& at);

/// Whether a launch may walk reduced dimensions that an input does not see as one
/// (jit/launch/nested_range.hpp), as far as the range and this input say so: rows are worth a call,
/// and lanes along long rows have no reason to go elsewhere.
bool may_nest(const dims_vector& space, const std::vector<bool>& reduced, const index_map& at);

}  // namespace sinter::plan
