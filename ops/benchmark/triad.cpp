// What the memory of the machine can do, for comparison: the triad of the STREAM benchmark, as the
// library runs it, which takes the better of plain and streaming stores.
#include "ops/benchmark/timer_state.hpp"

#include <sinter/functions/functions.hpp>

#include <algorithm>

namespace sinter::inline v1::benchmark {

double measure_triad(int64_t bytes, int num_threads) {
    constexpr int64_t bytes_of_place = 3 * sizeof(float);
    constexpr double seconds = 0.05;
    const int64_t n = std::max<int64_t>(1, bytes / bytes_of_place);
    const Tensor b = ones(n, kFloat).eval(), c = ones(n, kFloat).eval();
    Tensor a = zeros(n, kFloat).eval();
    const auto options = TimerOptions().num_threads(num_threads).mode(Mode::lazy);
    const Timer triad([&] { return a.copy_(b + c * 1.5f); }, options);
    return static_cast<double>(n * bytes_of_place) / triad.blocked_autorange(seconds).median();
}

}  // namespace sinter::inline v1::benchmark
