// The linalg extension of the Python array API standard: what its test suite (array-api-tests,
// test_linalg.py; each case names its test) requires of each function.
#include "tests/linalg/dense.hpp"
#include "tests/ops/check.hpp"
#include "tests/seed.hpp"

#include <algorithm>
#include <cmath>

using namespace sinter;
using namespace sinter::test;

namespace {

using shape = std::vector<int64_t>;

const std::vector<shape> stacks = {{}, {1}, {2}, {0}, {2, 3}, {2, 0}, {1, 2, 1}};

shape joined(shape a, const shape& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

/// Random numbers of these sizes.
Tensor numbers(const shape& sizes, ScalarType dtype, gallery& random) {
    int64_t n = 1;
    for (int64_t s : sizes) n *= s;
    return tensor_of(random.any(n, 1, dtype), dtype).reshape(sizes);
}
Tensor hermitian(const shape& sizes, ScalarType dtype, gallery& random) {
    const Tensor a = numbers(sizes, dtype, random);
    return (a + a.mH()) / 2;
}
Tensor positive(const shape& sizes, ScalarType dtype, gallery& random) {
    return hermitian(sizes, dtype, random) +
           2.0 * static_cast<double>(sizes.back()) * eye(sizes.back(), dtype);
}
/// Regular, well-conditioned matrices.
Tensor regular(const shape& sizes, ScalarType dtype, gallery& random) {
    return numbers(sizes, dtype, random) +
           2.0 * static_cast<double>(sizes.back()) * eye(sizes.back(), dtype);
}

shape sizes_of(const Tensor& t) { return t.sizes().vec(); }

bool near(const Tensor& a, const Tensor& b) {
    const double tolerance = toRealValueType(a.scalar_type()) == kFloat ? 1e-4 : 1e-11;
    return sizes_of(a) == sizes_of(b) && allclose(a, b, tolerance, tolerance);
}

ScalarType real_of(ScalarType t) { return toRealValueType(t); }

/// Calls f(dtype, stack, gallery) for all dtypes and stacks.
template <class F>
void for_stacks(const F& f) {
    gallery random(seed() + 20);
    for (ScalarType t : matrix_dtypes)
        for (const shape& stack : stacks) {
            const std::string shown = std::string(toString(t)) + ", stack of " +
                                      std::to_string(stack.size()) + " dimensions";
            CAPTURE(shown);
            // Only one stack runs lazily, since each combination of sizes is compiled.
            ModeGuard guard(stack == shape{2} ? Mode::lazy : Mode::eager);
            f(t, stack, random);
        }
}

/// Checks that each matrix of a stack gives the same alone as in the whole stack.
template <class F>
bool stacks_agree(const Tensor& a, const F& f) {
    if (a.numel() == 0) return true;
    const Tensor whole = f(a);
    const int64_t n = a.numel() / (a.size(-1) * a.size(-2));
    const Tensor flat = a.reshape({n, a.size(-2), a.size(-1)});
    shape rest = sizes_of(whole);
    rest.erase(rest.begin(), rest.begin() + (a.dim() - 2));
    rest.insert(rest.begin(), n);
    const Tensor results = whole.reshape(rest);
    for (int64_t i = 0; i < n; ++i)
        if (!near(f(flat[i]), results[i])) return false;
    return true;
}

}  // namespace

TEST_CASE("array API: cholesky") {  // test_cholesky
    for_stacks([](ScalarType t, const shape& stack, gallery& random) {
        for (int64_t n : {0, 1, 4})
            for (bool upper : {false, true}) {
                const Tensor a = positive(joined(stack, {n, n}), t, random),
                             l = linalg::cholesky(a, upper);
                CHECK((l.scalar_type() == t));
                CHECK(sizes_of(l) == sizes_of(a));
                CHECK(equal(l, upper ? l.triu() : l.tril()));
                CHECK(near(upper ? l.mH().matmul(l) : l.matmul(l.mH()), a));
                CHECK(stacks_agree(a, [&](const Tensor& m) { return linalg::cholesky(m, upper); }));
            }
    });
}

TEST_CASE("array API: cross") {  // test_cross
    gallery random(seed() + 21);
    for (ScalarType t : matrix_dtypes)
        for (const auto& [sizes, dim] : {std::pair<shape, int64_t>{{3}, -1},
                                         {{2, 3}, -1},
                                         {{3, 2}, 0},
                                         {{2, 3, 4}, 1},
                                         {{0, 3}, 1}}) {
            const Tensor a = numbers(sizes, t, random), b = numbers(sizes, t, random),
                         c = linalg::cross(a, b, dim);
            CHECK((c.scalar_type() == t));
            CHECK(sizes_of(c) == sizes);
            const Tensor x = a.movedim(dim, -1), y = b.movedim(dim, -1);
            const Tensor expected =
                stack({x.select(-1, 1) * y.select(-1, 2) - x.select(-1, 2) * y.select(-1, 1),
                       x.select(-1, 2) * y.select(-1, 0) - x.select(-1, 0) * y.select(-1, 2),
                       x.select(-1, 0) * y.select(-1, 1) - x.select(-1, 1) * y.select(-1, 0)},
                      -1);
            CHECK(near(c.movedim(dim, -1), expected));
        }
    // Sizes broadcast, except for the dimension of three.
    CHECK(equal(linalg::cross(tensor({{1., 0., 0.}, {0., 1., 0.}}), tensor({{0., 0., 1.}})),
                tensor({{0., -1., 0.}, {1., 0., 0.}})));
    CHECK_THROWS_AS(linalg::cross(ones({2}), ones({2})), Error);
    CHECK_THROWS_AS(linalg::cross(ones({3, 1}), ones({1, 3})), Error);
}

TEST_CASE("array API: det, slogdet") {  // test_det, test_slogdet
    for_stacks([](ScalarType t, const shape& stack, gallery& random) {
        for (int64_t n : {0, 1, 2, 5}) {
            const Tensor a = regular(joined(stack, {n, n}), t, random), d = linalg::det(a);
            CHECK((d.scalar_type() == t));
            CHECK(sizes_of(d) == stack);
            CHECK(stacks_agree(a, [](const Tensor& m) {
                return linalg::det(m) / std::pow(8.0, double(m.size(-1)));
            }));
            const auto [sign, log] = linalg::slogdet(a);
            CHECK((sign.scalar_type() == t));
            CHECK((log.scalar_type() == real_of(t)));
            CHECK(sizes_of(sign) == stack);
            CHECK(sizes_of(log) == stack);
            CHECK(near(sign.abs(), ones_like(log)));
            CHECK(
                near(sign * (log - double(n) * std::log(8.0)).exp(), d / std::pow(8.0, double(n))));
            if (n == 0) CHECK(equal(d, ones_like(d)));
        }
    });
}

TEST_CASE("array API: diagonal, trace") {  // test_diagonal, test_trace
    gallery random(seed() + 22);
    for (ScalarType t : {kFloat, kDouble, kComplexFloat, kComplexDouble, kInt, kLong})
        for (const shape& sizes :
             {shape{3, 3}, shape{2, 4}, shape{4, 2}, shape{2, 3, 4}, shape{0, 3}, shape{0, 2, 2}}) {
            const Tensor a = (numbers(sizes, kDouble, random) * 50).to(t);
            for (int64_t offset = -5; offset <= 5; ++offset) {
                const Tensor d = linalg::diagonal(a, offset);
                const int64_t m = sizes[sizes.size() - 2], n = sizes.back();
                const int64_t length = std::max<int64_t>(
                    0, offset < 0 ? std::min(n, m + offset) : std::min(m, n - offset));
                CHECK(d.size(-1) == length);
                for (int64_t i = 0; i < length; ++i)
                    CHECK(equal(d.select(-1, i), a.select(-2, i + (offset < 0 ? -offset : 0))
                                                     .select(-1, i + (offset > 0 ? offset : 0))));
            }
            if (sizes.size() != 2) continue;
            const Tensor whole = trace(a);
            CHECK((whole.scalar_type() == (t == kInt ? kLong : t)));
            CHECK(whole.dim() == 0);
            CHECK(near(whole, linalg::diagonal(a).sum().to(whole.dtype())));
        }
}

TEST_CASE("array API: eigh, eigvalsh") {  // test_eigh, test_eigvalsh
    for_stacks([](ScalarType t, const shape& stack, gallery& random) {
        for (int64_t n : {0, 1, 4}) {
            const Tensor a = hermitian(joined(stack, {n, n}), t, random);
            const auto [w, v] = linalg::eigh(a);
            CHECK((w.scalar_type() == real_of(t)));
            CHECK((v.scalar_type() == t));
            CHECK(sizes_of(w) == joined(stack, {n}));
            CHECK(sizes_of(v) == sizes_of(a));
            CHECK(near(v.mH().matmul(v), eye(n, t).expand(v.sizes())));
            CHECK(near(v.matmul(w.to(t).unsqueeze(-1) * v.mH()), a));
            const Tensor alone = linalg::eigvalsh(a);
            CHECK((alone.scalar_type() == real_of(t)));
            CHECK(near(alone, w));
            CHECK(stacks_agree(a, [](const Tensor& m) { return linalg::eigvalsh(m); }));
        }
    });
}

TEST_CASE("array API: inv, solve") {  // test_inv, test_solve
    for_stacks([](ScalarType t, const shape& stack, gallery& random) {
        for (int64_t n : {0, 1, 4}) {
            const Tensor a = regular(joined(stack, {n, n}), t, random), i = linalg::inv(a);
            CHECK((i.scalar_type() == t));
            CHECK(sizes_of(i) == sizes_of(a));
            CHECK(near(a.matmul(i), eye(n, t).expand(a.sizes())));
            CHECK(stacks_agree(a, [](const Tensor& m) { return linalg::inv(m); }));
            for (int64_t k : {0, 1, 3}) {
                const Tensor b = numbers(joined(stack, {n, k}), t, random), x = linalg::solve(a, b);
                CHECK((x.scalar_type() == t));
                CHECK(sizes_of(x) == sizes_of(b));
                CHECK(near(a.matmul(x), b));
            }
            // Each matrix solves for the same vector.
            const Tensor v = numbers({n}, t, random), x = linalg::solve(a, v);
            CHECK(sizes_of(x) == joined(stack, {n}));
            CHECK(near(a.matmul(x.unsqueeze(-1)).squeeze(-1), v.expand(x.sizes())));
            // A stack of matrices broadcasts with another.
            if (stack != shape{2}) continue;
            const Tensor b = numbers({3, 1, n, 2}, t, random), y = linalg::solve(a, b);
            CHECK(sizes_of(y) == shape{3, 2, n, 2});
            CHECK(near(a.matmul(y), b.expand(y.sizes())));
        }
    });
}

TEST_CASE("array API: matmul, matrix_transpose, vecdot, tensordot, outer") {
    gallery random(seed() + 23);
    for (ScalarType t : matrix_dtypes) {
        // test_matmul
        for (const auto& [a, b, c] : {std::tuple<shape, shape, shape>{{3}, {3}, {}},
                                      {{2, 3}, {3}, {2}},
                                      {{3}, {3, 2}, {2}},
                                      {{2, 3}, {3, 4}, {2, 4}},
                                      {{5, 2, 3}, {3, 4}, {5, 2, 4}},
                                      {{5, 1, 2, 3}, {6, 3, 1}, {5, 6, 2, 1}},
                                      {{0}, {0}, {}},
                                      {{2, 0}, {0, 3}, {2, 3}},
                                      {{0, 2, 3}, {3, 1}, {0, 2, 1}}}) {
            const Tensor x = numbers(a, t, random), y = numbers(b, t, random),
                         z = linalg::matmul(x, y);
            CHECK((z.scalar_type() == t));
            CHECK(sizes_of(z) == c);
            const Tensor rows = x.dim() == 1 ? x.unsqueeze(0) : x,
                         cols = y.dim() == 1 ? y.unsqueeze(-1) : y;
            Tensor by_hand = (rows.unsqueeze(-1) * cols.unsqueeze(-3)).sum(-2);
            CHECK(near(z, by_hand.reshape(c)));
        }
        CHECK_THROWS_AS(linalg::matmul(ones({}, t), ones({2}, t)), Error);
        CHECK_THROWS_AS(linalg::matmul(ones({2, 3}, t), ones({2}, t)), Error);
        CHECK_THROWS_AS(linalg::matmul(ones({2, 2, 3}, t), ones({3, 3, 2}, t)), Error);
        // test_matrix_transpose
        const Tensor m = numbers({2, 3, 4}, t, random);
        CHECK(sizes_of(m.mT()) == shape{2, 4, 3});
        for (int64_t i = 0; i < 2; ++i) CHECK(equal(m.mT()[i], m[i].t()));
        // test_vecdot
        for (const auto& [a, b, dim] : {std::tuple<shape, shape, int64_t>{{4}, {4}, -1},
                                        {{2, 4}, {4}, -1},
                                        {{4, 1}, {4, 3}, -2},
                                        {{3, 2, 0}, {1, 0}, -1}}) {
            const Tensor x = numbers(a, t, random), y = numbers(b, t, random),
                         z = linalg::vecdot(x, y, dim);
            CHECK((z.scalar_type() == t));
            CHECK(near(z, (x.conj() * y).sum(dim)));
        }
        CHECK_THROWS_AS(linalg::vecdot(ones({3}, t), ones({4}, t)), Error);
        // test_tensordot
        const Tensor a = numbers({2, 3, 4}, t, random), b = numbers({4, 3, 5}, t, random);
        const Tensor two = tensordot(a, b, {1, 2}, {1, 0});
        CHECK(sizes_of(two) == shape{2, 5});
        CHECK(near(two, a.permute({0, 2, 1}).reshape({2, 12}).matmul(b.reshape({12, 5}))));
        CHECK(sizes_of(tensordot(a, b, 0)) == shape{2, 3, 4, 4, 3, 5});
        CHECK(near(tensordot(a, b, 1),
                   a.reshape({6, 4}).matmul(b.reshape({4, 15})).reshape({2, 3, 3, 5})));
        CHECK(near(tensordot(a, b, {2, 1}, {0, 1}), two));
        CHECK_THROWS_AS(tensordot(a, b, {0}, {0}), Error);
        // test_outer
        const Tensor u = numbers({3}, t, random), v = numbers({4}, t, random);
        CHECK(equal(outer(u, v), u.unsqueeze(1) * v));
    }
}

TEST_CASE("array API: matrix_norm, vector_norm") {  // test_matrix_norm, test_vector_norm
    const double inf = INFINITY;
    for_stacks([&](ScalarType t, const shape& stack, gallery& random) {
        for (const auto& [m, n] : {std::pair<int64_t, int64_t>{3, 4}, {4, 2}, {1, 1}}) {
            const Tensor a = numbers(joined(stack, {m, n}), t, random), abs = a.abs();
            const Tensor s = linalg::svdvals(a);
            for (bool keep : {false, true}) {
                const auto same = [&](const Tensor& got, const Tensor& expected) {
                    CHECK((got.scalar_type() == real_of(t)));
                    CHECK(sizes_of(got) == joined(stack, keep ? shape{1, 1} : shape{}));
                    CHECK(near(got.reshape(expected.sizes()), expected));
                };
                const std::vector<int64_t> last{-2, -1};
                same(linalg::matrix_norm(a, "fro", last, keep), (abs * abs).sum({-2, -1}).sqrt());
                same(linalg::matrix_norm(a, "nuc", last, keep), s.sum(-1));
                same(linalg::matrix_norm(a, 1, last, keep), abs.sum(-2).amax(-1));
                same(linalg::matrix_norm(a, -1, last, keep), abs.sum(-2).amin(-1));
                same(linalg::matrix_norm(a, inf, last, keep), abs.sum(-1).amax(-1));
                same(linalg::matrix_norm(a, -inf, last, keep), abs.sum(-1).amin(-1));
                same(linalg::matrix_norm(a, 2, last, keep), s.select(-1, 0));
                same(linalg::matrix_norm(a, -2, last, keep), s.select(-1, -1));
            }
            CHECK(near(linalg::vector_norm(a, 2, IntArrayRef{-1}), (abs * abs).sum(-1).sqrt()));
            CHECK(near(linalg::vector_norm(a, 1, IntArrayRef{-2}), abs.sum(-2)));
            CHECK(near(linalg::vector_norm(a, 0, IntArrayRef{-1}),
                       (abs != 0).to(real_of(t)).sum(-1)));
            CHECK(near(linalg::vector_norm(a, 3, IntArrayRef{-1}),
                       (abs * abs * abs).sum(-1).pow(1.0 / 3)));
            CHECK(near(linalg::vector_norm(a, inf, IntArrayRef{-1}), abs.amax(-1)));
            CHECK(near(linalg::vector_norm(a, -inf, IntArrayRef{-1}), abs.amin(-1)));
            CHECK(linalg::vector_norm(a).dim() == 0);
            CHECK(near(linalg::vector_norm(a, 2, nullopt, true),
                       (abs * abs).sum().sqrt().reshape(shape(stack.size() + 2, 1))));
        }
    });
}

TEST_CASE("array API: matrix_power, matrix_rank, pinv") {
    for_stacks([](ScalarType t, const shape& stack, gallery& random) {
        const Tensor a = regular(joined(stack, {3, 3}), t, random) / 6,
                     i = eye(3, t).expand(a.sizes());
        // test_matrix_power
        CHECK(equal(linalg::matrix_power(a, 0), i));
        CHECK(equal(linalg::matrix_power(a, 1), a));
        CHECK(near(linalg::matrix_power(a, 3), a.matmul(a).matmul(a)));
        CHECK(near(linalg::matrix_power(a, -1), linalg::inv(a)));
        CHECK(near(linalg::matrix_power(a, -2).matmul(a).matmul(a), i));
        // test_matrix_rank
        CHECK((linalg::matrix_rank(a).scalar_type() == kLong));
        CHECK(equal(linalg::matrix_rank(a), full(stack, 3, kLong)));
        CHECK(equal(linalg::matrix_rank(zeros_like(a)), zeros(stack, kLong)));
        CHECK(equal(linalg::matrix_rank(ones_like(a)), ones(stack, kLong)));
        // test_pinv
        for (const auto& [m, n] : {std::pair<int64_t, int64_t>{4, 2}, {2, 4}, {0, 3}, {3, 0}}) {
            const Tensor b = numbers(joined(stack, {m, n}), t, random) + 2 * eye(m, n, t),
                         p = linalg::pinv(b);
            CHECK((p.scalar_type() == t));
            CHECK(sizes_of(p) == joined(stack, {n, m}));
            CHECK(near(b.matmul(p).matmul(b), b));
            CHECK(near(p.matmul(b).matmul(p), p));
        }
    });
}

TEST_CASE("array API: qr, svd, svdvals") {  // test_qr, test_svd, test_svdvals
    for_stacks([](ScalarType t, const shape& stack, gallery& random) {
        for (const auto& [m, n] :
             {std::pair<int64_t, int64_t>{4, 4}, {5, 2}, {2, 5}, {1, 1}, {0, 0}, {3, 0}, {0, 3}}) {
            const int64_t k = std::min(m, n);
            const Tensor a = numbers(joined(stack, {m, n}), t, random);
            for (const bool complete : {false, true}) {
                const auto [q, r] = linalg::qr(a, complete ? "complete" : "reduced");
                CHECK((q.scalar_type() == t));
                CHECK((r.scalar_type() == t));
                CHECK(sizes_of(q) == joined(stack, {m, complete ? m : k}));
                CHECK(sizes_of(r) == joined(stack, {complete ? m : k, n}));
                CHECK(near(q.matmul(r), a));
                CHECK(near(q.mH().matmul(q), eye(q.size(-1), t).expand(q.mH().matmul(q).sizes())));
                CHECK(equal(r, r.triu()));
                const auto [u, s, v] = linalg::svd(a, complete);
                CHECK(sizes_of(u) == joined(stack, {m, complete ? m : k}));
                CHECK(sizes_of(s) == joined(stack, {k}));
                CHECK(sizes_of(v) == joined(stack, {complete ? n : k, n}));
                CHECK((s.scalar_type() == real_of(t)));
                CHECK(near((u.narrow(-1, 0, k) * s.to(t).unsqueeze(-2)).matmul(v.narrow(-2, 0, k)),
                           a));
                CHECK(equal(s, std::get<0>(s.sort(-1, true))));
                CHECK(near(linalg::svdvals(a), s));
            }
        }
    });
}
