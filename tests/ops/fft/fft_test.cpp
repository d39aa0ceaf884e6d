// Transforms beside the sums that define them, in double.
#include "tests/ops/check.hpp"

#include <sinter/functions/fft.hpp>

#include <complex>

using namespace sinter;
using test::check;

namespace {

constexpr double pi = 3.14159265358979323846;

/// Returns the unscaled transform of a complex tensor along one dimension, as a product.
Tensor by_definition(const Tensor& x, int64_t dim, double sign) {
    const int64_t n = x.size(dim);
    const Tensor k = arange(n, kDouble);
    const Tensor angle = k.unsqueeze(1) * k.unsqueeze(0) % n * (sign * 2 * pi / double(n));
    const Tensor matrix = complex(cos(angle), sin(angle));
    return matmul(x.to(kComplexDouble).movedim(dim, -1), matrix).movedim(-1, dim);
}

Tensor random_complex(IntArrayRef sizes) {
    return complex(randn(sizes, kDouble), randn(sizes, kDouble)).eval();
}

void check_close(const tensor_base& got, const Tensor& expected, double limit = 1e-11) {
    REQUIRE(got.sizes() == expected.sizes());
    const double error = got.numel() == 0 ? 0 : abs(got - expected).max().item<double>();
    const double largest = got.numel() == 0 ? 1 : 1 + abs(expected).max().item<double>();
    CHECK(error <= limit * largest);
}

}  // namespace

TEST_CASE("transforms of any length are those of their definition" * doctest::test_suite("host")) {
    manual_seed(1);
    test::for_each_mode([&] {
        for (const int64_t n : {1, 2, 3, 4, 5, 7, 8, 12, 13, 30, 64, 97, 100, 128, 1009}) {
            CAPTURE(n);
            const Tensor z = random_complex({3, n});
            const Tensor x = randn({3, n}, kDouble).eval();
            check_close(fft::fft(z), by_definition(z, 1, -1));
            check_close(fft::ifft(z), by_definition(z, 1, 1) / n);
            check_close(fft::fft(x), by_definition(x, 1, -1));
            const Tensor half = fft::rfft(x);
            check_close(half, by_definition(x, 1, -1).narrow(1, 0, n / 2 + 1));
            check_close(fft::irfft(half, n), x);
            check_close(fft::hfft(fft::ihfft(x), n), x);
            check_close(fft::ihfft(x), half.conj() / n);
            check_close(fft::fft(z.to(kComplexFloat)), fft::fft(z), 1e-5);
            CHECK((fft::fft(z.to(kComplexFloat)).scalar_type() == kComplexFloat));
            CHECK((fft::irfft(half.to(kComplexFloat), n).scalar_type() == kFloat));
        }
    });
}

TEST_CASE("values that NumPy gives" * doctest::test_suite("host")) {
    using C = sinter::complex<double>;
    const Tensor x = tensor({1.0, 2.0, 4.0, 8.0}, kDouble);
    check_close(fft::fft(x), tensor({C(15, 0), C(-3, 6), C(-5, 0), C(-3, -6)}));
    check_close(fft::rfft(x), tensor({C(15, 0), C(-3, 6), C(-5, 0)}));
    check_close(fft::irfft(tensor({C(15, 3), C(-3, 6), C(-5, 7)})),
                x);  // imaginary ends are not read
    check_close(fft::fft(x, nullopt, -1, "ortho"), fft::fft(x) / 2);
    check_close(fft::fft(x, nullopt, -1, "forward"), fft::fft(x) / 4);
    check_close(fft::ifft(x, nullopt, -1, "forward"), fft::ifft(x) * 4);
    check_close(fft::ifft(x, nullopt, -1, "ortho"), fft::ifft(x) * 2);
    check_close(fft::hfft(x), tensor({21, -9, 3, -3, 3, -9}, kDouble));
    check_close(fft::fft(tensor({1, 2, 4, 8})), fft::fft(x), 1e-6);
    CHECK((fft::fft(tensor({1, 2})).scalar_type() == kComplexFloat));
    CHECK((fft::rfft(tensor({true, false})).scalar_type() == kComplexFloat));
}

