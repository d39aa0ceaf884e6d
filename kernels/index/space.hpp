// The space of an indexing operation: the dimensions that it iterates over, in row-major order.
// Some dimensions of the indexed tensor are walked along the space; in the others, indices give the
// position ("placed").
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
    bool wraps = true;            // true: -1 is the last element; false: out of range
    std::vector<int64_t> placed;  // per index: the dimension of the indexed tensor
    std::vector<int64_t> walked;  // per dimension of the space: that of the indexed tensor, or -1

    bool operator==(const layout&) const = default;
};

/// Returns the message in libtorch's words: index 5 is out of bounds for dimension 1 with size 5.
std::string outside(int64_t index, int64_t dim, int64_t size);
[[noreturn]] void throw_outside(const char* op, const layout& l, const geometry& indexed,
                                std::size_t which, int64_t value);

/// The elements of an index in memory, each once (broadcast dimensions are left out), in row-major
/// order.
struct index_elements {
    const char* data;
    std::vector<int64_t> sizes, strides;  // in bytes
    int64_t total = 1;

    explicit index_elements(const op_input& in);
    const char* address(int64_t element) const;
    int64_t at(int64_t element) const;
    bool dense() const;
};

/// Throws for the first index that is outside its dimension of `indexed`. The error is an
/// IndexError, or, as in PyTorch, an Error if the index has the sizes of the space.
void check_range(const op_call& c, const layout& l, const geometry& indexed,
                 std::span<const op_input> indices);

/// The loops over a space. Neighbouring dimensions that are contiguous in all operands are merged;
/// the last one is the inner loop. The order is row-major for all strides, because later elements
/// overwrite.
class loops {
public:
    /// `other` is the result of a gather or the values of a scatter, over the space. Data pointers
    /// point to the start of storages.
    loops(const layout& l, char* indexed, const geometry& of, char* other, const geometry& space,
          ScalarType type, std::span<const op_input> indices);

    /// An index: its memory, and the byte offset that its value adds.
    struct place {
        const char* index;
        std::vector<int64_t> strides;  // in bytes
        int64_t extent, step;
    };

    int64_t total() const { return total_; }
    const std::vector<int64_t>& sizes() const { return sizes_; }
    char* indexed() const { return indexed_; }
    char* other() const { return other_; }
    const std::vector<int64_t>& indexed_strides() const { return indexed_strides_; }
    const std::vector<int64_t>& other_strides() const { return other_strides_; }
    const std::vector<place>& places() const { return placements_; }
    /// Returns the loops over these dimensions only, at position 0 of the others.
    loops over(std::span<const std::size_t> dims) const;
    /// Makes elements `times` as large (of `bytes` bytes before). Returns false, with nothing
    /// changed, if alignment or sizes of the rows do not allow it.
    bool widen(int64_t bytes, int64_t times);
    /// Returns a dimension to split among threads: points at different positions along it never
    /// touch the same element of the indexed tensor. Returns -1 if there is none.
    int apart() const;
    /// Returns the loops over a part of one dimension.
    loops part(int dim, int64_t begin, int64_t end) const;
    int64_t size(int dim) const { return sizes_[static_cast<std::size_t>(dim)]; }

    std::size_t indices() const { return placements_.size(); }
    int64_t inner() const { return sizes_.back(); }
    int64_t indexed_step() const { return indexed_strides_.back(); }
    int64_t other_step() const { return other_strides_.back(); }

    /// One inner loop, or a part of it.
    struct row {
        char* indexed;  // without the offsets of the indices
        char* other;
        std::vector<const char*> index;
        int64_t begin;  // position in the inner loop
        int64_t count;
    };
    /// Calls f(row) for the inner loops, or parts of them, that cover the elements [begin, end) of
    /// the space.
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
    /// Returns the byte offset that the indices add at element `i` of a row.
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
    /// Returns true if every index is constant along a row.
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
