#include "kernels/gpu_linalg/batch_runs.hpp"

#include "runtime/strided/walk.hpp"

#include <limits>

namespace sinter::gpu_linalg {

batch_runs::batch_runs(std::span<const int64_t> sizes, std::vector<const int64_t*> strides)
    : strides_(strides.size()), steps_(strides.size(), 0) {
    std::size_t d = sizes.size();
    for (; d-- > 0;) {
        if (sizes[d] == 1) continue;
        bool joins = count_ <= std::numeric_limits<int>::max() / sizes[d];
        for (std::size_t o = 0; o < strides.size(); ++o)
            joins = joins && (count_ == 1 || strides[o][d] == count_ * steps_[o]);
        if (!joins) break;
        if (count_ == 1)
            for (std::size_t o = 0; o < strides.size(); ++o) steps_[o] = strides[o][d];
        count_ *= sizes[d];
    }
    for (std::size_t outer = 0; outer < d + 1; ++outer) {
        sizes_.push_back(sizes[outer]);
        runs_ *= sizes[outer];
        for (std::size_t o = 0; o < strides.size(); ++o) strides_[o].push_back(strides[o][outer]);
    }
}

int64_t batch_runs::offset(int64_t run, std::size_t operand) const {
    return runtime::offset_of(run, sizes_.size(), sizes_.data(), strides_[operand].data());
}

}  // namespace sinter::gpu_linalg
