// Layouts: operands with another memory order than the result.
#include "bench/case.hpp"

#include <cmath>

namespace bench {
namespace {

using namespace sinter;

const std::vector<int64_t> squares = {32 * 32, 320 * 320, 1000 * 1000, 5400 * 5400};

int64_t side_of(const contest& k) { return std::llround(std::sqrt(k.n())); }

}  // namespace

std::vector<bench_case> layout_cases() {
    return {
        {"x+x.t()", squares,
         [](contest& k) {
             const int64_t side = side_of(k);
             const Tensor x = k.input({side, side});
             k.sizes({side});
             k.cost(2 * k.n(), k.n());
             k.lazy([=] { return x + x.t(); });
         }},
        // Channels last to channels first.
        {"permuted",
         {4 * 8 * 8 * 4, 8 * 16 * 16 * 48, 8 * 48 * 48 * 64, 16 * 170 * 170 * 64},
         [](contest& k) {
             const int64_t channels = k.n() == 1024 ? 4 : k.n() == 98304 ? 48 : 64;
             const int64_t batch = k.n() == 1024 ? 4 : k.n() > 2000000 ? 16 : 8;
             const int64_t side = std::llround(std::sqrt(k.n() / channels / batch));
             const Tensor x = k.input({batch, side, side, channels});
             const Tensor y = k.input({batch, channels, side, side});
             k.sizes({batch, channels, side * side});
             k.cost(3 * k.n(), 2 * k.n());
             k.lazy([=] { return y + x.permute({0, 3, 1, 2}) * 2.0; });
         }},
        // n = elements of the result. Every third row of the operand is read as a whole.
        {"sliced", squares,
         [](contest& k) {
             const int64_t side = side_of(k);
             const Tensor x = k.input({3 * side, 2 * side}), y = k.input({side, side});
             k.sizes({side, side});
             k.cost(4 * k.n(), 2 * k.n());
             k.lazy([=] { return x.slice(0, 0, 3 * side, 3).slice(1, 0, 2 * side, 2) * 2.0 + y; });
         }},
        {"stencil", squares,
         [](contest& k) {
             const int64_t side = side_of(k);
             const Tensor x = k.input({side, side});
             k.sizes({side, side});
             k.cost(2 * k.n(), 5 * k.n());
             const auto shifted = [=](int64_t r, int64_t c) {
                 return x.slice(0, r, side - 2 + r).slice(1, c, side - 2 + c);
             };
             k.lazy([=] {
                 return shifted(0, 1) + shifted(2, 1) + shifted(1, 0) + shifted(1, 2) -
                        shifted(1, 1) * 4.0;
             });
         }},
    };
}

}  // namespace bench
