// Which functions of linear algebra are pending, which run at their line, how many library calls
// and kernels they take, and that modes and threads agree.
#include "engine/graph/graph.hpp"
#include "tests/seed.hpp"
#include "tests/support/fork.hpp"

#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

using namespace sinter;

namespace {

bool pending(const Tensor& t) {
    return t.unsafeGetTensorImpl()->storage->current->state == version_state::pending;
}

Tensor regular(int64_t n, ScalarType t = kDouble) {
    Tensor a = rand({n, n}, t) + n * eye(n, t);
    a.eval();
    return a;
}
Tensor definite(int64_t n, ScalarType t = kDouble) {
    const Tensor a = regular(n, t);
    Tensor s = a.matmul(a.mH());
    s.eval();
    return s;
}

using results = std::vector<Tensor>;
template <class... T>
results list(const std::tuple<T...>& t) {
    return std::apply([](const T&... each) { return results{each...}; }, t);
}

struct named_call {
    const char* name;
    std::function<results(const Tensor& regular, const Tensor& definite, const Tensor& right)> call;
};

const std::vector<named_call>& calls() {
    using T = const Tensor&;
    static const std::vector<named_call> all = {
        {"solve", [](T a, T, T b) { return results{linalg::solve(a, b)}; }},
        {"solve from the right",
         [](T a, T, T b) { return results{linalg::solve(a, b.mT(), false)}; }},
        {"solve_ex", [](T a, T, T b) { return list(linalg::solve_ex(a, b)); }},
        {"inv", [](T a, T, T) { return results{linalg::inv(a)}; }},
        {"inv_ex", [](T a, T, T) { return list(linalg::inv_ex(a)); }},
        {"det", [](T a, T, T) { return results{linalg::det(a)}; }},
        {"slogdet", [](T a, T, T) { return list(linalg::slogdet(a)); }},
        {"lu", [](T a, T, T) { return list(linalg::lu(a)); }},
        {"lu_factor_ex", [](T a, T, T) { return list(linalg::lu_factor_ex(a)); }},
        {"lu_solve",
         [](T a, T, T b) {
             const auto [lu, pivots] = linalg::lu_factor(a);
             return results{linalg::lu_solve(lu, pivots, b, true, true)};
         }},
        {"cholesky", [](T, T s, T) { return results{linalg::cholesky(s)}; }},
        {"cholesky_ex", [](T, T s, T) { return list(linalg::cholesky_ex(s, true)); }},
        {"cholesky_solve",
         [](T, T s, T b) { return results{cholesky_solve(b, linalg::cholesky(s))}; }},
        {"cholesky_inverse",
         [](T, T s, T) { return results{cholesky_inverse(linalg::cholesky(s))}; }},
        {"ldl",
         [](T, T s, T b) {
             const auto [ld, pivots] = linalg::ldl_factor(s, s.is_complex());
             return results{ld, pivots, linalg::ldl_solve(ld, pivots, b, s.is_complex())};
         }},
        {"qr", [](T a, T, T) { return list(linalg::qr(a)); }},
        {"complete qr", [](T, T, T b) { return list(linalg::qr(b, "complete")); }},
        {"ormqr",
         [](T a, T, T b) {
             const auto [f, tau] = geqrf(a);
             return results{ormqr(f, tau, b, true, true)};
         }},
        {"solve_triangular",
         [](T a, T, T b) { return results{linalg::solve_triangular(a, b, true)}; }},
        {"svd", [](T a, T, T) { return list(linalg::svd(a)); }},
        {"svdvals", [](T a, T, T) { return results{linalg::svdvals(a)}; }},
        {"eig", [](T a, T, T) { return list(linalg::eig(a)); }},
        {"eigh", [](T, T s, T) { return list(linalg::eigh(s)); }},
        {"lstsq", [](T a, T, T b) { return list(linalg::lstsq(a, b, nullopt, "gelsd")); }},
    };
    return all;
}

/// Returns true if numbers and the bits of NaN are equal.
bool same(const Tensor& a, const Tensor& b) {
    if (a.sizes() != b.sizes() || a.scalar_type() != b.scalar_type()) return false;
    if (a.numel() == 0) return true;
    const auto bytes = [](const Tensor& t) { return t.contiguous().view(-1).view(kByte); };
    return equal(bytes(a), bytes(b));
}

}  // namespace

