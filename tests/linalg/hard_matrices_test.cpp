// Linear algebra of difficult matrices: ill-conditioned, graded, defective, singular, huge, tiny,
// with NaN and infinities.
#include "tests/linalg/judges.hpp"
#include "tests/seed.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

using namespace sinter;
using namespace sinter::test;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct hard {
    std::string name;
    dense matrix;
};

/// Square matrices for whose solutions LAPACK states its usual bounds.
std::vector<hard> square_ones(ScalarType t, gallery& random) {
    std::vector<hard> all = {
        {"Hilbert 5", hilbert(5)},
        {"Hilbert 12", hilbert(12)},
        {"Vandermonde 7", vandermonde(7)},
        {"Vandermonde 12", vandermonde(12)},
        {"graded 10", graded(random.any(10, 10, t), 0.1)},
        {"graded steeply 8", graded(random.any(8, 8, t), 1e-3)},
        {"graded upwards 8", graded(random.any(8, 8, t), 10)},
        {"Jordan 8", jordan(8, 0.5)},
        {"Jordan 20", jordan(20, 2)},
        {"Wilkinson 20", wilkinson(20)},
        {"ones and 1 more", constant(6, 6, 1) + eye_of(6)},
        {"growing 6", growing(6)},
        {"permuted",
         transposed(jordan(7, 0) + transposed(first_columns(constant(7, 7, 0), 7))) + eye_of(7)}};
    const double end = toRealValueType(t) == kFloat ? 0x1p23 : 0x1p52;
    for (double c : {1e0, 1e2, 1e4, 1e6, 1e9, 1e12, 1e15, end}) {
        if (c > end) continue;
        all.push_back({"condition " + std::to_string(c), random.conditioned(12, 12, c, t)});
        all.push_back(
            {"condition " + std::to_string(c) + " of 40", random.conditioned(40, 40, c, t)});
    }
    return all;
}

void hold(const char* what, double (*worst)(const Tensor&, gallery&), const std::string& name,
          const dense& a, ScalarType t, gallery& random) {
    for (lies how : {lies::rows, lies::columns}) {
        if (sanitized() && how != lies::rows) continue;  // the tests of residuals cover all layouts
        const std::string shown = std::string(what) + " of " + name + " in " + toString(t) +
                                  ", seed " + std::to_string(seed());
        CAPTURE(shown);
        double ratio = 0;
        CHECK_NOTHROW(ratio = worst(tensor_of(a, t, how), random));
        CHECK(ratio < lapack_threshold);
    }
}

/// Returns the class of the error that the function throws: "", "LinAlgError", "Error".
std::string outcome(const std::function<void()>& f) {
    try {
        f();
    } catch (const LinAlgError&) {
        return "LinAlgError";
    } catch (const Error& e) {
        return std::string("Error: ") + e.what();
    }
    return "";
}

}  // namespace

TEST_CASE("hard matrices: ill-conditioned, graded and defective ones") {
    gallery random(seed() + 10);
    for (ScalarType t : matrix_dtypes)
        for (const hard& h : square_ones(t, random)) {
            hold("solve", judge_solve, h.name, h.matrix, t, random);
            hold("lu", judge_lu, h.name, h.matrix, t, random);
            hold("qr", judge_qr, h.name, h.matrix, t, random);
            hold("svd", judge_svd, h.name, h.matrix, t, random);
            // geev balances first, so its error is that of the balanced matrix.
            if (h.name.rfind("graded", 0) != 0) hold("eig", judge_eig, h.name, h.matrix, t, random);
            hold("lstsq", judge_lstsq, h.name, h.matrix, t, random);
            const dense symmetric = mirrored(h.matrix, true, true);
            hold("eigh", judge_eigh, h.name, symmetric, t, random);
            hold("ldl", judge_ldl, h.name, symmetric, t, random);
        }
}

