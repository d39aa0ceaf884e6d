#include "kernels/slices/row_walk.hpp"

namespace sinter::rows {

row_walk::row_walk(std::initializer_list<const geometry*> operands, int64_t dim) {
    const geometry& shape = **operands.begin();
    int inner = -1;
    for (int d = 0; d < shape.ndim; ++d) {
        if (d == dim) continue;
        rows_ *= shape.sizes()[d];
        inner = d;
    }
    for (int d = 0; d < inner; ++d)
        if (d != dim) sizes_.push_back(shape.sizes()[d]);
    if (inner >= 0) inner_ = shape.sizes()[inner];
    for (const geometry* g : operands) {
        const std::size_t o = at(operands_++);
        first_[o] = g->offset;
        length_[o] = g->ndim ? g->sizes()[dim] : 1;
        step_[o] = g->ndim ? g->strides()[dim] : 1;
        next_[o] = inner >= 0 ? g->strides()[inner] : 0;
        for (int d = 0; d < inner; ++d)
            if (d != dim) strides_[o].push_back(g->strides()[d]);
    }
}

line row_walk::line_at(int64_t row, int64_t end) const {
    const int64_t inside = row % inner_;
    line l{first_, std::min(inner_ - inside, end - row)};
    for (int o = 0; o < operands_; ++o) l.first[at(o)] += inside * next(o);
    int64_t outer = row / inner_;
    for (std::size_t d = sizes_.size(); d-- > 0; outer /= sizes_[d])
        for (int o = 0; o < operands_; ++o)
            l.first[at(o)] += outer % sizes_[d] * strides_[at(o)][d];
    return l;
}

}  // namespace sinter::rows
