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
#include "runtime/strided/walk.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace sinter::index_kernels {

/// The attributes of a gather; part of those of a scatter.
struct layout {
    bool wraps = true;            // true: -1 is the last element; false: out of range
    std::vector<int64_t> placed;  // per index: the dimension of the indexed tensor
    std::vector<int64_t> walked;  // per dimension of the space: that of the indexed tensor, or -1

    bool operator==(const layout&) const = default;
};

/// Returns the error for an index that is outside a dimension, in libtorch's words: index 5 is out
/// of bounds for dimension 1 with size 5. `wraps`: -1 would be the last element.
std::string outside(const char* op, int64_t index, int64_t dim, const geometry& indexed,
                    bool wraps);
/// `from`: text at the end.
[[noreturn]] void throw_outside(const char* op, const layout& l, const geometry& indexed,
                                std::size_t which, int64_t value, const std::string& from = "");

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

    /// The dimension that an index places: its size, and the bytes from one position to the next.
    struct place {
        int64_t extent, step;
    };

    int64_t total() const { return total_; }
    const std::vector<int64_t>& sizes() const { return space_.extents; }
    char* indexed() const { return starts_[0]; }
    char* other() const { return starts_[1]; }
    const char* index(std::size_t k) const { return starts_[2 + k]; }
    const std::vector<int64_t>& indexed_strides() const { return space_.strides[0]; }
    const std::vector<int64_t>& other_strides() const { return space_.strides[1]; }
    const std::vector<int64_t>& index_strides(std::size_t k) const { return space_.strides[2 + k]; }
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
    loops part(std::size_t dim, int64_t begin, int64_t end) const;

    std::size_t indices() const { return placements_.size(); }
    int64_t inner() const { return sizes().back(); }
    int64_t indexed_step() const { return indexed_strides().back(); }
    int64_t other_step() const { return other_strides().back(); }

    // The operands of the space: the indexed tensor, the other one, the indices.
    std::size_t rank() const { return space_.rank(); }
    std::size_t operands() const { return space_.operands(); }
    int64_t size(std::size_t d) const { return space_.size(d); }
    uint64_t start(std::size_t k) const { return reinterpret_cast<uint64_t>(starts_[k]); }
    int64_t stride(std::size_t k, std::size_t d) const { return space_.stride(k, d); }

    /// One inner loop, or a part of it.
    struct row {
        char* indexed;  // without the offsets of the indices
        char* other;
        const uint64_t* index;  // the addresses of the indices
        int64_t count;
    };
    /// Calls f(row) for the inner loops, or parts of them, that cover the elements [begin, end) of
    /// the space.
    template <class F>
    void for_each_row(int64_t begin, int64_t end, const F& f) const {
        runtime::cursor<loops> at(*this, begin);
        while (begin < end) {
            const int64_t count = std::min(at.run(), end - begin);
            f(row{reinterpret_cast<char*>(at.at(0)), reinterpret_cast<char*>(at.at(1)),
                  at.all() + 2, count});
            begin += count;
            at.advance(count);
        }
    }
    /// Returns the byte offset that the indices add at element `i` of a row.
    int64_t placed(const row& r, int64_t i) const {
        int64_t bytes = 0;
        for (std::size_t k = 0; k < placements_.size(); ++k) {
            const place& p = placements_[k];
            int64_t at = 0;
            std::memcpy(&at,
                        reinterpret_cast<const char*>(r.index[k]) + i * index_strides(k).back(),
                        sizeof at);
            bytes += (at < 0 ? at + p.extent : at) * p.step;
        }
        return bytes;
    }
    /// Calls f(i, bytes) for the elements of a row, with what the indices add to the offset. `Item`
    /// is the size of an element.
    template <int64_t Item, class F>
    void each_place(const row& r, const F& f) const {
        if (placements_.size() != 1) {
            for (int64_t i = 0; i < r.count; ++i) f(i, placed(r, i));
            return;
        }
        // Copies: as far as the compiler knows, what `f` writes may be members of the loops.
        const place p = placements_[0];
        const auto* index = reinterpret_cast<const char*>(r.index[0]);
        const int64_t step = index_strides(0).back();
        const auto each = [&, n = r.count](auto index_step, auto bytes, auto extent) {
            for (int64_t i = 0; i < n; ++i) {
                int64_t at = 0;
                std::memcpy(&at, index + i * index_step, sizeof at);
                if constexpr (!std::is_same_v<decltype(extent), none>) at += at < 0 ? extent : 0;
                f(i, at * bytes);
            }
        };
        constexpr std::integral_constant<int64_t, sizeof(int64_t)> dense;
        constexpr std::integral_constant<int64_t, Item> item;  // shifts instead of products
        if (p.step != Item || step != sizeof(int64_t))
            each(step, p.step, p.extent);
        else if (wraps_)
            each(dense, item, p.extent);
        else
            each(dense, item, none());
    }
    /// Returns true if every index is constant along a row.
    bool rows_together() const;

private:
    struct none {};
    int64_t total_ = 1;
    bool wraps_;                    // indices may be negative
    runtime::strided_space space_;  // in bytes
    std::vector<char*> starts_;     // per operand
    std::vector<place> placements_;
};

}  // namespace sinter::index_kernels
