// The list of GPU cases, and what runs one.
#pragma once

#include "bench/bench.hpp"
#include "bench/gpu/by_hand.hpp"

#include <sinter/sinter.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace bench {

using sinter::ScalarType;

/// Launches the work `k` times and waits once.
template <class F>
rival on_device(std::string impl, std::string note, F once) {
    return {std::move(impl), std::move(note), [once = std::move(once)](int64_t k) mutable {
                for (int64_t i = 0; i < k; ++i) once();
                wait_for_device();
            }};
}

struct gpu_case {
    const char* name;
    int arrays;  // of n elements that the algorithm must move
    /// Returns a function that does one run, for a size and a dtype.
    std::function<std::function<void()>(int64_t n, ScalarType dtype)> set_up;
    /// Adds more rivals, which take turns with that run.
    std::function<void(std::vector<rival>&, const std::function<void()>& once, int64_t n)> beside =
        {};
    bool halves = true;                                  // false: of 32-bit elements alone
    int64_t most = std::numeric_limits<int64_t>::max();  // elements
};

/// Returns random elements on the default device.
sinter::Tensor operand(int64_t n, ScalarType dtype);

const std::vector<gpu_case>& gpu_cases();

/// The sum of all elements.
gpu_case summed(const char* name);
/// Adds the library with one kernel per operation.
void add_eager(std::vector<rival>& rivals, const std::function<void()>& once, int64_t n);

}  // namespace bench
