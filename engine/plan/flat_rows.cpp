#include "engine/plan/flat_rows.hpp"

#include "engine/plan/layout.hpp"

#include <algorithm>

namespace sinter::plan {

flat_rows::flat_rows(std::span<const int64_t> extents, double cost)
    : extents_(extents), cost_(cost) {
    constexpr int64_t fewest_rows = 16, fewest_elements = 256;
    const std::size_t rank = extents.size();
    // In primitives: pays for the set-up.
    const double least_work = rank >= 1 && extents[rank - 1] < few_elements ? 512 : 4096;
    possible_ = rank >= 2 && extents[rank - 1] > 1 && extents[rank - 1] <= longest &&
                extents[rank - 2] >= fewest_rows &&
                extents[rank - 1] * extents[rank - 2] >= fewest_elements;
    if (!possible_) return;
    double elements = 1;
    for (int64_t n : extents) elements *= static_cast<double>(n);
    possible_ = elements * (cost + 1) >= least_work;
}

bool flat_rows::is_spread(std::span<const int64_t> extents, std::span<const int64_t> strides) {
    const std::size_t rank = extents.size();
    return strides[rank - 2] != strides[rank - 1] * extents[rank - 1];
}

void flat_rows::add(std::span<const int64_t> strides, bool memory, bool output, bool wide) {
    wide_ = wide_ || wide;
    if (!possible_ || !is_spread(extents_, strides)) return;
    constexpr int64_t often = 8192;  // elements from which a repeated row amortises its copy
    const std::size_t rank = extents_.size();
    const int64_t along = strides[rank - 1];
    const bool repeats = strides[rank - 2] == 0;
    possible_ = memory && !output && (repeats || along == 0 || along == 1);
    const bool once = repeats && (extents_[rank - 2] * extents_[rank - 1] >= often ||
                                  std::all_of(strides.begin(), strides.end() - 1,
                                              [](int64_t s) { return s == 0; }));
    (once ? repeated_ : copied_) += 1;
}

bool flat_rows::pays() const {
    if (!possible_ || repeated_ + copied_ == 0) return false;
    const int64_t n0 = extents_.back();
    if (n0 < few_elements) return true;
    // The overhead per row, and the waste of partly empty vectors, grow with the cost of the
    // formula. Saving them pays for copying an operand, but little is saved if no vector is partly
    // empty. (Fitted to a + b, (a * b + b) * a - b, exp(-a) * b and tanh(a * b) + b of 20,000
    // floats on a Zen 5 with AVX-512.)
    const int64_t vectors = wide_ ? 2 * n0 : n0;
    const auto length = static_cast<double>(vectors % 32 == 0 ? 5 * vectors : vectors);
    const double cost = wide_ ? cost_ / 2 : cost_;
    return length <= 24 + 4 * cost && copied_ * price(length) <= cost;
}

}  // namespace sinter::plan
