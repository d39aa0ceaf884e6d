// Batches of matrices on a GPU: how many calls of the vendor's libraries they take, and what they
// give.
#include "tests/on_gpu/linalg_case.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

using namespace sinter;
using namespace sinter::testing;

namespace {

struct routine_case {
    const char* name;
    std::function<std::vector<Tensor>(const Tensor& a)> run;  // of a batch of regular matrices
};

std::vector<routine_case> routines() {
    using T = Tensor;
    const auto pair = [](auto r) { return std::vector<T>{std::get<0>(r), std::get<1>(r)}; };
    const auto definite = [](const T& a) { return matmul(a, a.mH()); };
    const auto tall = [](const T& a) { return cat({a, a * 2, a, a, a, a}, -2); };
    return {
        {"svdvals of tall", [=](const T& a) { return std::vector<T>{linalg::svdvals(tall(a))}; }},
        {"svdvals of wide",
         [=](const T& a) { return std::vector<T>{linalg::svdvals(tall(a).mT())}; }},
        {"solve", [](const T& a) { return std::vector<T>{linalg::solve(a, a.mT())}; }},
        {"inv", [](const T& a) { return std::vector<T>{linalg::inv(a)}; }},
        {"det", [](const T& a) { return std::vector<T>{linalg::det(a)}; }},
        {"lu_factor", [=](const T& a) { return pair(linalg::lu_factor(a)); }},
        {"cholesky", [=](const T& a) { return std::vector<T>{linalg::cholesky(definite(a))}; }},
        {"cholesky_solve",
         [=](const T& a) {
             const T f = linalg::cholesky(definite(a));
             return std::vector<T>{cholesky_solve(a, f), cholesky_solve(a, f.mH(), true)};
         }},
        {"solve_triangular",
         [](const T& a) { return std::vector<T>{linalg::solve_triangular(a.triu(), a, true)}; }},
        {"qr", [=](const T& a) { return pair(linalg::qr(a)); }},
        {"complete qr",
         [=](const T& a) { return pair(linalg::qr(a.narrow(-1, 0, 3), "complete")); }},
        {"ormqr",
         [](const T& a) {
             const auto [f, tau] = geqrf(a);
             return std::vector<T>{ormqr(f, tau, a), ormqr(f, tau, a, false, true)};
         }},
        {"eigvalsh", [=](const T& a) { return std::vector<T>{linalg::eigvalsh(definite(a))}; }},
        {"svdvals", [](const T& a) { return std::vector<T>{linalg::svdvals(a)}; }},
        {"lstsq",
         [](const T& a) {
             const auto r = linalg::lstsq(a.narrow(-1, 0, 3), a, nullopt, "gels");
             return std::vector<T>{std::get<0>(r), std::get<1>(r)};
         }},
    };
}

/// Returns how many calls of the vendor's libraries f makes.
template <class F>
unsigned long long calls_of(const F& f) {
    const unsigned long long before = counts("blas");
    f();
    return counts("blas") - before;
}

void evaluate(const std::vector<Tensor>& all) {
    for (const Tensor& t : all) t.eval();
}

/// Returns matrices that differ throughout the batch, in a layout that is not dense.
Tensor strided(IntArrayRef sizes, ScalarType dtype) {
    std::vector<int64_t> wider = sizes.vec();
    wider.back() *= 2;
    Tensor t = zeros(wider, dtype);
    const Tensor part = t.slice(-1, 0, wider.back(), 2);
    part.copy_(regular(sizes, dtype));
    return part;
}

}  // namespace

TEST_CASE("gpu linalg: a batch of small matrices takes as many calls as a smaller batch") {
    if (!has_libraries() || !has_emulator()) return;
    for (const ScalarType dtype : {kFloat, kComplexDouble})
        for (const routine_case& r : routines()) {
            INFO(std::string(r.name));
            const Tensor few = to_gpu(regular({7, 7, 7}, dtype)),
                         many = to_gpu(regular({2, 11, 7, 7}, dtype));
            evaluate(r.run(few));  // creates the handles
            const auto of_few = calls_of([&] { evaluate(r.run(few)); });
            const auto of_many = calls_of([&] { evaluate(r.run(many)); });
            CHECK(of_few > 0);
            CHECK(of_few == of_many);
        }
    CHECK(finding().empty());
}

