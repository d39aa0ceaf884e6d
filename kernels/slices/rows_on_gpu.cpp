#include "kernels/slices/rows_on_gpu.hpp"

#include <cstdlib>

namespace sinter::rows {

gpu_rows::gpu_rows(std::initializer_list<array> arrays, int64_t dim) {
    const geometry& shape = *arrays.begin()->shape;
    for (int d = 0; d < shape.ndim; ++d) {
        if (d == dim) continue;
        rows_ *= shape.sizes()[d];
        space_.extents.push_back(shape.sizes()[d]);
    }
    for (const array& a : arrays) {
        const geometry& g = *a.shape;
        const auto bytes = static_cast<int64_t>(elementSize(a.dtype));
        arrays_.push_back(
            {g.ndim ? g.sizes()[dim] : 1, g.offset * bytes, g.ndim ? g.strides()[dim] * bytes : 0});
        std::vector<int64_t>& strides = space_.strides.emplace_back();
        for (int d = 0; d < g.ndim; ++d)
            if (d != dim) strides.push_back(g.strides()[d] * bytes);
    }
    space_.merge();
    space_.at_least_one();
}

bool gpu_rows::across(std::size_t array) const {
    return rows_ > 1 && std::abs(next(array)) < std::abs(step(array));
}

}  // namespace sinter::rows