TEST_CASE("guarded calls run at their line, the others are pending") {
    const Tensor a = regular(4), s = definite(4), b = rand({4, 2}, kDouble).eval();
    for (const Tensor& t :
         {std::get<0>(linalg::inv_ex(a)), std::get<1>(linalg::inv_ex(a)),
          std::get<0>(linalg::solve_ex(a, b)), std::get<0>(linalg::lu_factor_ex(a)),
          std::get<0>(linalg::cholesky_ex(s)), std::get<0>(linalg::ldl_factor_ex(s)),
          std::get<0>(linalg::qr(a)), std::get<1>(linalg::qr(a)), linalg::det(a),
          std::get<1>(linalg::slogdet(a)), linalg::solve_triangular(a, b, true),
          cholesky_solve(b, s), std::get<0>(geqrf(a))})
        CHECK(pending(t));
    reset_stats();
    linalg::inv(a);
    linalg::solve(a, b);
    linalg::cholesky(s);
    linalg::eigh(s);
    linalg::svd(a);
    CHECK(stats().library_calls == 6);  // solve takes two calls
}

TEST_CASE("one factorisation serves all that reads it") {
    const Tensor a = regular(20);
    reset_stats();
    Tensor d = linalg::det(a);
    auto [sign, size] = linalg::slogdet(a);
    eval({d, sign, size});
    CHECK(stats().library_calls == 1);
    CHECK(std::abs((sign * exp(size) / d).item<double>() - 1) < 1e-12);

    reset_stats();
    auto [q, r] = linalg::qr(a);
    eval({q, r});
    CHECK(stats().library_calls == 2);  // geqrf and orgqr
    reset_stats();
    std::get<1>(linalg::qr(a)).eval();
    CHECK(stats().library_calls == 1);  // Q is not read
}

TEST_CASE("pending operands are computed into the routine's memory, and results fuse on" *
          doctest::test_suite("host")) {
    const Tensor x = rand({100, 100}, kDouble).eval();
    const std::size_t matrix = 100 * 100 * sizeof(double);
    const auto diagonal = eye(100, kDouble).eval();
    for (int warm = 0; warm < 2; ++warm) {
        reset_stats();
        const Tensor y = linalg::inv(x * 2 + 100 * diagonal);
        const auto s = stats();
        CHECK(s.kernels_launched == 1);
        CHECK(s.library_calls == 1);
        CHECK(s.bytes_allocated < 2 * matrix);  // including LAPACK's workspace
    }
    const Tensor b = rand({100, 3}, kDouble).eval();
    reset_stats();
    Tensor z = linalg::solve_triangular(x + 100 * diagonal, b * 2, true).relu() + 1;
    z.eval();
    CHECK(stats().library_calls == 1);
    CHECK(stats().kernels_launched == 3);  // both operands, and the epilogue
}

TEST_CASE("eager mode gives the same bits") {
    manual_seed(static_cast<uint64_t>(test::seed()));
    for (const ScalarType t : {kFloat, kDouble, kComplexFloat, kComplexDouble})
        for (const int64_t n : {int64_t{1}, int64_t{5}, int64_t{40}}) {
            const Tensor a = regular(n, t), s = definite(n, t), b = rand({n, 2}, t).eval();
            for (const named_call& c : calls()) {
                CAPTURE(c.name);
                CAPTURE(n);
                results lazy = c.call(a, s, b);
                for (const Tensor& r : lazy) r.eval();
                const ModeGuard eager(Mode::eager);
                const results at_once = c.call(a, s, b);
                REQUIRE(lazy.size() == at_once.size());
                for (std::size_t i = 0; i < lazy.size(); ++i) CHECK(same(lazy[i], at_once[i]));
            }
        }
}

