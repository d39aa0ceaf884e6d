// The rows of strided arrays along one dimension, for scans and sorts. One thread computes a whole
// row, so results do not depend on the number of threads.
#pragma once

#include "kernels/kernel_op.hpp"
#include "runtime/base/fp_environment.hpp"
#include "runtime/threads/threads.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

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
    /// A tensor without dimensions is one row of one element.
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
            while (begin < end) {
                const line l = line_at(begin, end);
                f(l);
                begin += l.count;
            }
        });
    }
    /// Calls f(offsets, memory) for every row. Each thread has its own `Memory`.
    template <class Memory, class F>
    void for_each_row(int64_t work, const F& f) const {
        runtime::parallel_for(0, rows_, grain_of(work), [&](int64_t begin, int64_t end) {
            const runtime::fp_environment environment;
            Memory memory;
            while (begin < end) {
                line l = line_at(begin, end);
                begin += l.count;
                for (; l.count > 0; --l.count) {
                    f(l.first, memory);
                    for (int o = 0; o < operands_; ++o) l.first[at(o)] += next(o);
                }
            }
        });
    }

private:
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    static int64_t grain_of(int64_t work) {
        return std::max<int64_t>(1, 50000 / std::max<int64_t>(1, work));
    }
    line line_at(int64_t row, int64_t end) const;

    int operands_ = 0;
    int64_t rows_ = 1, inner_ = 1;
    std::array<int64_t, max_operands> first_{}, length_{}, step_{}, next_{};
    std::vector<int64_t> sizes_;  // of the other dimensions, without the innermost of them
    std::array<std::vector<int64_t>, max_operands> strides_;
};

}  // namespace sinter::rows
