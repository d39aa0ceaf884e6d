// The rows of strided arrays along one dimension, for scans and sorts. One thread computes a whole
// row, so results do not depend on the number of threads.
#pragma once

#include "kernels/kernel_op.hpp"
#include "runtime/base/fp_environment.hpp"
#include "runtime/strided/walk.hpp"
#include "runtime/threads/threads.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace sinter::rows {

inline constexpr int max_operands = 4;

/// `count` neighbouring rows. `first` is the offset of the first row in each operand; the others
/// follow at distance row_walk::next.
struct line {
    std::array<int64_t, max_operands> first;
    int64_t count;
};

/// Walks several arrays whose sizes are equal except along one dimension. Offsets and strides are
/// in elements.
class row_walk {
public:
    /// A tensor without dimensions is one row of one element. Refers to the operands.
    row_walk(std::initializer_list<const geometry*> operands, int64_t dim);

    int64_t rows() const { return rows_; }
    /// The number of elements in a row, and the distance between two of them.
    int64_t length(int operand) const { return length_[at(operand)]; }
    int64_t step(int operand) const { return step_[at(operand)]; }
    /// The distance between neighbouring rows of a line.
    int64_t next(int operand) const { return next_[at(operand)]; }

    /// Calls f(line) until the lines have covered every row, on several threads if that pays.
    /// `work` is the cost of one row, in nanoseconds or so.
    template <class F>
    void for_each_line(int64_t work, const F& f) const {
        runtime::parallel_for(0, rows_, grain_of(work), [&](int64_t begin, int64_t end) {
            const runtime::fp_environment environment;
            for_lines(begin, end, f);
        });
    }
    /// Calls f(offsets, memory) for every row. Each thread has its own `Memory`.
    template <class Memory, class F>
    void for_each_row(int64_t work, const F& f) const {
        runtime::parallel_for(0, rows_, grain_of(work), [&](int64_t begin, int64_t end) {
            const runtime::fp_environment environment;
            Memory memory;
            for_lines(begin, end, [&](line l) {
                for (; l.count > 0; --l.count) {
                    f(l.first, memory);
                    for (std::size_t o = 0; o < operands_; ++o) l.first[o] += next_[o];
                }
            });
        });
    }

    // The space of the rows: every dimension but one.
    std::size_t rank() const { return static_cast<std::size_t>(std::max(shapes_[0]->ndim, 1)) - 1; }
    std::size_t operands() const { return operands_; }
    int64_t size(std::size_t d) const { return shapes_[0]->sizes()[whole(d)]; }
    uint64_t start(std::size_t o) const { return static_cast<uint64_t>(shapes_[o]->offset); }
    int64_t stride(std::size_t o, std::size_t d) const { return shapes_[o]->strides()[whole(d)]; }

private:
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    static int64_t grain_of(int64_t work) {
        return std::max<int64_t>(1, 50000 / std::max<int64_t>(1, work));
    }
    /// Calls f(line) for lines that cover rows [begin, end).
    template <class F>
    void for_lines(int64_t begin, int64_t end, const F& f) const {
        runtime::cursor<row_walk> at(*this, begin);
        while (begin < end) {
            line l{{}, std::min(at.run(), end - begin)};
            for (std::size_t o = 0; o < operands_; ++o) l.first[o] = at.offset(o);
            f(l);
            begin += l.count;
            at.advance(l.count);
        }
    }
    /// Returns the number, among all dimensions, of dimension `d` of the space.
    std::size_t whole(std::size_t d) const { return d + (d >= dim_); }

    std::size_t operands_ = 0, dim_;
    int64_t rows_ = 1;
    std::array<const geometry*, max_operands> shapes_{};
    std::array<int64_t, max_operands> length_{}, step_{}, next_{};
};

}  // namespace sinter::rows
