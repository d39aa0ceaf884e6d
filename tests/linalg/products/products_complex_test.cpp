// Complex products: every routine and layout, conjugates that are not materialised, equal bits.
#include "kernels/linalg/product.hpp"
#include "tests/linalg/products/product_case.hpp"
#include "tests/linalg/products/products_case.hpp"
#include "tests/seed.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

using namespace sinter;
using namespace sinter::test;

namespace {

struct product_sizes {
    int64_t m, n, k;
};

Tensor draw(IntArrayRef s, ScalarType t) {
    const ScalarType part = toRealValueType(t);
    return complex(rand(s, part) - 0.5, rand(s, part) - 0.5);
}

/// Returns the same numbers in another memory layout.
Tensor laid_out(const Tensor& a, arrangement how) {
    list s = a.sizes().vec();
    const std::size_t r = s.size() - 2, c = s.size() - 1;
    const auto cut = [&](const Tensor& whole, int64_t at) {
        return whole.slice(-2, at, at + s[r]).slice(-1, at, at + s[c]);
    };
    switch (how) {
        case arrangement::rows: return a.clone();
        case arrangement::columns: return a.transpose(-1, -2).contiguous().transpose(-1, -2);
        case arrangement::sliced_rows: {
            list w = s;
            w[r] += 2, w[c] += 3;
            Tensor whole = full(w, NAN, a.scalar_type());
            cut(whole, 1).copy_(a);
            return cut(whole, 1);
        }
        case arrangement::sliced_columns:
            return laid_out(a.transpose(-1, -2), arrangement::sliced_rows).transpose(-1, -2);
        case arrangement::stepped:
        case arrangement::shifted: {
            list w = s;
            w[r] *= 2, w[c] *= 2;
            Tensor whole = full(w, NAN, a.scalar_type());
            Tensor part = whole.slice(-2, 0, w[r], 2).slice(-1, 1, w[c], 2);
            part.copy_(a);
            return part;
        }
    }
    return a;
}

/// Returns |difference| over the sum of absolute products, in units of the dtype's rounding.
double error(const Tensor& got, const Tensor& a, const Tensor& b) {
    const Tensor x = a.to(kComplexDouble), y = b.to(kComplexDouble);
    const Tensor exact = (x.unsqueeze(-1) * y.unsqueeze(-3)).sum(-2);
    const Tensor size = (x.abs().unsqueeze(-1) * y.abs().unsqueeze(-3)).sum(-2);
    const double unit = a.scalar_type() == kComplexFloat ? 0x1p-24 : 0x1p-53;
    if (got.numel() == 0) return 0;
    return ((got.to(kComplexDouble) - exact).abs() / (size + 1e-300)).max().item<double>() / unit;
}

bool equal_bits(const Tensor& a, const Tensor& b) {
    const Tensor x = view_as_real(a.contiguous()).contiguous().eval(),
                 y = view_as_real(b.contiguous()).contiguous().eval();
    return x.sizes() == y.sizes() && x.scalar_type() == y.scalar_type() &&
           std::memcmp(x.storage().data(), y.storage().data(),
                       static_cast<std::size_t>(x.numel()) * x.element_size()) == 0;
}

const product_sizes shapes[] = {{1, 1, 1},  {5, 7, 3}, {17, 33, 40}, {1, 9, 12}, {9, 1, 12},
                                {1, 1, 50}, {4, 6, 1}, {2, 1, 1},    {1, 2, 1},  {70, 50, 90}};

}  // namespace

TEST_CASE("complex products are right for every pair of layouts") {
    manual_seed(seed());
    for (const ScalarType t : {kComplexFloat, kComplexDouble})
        for (const product_sizes& s : shapes) {
            const Tensor a = draw({s.m, s.k}, t), b = draw({s.k, s.n}, t);
            for (const arrangement l : all_layouts)
                for (const arrangement r : all_layouts) {
                    INFO(s.m << " " << s.n << " " << s.k << " " << static_cast<int>(l) << " "
                             << static_cast<int>(r));
                    const Tensor x = laid_out(a, l), y = laid_out(b, r);
                    CHECK(error(x.mm(y), a, b) <= 2.0 * static_cast<double>(s.k) + 4);
                }
        }
}

