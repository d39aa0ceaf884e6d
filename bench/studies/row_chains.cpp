// Compares row chains with their lower bound: one pass with the same reads and writes, plus their
// transcendental functions. A function's time is measured per element in the L1 cache, minus the
// time of a pass there. Everything runs in turns; prints the ratio of the best times.
//   study_row_chains [threads]
#include <sinter/sinter.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace sinter;
using work = std::function<void()>;

double nanoseconds_of(const work& f, int times) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i) f();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    return took.count() / times;
}

/// Returns the best time of each rival, in turns of about a millisecond.
std::vector<double> race(const std::vector<work>& rivals) {
    std::vector<double> best(rivals.size(), 1e300);
    std::vector<int> times;
    for (const work& f : rivals) {
        for (int i = 0; i < 8; ++i) f();  // compiles, and fills the caches
        synchronize();
        times.push_back(std::max(1, static_cast<int>(1e6 / nanoseconds_of(f, 4))));
    }
    for (int turn = 0; turn < 60; ++turn)
        for (std::size_t r = 0; r < rivals.size(); ++r)
            best[r] = std::min(best[r], nanoseconds_of(rivals[r], times[r]));
    return best;
}

struct chain {
    const char* name;
    int reads;    // operands
    bool writes;  // writes one result of the operands' size
    // The chain's transcendental function, applied once per element.
    std::function<Tensor(const Tensor&)> function;
    std::function<Tensor(const Tensor&, const Tensor&)> compute;
};

std::vector<chain> chains() {
    const auto exponential = [](const Tensor& x) { return Tensor(exp(x)); };
    return {
        {"softmax", 1, true, exponential,
         [](const Tensor& x, const Tensor&) { return Tensor(softmax(x, 1)); }},
        {"log_softmax", 1, true, exponential,
         [](const Tensor& x, const Tensor&) { return Tensor(log_softmax(x, 1)); }},
        {"logsumexp", 1, false, exponential,
         [](const Tensor& x, const Tensor&) { return Tensor(logsumexp(x, 1)); }},
        {"layer_norm", 1, true, nullptr,
         [](const Tensor& x, const Tensor&) {
             const Tensor c = x - x.mean(1, true);
             return Tensor(c * rsqrt((c * c).mean(1, true) + 1e-5));
         }},
        {"standardise", 1, true, nullptr,
         [](const Tensor& x, const Tensor&) {
             return Tensor((x - x.mean(1, true)) / x.std(1, true, true));
         }},
        {"rms_norm", 1, true, nullptr,
         [](const Tensor& x, const Tensor&) {
             return Tensor(x * rsqrt((x * x).mean(1, true) + 1e-5));
         }},
        {"cosine_similarity", 2, false, nullptr,
         [](const Tensor& x, const Tensor& y) {
             return Tensor((x * y).sum(1) / (sqrt((x * x).sum(1)) * sqrt((y * y).sum(1))));
         }},
    };
}

/// Returns the nanoseconds of `f` per element, minus those of reading and writing it in the L1
/// cache.
double function_ns(const std::function<Tensor(const Tensor&)>& f, ScalarType dtype) {
    if (!f) return 0;
    const auto slope = [dtype](const std::function<Tensor(const Tensor&)>& g) {
        constexpr int64_t less = 512, more = 2048;
        const Tensor x = randn({more}, dtype).eval();
        Tensor z = empty({more}, dtype);
        const Tensor first = x.slice(0, 0, less);
        Tensor to = z.slice(0, 0, less);
        const std::vector<double> t =
            race({[&] { to.copy_(g(first)), to.eval(); }, [&] { z.copy_(g(x)), z.eval(); }});
        return (t[1] - t[0]) / (more - less);
    };
    return slope(f) - slope([](const Tensor& x) { return Tensor(x + 1); });
}

void compare(const chain& c, ScalarType dtype, int64_t rows, int64_t columns) {
    const Tensor x = randn({rows, columns}, dtype).eval(), y = randn({rows, columns}, dtype).eval();
    Tensor z = c.writes ? empty({rows, columns}, dtype) : empty({rows}, dtype);
    const work whole = [&] { z.copy_(c.compute(x, y)), z.eval(); };
    const work pass = [&] {
        if (c.writes)
            z.copy_(x + 1);
        else
            z.copy_((c.reads == 2 ? x + y : Tensor(x)).sum(1));
        z.eval();
    };
    const std::vector<double> t = race({whole, pass});
    const int threads = t[1] < 4e3 ? 1 : get_num_threads();
    const double functions =
        function_ns(c.function, dtype) * static_cast<double>(rows * columns) / threads;
    std::printf(
        "%-18s %s %6lld x %-6lld t=%d: %8.1f us, pass %7.1f + functions %7.1f, ratio %.2f\n",
        c.name, dtype == kDouble ? "f64" : "f32", static_cast<long long>(rows),
        static_cast<long long>(columns), get_num_threads(), t[0] / 1e3, t[1] / 1e3, functions / 1e3,
        t[0] / (t[1] + functions));
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1) set_num_threads(std::max(1, std::atoi(argv[1])));
    for (const chain& c : chains())
        for (const ScalarType dtype : {kFloat, kDouble})
            for (const auto& [rows, columns] :
                 {std::pair<int64_t, int64_t>{100, 1000}, {1000, 1000}, {1000, 1024}, {30, 32768}})
                compare(c, dtype, rows, columns);
}
