// Products: alone, with what fuses before and behind them, and many small ones.
#include "bench/case.hpp"

#include <cmath>

namespace bench {
namespace {

using namespace sinter;

/// `formula(a, b, c)` of squares a and b and a row c. n = elements of a.
template <class F>
bench_case product(const char* name, bool row, F formula) {
    return {name, {64 * 64, 256 * 256, 1000 * 1000}, [=](contest& k) {
                const int64_t side = std::llround(std::sqrt(k.n()));
                const Tensor a = k.input({side, side}), b = k.input({side, side});
                const Tensor c = row ? k.input({side}) : a;
                k.sizes({side});
                k.cost(3 * k.n(), 2.0 * k.n() * side);
                k.tolerance(2e-3, 1e-10);
                k.lazy([=] { return formula(a, b, c); }, false);
            }};
}

/// n = elements of one operand: about a thousand squares, fewer of the large ones.
bench_case small_products(const char* name, int64_t side) {
    return {name, {side * side, 100000 / (side * side) * side * side}, [=](contest& k) {
                const int64_t batch = k.n() / (side * side);
                const Tensor a = k.input({batch, side, side}), b = k.input({batch, side, side});
                k.sizes({batch, side});
                k.cost(3 * k.n(), 2.0 * k.n() * side);
                k.tolerance(1e-3, 1e-11);
                k.lazy([=] { return bmm(a, b); }, false);
            }};
}

}  // namespace

std::vector<bench_case> product_cases() {
    return {
        product("matmul", false,
                [](const Tensor& a, const Tensor& b, const Tensor&) { return matmul(a, b); }),
        product("relu(a@b+c)", true,
                [](const Tensor& a, const Tensor& b, const Tensor& c) {
                    return relu(matmul(a, b) + c);
                }),
        product(
            "(a*s)@b.t()", true,
            [](const Tensor& a, const Tensor& b, const Tensor& s) { return matmul(a * s, b.t()); }),
        product(
            "(a@b).sum(1)", false,
            [](const Tensor& a, const Tensor& b, const Tensor&) { return matmul(a, b).sum({1}); }),
        small_products("bmm4", 4),
        small_products("bmm8", 8),
        small_products("bmm16", 16),
        small_products("bmm32", 32),
    };
}

}  // namespace bench