TEST_CASE("gpu linalg: batches in any layout give what the CPU gives, all on the device") {
    if (!has_libraries()) return;
    for (const ScalarType dtype : matrix_dtypes)
        for (const routine_case& r : routines()) {
            INFO(std::string(r.name) << " of " << std::string(toString(dtype)));
            const Tensor a = strided({3, 2, 6, 6}, dtype);
            const Tensor x = to_gpu(zeros({3, 2, 6, 12}, dtype)).slice(-1, 0, 12, 2);
            x.copy_(to_gpu(a));
            for (const auto& view : std::vector<std::function<Tensor(const Tensor&)>>{
                     [](const Tensor& t) { return t; }, [](const Tensor& t) { return t.mT(); },
                     [](const Tensor& t) { return t.transpose(0, 1); },
                     [](const Tensor& t) { return t.slice(0, 0, 1).expand({4, 2, 6, 6}); },
                     [](const Tensor& t) { return t.slice(0, 0, 0); }}) {
                const std::vector<Tensor> expected = r.run(view(a));
                reset_stats();
                const std::vector<Tensor> got = r.run(view(x));
                evaluate(got);
                CHECK(stats().host_fallbacks == 0);
                for (std::size_t i = 0; i < got.size(); ++i)
                    CHECK(near(got[i].to(expected[i].scalar_type()), expected[i]));
            }
        }
    if (has_emulator()) CHECK(finding().empty());
}

TEST_CASE("gpu linalg: vectors of batches, by what they are for") {
    if (!has_libraries()) return;
    for (const ScalarType dtype : matrix_dtypes)
        for (const int64_t n : {1, 2, 9, 32, 33, 40}) {
            INFO(std::string(toString(dtype)) << " of " << n << " rows");
            const Tensor a = regular({4, n, n}, dtype), s = a + a.mH();
            const auto identity = [&](const Tensor& q) {
                return near(matmul(q.mH(), q), eye(q.size(-1), dtype).expand({4, -1, -1}));
            };
            for (const char* part : {"L", "U"}) {
                const auto [values, q] = linalg::eigh(to_gpu(s), part);
                CHECK(identity(q));
                CHECK(near(matmul(q * values.to(dtype).unsqueeze(-2), q.mH()), s));
                CHECK(near(values, linalg::eigvalsh(s)));
            }
            const int64_t k = n - n / 3;
            for (const Tensor& t : {a, a.narrow(-1, 0, k), a.narrow(-2, 0, k)}) {
                for (const bool full : {false, true}) {
                    const auto [u, sigma, vh] = linalg::svd(to_gpu(t), full);
                    const int64_t least = sigma.size(-1);
                    CHECK(identity(u));
                    CHECK(identity(vh.mH()));
                    CHECK(near(matmul(u.narrow(-1, 0, least) * sigma.to(dtype).unsqueeze(-2),
                                      vh.narrow(-2, 0, least)),
                               t));
                    CHECK(near(sigma, linalg::svdvals(t)));
                }
                const auto [q, r] = linalg::qr(to_gpu(t), "complete");
                CHECK(identity(q));
                CHECK(near(matmul(q, r), t));
            }
        }
    if (has_emulator()) CHECK(finding().empty());
}