TEST_CASE("hard matrices: inverses up to the condition that the dtype bears") {
    gallery random(seed() + 11);
    for (ScalarType t : matrix_dtypes)
        for (double c : {1e0, 1e2, 1e4, 1e6, 1e9, 1e12}) {
            if (c > (toRealValueType(t) == kFloat ? 1e4 : 1e12)) continue;
            hold("inv", judge_inverse, "condition " + std::to_string(c),
                 random.conditioned(15, 15, c, t), t, random);
            hold("pinv", judge_pinv, "condition " + std::to_string(c),
                 random.conditioned(15, 9, c, t), t, random);
            const dense u = random.conditioned(15, 15, std::sqrt(c), t);
            hold("cholesky", judge_cholesky, "condition " + std::to_string(c),
                 mirrored(u * adjoint(u), true, true), t, random);
        }
}

TEST_CASE("hard matrices: Gaussian elimination that doubles at each step") {
    // The bound of LU depends on L and U, which grow: here to exactly 2^(n - 1).
    const int64_t n = 30;
    const auto [p, l, u] = linalg::lu(tensor_of(growing(n), kDouble));
    CHECK(u[n - 1][n - 1].item<double>() == std::ldexp(1, n - 1));
    CHECK(equal(l.matmul(u), tensor_of(growing(n), kDouble)));
    CHECK(equal(p, eye(n, kDouble)));
}

TEST_CASE("hard matrices: ranks below the sizes") {
    gallery random(seed() + 12);
    for (ScalarType t : matrix_dtypes)
        for (auto [m, n, rank] : {std::tuple<int, int, int>{6, 6, 5},
                                  {6, 6, 1},
                                  {9, 4, 2},
                                  {4, 9, 3},
                                  {5, 5, 0},
                                  {30, 20, 7}}) {
            const dense a = rank == 0 ? dense(m, n) : random.of_rank(m, n, rank, t);
            const std::string name =
                std::to_string(m) + " x " + std::to_string(n) + " of rank " + std::to_string(rank);
            hold("qr", judge_qr, name, a, t, random);
            hold("svd", judge_svd, name, a, t, random);
            hold("lu", judge_lu, name, a, t, random);
            if (m == n) hold("eig", judge_eig, name, a, t, random);
            if (rank == 0) continue;
            hold("pinv", judge_pinv, name, a, t, random);
            const Tensor b = tensor_of(random.any(m, 2, t), t), as = tensor_of(a, t);
            CAPTURE(name);
            CHECK(linalg::matrix_rank(as).item<int64_t>() == rank);
            for (const char* driver : {"gelsy", "gelsd", "gelss"}) {
                const auto [x, residuals, found, values] = linalg::lstsq(as, b, nullopt, driver);
                CHECK(found.item<int64_t>() == rank);
                CHECK(residuals.numel() == 0);
                // The shortest of all solutions: it is in the row space.
                const dense xs = matrix_of(x), am = matrix_of(as), r = matrix_of(b) - am * xs;
                CHECK(ratio(norm1(adjoint(am) * r), norm1(am) * norm1(matrix_of(b)),
                            4 * std::max(m, n), t) < lapack_threshold);
                const dense p = matrix_of(linalg::pinv(as));
                CHECK(ratio(norm1(xs - p * (am * xs)), norm1(xs) * norm1(p) * norm1(am),
                            std::max(m, n), t) < lapack_threshold);
            }
        }
}

