// Names without `linalg_`, as functions and methods, compared with torch.linalg's.
#include "tests/linalg/dense.hpp"
#include "tests/ops/check.hpp"
#include "tests/seed.hpp"

using namespace sinter;
using namespace sinter::test;

namespace {

bool near(const Tensor& a, const Tensor& b) {
    return a.sizes() == b.sizes() && allclose(a, b, 1e-10, 1e-10);
}

/// Returns true if the tensors of two tuples are equal.
template <class... T>
bool same(const std::tuple<T...>& a, const std::tuple<T...>& b) {
    const auto one = [&]<std::size_t... I>(std::index_sequence<I...>) {
        return (equal(std::get<I>(a), std::get<I>(b)) && ...);
    };
    return one(std::index_sequence_for<T...>());
}

}  // namespace

TEST_CASE("inverse, det, slogdet and logdet are those of linalg") {
    gallery random(seed() + 30);
    for (ScalarType t : {kDouble, kComplexDouble}) {
        const Tensor a = tensor_of(random.many(2, 3, 3, t), {2}, t);
        CHECK(equal(inverse(a), linalg_inv(a)));
        CHECK(equal(a.inverse(), linalg_inv(a)));
        CHECK(equal(det(a), linalg_det(a)));
        CHECK(equal(a.det(), linalg_det(a)));
        CHECK(same(slogdet(a), linalg_slogdet(a)));
        CHECK(same(a.slogdet(), linalg_slogdet(a)));
        const Tensor negative = isComplexType(t) ? zeros({2}, kBool) : Tensor(det(a).lt(0));
        CHECK(near(logdet(a).exp().masked_fill(negative, 0), det(a).masked_fill(negative, 0)));
        CHECK(equal(a.logdet().isnan(), negative));  // a real logarithm of a negative number
    }
    CHECK(logdet(tensor({{0.}}, kDouble)).item<double>() == -INFINITY);
}

TEST_CASE("qr of both sizes, its reflectors, and products with them") {
    gallery random(seed() + 31);
    for (ScalarType t : {kDouble, kComplexDouble}) {
        const Tensor a = tensor_of(random.many(2, 4, 3, t), {2}, t);
        CHECK(same(qr(a), linalg_qr(a, "reduced")));
        CHECK(same(qr(a, false), linalg_qr(a, "complete")));
        CHECK(same(a.qr(false), linalg_qr(a, "complete")));
        const auto [factors, tau] = geqrf(a);
        CHECK(same(a.geqrf(), {factors, tau}));
        const Tensor q = orgqr(factors, tau);
        CHECK(near(q, std::get<0>(qr(a))));
        CHECK(equal(factors.orgqr(tau), linalg_householder_product(factors, tau)));
        const Tensor whole = std::get<0>(qr(a, false)),
                     c = tensor_of(random.many(2, 4, 4, t), {2}, t);
        CHECK(near(ormqr(factors, tau, c), whole.matmul(c)));
        CHECK(near(ormqr(factors, tau, c, false), c.matmul(whole)));
        CHECK(near(ormqr(factors, tau, c, true, true), whole.mH().matmul(c)));
        CHECK(near(factors.ormqr(tau, c, false, true), c.matmul(whole.mH())));
    }
}

TEST_CASE("svd gives V, not its adjoint, and zeros where vectors are not wanted") {
    gallery random(seed() + 32);
    for (ScalarType t : {kDouble, kComplexDouble})
        for (const auto& [m, n] : {std::pair<int64_t, int64_t>{4, 3}, {3, 4}}) {
            const Tensor a = tensor_of(random.any(m, n, t), t);
            for (bool some : {true, false}) {
                const auto [u, s, v] = svd(a, some);
                const auto [u2, s2, vh] = linalg_svd(a, !some);
                CHECK(equal(u, u2));
                CHECK(equal(s, s2));
                CHECK(equal(v, vh.mH()));
                CHECK(same(a.svd(some), {u, s, v}));
                const auto [none, alone, nothing] = svd(a, some, false);
                CHECK(near(alone, s));
                CHECK(equal(none, zeros({m, m}, t)));
                CHECK(equal(nothing, zeros({n, n}, t)));
            }
        }
}

TEST_CASE("cholesky, and systems from factors") {
    gallery random(seed() + 33);
    for (ScalarType t : {kDouble, kComplexDouble}) {
        const Tensor a = tensor_of(random.positive(4, t), t), b = tensor_of(random.any(4, 2, t), t);
        for (bool upper : {false, true}) {
            const Tensor f = cholesky(a, upper);
            CHECK(equal(f, linalg_cholesky(a, upper)));
            CHECK(equal(a.cholesky(upper), f));
            CHECK(near(cholesky_solve(b, f, upper), linalg_solve(a, b)));
            CHECK(equal(b.cholesky_solve(f, upper), cholesky_solve(b, f, upper)));
            CHECK(near(cholesky_inverse(f, upper), linalg_inv(a)));
            CHECK(equal(f.cholesky_inverse(upper), cholesky_inverse(f, upper)));
        }
        const Tensor m = tensor_of(random.any(4, 4, t), t);
        const auto [lu, pivots] = linalg_lu_factor(m);
        CHECK(equal(lu_solve(b, lu, pivots), linalg_lu_solve(lu, pivots, b)));
        CHECK(equal(b.lu_solve(lu, pivots), linalg_lu_solve(lu, pivots, b)));
        CHECK(same(lu_unpack(lu, pivots), linalg_lu(m)));
        const auto [p, l, u] = lu_unpack(lu, pivots, false);
        CHECK(equal(p, std::get<0>(linalg_lu(m))));
        CHECK(l.numel() + u.numel() == 0);
        CHECK(std::get<0>(lu_unpack(lu, pivots, true, false)).numel() == 0);
        for (bool upper : {false, true})
            for (bool transposed : {false, true})
                for (bool unit : {false, true}) {
                    const auto [x, copy] = triangular_solve(b, a, upper, transposed, unit);
                    Tensor part = upper ? a.triu() : a.tril();
                    if (unit) part = part - diag(part.diagonal()) + eye(4, t);
                    CHECK(near((transposed ? part.mT() : part).matmul(x), b));
                    CHECK(equal(copy, a));
                    CHECK(same(b.triangular_solve(a, upper, transposed, unit), {x, copy}));
                }
    }
}

TEST_CASE("trace, exponentials, powers and pseudo-inverses as methods") {
    const Tensor a = tensor({{2., 1.}, {0., 3.}}, kDouble);
    CHECK(a.trace().item<double>() == 5);
    CHECK(trace(a).item<double>() == 5);
    CHECK(equal(a.matrix_exp(), linalg_matrix_exp(a)));
    CHECK(equal(matrix_exp(a), linalg_matrix_exp(a)));
    CHECK(equal(a.matrix_power(3), linalg_matrix_power(a, 3)));
    CHECK(near(a.pinverse(), linalg_inv(a)));
    CHECK(near(pinverse(a), linalg_inv(a)));
}