TEST_CASE("gpu linalg: batches of matrices with many more rows than columns, or the other way") {
    if (!has_libraries()) return;
    for (const ScalarType dtype : matrix_dtypes) {
        INFO(std::string(toString(dtype)));
        const Tensor whole = regular({3, 50, 50}, dtype), part = whole.narrow(-1, 0, 5);
        for (const Tensor& t : {part, part.mH(), part.mT()}) {
            const Tensor x = to_gpu(t);
            linalg::svd(x, false);
            const auto decompose = [&] {
                const auto [u, sigma, vh] = linalg::svd(x, false);
                CHECK(near(matmul(u * sigma.to(dtype).unsqueeze(-2), vh), t));
                CHECK(near(matmul(u.mH(), u), eye(5, dtype).expand({3, 5, 5})));
                CHECK(near(matmul(vh, vh.mH()), eye(5, dtype).expand({3, 5, 5})));
            };
            reset_stats();
            decompose();
            CHECK(near(linalg::svdvals(x), linalg::svdvals(t)));
            CHECK(stats().host_fallbacks == 0);
        }
        Tensor lost = part.clone();
        lost[1][49][4] = std::numeric_limits<double>::infinity();
        CHECK(text_before_line([&] { linalg::svdvals(to_gpu(lost)); }) ==
              text_before_line([&] { linalg::svdvals(lost); }));
    }
    if (has_emulator()) CHECK(finding().empty());
}

TEST_CASE("gpu linalg: reflectors whose factor is 0, and fewer of them than columns") {
    if (!has_libraries()) return;
    for (const ScalarType dtype : matrix_dtypes) {
        Tensor a = regular({3, 6, 6}, dtype);
        a[0] = eye(6, dtype);
        a[1] = zeros({6, 6}, dtype);
        const auto [q, r] = linalg::qr(to_gpu(a));
        CHECK(near(matmul(q, r), a));
        CHECK(near(matmul(q.mH(), q), eye(6, dtype).expand({3, 6, 6})));
        const auto [f, tau] = geqrf(regular({3, 6, 6}, dtype));
        for (const int64_t k : {0, 1, 4}) {
            const Tensor some = tau.narrow(-1, 0, k);
            CHECK(near(linalg::householder_product(to_gpu(f), to_gpu(some)),
                       linalg::householder_product(f, some)));
            for (const bool left : {false, true})
                for (const bool adjoint : {false, true})
                    CHECK(near(ormqr(to_gpu(f), to_gpu(some), to_gpu(a), left, adjoint),
                               ormqr(f, some, a, left, adjoint)));
        }
    }
}

TEST_CASE("gpu linalg: batches larger than a call takes") {
    if (!has_libraries()) return;
    const int64_t count = 40000;
    const Tensor a = (arange(count * 4) % 23).view({count, 2, 2}).to(kFloat), s = a + a.mT();
    const auto [values, q] = linalg::eigh(to_gpu(s));
    CHECK(near(matmul(q * values.unsqueeze(-2), q.mT()), s));
    if (has_emulator()) CHECK(finding().empty());
}

TEST_CASE("gpu linalg: which matrix of a batch failed") {
    if (!has_libraries()) return;
    const auto same_error = [](auto&& f, const Tensor& t) {
        const std::string here = text_before_line([&] { f(t); });
        CHECK(contains(here, "in matrix 3 of the batch"));
        CHECK(text_before_line([&] { f(to_gpu(t)); }) == here);
    };
    Tensor singular = eye(4).expand({2, 3, 4, 4}).clone(), lost = singular.clone();
    singular[1][0][2][2] = 0;
    lost[1][0][1][1] = std::numeric_limits<double>::quiet_NaN();
    lost[1][2][1][1] = lost[1][0][1][1];
    same_error([](const Tensor& t) { linalg::solve(t, t); }, singular);
    same_error([](const Tensor& t) { linalg::inv(t); }, singular);
    same_error([](const Tensor& t) { linalg::lu_factor(t); }, singular);
    same_error([](const Tensor& t) { linalg::cholesky(t); }, singular);
    same_error([](const Tensor& t) { linalg::ldl_factor(t); }, singular);
    same_error([](const Tensor& t) { linalg::lstsq(t, t, nullopt, "gels"); }, singular);
    for (const char* driver : {"gels", "gelsd"})
        same_error([=](const Tensor& t) { linalg::lstsq(t, t, nullopt, driver); }, lost);
    same_error([](const Tensor& t) { linalg::eigh(t); }, lost);
    same_error([](const Tensor& t) { linalg::svd(t); }, lost);
    same_error([](const Tensor& t) { linalg::eig(t); }, lost);
}
