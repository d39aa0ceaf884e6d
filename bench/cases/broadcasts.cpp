// Reductions over broadcasts: the reduced values never exist as a whole.
#include "bench/case.hpp"

#include <cmath>

namespace bench {
namespace {

using namespace sinter;

}  // namespace

std::vector<bench_case> broadcast_cases() {
    return {
        // n = rows x rows x depth
        {"pairwise",
         {16 * 16 * 16, 128 * 128 * 16, 256 * 256 * 64, 1000 * 1000 * 32},
         [](contest& k) {
             const int64_t depth = k.n() == 4096      ? 16
                                   : k.n() == 262144  ? 16
                                   : k.n() == 4194304 ? 64
                                                      : 32;
             const int64_t rows = std::llround(std::sqrt(k.n() / depth));
             const Tensor x = k.input({rows, depth}), y = k.input({rows, depth});
             k.sizes({rows, rows, depth});
             k.cost(2 * rows * depth + rows * rows, 3 * k.n());
             k.lazy(
                 [=] {
                     Tensor d = x.unsqueeze(1) - y;
                     return (d * d).sum({2});
                 },
                 false);
         }},
        // n = rows x columns
        {"outer_sum",
         {1024, 320 * 320, 1000 * 1000, 5400 * 5400},
         [](contest& k) {
             const int64_t side = std::llround(std::sqrt(k.n()));
             const Tensor x = k.input({side}), y = k.input({side});
             k.sizes({side, side});
             k.cost(3 * side, 2 * k.n());
             k.tolerance(2e-3, 1e-10);
             k.lazy([=] { return (x.unsqueeze(1) * y).sum({1}); }, false);
         }},
        {"outer_total",
         {1024, 320 * 320, 1000 * 1000, 5400 * 5400},
         [](contest& k) {
             const int64_t side = std::llround(std::sqrt(k.n()));
             const Tensor x = k.input({side}), y = k.input({side});
             k.sizes({side, side});
             k.cost(2 * side, 2 * k.n());
             k.tolerance(2e-2, 1e-10);
             k.lazy([=] { return (x.unsqueeze(1) * y).sum(); }, false);
         }},
        // Sequences of vectors, with a mask that selects the vectors that count.
        {"masked_mean", every_level,
         [](contest& k) {
             const int64_t rows = k.n() <= 1000 ? 10 : 100, columns = rows;
             const int64_t batch = k.n() / (rows * columns);
             const Tensor x = k.input({batch, rows, columns});
             const Tensor mask = k.input({batch, rows}, 0, 1.5, kBool);
             k.sizes({batch, rows, columns});
             k.cost_bytes(static_cast<double>(k.n() * elementSize(k.type()) + batch * rows),
                          2 * k.n());
             k.lazy(
                 [=] {
                     const Tensor m = mask.unsqueeze(2);
                     return (x * m).sum({1}) / m.sum({1});
                 },
                 false);
         }},
    };
}

}  // namespace bench
