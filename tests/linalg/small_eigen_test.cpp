// Batches of small symmetric matrices, which are decomposed side by side, beside LAPACK, which
// takes each matrix alone.
#include "tests/linalg/judges.hpp"
#include "tests/seed.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

using namespace sinter;
using namespace sinter::test;

namespace {

/// More matrices than lanes, and not a multiple of them.
constexpr int64_t count = 37;

Tensor symmetric(int64_t n, ScalarType t) {
    const Tensor a = rand({count, n, n}, t) * 2 - 1;
    return (a + a.mT()).eval();
}

/// The eigenvalues of each matrix alone.
Tensor one_by_one(const Tensor& a) {
    std::vector<Tensor> each;
    for (int64_t i = 0; i < a.size(0); ++i) each.push_back(linalg::eigvalsh(a[i]));
    return stack(each);
}

bool same(const Tensor& a, const Tensor& b) { return equal(a, b) && equal(signbit(a), signbit(b)); }

/// V diag(w) V^T.
Tensor composed(const Tensor& w, const Tensor& v) { return (v * w.unsqueeze(-2)).matmul(v.mT()); }

}  // namespace

TEST_CASE("eigenvalues of batches are LAPACK's within rounding") {
    manual_seed(seed());
    for (const ScalarType t : {kFloat, kDouble})
        for (int64_t n = 1; n <= 33; ++n) {
            CAPTURE(n);
            const Tensor a = symmetric(n, t);
            const double bound = (t == kFloat ? 0x1p-23 : 0x1p-52) * 10.0 * n * n;
            const auto [w, v] = linalg::eigh(a);
            CHECK((w - one_by_one(a)).abs().max().item().toDouble() <= bound);
            CHECK((composed(w, v) - a).abs().max().item().toDouble() <= bound);
            CHECK((linalg::eigvalsh(a) - w).abs().max().item().toDouble() <= bound);
        }
}

TEST_CASE("vectors of batches are orthonormal and diagonalise, in all layouts") {
    gallery random(seed() + 30);
    for (const ScalarType t : {kFloat, kDouble})
        for (const int64_t n : {1, 2, 3, 4, 7, 16, 32, 33})
            for (const lies how : all_lies) {
                CAPTURE(n);
                CAPTURE(static_cast<int>(how));
                // The judge reads each triangle, so the other one may hold anything.
                const int64_t matrices = how == lies::expanded ? 1 : count;
                const Tensor a = tensor_of(random.many(matrices, n, n, t), {count}, t, how);
                CHECK(judge_eigh(a, random) < lapack_threshold);
            }
}

TEST_CASE("strided and expanded batches give the bits of dense ones") {
    manual_seed(seed());
    for (const ScalarType t : {kFloat, kDouble}) {
        const Tensor a = symmetric(9, t), big = zeros({2 * count, 18, 18}, t);
        const auto [w, v] = linalg::eigh(a);
        Tensor part = big.slice(0, 0, 2 * count, 2).slice(1, 0, 18, 2).slice(2, 0, 18, 2);
        part.copy_(a);
        const auto [ws, vs] = linalg::eigh(part);
        CHECK(same(w, ws));
        CHECK(same(v, vs));
        const auto [wt, vt] = linalg::eigh(a.mT(), "U");
        CHECK(same(w, wt));
        CHECK(same(v, vt));
        const auto [we, ve] = linalg::eigh(a[3].expand({count, 9, 9}));
        for (const int64_t i : {int64_t{0}, int64_t{5}, count - 1}) {
            CHECK(same(we[i], w[3]));
            CHECK(same(ve[i], v[3]));
        }
    }
}

TEST_CASE("a matrix of a batch has the same bits at each place and for any number of threads") {
    manual_seed(seed());
    const int before = get_num_threads();
    for (const ScalarType t : {kFloat, kDouble})
        for (const int64_t n : {3, 8, 17}) {
            CAPTURE(n);
            // Enough for several threads.
            const Tensor a = symmetric(n, t).repeat({60, 1, 1}).eval();
            set_num_threads(1);
            const auto [w, v] = linalg::eigh(a);
            set_num_threads(2);
            const auto [w2, v2] = linalg::eigh(a);
            set_num_threads(before);
            CHECK(same(w, w2));
            CHECK(same(v, v2));
            const auto [rolled_w, rolled_v] = linalg::eigh(a.roll(5, 0));
            CHECK(same(w.roll(5, 0), rolled_w));
            CHECK(same(v.roll(5, 0), rolled_v));
            CHECK(same(w.slice(0, 0, count), w.slice(0, count, 2 * count)));
        }
}

TEST_CASE("sizes near the ends of the range") {
    manual_seed(seed());
    for (const ScalarType t : {kFloat, kDouble}) {
        const Tensor a = symmetric(8, t), w = linalg::eigvalsh(a);
        for (const double power : t == kFloat ? std::vector<double>{0x1p120, 0x1p-90}
                                              : std::vector<double>{0x1p1000, 0x1p-900}) {
            CAPTURE(power);
            const double bound = t == kFloat ? 1e-4 : 1e-13;
            const auto [far, v] = linalg::eigh(a * power);
            CHECK((far / power - w).abs().max().item().toDouble() <= bound);
            CHECK((composed(far / power, v) - a).abs().max().item().toDouble() <= bound);
        }
    }
}

TEST_CASE("NaN in one matrix of a batch is told with its place") {
    Tensor a = eye(5).repeat({count, 1, 1});
    a[20][3][1] = std::numeric_limits<double>::quiet_NaN();
    const auto text = [&](auto call) {
        try {
            call();
        } catch (const LinAlgError& e) {
            const std::string all = e.what();
            return all.substr(0, all.find("; at "));
        }
        return std::string();
    };
    const std::string expected =
        "the matrix has elements that are not finite; got infinities or NaN in matrix 20 of the "
        "batch (syevd), expected finite elements; try nan_to_num(), or isfinite() to find them";
    CHECK(text([&] { linalg::eigh(a); }) == "[linalg_eigh] " + expected);
    CHECK(text([&] { linalg::eigvalsh(a); }) == "[linalg_eigvalsh] " + expected);
    // The other triangle is not read.
    CHECK(same(linalg::eigvalsh(a, "U"), ones({count, 5})));
}

TEST_CASE("results of batches go to given tensors") {
    manual_seed(seed());
    const Tensor a = symmetric(6, kDouble);
    const auto [w, v] = linalg::eigh(a);
    Tensor values = empty({0}, kDouble), vectors = empty({0}, kDouble);
    linalg::eigh_out(values, vectors, a);
    CHECK(same(values, w));
    CHECK(same(vectors, v));
    Tensor alone = zeros({6, count}, kDouble).mT();
    linalg::eigvalsh_out(alone, a);
    CHECK(same(alone, linalg::eigvalsh(a)));
}

TEST_CASE("gradients of batches") {
    manual_seed(seed());
    const Tensor a = symmetric(4, kDouble);
    const auto f = [](const std::vector<Tensor>& x) {
        const auto [w, v] = linalg::eigh((x[0] + x[0].mT()) / 2);
        return std::vector<Tensor>{w, composed(w * w, v)};
    };
    CHECK(autograd::gradcheck(f, {a.clone().requires_grad_()}));
}
