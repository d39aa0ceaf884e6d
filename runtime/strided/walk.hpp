// Merges the dimensions of strided spaces, and walks them in row-major order.
//
// A space has `rank()` dimensions, outermost first, and `operands()` operands: `size(d)`,
// `start(k)` and `stride(k, d)`. Starts and strides have any unit: elements, bytes, addresses as
// integers.
#pragma once

#include "runtime/memory/stack_array.hpp"

#include <sinter/core/geometry.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace sinter::runtime {

/// Copies the dimensions of a space, merges neighbours that form one stride for every operand, and
/// drops those of size 1. `stride(k, d)` is read, `to(k, d)` is written; both spaces may be the
/// same. Returns the new rank, or `most` + 1 if it is larger than `most`.
template <class Stride, class To>
std::size_t merge_dims(std::size_t rank, const int64_t* sizes, std::size_t operands,
                       const Stride& stride, int64_t* to_sizes, const To& to,
                       std::size_t most = SIZE_MAX) {
    std::size_t merged = 0;
    for (std::size_t d = 0; d < rank; ++d) {
        const int64_t size = sizes[d];
        if (size == 1) continue;
        bool one = merged > 0;
        for (std::size_t k = 0; one && k < operands; ++k)
            one = to(k, merged - 1) == stride(k, d) * size;
        if (!one && merged == most) return most + 1;
        if (!one) to_sizes[merged++] = 1;
        to_sizes[merged - 1] *= size;
        for (std::size_t k = 0; k < operands; ++k) to(k, merged - 1) = stride(k, d);
    }
    return merged;
}

/// A space that owns its sizes and strides. Every operand starts at 0.
struct strided_space {
    std::vector<int64_t> extents;
    std::vector<std::vector<int64_t>> strides;  // per operand

    std::size_t rank() const { return extents.size(); }
    std::size_t operands() const { return strides.size(); }
    int64_t size(std::size_t d) const { return extents[d]; }
    static uint64_t start(std::size_t) { return 0; }
    int64_t stride(std::size_t k, std::size_t d) const { return strides[k][d]; }

    /// Returns the space of some of the dimensions, in the given order.
    strided_space over(std::span<const std::size_t> dims) const;
    void merge();
    /// Adds a dimension of size 1 to a space that has none.
    void at_least_one();
};

/// Returns the offset of an element that is counted in row-major order.
inline int64_t offset_of(int64_t element, std::size_t rank, const int64_t* sizes,
                         const int64_t* strides) {
    int64_t offset = 0;
    for (std::size_t d = rank; d-- > 0 && element != 0; element /= sizes[d])
        offset += element % sizes[d] * strides[d];
    return offset;
}

/// Returns the offset of an element in its storage.
inline int64_t offset_of(int64_t element, const geometry& g) {
    return g.offset + offset_of(element, static_cast<std::size_t>(g.ndim), g.sizes(), g.strides());
}

/// A position in a space that moves by runs: elements along the innermost dimension. Uses the heap
/// only for more than 8 dimensions or `few` operands.
template <class Space, std::size_t few = 4>
class cursor {
public:
    explicit cursor(const Space& space, int64_t element = 0)
        : space_(space), rank_(space.rank()), index_(rank_), at_(space.operands()) {
        seek(element);
    }

    void seek(int64_t element) {
        for (std::size_t k = 0; k < operands(); ++k) at_[k] = space_.start(k);
        for (std::size_t d = rank_; d-- > 0;) {
            index_[d] = 0;
            if (element == 0) continue;
            const int64_t size = space_.size(d);
            index_[d] = element % size;
            element /= size;
            move(index_[d], d);
        }
    }

    std::size_t operands() const { return space_.operands(); }
    int64_t index(std::size_t d) const { return index_[d]; }
    /// Where operand `k` is, and where all are. Sums wrap, as those of addresses do.
    uint64_t at(std::size_t k) const { return at_[k]; }
    const uint64_t* all() const { return at_.data(); }
    int64_t offset(std::size_t k) const { return static_cast<int64_t>(at_[k]); }
    /// The distance between elements of a run.
    int64_t step(std::size_t k) const { return rank_ == 0 ? 0 : space_.stride(k, rank_ - 1); }
    /// Returns the number of elements left in the run.
    int64_t run() const { return rank_ == 0 ? 1 : space_.size(rank_ - 1) - index_[rank_ - 1]; }

    /// Moves on by at most run() elements. After the last element of the space it must not move.
    void advance(int64_t elements) {
        if (rank_ == 0) return;
        std::size_t d = rank_ - 1;
        move(elements, d);
        index_[d] += elements;
        for (; d > 0 && index_[d] == space_.size(d); --d) {
            move(-index_[d], d);
            move(1, d - 1);
            index_[d] = 0;
            ++index_[d - 1];
        }
    }

private:
    void move(int64_t elements, std::size_t d) {
        uint64_t* const at = at_.data();
        for (std::size_t k = 0, n = operands(); k < n; ++k)
            at[k] += static_cast<uint64_t>(elements) * static_cast<uint64_t>(space_.stride(k, d));
    }

    const Space& space_;
    std::size_t rank_;
    stack_array<int64_t, 8> index_;
    stack_array<uint64_t, few> at_;
};

/// Arrays of equal sizes as a space, in elements.
template <std::size_t count>
struct alike_arrays {
    const geometry* const (&shapes)[count];

    std::size_t rank() const { return static_cast<std::size_t>(shapes[0]->ndim); }
    static std::size_t operands() { return count; }
    int64_t size(std::size_t d) const { return shapes[0]->sizes()[d]; }
    uint64_t start(std::size_t k) const { return static_cast<uint64_t>(shapes[k]->offset); }
    int64_t stride(std::size_t k, std::size_t d) const { return shapes[k]->strides()[d]; }
};

/// Calls f(offset in each array...) for elements [begin, end) of arrays of equal sizes, in
/// row-major order.
template <std::size_t count, class F>
void for_each_element(const geometry* const (&shapes)[count], int64_t begin, int64_t end,
                      const F& f) {
    const alike_arrays<count> space{shapes};
    cursor<alike_arrays<count>> at(space, begin);
    [&]<std::size_t... k>(std::index_sequence<k...>) {
        const int64_t steps[] = {at.step(k)...};
        while (begin < end) {
            const int64_t n = std::min(at.run(), end - begin);
            int64_t offsets[] = {at.offset(k)...};
            for (int64_t i = 0; i < n; ++i) {
                f(offsets[k]...);
                ((offsets[k] += steps[k]), ...);
            }
            begin += n;
            at.advance(n);
        }
    }(std::make_index_sequence<count>());
}

}  // namespace sinter::runtime
