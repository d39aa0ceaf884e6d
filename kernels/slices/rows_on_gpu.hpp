// The rows of strided arrays along one dimension (row_walk.hpp), for hand-written GPU kernels.
#pragma once

#include "kernels/gpu/kernel_source.hpp"
#include "kernels/kernel_op.hpp"
#include "kernels/slices/rows.cuh"
#include "runtime/strided/walk.hpp"

#include <algorithm>
#include <vector>

namespace sinter::rows {

/// Several arrays whose sizes are equal except along one dimension.
class gpu_rows {
public:
    struct array {
        const geometry* shape;
        ScalarType dtype;
    };
    /// A tensor without dimensions is one row of one element.
    gpu_rows(std::initializer_list<array> arrays, int64_t dim);

    /// Returns true if a kernel can take this many dimensions.
    bool fit() const { return space_.rank() <= most; }
    int64_t rows() const { return rows_; }
    int64_t length(std::size_t array) const { return arrays_[array].length; }
    /// Byte distances: from the start of the array to the first row, between elements, between
    /// rows.
    int64_t first(std::size_t array) const { return arrays_[array].first; }
    int64_t step(std::size_t array) const { return arrays_[array].step; }
    int64_t next(std::size_t array) const { return space_.strides[array].back(); }
    /// Returns true if elements that are close in memory belong to neighbouring rows.
    bool across(std::size_t array) const;

    /// Returns the rows as an argument of a kernel over `arrays` arrays.
    template <int arrays>
    on_gpu::row_space<arrays> space() const {
        on_gpu::row_space<arrays> k{};
        k.dims = static_cast<int64_t>(space_.rank());
        std::ranges::copy(space_.extents, k.sizes);
        for (std::size_t a = 0; a < arrays; ++a) std::ranges::copy(space_.strides[a], k.strides[a]);
        return k;
    }

private:
    static constexpr std::size_t most = 16;
    struct walked {
        int64_t length, first, step;
    };

    int64_t rows_ = 1;
    runtime::strided_space space_;  // the dimensions that count the rows; at least one
    std::vector<walked> arrays_;
};

}  // namespace sinter::rows
