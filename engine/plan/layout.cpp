#include "engine/plan/layout.hpp"

#include "engine/plan/flat_rows.hpp"
#include "jit/kernel_ir/reduce_order.hpp"

#include <algorithm>
#include <cstdlib>

namespace sinter::plan {
namespace {

using runtime::strided_space;

/// Ranges of at most `few_reduced` elements in at least `many_rows` rows are reduced with lanes
/// along rows.
constexpr int64_t few_reduced = 8, many_rows = 64;

/// Returns the space of some of the dimensions.
strided_space pick(const dims_vector& space, const std::vector<layout_operand>& operands,
                   const std::vector<std::size_t>& which) {
    strided_space s;
    s.strides.resize(operands.size());
    for (std::size_t k : which) {
        s.extents.push_back(space[k]);
        for (std::size_t o = 0; o < operands.size(); ++o)
            s.strides[o].push_back(operands[o].at.stride(k));
    }
    return s;
}

/// How lanes along a dimension read the operands that vary along it.
struct lane_reads {
    int gathered = 0;  // operands read lane by lane
    int dense = 0;     // operands read as vectors

    void add(int64_t stride) {
        gathered += stride != 0 && stride != 1;
        dense += stride == 1;
    }
    /// Returns true if these reads are faster.
    bool operator<(const lane_reads& o) const {
        return gathered != o.gathered ? gathered < o.gathered : dense > o.dense;
    }
};

/// Returns true if dimension `a` belongs outside `b`: by the strides of the outputs, then the
/// inputs.
bool outer_first(const std::vector<layout_operand>& operands, std::size_t a, std::size_t b) {
    for (bool output : {true, false})
        for (const layout_operand& o : operands) {
            if (o.output != output || !o.memory) continue;
            const int64_t x = std::abs(o.at.stride(a)), y = std::abs(o.at.stride(b));
            if (x == 0 || y == 0 || x == y) continue;
            return x > y;
        }
    return false;
}

/// Returns the dimensions that are not reduced, sorted and merged.
strided_space sorted_rows(const dims_vector& space, const std::vector<bool>& reduced,
                          const std::vector<layout_operand>& operands) {
    std::vector<std::size_t> rows;
    for (std::size_t k = 0; k < space.size(); ++k)
        if (space[k] != 1 && !reduced[k]) rows.push_back(k);
    // Insertion sort: with strides of 0 the relation is not transitive, which std::sort requires.
    for (std::size_t i = 1; i < rows.size(); ++i)
        for (std::size_t j = i; j > 0 && outer_first(operands, rows[j], rows[j - 1]); --j)
            std::swap(rows[j], rows[j - 1]);
    strided_space r = pick(space, operands, rows);
    r.merge();
    return r;
}

/// Returns the reduced dimensions, in their order and merged; at least one.
strided_space reduced_range(const dims_vector& space, const std::vector<bool>& reduced,
                            const std::vector<layout_operand>& operands) {
    std::vector<std::size_t> elements;
    for (std::size_t k = 0; k < space.size(); ++k)
        if (space[k] != 1 && reduced[k]) elements.push_back(k);
    strided_space e = pick(space, operands, elements);
    e.merge();
    e.at_least_one();
    return e;
}

/// Joins rows (outer) and the reduced range (inner).
void join(loop_order& order, strided_space&& rows, const strided_space& range) {
    order.reduced = static_cast<int>(range.extents.size());
    order.extents = std::move(rows.extents);
    order.strides = std::move(rows.strides);
    order.extents.insert(order.extents.end(), range.extents.begin(), range.extents.end());
    for (std::size_t o = 0; o < order.strides.size(); ++o)
        order.strides[o].insert(order.strides[o].end(), range.strides[o].begin(),
                                range.strides[o].end());
}

/// If operands are dense along a dimension other than the innermost, makes it the second innermost:
/// a kernel walks the inner two, and a tile of both lies in few cache lines. Does nothing for a
/// short innermost dimension, because writing less than a line of the output at a time repeats
/// writes.
void move_dense_next(strided_space& d, const std::vector<layout_operand>& operands) {
    const std::size_t rank = d.extents.size();
    if (rank < 3 || d.extents[rank - 1] < 2 * few_elements) return;
    std::vector<int> dense(rank - 1, 0);
    for (std::size_t o = 0; o < operands.size(); ++o) {
        if (!operands[o].memory || operands[o].output) continue;
        if (d.strides[o][rank - 1] == 0 || d.strides[o][rank - 1] == 1) continue;
        for (std::size_t k = 0; k + 1 < rank; ++k)
            dense[k] += d.strides[o][k] == 1 && d.extents[k] >= few_elements;
    }
    const auto best = std::max_element(dense.rbegin(), dense.rend());
    if (*best == 0) return;
    const auto k = dense.rend() - best - 1;
    const auto move = [k](auto& v) { std::rotate(v.begin() + k, v.begin() + k + 1, v.end() - 1); };
    move(d.extents);
    for (auto& s : d.strides) move(s);
}

}  // namespace

kernel_ir::stride_class class_of(int64_t stride, int64_t extent) {
    if (extent <= 1 || stride == 1) return kernel_ir::stride_class::unit;
    if (stride == 2) return kernel_ir::stride_class::pair;
    return stride == 0 ? kernel_ir::stride_class::zero : kernel_ir::stride_class::other;
}

bool reads_across(std::span<const int64_t> extents, std::span<const int64_t> strides) {
    const std::size_t rank = extents.size();
    if (rank < 2 || extents[rank - 1] <= 1 || extents[rank - 2] < few_elements) return false;
    return strides[rank - 2] == 1 && strides[rank - 1] != 0 && strides[rank - 1] != 1;
}

bool reduced_ranges_merge(const dims_vector& space, const std::vector<bool>& reduced,
                          const index_map& at) {
    return is_one_range(
        space.size(), [&](std::size_t k) { return reduced[k]; },
        [&](std::size_t k) { return space[k]; }, [&](std::size_t k) { return at.stride(k); });
}

bool may_nest(const dims_vector& space, const std::vector<bool>& reduced, const index_map& at) {
    constexpr int64_t shortest = 128;
    int64_t length = 1;
    for (std::size_t k = 0; k < space.size(); ++k)
        if (reduced[k]) length *= space[k];
    if (length < shortest) return false;
    if (length <= kernel_ir::reduce_chunk) return true;
    for (std::size_t k = 0; k < space.size(); ++k)
        if (!reduced[k] && space[k] >= few_elements && at.stride(k) == 1) return false;
    return true;
}

int find_lane_rows(const dims_vector& space, const std::vector<bool>& reduced,
                   const std::vector<layout_operand>& operands) {
    constexpr int64_t longest = 512, fewest_rows = 32, fewest_repeats = 8;
    int64_t length = 1, lane = -1;
    for (std::size_t k = 0; k < space.size(); ++k)
        if (reduced[k]) length *= space[k];
    if (length > longest) return -1;
    for (const layout_operand& o : operands) {
        if (o.output && !o.per_row) return -1;
        for (std::size_t k = 0; o.output && k < space.size(); ++k)
            if (!reduced[k] && o.at.stride(k) == 1 && space[k] >= fewest_rows)
                lane = static_cast<int64_t>(k);
    }
    if (lane < 0) return -1;
    bool copies = false;
    for (const layout_operand& o : operands) {
        const int64_t step = o.at.stride(static_cast<std::size_t>(lane));
        if (o.per_row || !o.memory || step == 0 || step == 1) continue;
        int64_t repeats = 1;
        for (std::size_t k = 0; k < space.size(); ++k)
            if (!reduced[k] && o.at.stride(k) == 0) repeats *= space[k];
        if (repeats < fewest_repeats) return -1;
        copies = true;
    }
    return copies ? static_cast<int>(lane) : -1;
}

loop_order order_loops(const dims_vector& space, const std::vector<bool>& reduced,
                       const std::vector<layout_operand>& operands, double cost, bool dense_rows) {
    const bool reduces = std::find(reduced.begin(), reduced.end(), true) != reduced.end();
    loop_order order;
    strided_space r = sorted_rows(space, reduced, operands);
    if (!reduces) {
        move_dense_next(r, operands);
        // Vectors along few elements would be mostly empty.
        const std::size_t rank = r.extents.size();
        flat_rows flat(r.extents, cost);
        for (std::size_t o = 0; o < operands.size(); ++o)
            flat.add(r.strides[o], operands[o].memory, operands[o].output, operands[o].wide);
        order.flat = flat.pays();
        if (!order.flat && rank >= 2 && r.extents[rank - 1] < few_elements &&
            r.extents[rank - 2] >= few_elements)
            order.along = kernel_ir::lanes::row;
        order.extents = std::move(r.extents);
        order.strides = std::move(r.strides);
    } else {
        strided_space e = reduced_range(space, reduced, operands);
        // Lanes run along the dimension with fewer gathered operands, then with more dense ones.
        lane_reads along_element;
        std::vector<lane_reads> along_row(r.extents.size());
        for (std::size_t o = 0; o < operands.size(); ++o) {
            if (!operands[o].memory || operands[o].per_row) continue;
            along_element.add(e.strides[o].back());
            for (std::size_t k = 0; k < along_row.size(); ++k) along_row[k].add(r.strides[o][k]);
        }
        auto best = std::min_element(along_row.begin(), along_row.end());
        // A long range of several dimensions is divided into chunks, which lanes along rows do not
        // support.
        int64_t length = 1;
        for (int64_t n : e.extents) length *= n;
        const bool pieces = e.extents.size() > 1 && length > kernel_ir::reduce_chunk;
        // A vector along few elements would be mostly empty and would still need a horizontal fold.
        const bool few = e.extents.size() == 1 && e.extents[0] <= few_reduced &&
                         !r.extents.empty() && r.extents.back() >= many_rows;
        if (best != along_row.end() && best->dense > 0 && !pieces &&
            (dense_rows || *best < along_element) &&
            r.extents[static_cast<std::size_t>(best - along_row.begin())] >= few_elements) {
            order.along = kernel_ir::lanes::row;
            const auto k = best - along_row.begin();
            std::rotate(r.extents.begin() + k, r.extents.begin() + k + 1, r.extents.end());
            for (auto& s : r.strides) std::rotate(s.begin() + k, s.begin() + k + 1, s.end());
        } else if (few) {
            order.along = kernel_ir::lanes::row;
        }
        join(order, std::move(r), e);
    }
    order.at_least_one();
    return order;
}

loop_order order_gpu_loops(const dims_vector& space, const std::vector<bool>& reduced,
                           const std::vector<layout_operand>& operands) {
    loop_order order;
    strided_space r = sorted_rows(space, reduced, operands);
    if (std::find(reduced.begin(), reduced.end(), true) != reduced.end()) {
        join(order, std::move(r), reduced_range(space, reduced, operands));
    } else {
        move_dense_next(r, operands);
        r.merge();  // the neighbours of the moved dimension
        order.extents = std::move(r.extents);
        order.strides = std::move(r.strides);
    }
    order.at_least_one();
    return order;
}

}  // namespace sinter::plan