TEST_CASE("hard matrices: singular ones throw, and name the matrix") {
    for (ScalarType t : matrix_dtypes) {
        const Tensor singular = tensor_of(constant(3, 3, 2), t), b = ones({3, 1}, t);
        CHECK_THROWS_AS(linalg::solve(singular, b), LinAlgError);
        CHECK_THROWS_AS(linalg::inv(singular), LinAlgError);
        CHECK_THROWS_AS(linalg::lu_factor(singular), LinAlgError);
        CHECK_THROWS_AS(linalg::cholesky(-eye(3, t)), LinAlgError);
        CHECK(linalg::det(singular).abs().item<double>() == 0);
        const auto [sign, log] = linalg::slogdet(singular);
        CHECK(sign.abs().item<double>() == 0);
        CHECK(log.item<double>() == -infinity);
        CHECK(std::get<1>(linalg::solve_ex(singular, b)).item<int>() == 2);
        CHECK(std::get<1>(linalg::inv_ex(singular)).item<int>() == 2);
        CHECK(std::get<2>(linalg::lu_factor_ex(singular)).item<int>() == 2);
        CHECK(std::get<1>(linalg::cholesky_ex(-eye(3, t))).item<int>() == 1);

        Tensor batch = eye(3, t).repeat({4, 1, 1});
        batch[2].copy_(singular);
        for (const std::string& text : {[&] {
                                            try {
                                                linalg::inv(batch);
                                            } catch (const LinAlgError& e) {
                                                return std::string(e.what());
                                            }
                                            return std::string();
                                        }(),
                                        [&] {
                                            try {
                                                linalg::solve(batch, ones({4, 3}, t));
                                            } catch (const LinAlgError& e) {
                                                return std::string(e.what());
                                            }
                                            return std::string();
                                        }()}) {
            CAPTURE(text);
            CHECK(text.find("singular") != std::string::npos);
            CHECK(text.find('2') != std::string::npos);
            CHECK(text.find("hard_matrices_test.cpp") != std::string::npos);
        }
    }
}

TEST_CASE("hard matrices: one triangle is read, and the rest may be anything") {
    gallery random(seed() + 13);
    for (ScalarType t : matrix_dtypes)
        for (bool upper : {false, true})
            for (lies how : {lies::rows, lies::columns, lies::stepped}) {
                const Tensor whole = tensor_of(random.positive(6, t), t, how);
                Tensor half = tensor_of(dense(6, 6), t, how);
                half.copy_(upper ? whole.triu() : whole.tril());
                half.masked_fill_(
                    upper ? ones({6, 6}, kBool).tril(-1) : ones({6, 6}, kBool).triu(1), NAN);
                CHECK(equal(linalg::cholesky(half, upper), linalg::cholesky(whole, upper)));
                const char* name = upper ? "U" : "L";
                CHECK(equal(linalg::eigvalsh(half, name), linalg::eigvalsh(whole, name)));
                const Tensor b = ones({6, 2}, t);
                CHECK(equal(linalg::solve_triangular(half, b, upper),
                            linalg::solve_triangular(whole, b, upper)));
                if (!upper)
                    CHECK(equal(std::get<1>(linalg::ldl_factor(half, true)),
                                std::get<1>(linalg::ldl_factor(whole, true))));
            }
}

TEST_CASE("hard matrices: norms near the ends of the numbers") {
    gallery random(seed() + 14);
    for (ScalarType t : matrix_dtypes)
        for (int power : toRealValueType(t) == kFloat ? std::vector<int>{-110, 110}
                                                      : std::vector<int>{-990, 990}) {
            const double scale = std::ldexp(1.0, power);
            const dense m = random.any(8, 8, t), h = random.hermitian(8, t);
            // Scaling by powers of two changes no digit.
            const Tensor a = tensor_of(m, t), big = tensor_of(scale * m, t),
                         bigger = tensor_of(scale * h, t);
            const auto back = [&](const Tensor& x, int times = 1) {
                return matrix_of(x * std::ldexp(1.0, -power * times));
            };
            CAPTURE(power);
            const dense am = matrix_of(a);
            const Tensor b = tensor_of(random.any(8, 2, t), t);
            const dense x = matrix_of(linalg::solve(big, b * scale));
            CHECK(ratio(norm1(am * x - matrix_of(b)), norm1(am) * norm1(x), 8, t) <
                  lapack_threshold);
            const auto [q, r] = linalg::qr(big);
            CHECK(ratio(norm1(matrix_of(q) * back(r) - am), norm1(am), 8, t) < lapack_threshold);
            const auto [u, s, v] = linalg::svd(big);
            CHECK(
                ratio(norm1(columns_times(matrix_of(u), back(s.unsqueeze(-1))) * matrix_of(v) - am),
                      norm1(am), 8, t) < lapack_threshold);
            const auto [w, z] = linalg::eigh(bigger);
            const dense hm = mirrored(back(bigger), false, true), zm = matrix_of(z);
            CHECK(ratio(norm1(hm * zm - columns_times(zm, back(w.unsqueeze(-1)))), norm1(hm), 8,
                        t) < lapack_threshold);
            const auto [e, ev] = linalg::eig(big);
            const dense em = matrix_of(ev);
            CHECK(ratio(norm1(am * em - columns_times(em, back(e.unsqueeze(-1)))),
                        norm1(am) * norm1(em), 8, t) < lapack_threshold);
            for (const char* driver : {"gelsy", "gels", "gelsd", "gelss"}) {
                const dense y =
                    matrix_of(std::get<0>(linalg::lstsq(big, b * scale, nullopt, driver)));
                CHECK(ratio(norm1(am * y - matrix_of(b)), norm1(am) * norm1(y), 8, t) <
                      lapack_threshold);
            }
        }
    // A determinant beyond the largest number has a finite logarithm.
    const auto [sign, log] = linalg::slogdet(1e200 * eye(4, kDouble));
    CHECK(sign.item<double>() == 1);
    CHECK(std::fabs(log.item<double>() - 800 * std::log(10.0)) < 1e-10);
    CHECK(linalg::det(1e200 * eye(4, kDouble)).item<double>() == infinity);
}

