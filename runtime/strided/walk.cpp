#include "runtime/strided/walk.hpp"

namespace sinter::runtime {

strided_space strided_space::over(std::span<const std::size_t> dims) const {
    strided_space s;
    s.strides.resize(operands());
    for (std::size_t d : dims) {
        s.extents.push_back(extents[d]);
        for (std::size_t k = 0; k < operands(); ++k) s.strides[k].push_back(strides[k][d]);
    }
    return s;
}

void strided_space::merge() {
    const auto at = [this](std::size_t k, std::size_t d) -> int64_t& { return strides[k][d]; };
    extents.resize(merge_dims(rank(), extents.data(), operands(), at, extents.data(), at));
    for (auto& s : strides) s.resize(rank());
}

void strided_space::at_least_one() {
    if (!extents.empty()) return;
    extents.push_back(1);
    for (auto& s : strides) s.push_back(0);
}

}  // namespace sinter::runtime