TEST_CASE("conjugated operands are taken as they lie, with the bits of computed ones" *
          doctest::test_suite("host")) {
    manual_seed(seed() + 1);
    for (const ScalarType t : {kComplexFloat, kComplexDouble})
        for (const product_sizes& s : shapes) {
            const Tensor a = draw({s.m, s.k}, t), b = draw({s.k, s.n}, t);
            eval({a, b});
            for (const arrangement l : all_layouts)
                for (int flags = 1; flags < 4; ++flags) {
                    INFO(s.m << " " << s.n << " " << s.k << " " << static_cast<int>(l) << " "
                             << flags);
                    const Tensor x = laid_out(a, l), y = laid_out(b, l);
                    eval({x, y});
                    const auto f = [&] {
                        const Tensor left = flags & 1 ? conj(x) : x,
                                     right = flags & 2 ? conj(y) : y;
                        return left.matmul(right);
                    };
                    const Tensor lazy = f();
                    reset_stats();
                    lazy.eval();
                    const bool dense = l == arrangement::rows || l == arrangement::columns;
                    if (dense || (s.m > 1 && s.n > 1)) CHECK(stats().kernels_launched == 0);
                    CHECK(stats().library_calls == 1);
                    CHECK(error(lazy, flags & 1 ? conj(a) : a, flags & 2 ? conj(b) : b) <=
                          2.0 * static_cast<double>(s.k) + 4);
                    ModeGuard guard(Mode::eager);
                    CHECK(equal_bits(lazy, f()));
                }
        }
}

TEST_CASE("views of a conjugate fold too" * doctest::test_suite("host")) {
    manual_seed(seed() + 2);
    const Tensor a = draw({4, 6, 5}, kComplexDouble), b = draw({4, 6, 7}, kComplexDouble);
    eval({a, b});
    const auto check = [](auto&& f, uint64_t kernels) {
        const Tensor lazy = f();
        reset_stats();
        lazy.eval();
        CHECK(stats().kernels_launched == kernels);
        ModeGuard guard(Mode::eager);
        CHECK(allclose(lazy, f(), 1e-14, 1e-14));
    };
    check([&] { return a.mH().matmul(b); }, 0);
    check([&] { return a.mT().conj().matmul(b); }, 0);
    check([&] { return a.select(0, 2).adjoint().mm(b.select(0, 1)); }, 0);
    check([&] { return conj(a).select(0, 2).t().mm(b.select(0, 1)); }, 0);
    check([&] { return conj(a).slice(1, 1, 6, 2).mT().matmul(b.slice(1, 1, 6, 2)); }, 0);
    check([&] { return conj(a).unsqueeze(1).mT().matmul(b); }, 0);
    check([&] { return b.select(0, 0).t().matmul(conj(a)); }, 0);
    check([&] { return conj(a.permute({2, 0, 1})).permute({1, 0, 2}).matmul(b); }, 0);
    check([&] { return conj(conj(a)).mT().matmul(b); }, 0);
    check(
        [&] {
            return vdot(a.select(0, 0).select(0, 0), b.select(0, 0).select(1, 0).narrow(0, 0, 5));
        },
        0);
    check(
        [&] {
            return vdot(conj(a).select(0, 0).select(0, 0),
                        b.select(0, 0).select(1, 0).narrow(0, 0, 5));
        },
        0);
    // A dimension that merges two of the conjugated tensor's dimensions is not one of its own.
    check([&] { return conj(a).view({24, 5}).t().mm(b.reshape({24, 7})); }, 1);
    check([&] { return (conj(a) * 2).mT().matmul(b); }, 1);
}

TEST_CASE("a conjugate that is written afterwards, or that others read") {
    const Tensor a = numbers({3, 3}, kComplexFloat), b = numbers({3, 3}, kComplexFloat, 2);
    Tensor c = conj(a), before = a.clone();
    const Tensor p = c.mm(b);
    a.zero_();
    c.add_(1);
    CHECK(equal(p, by_hand(conj(before), b).to(kComplexFloat)));
    CHECK(equal(c, conj(before) + 1));
    // After the write it is no longer a conjugate.
    CHECK(equal(c.mm(b), by_hand(conj(before) + 1, b).to(kComplexFloat)));
    Tensor d = conj(before);
    imag(d).zero_();
    CHECK(equal(d.mm(b), by_hand(complex(real(before), zeros({3, 3})), b).to(kComplexFloat)));
}

