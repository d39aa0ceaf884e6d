// The time of a short call.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>

namespace bench {

/// Returns the nanoseconds of a call: the best of several batches.
inline double best_of(int batches, int calls, const std::function<void()>& f) {
    using clock = std::chrono::steady_clock;
    double best = 1e300;
    for (int b = 0; b < batches; ++b) {
        const auto start = clock::now();
        for (int i = 0; i < calls; ++i) f();
        const std::chrono::duration<double, std::nano> t = clock::now() - start;
        best = std::min(best, t.count() / calls);
    }
    return best;
}

}  // namespace bench
