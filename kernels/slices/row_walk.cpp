#include "kernels/slices/row_walk.hpp"

namespace sinter::rows {

row_walk::row_walk(std::initializer_list<const geometry*> operands, int64_t dim)
    : dim_(static_cast<std::size_t>(dim)) {
    for (const geometry* g : operands) {
        const std::size_t o = operands_++;
        shapes_[o] = g;
        length_[o] = g->ndim ? g->sizes()[dim] : 1;
        step_[o] = g->ndim ? g->strides()[dim] : 1;
        next_[o] = rank() > 0 ? stride(o, rank() - 1) : 0;
    }
    for (std::size_t d = 0; d < rank(); ++d) rows_ *= size(d);
}

}  // namespace sinter::rows
