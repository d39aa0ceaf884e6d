// Splits a batch into runs in which each operand's matrices are a fixed step apart, as the
// libraries require.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sinter::gpu_linalg {

class batch_runs {
public:
    /// `strides`: one array per operand, over the dimensions of the batch. A stride of 0 repeats.
    batch_runs(std::span<const int64_t> sizes, std::vector<const int64_t*> strides);

    int64_t runs() const { return runs_; }
    int64_t count() const { return count_; }  // matrices of a run
    int64_t step(std::size_t operand) const { return steps_[operand]; }
    /// Returns the offset of a run's first matrix.
    int64_t offset(int64_t run, std::size_t operand) const;

private:
    std::vector<int64_t> sizes_;  // of the dimensions outside a run, outermost first
    std::vector<std::vector<int64_t>> strides_;
    std::vector<int64_t> steps_;
    int64_t runs_ = 1, count_ = 1;
};

}  // namespace sinter::gpu_linalg