TEST_CASE("lengths cut and pad" * doctest::test_suite("host")) {
    manual_seed(2);
    const Tensor z = random_complex({4, 6});
    check_close(fft::fft(z, 4), fft::fft(z.narrow(1, 0, 4)));
    check_close(fft::fft(z, 9), fft::fft(constant_pad_nd(z, {0, 3})));
    check_close(fft::fft(z, 5, 0), fft::fft(constant_pad_nd(z, {0, 0, 0, 1}), nullopt, 0));
    check_close(fft::irfft(z, 7), fft::irfft(z.narrow(1, 0, 4), 7));
    CHECK(fft::irfft(z).sizes() == IntArrayRef({4, 10}));
    check_close(fft::fftn(z, IntArrayRef{-1, 4}), fft::fftn(z.narrow(1, 0, 4)));
    check_close(fft::rfft2(real(z), IntArrayRef{2, 8}),
                fft::rfft2(constant_pad_nd(real(z).narrow(0, 0, 2), {0, 2})));
}

TEST_CASE("several dimensions, views and batches" * doctest::test_suite("host")) {
    manual_seed(3);
    test::for_each_mode([&] {
        const Tensor z = random_complex({3, 4, 5, 6});
        const auto all = [](Tensor t, double sign, const std::vector<int64_t>& dims) {
            for (const int64_t d : dims) t = by_definition(t, d, sign);
            return t;
        };
        check_close(fft::fftn(z), all(z, -1, {0, 1, 2, 3}));
        check_close(fft::ifftn(z), all(z, 1, {0, 1, 2, 3}) / 360);
        check_close(fft::fft2(z), all(z, -1, {2, 3}));
        check_close(fft::fftn(z, nullopt, IntArrayRef{2, 0}), all(z, -1, {0, 2}));
        check_close(fft::ifft2(z, nullopt, {0, -1}, "ortho"), all(z, 1, {0, 3}) / std::sqrt(18.0));
        check_close(fft::fftn(z, IntArrayRef{5, 6}), all(z, -1, {2, 3}));
        // Views: transposed, every second element, one element for many, a part.
        check_close(fft::fft2(z.permute({3, 1, 0, 2})), all(z.permute({3, 1, 0, 2}), -1, {2, 3}));
        check_close(fft::fft(z.slice(3, 1, 6, 2)), by_definition(z.slice(3, 1, 6, 2), 3, -1));
        const Tensor row = z.select(0, 1).select(0, 2).select(0, 0);
        check_close(fft::fft(row.expand({7, 6})), by_definition(row.expand({7, 6}), 1, -1));
        const Tensor x = randn({3, 4, 5}, kDouble).eval();
        const Tensor whole = all(x, -1, {0, 1, 2});
        check_close(fft::rfftn(x), whole.narrow(2, 0, 3));
        check_close(fft::rfftn(x, nullopt, IntArrayRef{2, 0}), all(x, -1, {0, 2}).narrow(0, 0, 2));
        check_close(fft::irfftn(fft::rfftn(x), IntArrayRef{3, 4, 5}), x);
        check_close(fft::irfft2(fft::rfft2(x), IntArrayRef{4, 5}), x);
        check_close(fft::rfftn(x.permute({2, 0, 1})),
                    all(x.permute({2, 0, 1}), -1, {0, 1, 2}).narrow(2, 0, 3));
        // Many short ones, which threads share.
        const Tensor many = random_complex({5000, 16});
        check_close(fft::fft(many), by_definition(many, 1, -1));
        check_close(fft::fft(many.t(), nullopt, 0), by_definition(many.t(), 0, -1));
        CHECK(fft::fft(zeros({0, 4})).sizes() == IntArrayRef({0, 4}));
        CHECK(fft::fftn(z, nullopt, IntArrayRef{}).equal(z));
    });
}

