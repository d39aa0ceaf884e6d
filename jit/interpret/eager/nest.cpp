#include "jit/interpret/eager/nest.hpp"

#include <sinter/error.hpp>

#include <string>

namespace sinter::eager {

namespace {

int64_t magnitude(int64_t stride) { return stride < 0 ? -stride : stride; }

}  // namespace

nest::nest(std::span<const int64_t> shape, std::span<const operand* const> of)
    : operands(static_cast<int>(of.size())) {
    if (shape.size() > max_dims) {
        throw NotImplementedError("[eager] too many dimensions; got " +
                                  std::to_string(shape.size()) + ", expected at most " +
                                  std::to_string(max_dims) + "; try reshape");
    }
    for (int k = 0; k < operands; ++k) data[k] = of[static_cast<std::size_t>(k)]->data;

    // Insertion sort by stride, innermost first. The first operand with two different non-zero
    // strides decides. Ties keep the logical order.
    for (std::size_t d = shape.size(); d-- > 0;) {
        total *= shape[d];
        if (shape[d] == 1) continue;
        const auto smaller_than = [&](int at) {
            for (int k = 0; k < operands; ++k) {
                const int64_t a = magnitude(of[static_cast<std::size_t>(k)]->strides[d]);
                const int64_t b = magnitude(stride[k][at]);
                if (a != b && a != 0 && b != 0) return a < b;
            }
            return false;
        };
        int at = rank;
        while (at > 0 && smaller_than(at - 1)) --at;
        for (int i = rank; i > at; --i) {
            size[i] = size[i - 1];
            for (int k = 0; k < operands; ++k) stride[k][i] = stride[k][i - 1];
        }
        size[at] = shape[d];
        for (int k = 0; k < operands; ++k) {
            stride[k][at] = of[static_cast<std::size_t>(k)]->strides[d];
        }
        ++rank;
    }

    int kept = 0;
    for (int d = 1; d < rank; ++d) {
        bool together = true;
        for (int k = 0; k < operands; ++k) {
            together = together && stride[k][d] == stride[k][kept] * size[kept];
        }
        if (together) {
            size[kept] *= size[d];
            continue;
        }
        ++kept;
        size[kept] = size[d];
        for (int k = 0; k < operands; ++k) stride[k][kept] = stride[k][d];
    }
    rank = rank == 0 ? 0 : kept + 1;
    if (rank == 0) {
        rank = 1;
        size[0] = total;
        for (int k = 0; k < operands; ++k) stride[k][0] = 0;
    }
}

namespace {

/// Moves the address as an integer: an index operand counts in its pointer, starting at null.
void shift(char*& pointer, int64_t bytes) {
    pointer = reinterpret_cast<char*>(reinterpret_cast<uintptr_t>(pointer) +
                                      static_cast<uintptr_t>(bytes));
}

}  // namespace

walk::walk(const nest& n, int64_t element) : nest_(n) {
    for (int k = 0; k < n.operands; ++k) pointer_[k] = n.data[k];
    for (int d = 0; d < n.rank; ++d) {
        at_[d] = element % n.size[d];
        element /= n.size[d];
        for (int k = 0; k < n.operands; ++k) shift(pointer_[k], at_[d] * n.stride[k][d]);
    }
}

void walk::advance(int64_t n) {
    at_[0] += n;
    for (int k = 0; k < nest_.operands; ++k) shift(pointer_[k], n * nest_.stride[k][0]);
    for (int d = 0; at_[d] == nest_.size[d] && d + 1 < nest_.rank; ++d) {
        for (int k = 0; k < nest_.operands; ++k) {
            shift(pointer_[k], nest_.stride[k][d + 1] - nest_.size[d] * nest_.stride[k][d]);
        }
        at_[d] = 0;
        ++at_[d + 1];
    }
}

}  // namespace sinter::eager
