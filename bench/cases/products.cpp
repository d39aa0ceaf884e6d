// Products: alone, with prologues and epilogues, and many small ones.
#include "bench/case.hpp"

#include <cmath>
#include <utility>

namespace bench {
namespace {

using namespace sinter;

const std::vector<int64_t> usual = {64 * 64, 256 * 256, 1000 * 1000};

/// `formula(a, b, c)` of square matrices a and b and a row c. n = elements of a.
template <class F>
bench_case product(const char* name, bool row, F formula, std::vector<int64_t> n = usual) {
    return {name, std::move(n), [=](contest& k) {
                const int64_t side = std::llround(std::sqrt(k.n()));
                const Tensor a = k.input({side, side}), b = k.input({side, side});
                const Tensor c = row ? k.input({side}) : a;
                k.sizes({side});
                k.cost(3 * k.n(), 2.0 * k.n() * side);
                k.tolerance(2e-3, 1e-10);
                k.lazy([=] { return formula(a, b, c); }, false);
            }};
}

/// A product of complex square matrices, whose parts are the inputs. n = elements of a.
bench_case complex_product() {
    return {"complex matmul", {16 * 16, 64 * 64, 500 * 500, 1000 * 1000}, [=](contest& k) {
                const int64_t side = std::llround(std::sqrt(k.n()));
                const Tensor a = view_as_complex(k.input({side, side, 2})),
                             b = view_as_complex(k.input({side, side, 2}));
                k.sizes({side});
                k.cost(6 * k.n(), 8.0 * k.n() * side);
                k.tolerance(2e-3, 1e-10);
                k.lazy([=] { return view_as_real(matmul(a, b)); }, false);
            }};
}

/// n = elements of one operand: about a thousand square matrices, fewer of the large ones.
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
                [](const Tensor& a, const Tensor& b, const Tensor&) { return matmul(a, b); },
                {16 * 16, 64 * 64, 256 * 256, 500 * 500, 1000 * 1000, 2000 * 2000}),
        complex_product(),
        product("relu(a@b+c)", true,
                [](const Tensor& a, const Tensor& b, const Tensor& c) {
                    return relu(matmul(a, b) + c);
                },
                {64 * 64, 256 * 256, 1000 * 1000, 1024 * 1024}),
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
