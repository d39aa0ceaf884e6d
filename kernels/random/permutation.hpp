// Random permutations.
#pragma once

#include "kernels/kernel_op.hpp"
#include "runtime/types/element.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace sinter::random_kernels {

/// Swaps each element with one behind it. Draws for several elements ahead and fetches the elements
/// that they meet, which are anywhere in memory.
template <class Number, class Words>
void shuffle(Number* r, int64_t n, Words& word) {
    constexpr int64_t ahead = 64;
    int64_t with[ahead];
    for (int64_t i = 0; i < n; ++i) r[i] = static_cast<Number>(i);
    for (int64_t first = 0; first < n - 1; first += ahead) {
        const int64_t count = std::min(ahead, n - 1 - first);
        for (int64_t j = 0; j < count; ++j) {
            const auto left = static_cast<uint64_t>(n - first - j);
            with[j] = first + j + static_cast<int64_t>(word() % left);
            __builtin_prefetch(r + with[j], 1);
        }
        for (int64_t j = 0; j < count; ++j) std::swap(r[first + j], r[with[j]]);
    }
}

/// Writes the numbers below `n` to dense memory, permuted by random words.
template <class Words>
void permute(char* out, int64_t n, ScalarType dtype, Words&& word) {
    if (dtype == kLong) return shuffle(reinterpret_cast<int64_t*>(out), n, word);
    if (dtype == kInt) return shuffle(reinterpret_cast<int32_t*>(out), n, word);
    std::vector<int64_t> r(static_cast<std::size_t>(n));
    shuffle(r.data(), n, word);
    const auto size = static_cast<int64_t>(elementSize(dtype));
    for (int64_t i = 0; i < n; ++i)
        runtime::store(out + i * size, dtype, r[static_cast<std::size_t>(i)]);
}

/// inputs: 64 random bits for each element (Long, contiguous). The result is contiguous, of a dtype
/// that holds every number.
extern const kernel_op permutation_op;

/// The `on_gpu` of permutation_op. Waits for nothing.
bool permutation_on_gpu(const op_call& c, runtime::gpu_stream& s);

}  // namespace sinter::random_kernels
