// The rows of strided arrays along one dimension (row_walk.hpp) as written kernels see them.
#pragma once

#include "kernels/gpu/written.hpp"
#include "kernels/kernel_op.hpp"

#include <array>
#include <vector>

namespace sinter::rows {

/// `struct row_space`, and `find_row(space, row, at)`: the bytes from the beginning of each of
/// OPERANDS arrays to a row.
extern const char* const row_space_text;

/// Several arrays of equal sizes but in one dimension.
class gpu_rows {
public:
    struct array {
        const geometry* shape;
        ScalarType dtype;
    };
    /// Of a tensor without dimensions there is one row of one element.
    gpu_rows(std::initializer_list<array> arrays, int64_t dim);

    /// Whether a kernel can have its dimensions.
    bool fit() const { return sizes_.size() <= most; }
    int64_t rows() const { return rows_; }
    int64_t length(std::size_t array) const { return arrays_[array].length; }
    /// Bytes from the array's beginning to the first row, between elements, between rows.
    int64_t first(std::size_t array) const { return arrays_[array].first; }
    int64_t step(std::size_t array) const { return arrays_[array].step; }
    int64_t next(std::size_t array) const { return arrays_[array].strides.back(); }
    /// Whether neighbours in memory are of neighbouring rows.
    bool across(std::size_t array) const;

    gpu_kernels::meanings meanings() const;
    /// Fills `struct row_space`.
    gpu_kernels::arguments arguments() const;

private:
    static constexpr std::size_t most = 16;
    struct walked {
        int64_t length, first, step;
        std::vector<int64_t> strides;
    };

    void join();

    int64_t rows_ = 1;
    std::vector<int64_t> sizes_;  // of the dimensions that the rows are counted by; one at least
    std::vector<walked> arrays_;
};

}  // namespace sinter::rows