TEST_CASE("other eyes on the bytes") {
    const Tensor pairs = numbers({4, 4, 2}, kFloat), z = view_as_complex(pairs);
    CHECK(equal(z.mm(z), by_hand(z, z).to(kComplexFloat)));
    CHECK(equal(conj(z).mm(z), by_hand(conj(z), z).to(kComplexFloat)));
    const Tensor c = numbers({4, 6}, kComplexFloat);
    CHECK(equal(real(c).mm(imag(c).t()), by_hand(real(c), imag(c).t()).to(kFloat)));
    const Tensor parts = view_as_real(conj(c)).view({4, 12});
    CHECK(equal(parts.mm(parts.t()), by_hand(parts, parts.t()).to(kFloat)));
    CHECK(equal(imag(conj(c)).mm(real(c).t()), by_hand(-imag(c), real(c).t()).to(kFloat)));
}

TEST_CASE("batches, broadcasting, repeated and overlapping matrices") {
    const Tensor a = numbers({6, 1, 2, 3}, kComplexDouble),
                 b = numbers({5, 3, 4}, kComplexDouble, 3);
    CHECK(equal(a.matmul(b), by_hand(a, b)));
    CHECK(equal(conj(a).matmul(conj(b)), by_hand(conj(a), conj(b))));
    const Tensor v = numbers({3}, kComplexDouble);
    CHECK(equal(a.matmul(v), a.matmul(v.unsqueeze(1)).squeeze(-1)));
    CHECK(equal(v.matmul(b), by_hand(v.unsqueeze(0), b).squeeze(-2)));
    CHECK(equal(conj(v).matmul(b), by_hand(conj(v).unsqueeze(0), b).squeeze(-2)));
    const Tensor windows = numbers({12}, kComplexDouble).unfold(0, 4, 1);
    CHECK(equal(windows.mm(windows.t()), by_hand(windows, windows.t())));
    const Tensor row = v.unsqueeze(0).expand({5, 3});
    CHECK(equal(row.mm(b.select(0, 0)), by_hand(row, b.select(0, 0))));
    CHECK(equal(conj(row).mm(b.select(0, 0)), by_hand(conj(row), b.select(0, 0))));
    CHECK(equal(zeros({2, 0}, kComplexFloat).mm(zeros({0, 3}, kComplexFloat)),
                zeros({2, 3}, kComplexFloat)));
    CHECK((sizes(zeros({0, 2}, kComplexFloat).mm(zeros({2, 3}, kComplexFloat))) == list{0, 3}));
}

TEST_CASE("NaN and infinity pass through complex products") {
    Tensor a = ones({3, 3}, kComplexDouble), b = ones({3, 3}, kComplexDouble);
    real(a).select(0, 0).select(0, 0).fill_(NAN);
    real(a).select(0, 1).select(0, 0).fill_(INFINITY);
    const Tensor r = a.mm(b);
    CHECK(real(r).select(0, 0).isnan().all().item<bool>());
    // Imaginary parts are NaN, which BLAS spreads to the real parts when it multiplies by alpha.
    CHECK_FALSE(real(r).select(0, 1).isfinite().any().item<bool>());
    CHECK(equal(r.select(0, 2), full({3}, 3.0, kComplexDouble)));
}

TEST_CASE("every number of threads gives the same complex bits" * doctest::test_suite("host")) {
    manual_seed(seed() + 3);
    const int before = get_num_threads();
    for (const ScalarType t : {kComplexFloat, kComplexDouble})
        for (const product_sizes& s : {product_sizes{230, 210, 190},
                                       {20, 30, 40000},
                                       {1000, 1, 700},
                                       {1, 900, 700},
                                       {1, 1, 300001},
                                       {40, 50, 60}}) {
            const Tensor a = draw({s.m, s.k}, t), b = draw({s.k, s.n}, t);
            eval({a, b});
            set_num_threads(1);
            const Tensor one = a.mm(b).eval();
            for (const int threads : {2, 3, 7}) {
                set_num_threads(threads);
                CHECK(equal_bits(one, a.mm(b)));
                CHECK(equal_bits(one, conj(conj(a).mm(conj(b)))));
            }
        }
    set_num_threads(before);
}