TEST_CASE("equal calls give equal bits on any number of threads" * doctest::test_suite("host")) {
    manual_seed(4);
    const Tensor z = random_complex({3000, 60});
    const int before = get_num_threads();
    std::vector<Tensor> results;
    for (const int threads : {1, 2, 4}) {
        set_num_threads(threads);
        results.push_back(fft::fft(z).eval());
        results.push_back(fft::fft(z.clone()).eval());
    }
    set_num_threads(before);
    // Wherever the operand lies: its address is a multiple of 8 here.
    const Tensor odd = empty({3000 * 60 + 1}, kComplexFloat), line = z.to(kComplexFloat).eval();
    const Tensor elsewhere = odd.narrow(0, 1, 3000 * 60).view({3000, 60});
    elsewhere.copy_(line);
    CHECK(view_as_real(fft::fft(elsewhere)).equal(view_as_real(fft::fft(line))));
    CHECK(fft::irfft(elsewhere).equal(fft::irfft(line)));
    for (const Tensor& r : results) CHECK(view_as_real(r).equal(view_as_real(results[0])));
}

TEST_CASE("a transform is one call, and its scale fuses with its reader" *
          doctest::test_suite("host")) {
    manual_seed(5);
    const Tensor z = random_complex({8, 32});
    Tensor(abs(fft::ifft(z)) + 1).eval();
    const stats_report before = stats();
    Tensor(abs(fft::ifft(z)) + 1).eval();
    CHECK(stats().library_calls - before.library_calls == 1);
    CHECK(stats().kernels_launched - before.kernels_launched == 1);
}

TEST_CASE("transforms have gradients of all orders" * doctest::test_suite("host")) {
    manual_seed(6);
    const auto ok = [](const auto& f, const Tensor& x) {
        const auto values = [&f](const std::vector<Tensor>& in) {
            return std::vector<Tensor>{f(in[0])};
        };
        const std::vector<Tensor> in{x.detach().clone().eval().requires_grad_()};
        CHECK(autograd::gradcheck(values, in));
        CHECK(autograd::gradgradcheck(values, in));
    };
    const Tensor z = random_complex({2, 5}), x = randn({2, 6}, kDouble).eval();
    ok([](const Tensor& t) { return fft::fft(t); }, z);
    ok([](const Tensor& t) { return fft::ifft(t, 7, 0, "ortho"); }, z);
    ok([](const Tensor& t) { return fft::fft(t); }, x);
    ok([](const Tensor& t) { return fft::rfft(t); }, x);
    ok([](const Tensor& t) { return fft::rfft(t, 5); }, x);
    ok([](const Tensor& t) { return fft::rfftn(t, nullopt, IntArrayRef{1, 0}); }, x);
    ok([](const Tensor& t) { return fft::irfft(t); }, z);
    ok([](const Tensor& t) { return fft::irfft(t, 9); }, z);
    ok([](const Tensor& t) { return fft::irfftn(t); }, z);
    ok([](const Tensor& t) { return fft::hfft(t); }, z);
    ok([](const Tensor& t) { return fft::ihfft(t); }, x);
    ok([](const Tensor& t) { return fft::fftn(t); }, z);
    ok([](const Tensor& t) { return fft::ifftn(t); }, x);
    ok([](const Tensor& t) { return fft::fft2(t); }, x);
    ok([](const Tensor& t) { return fft::ifft2(t); }, z);
    ok([](const Tensor& t) { return fft::rfft2(t); }, x);
    ok([](const Tensor& t) { return fft::irfft2(t, IntArrayRef{2, 7}); }, z);
    ok([](const Tensor& t) { return fft::fftshift(t); }, z);
    ok([](const Tensor& t) { return fft::ifftshift(t); }, z);
    // By the product rule: a convolution.
    const Tensor k = randn({6}, kDouble).eval();
    ok([&](const Tensor& t) { return fft::irfft(fft::rfft(t) * fft::rfft(k), 6); }, x);
}

