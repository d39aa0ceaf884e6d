// Linear algebra: large matrices, compared with direct LAPACK calls, and thousands of small ones.
#include "bench/case.hpp"

#include <cmath>
#include <initializer_list>
#include <string>

namespace bench {
namespace {

using namespace sinter;

/// `formula(a, b)` of a square matrix and a column. n = elements of the matrix.
template <class F>
bench_case large(const char* name, matrices kind, double operations, F formula) {
    return {name, {64 * 64, 500 * 500}, [=](contest& k) {
                const int64_t side = std::llround(std::sqrt(k.n()));
                const Tensor a = k.squares({side, side}, kind), b = k.input({side, 1});
                k.sizes({1, side});
                k.cost(2 * k.n(), operations * k.n() * side);
                k.tolerance(5e-3, 1e-9);
                k.lazy([=] { return formula(a, b); }, false);
            }};
}

/// `formula(a, b)` over a batch of 10,000 square matrices.
template <class F>
void small(std::vector<bench_case>& to, const char* name, matrices kind, double operations,
           F formula, std::initializer_list<int64_t> sides = {2, 3, 4, 8, 16}) {
    for (int64_t side : sides)
        to.push_back({name + std::to_string(side), {10000 * side * side}, [=](contest& k) {
                          const int64_t count = k.n() / (side * side);
                          const Tensor a = k.squares({count, side, side}, kind),
                                       b = k.input({count, side, 1});
                          k.sizes({count, side});
                          k.cost(2 * k.n(), operations * k.n() * side);
                          k.tolerance(1e-3, 1e-10);
                          k.lazy([=] { return formula(a, b); }, false);
                      }});
}

}  // namespace

std::vector<bench_case> system_cases() {
    const auto solve = [](const Tensor& a, const Tensor& b) { return linalg::solve(a, b); };
    const auto cholesky = [](const Tensor& a, const Tensor&) { return linalg::cholesky(a); };
    const auto inv = [](const Tensor& a, const Tensor&) { return linalg::inv(a); };
    const auto det = [](const Tensor& a, const Tensor&) { return linalg::det(a); };
    // With vectors. Their signs are arbitrary, so only the eigenvalues are compared.
    const auto eigh = [](const Tensor& a, const Tensor&) { return std::get<0>(linalg::eigh(a)); };
    const auto svd = [](const Tensor& a, const Tensor&) {
        return std::get<1>(linalg::svd(a, false));
    };
    std::vector<bench_case> all = {large("solve", matrices::dominant, 2.0 / 3, solve),
                                   large("cholesky", matrices::positive, 1.0 / 3, cholesky),
                                   large("eigh", matrices::positive, 9, eigh),
                                   large("svd", matrices::dominant, 20, svd)};
    small(all, "solve", matrices::dominant, 2.0 / 3, solve);
    small(all, "inv", matrices::dominant, 2, inv);
    small(all, "det", matrices::dominant, 2.0 / 3, det);
    small(all, "cholesky", matrices::positive, 1.0 / 3, cholesky);
    small(all, "eigh", matrices::positive, 9, eigh, {2, 3, 4, 8, 16, 32});
    return all;
}

}  // namespace bench