TEST_CASE("hard matrices: NaN and infinities neither hang nor crash") {
    for (ScalarType t : matrix_dtypes)
        for (double bad : {double(NAN), infinity, -infinity})
            for (int64_t n : {1, 2, 3, 5, 16, 40})
                for (bool whole : {false, true}) {
                    Tensor a = whole ? full({n, n}, bad, t) : eye(n, t).contiguous();
                    a[n - 1][n / 2] = bad;
                    a.eval();
                    const Tensor b = ones({n, 2}, t);
                    CAPTURE(n);
                    CAPTURE(bad);
                    // Eigenvalues refuse them; the other functions return something or throw.
                    CHECK(outcome([&] { linalg::eig(a); }) == "LinAlgError");
                    CHECK(outcome([&] { linalg::eigvals(a); }) == "LinAlgError");
                    const std::pair<const char*, std::function<void()>> others[] = {
                        {"solve", [&] { linalg::solve(a, b).eval(); }},
                        {"inv", [&] { linalg::inv(a).eval(); }},
                        {"det", [&] { linalg::det(a).eval(); }},
                        {"slogdet", [&] { std::get<1>(linalg::slogdet(a)).eval(); }},
                        {"lu", [&] { linalg::lu(a); }},
                        {"lu_factor", [&] { linalg::lu_factor(a); }},
                        {"cholesky", [&] { linalg::cholesky(a); }},
                        {"ldl", [&] { linalg::ldl_factor(a); }},
                        {"ldl hermitian", [&] { linalg::ldl_factor(a, true); }},
                        {"qr", [&] { std::get<0>(linalg::qr(a)).eval(); }},
                        {"svd", [&] { linalg::svd(a); }},
                        {"gesvd", [&] { linalg::svd(a, true, "gesvd"); }},
                        {"svdvals", [&] { linalg::svdvals(a); }},
                        {"eigh", [&] { linalg::eigh(a); }},
                        {"eigvalsh", [&] { linalg::eigvalsh(a); }},
                        {"gelsy", [&] { linalg::lstsq(a, b, nullopt, "gelsy"); }},
                        {"gels", [&] { linalg::lstsq(a, b, nullopt, "gels"); }},
                        {"gelsd", [&] { linalg::lstsq(a, b, nullopt, "gelsd"); }},
                        {"gelss", [&] { linalg::lstsq(a, b, nullopt, "gelss"); }},
                        {"triangular", [&] { linalg::solve_triangular(a, b, true).eval(); }},
                        {"pinv", [&] { linalg::pinv(a).eval(); }},
                        {"rank", [&] { linalg::matrix_rank(a).eval(); }},
                        {"cond", [&] { linalg::cond(a).eval(); }},
                        {"exp", [&] { linalg::matrix_exp(a).eval(); }}};
                    for (const auto& [name, f] : others) {
                        CAPTURE(name);
                        const std::string got = outcome(f);
                        CHECK_MESSAGE((got.empty() || got == "LinAlgError"), got);
                    }
                }
}