TEST_CASE("frequencies and shifts" * doctest::test_suite("host")) {
    test::for_each_mode([] {
        check<double>(fft::fftfreq(5, 1, kDouble), {5}, {0, 0.2, 0.4, -0.4, -0.2});
        check<double>(fft::fftfreq(4, 0.5, kDouble), {4}, {0, 0.5, -1, -0.5});
        check<double>(fft::rfftfreq(5, 1, kDouble), {3}, {0, 0.2, 0.4});
        check<double>(fft::rfftfreq(4, 0.25, kDouble), {3}, {0, 1, 2});
        CHECK((fft::fftfreq(3).scalar_type() == kFloat));
        CHECK(fft::fftfreq(1).equal(zeros({1})));
        check<int64_t>(fft::fftshift(arange(5)), {5}, {3, 4, 0, 1, 2});
        check<int64_t>(fft::ifftshift(arange(5)), {5}, {2, 3, 4, 0, 1});
        const Tensor m = arange(12).view({3, 4});
        CHECK(fft::ifftshift(fft::fftshift(m)).equal(m));
        CHECK(fft::fftshift(m, IntArrayRef{1}).equal(roll(m, {2}, {1})));
        CHECK(fft::fftshift(m, IntArrayRef{-2}).equal(roll(m, {1}, {0})));
    });
}

TEST_CASE("transforms that are refused" * doctest::test_suite("host")) {
    const Tensor x = ones({2, 3});
    CHECK_ERROR(Error, fft::fft(x, 0),
                "[fft] Invalid number of data points (0) specified; got 0, expected one or more; "
                "try a tensor with elements, or another n");
    CHECK_ERROR(Error, fft::irfft(ones({2, 1})),
                "[irfft] Invalid number of data points (0) specified; got 0, expected one or more; "
                "try a tensor with elements, or another n");
    CHECK_ERROR(Error, fft::fft(x, nullopt, -1, "best"),
                "[fft] Invalid normalization mode: \"best\"; got best, expected \"backward\", "
                "\"ortho\" or \"forward\"; try no norm");
    CHECK_ERROR(Error, fft::fft(tensor(1.0)),
                "[fft] the tensor has no dimension to transform; got a tensor of no dimensions, "
                "expected one dimension or more; try reshape({1})");
    CHECK_ERROR(TypeError, fft::rfft(x.to(kComplexFloat)),
                "[rfft] expects a real input tensor; got ComplexFloat, expected a real dtype; try "
                "fft() or fftn(), or real() first");
    CHECK_ERROR(NotImplementedError, fft::fft(x.to(kHalf)),
                "[fft] the dtype is not supported; got Half, expected Float, Double, or complex "
                "numbers of them; try .to(kFloat) first");
    CHECK_ERROR(IndexError, fft::fft(x, nullopt, 2),
                "[fft] the dimension is out of range; got dimension 2 of a tensor with 2 "
                "dimensions, expected -2 to 1; try -1 for the last dimension");
    CHECK_ERROR(Error, fft::fftn(x, nullopt, IntArrayRef{0, -2}),
                "[fftn] a dimension appears twice; got dimensions [0, -2] of a tensor with 2 "
                "dimensions, expected each dimension at most once; try removing one of them; -1 is "
                "the last dimension");
    CHECK_ERROR(Error, fft::fftn(x, IntArrayRef{2}, IntArrayRef{0, 1}),
                "[fftn] When given, dim and shape arguments must have the same length; got 2 "
                "dimensions and 1 sizes, expected one size a dimension; try both, or one of them");
    CHECK_ERROR(Error, fft::fftn(x, IntArrayRef{1, 2, 3}),
                "[fftn] Got shape with more values than the tensor has dimensions; got 3 sizes for "
                "2 dimensions, expected one size for each dimension at most; try fewer sizes");
    CHECK_ERROR(Error, fft::rfftn(x, nullopt, IntArrayRef{}),
                "[rfftn] must transform at least one axis; got no dimensions, expected one or "
                "more; try fftn(), which returns the input then");
    CHECK_ERROR(Error, fft::fftfreq(-1),
                "[fftfreq] the number of samples is negative; got -1, expected 0 or more; try 0 "
                "for an empty tensor");
}
