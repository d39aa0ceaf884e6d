#include "kernels/slices/rows_on_gpu.hpp"

#include <cstdlib>

namespace sinter::rows {

gpu_rows::gpu_rows(std::initializer_list<array> arrays, int64_t dim) {
    const geometry& shape = *arrays.begin()->shape;
    for (int d = 0; d < shape.ndim; ++d)
        if (d != dim) {
            rows_ *= shape.sizes()[d];
            if (shape.sizes()[d] != 1) sizes_.push_back(shape.sizes()[d]);
        }
    for (const array& a : arrays) {
        const geometry& g = *a.shape;
        const auto bytes = static_cast<int64_t>(elementSize(a.dtype));
        walked& w = arrays_.emplace_back();
        w.first = g.offset * bytes;
        w.length = g.ndim ? g.sizes()[dim] : 1;
        w.step = g.ndim ? g.strides()[dim] * bytes : 0;
        for (int d = 0; d < g.ndim; ++d)
            if (d != dim && g.sizes()[d] != 1) w.strides.push_back(g.strides()[d] * bytes);
    }
    join();
    if (!sizes_.empty()) return;
    sizes_.push_back(1);
    for (walked& w : arrays_) w.strides.push_back(0);
}

/// Merges neighbouring dimensions that are contiguous with each other in every array.
void gpu_rows::join() {
    for (std::size_t d = sizes_.size(); d-- > 1;) {
        bool one = true;
        for (const walked& w : arrays_) one = one && w.strides[d - 1] == w.strides[d] * sizes_[d];
        if (!one) continue;
        sizes_[d - 1] *= sizes_[d];
        sizes_.erase(sizes_.begin() + static_cast<std::ptrdiff_t>(d));
        for (walked& w : arrays_)
            w.strides.erase(w.strides.begin() + static_cast<std::ptrdiff_t>(d - 1));
    }
}

bool gpu_rows::across(std::size_t array) const {
    return rows_ > 1 && std::abs(next(array)) < std::abs(step(array));
}

}  // namespace sinter::rows