TEST_CASE("batches and deterministic routines give the same bits for any number of threads") {
    manual_seed(static_cast<uint64_t>(test::seed()));
    const int before = get_num_threads();
    const Tensor a = regular(300), s = definite(300), b = rand({300, 2}, kDouble).eval();
    const Tensor many_a = (rand({40, 9, 9}) + 9 * eye(9)).eval();
    const Tensor many_s = many_a.matmul(many_a.mT()).eval(), many_b = rand({40, 9, 2}).eval();
    use_deterministic_algorithms(true);
    CHECK(are_deterministic_algorithms_enabled());
    for (const named_call& c : calls()) {
        if (std::string(c.name) == "eig" || std::string(c.name) == "lstsq") continue;  // slow
        CAPTURE(c.name);
        std::vector<results> large, many;
        for (const int threads : {1, 2, 5}) {
            set_num_threads(threads);
            large.push_back(c.call(a, s, b));
            many.push_back(c.call(many_a, many_s, many_b));
            for (const Tensor& t : large.back()) t.eval();
            for (const Tensor& t : many.back()) t.eval();
        }
        for (std::size_t i = 1; i < large.size(); ++i)
            for (std::size_t k = 0; k < large[0].size(); ++k) {
                CHECK(same(large[0][k], large[i][k]));
                CHECK(same(many[0][k], many[i][k]));
            }
    }
    use_deterministic_algorithms(false);
    set_num_threads(before);
}

TEST_CASE("many threads at once") {
    const Tensor a = regular(30), s = definite(30), b = rand({30, 2}, kDouble).eval();
    const Tensor large = regular(280);
    std::vector<results> expected;
    for (const named_call& c : calls()) {
        expected.push_back(c.call(a, s, b));
        for (const Tensor& t : expected.back()) t.eval();
    }
    std::vector<std::thread> threads;
    std::vector<int> wrong(24, 0);
    for (std::size_t t = 0; t < wrong.size(); ++t)
        threads.emplace_back([&, t] {
            for (std::size_t k = 0; k < calls().size(); ++k) {
                const std::size_t i = (k + t) % calls().size();
                const results r = calls()[i].call(a, s, b);
                for (std::size_t j = 0; j < r.size(); ++j) wrong[t] += !same(r[j], expected[i][j]);
            }
            const Tensor x = linalg::solve(large, large);
            wrong[t] += !allclose(x, eye(280, x.options()), 1e-5, 1e-8);
        });
    for (std::thread& t : threads) t.join();
    for (int w : wrong) CHECK(w == 0);
}

TEST_CASE("results live on while operands change") {
    Tensor a = regular(6);
    const Tensor kept = a.clone().eval();
    auto [x, info] = linalg::inv_ex(a);
    Tensor d = linalg::det(a);
    a.zero_();
    CHECK(allclose(x.matmul(kept), eye(6, kDouble)));
    CHECK(info.item<int>() == 0);
    CHECK(d.item<double>() > 0);
    x.add_(1);  // separate storages
    CHECK(info.item<int>() == 0);
    CHECK_FALSE(x.is_alias_of(info));
}

TEST_CASE("a forked child factors too" * doctest::test_suite("host")) {
    if (!test::can_fork_beside_threads()) return;
    const Tensor a = regular(280);  // large enough for several threads in the parent
    const Tensor x = linalg::solve(a, a);
    CHECK(test::status_of_child([&] {
              const Tensor y = linalg::solve(a, a);
              return (y - x).abs().max().item<double>() < 1e-10 ? 7 : 1;
          }) == 7);
}
