// The space of an operation on indices: the dimensions that it iterates over, row-major, along
// which one tensor, the indexed one, is walked in some of its dimensions and placed by indices in
// others.
//
//   gather   result[i] = indexed[walked(i), placed(indices[i])]
//   scatter  indexed[walked(i), placed(indices[i])] = values[i]
//
// Every function of PyTorch that moves elements through an index is one of the two over some space.
#pragma once

#include "kernels/kernel_op.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace sinter::index_kernels {

/// The attributes of a gather; part of those of a scatter.
struct layout {
    bool wraps = true;            // -1 is the last element; otherwise out of range
    std::vector<int64_t> placed;  // per index: the dimension of the indexed tensor
    std::vector<int64_t> walked;  // per dimension of the space: that of the indexed tensor, or -1

    bool operator==(const layout&) const = default;
};

/// Throws that: `value` of the index `which` is out of range.
/// As libtorch says it: index 5 is out of bounds for dimension 1 with size 5.
std::string outside(int64_t index, int64_t dim, int64_t size);
[[noreturn]] void throw_outside(const char* op, const layout& l, const geometry& indexed,
                                std::size_t which, int64_t value);

/// The elements of an index as they lie, each once: dimensions that repeat are left out. Row-major.
struct index_elements {
    const char* data;
    std::vector<int64_t> sizes, strides;  // bytes
    int64_t total = 1;

    explicit index_elements(const op_input& in);
    const char* address(int64_t element) const;
    int64_t at(int64_t element) const;
    bool dense() const;
};

/// Throws for the first index that lies outside its dimension of `indexed`: an IndexError, but
/// where the index has the sizes of the space, as in PyTorch, an Error.
void check_range(const op_call& c, const layout& l, const geometry& indexed,
                 std::span<const op_input> indices);

/// The loops: neighbouring dimensions that all operands see as one are joined; the last one is the
/// inner loop. Order is row-major whatever the strides are, because later elements overwrite.
class loops {
public:
    /// `other` is the result of a gather or the values of a scatter, over the space. Data pointers
    /// are those of storages.
    loops(const layout& l, char* indexed, const geometry& of, char* other, const geometry& space,
          ScalarType type, std::span<const op_input> indices);

    /// An index: where it lies, and what it adds.
    struct place {
        const char* index;
        std::vector<int64_t> strides;  // bytes
        int64_t extent, step;
    };

    int64_t total() const { return total_; }
    const std::vector<int64_t>& sizes() const { return sizes_; }
    char* indexed() const { return indexed_; }
    char* other() const { return other_; }
    const std::vector<int64_t>& indexed_strides() const { return indexed_strides_; }
    const std::vector<int64_t>& other_strides() const { return other_strides_; }
    const std::vector<place>& places() const { return placements_; }
    /// The same loops over some of the dimensions, at the beginning of the others.
    loops over(std::span<const std::size_t> dims) const;
    /// The same loops over elements `times` as large, where rows of `bytes` large ones allow it.
    bool widen(int64_t bytes, int64_t times);
    /// Points that two threads can work on without meeting at one element of the indexed tensor
    /// have different positions along this dimension; -1 if there is no such dimension.
    int apart() const;
    /// The same loops over a part of one dimension.
    loops part(int dim, int64_t begin, int64_t end) const;
    int64_t size(int dim) const { return sizes_[static_cast<std::size_t>(dim)]; }

    std::size_t indices() const { return placements_.size(); }
    int64_t inner() const { return sizes_.back(); }
    int64_t indexed_step() const { return indexed_strides_.back(); }
    int64_t other_step() const { return other_strides_.back(); }

    /// One inner loop: where it begins.
    struct row {
        char* indexed;  // without what indices add
        char* other;
        std::vector<const char*> index;
        int64_t begin;  // in the inner loop
        int64_t count;
    };
    /// Calls f(row) for the inner loops, or parts of them, between two elements of the space.
    template <class F>
    void for_each_row(int64_t begin, int64_t end, const F& f) const {
        row r{indexed_, other_, {}, 0, 0};
        for (const place& p : placements_) r.index.push_back(p.index);
        std::vector<int64_t> at(sizes_.size(), 0);
        seek(begin, at, r);
        while (begin < end) {
            r.begin = at.back();
            r.count = std::min(inner() - r.begin, end - begin);
            f(static_cast<const row&>(r));
            begin += r.count;
            step(r.count, at, r);
        }
    }
    /// Bytes that the indices add at element `i` of a row.
    int64_t placed(const row& r, int64_t i) const {
        int64_t bytes = 0;
        for (std::size_t k = 0; k < placements_.size(); ++k) {
            const place& p = placements_[k];
            int64_t at = 0;
            std::memcpy(&at, r.index[k] + i * p.strides.back(), sizeof at);
            bytes += (at < 0 ? at + p.extent : at) * p.step;
        }
        return bytes;
    }
    /// Whether the indices are the same all along a row.
    bool rows_together() const;

private:
    void seek(int64_t element, std::vector<int64_t>& at, row& r) const;
    void step(int64_t count, std::vector<int64_t>& at, row& r) const;
    void move(row& r, std::size_t dim, int64_t by) const;
    void join_dimensions();

    char* indexed_;
    char* other_;
    int64_t total_ = 1;
    std::vector<int64_t> sizes_, indexed_strides_, other_strides_;
    std::vector<place> placements_;
};

}  // namespace sinter::index_kernels
