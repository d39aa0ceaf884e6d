#include "tests/engine/plan/one_kernel.hpp"
#include "tests/ops/check.hpp"

#include <sinter/functions/complex_math.hpp>
#include <sinter/dlpack.hpp>
#include <sinter/warning.hpp>

#include <complex>
#include <cstddef>
#include <filesystem>

using namespace sinter;
using namespace sinter::test;
using c64 = sinter::complex<float>;
using c128 = sinter::complex<double>;

namespace {

Tensor three() { return tensor({c64(1, 2), c64(-0.5, 0.25), c64(3, -4)}); }

void same(const tensor_base& t, IntArrayRef sizes, const std::vector<c64>& expected) {
    check<c64>(t, sizes, expected);
}

}  // namespace

TEST_CASE("complex numbers of C++") {
    static_assert(sizeof(c64) == 8 && sizeof(c128) == 16 && alignof(c64) == 8 &&
                  alignof(c128) == 16);
    static_assert(c64(1, 2) * c64(0, 1) == c64(-2, 1) && c64(1, 2) + 1 == c64(2, 2));
    static_assert(c64(3, -4) / c64(3, -4) == c64(1, 0) && -c64(1, 2) == c64(-1, -2));
    static_assert(std::is_same_v<decltype(sinter::complex(1.0, 2.0)), c128>);
    static_assert(std::is_convertible_v<c64, c128> && !std::is_convertible_v<c128, c64>);
    const std::complex<float> s = c64(1, 2);
    CHECK(c64(s) == c64(1, 2));
    CHECK(std::abs(c64(3, -4)) == 5);
    CHECK(std::arg(c64(0, 2)) == std::arg(std::complex<float>(0, 2)));
    CHECK(std::conj(c128(1, 2)) == c128(1, -2));
    CHECK(c128(std::exp(c128(0.5, 1))) == c128(std::exp(std::complex<double>(0.5, 1))));
    std::ostringstream out;
    out << c64(1.5, -2) << ' ' << Scalar(c128(0, 1));
    CHECK(out.str() == "(1.5,-2) (0,1)");
    std::istringstream in("(1.5,-2) 3 x");
    c64 read, plain, none(7, 0);
    in >> read >> plain >> none;
    CHECK(read == c64(1.5, -2));
    CHECK(plain == c64(3, 0));
    CHECK((in.fail() && none == c64(7, 0)));
    static_assert(c64(1, 2) == 1 + 2_if && c128(0, 2.5) == 2.5_id && 1.5_if == c64(0, 1.5));
    CHECK((c64(0, 1) && !c64()));
    CHECK(std::hash<c64>()(c64(1, 2)) == std::hash<c64>()(c64(1, 2)));
    CHECK(std::hash<c64>()(c64(1, 2)) != std::hash<c64>()(c64(2, 1)));
    c128 parts(1, 2);
    parts.real_ = 3;
    CHECK(parts == c128(3, 2));
    // Smith's division does not overflow if the square of the divisor would.
    const c64 quotient = c64(1e30f, 1e30f) / c64(1e30f, 1e30f);
    CHECK(quotient == c64(1, 0));
}

TEST_CASE("functions of complex numbers, as std has them") {
    using s64 = std::complex<float>;
    using s128 = std::complex<double>;
    const c128 z(0.5, -1.25), w(2, 0.75);
    const s128 sz = z, sw = w;
    CHECK(s128(std::pow(z, w)) == std::pow(sz, sw));
    CHECK(s128(std::pow(z, 3.0)) == std::pow(sz, 3.0));
    CHECK(s128(std::pow(2.0, z)) == std::pow(2.0, sz));
    CHECK(s128(std::pow(2, z)) == std::pow(2.0, sz));
    CHECK(s64(std::pow(2.f, c64(0, 1))) == std::pow(2.f, s64(0, 1)));
    static_assert(std::is_same_v<decltype(std::pow(c64(), c128())), c128>);
    static_assert(std::is_same_v<decltype(std::pow(2.f, c128())), c128>);
    static_assert(std::is_same_v<decltype(std::pow(c64(), 2)), c64>);
    CHECK(std::abs(std::log2(z) - std::log(z) / std::log(2.0)) < 1e-15);
    CHECK(std::abs(std::log2(c128(8)) - 3.0) < 1e-15);
    // Here the plain formula loses all digits.
    const c128 small(1e-20, 2e-20);
    CHECK(std::log1p(small) == small);
    CHECK(std::expm1(small) == small);
    CHECK(std::abs(std::log1p(z) - std::log(z + 1.0)) < 1e-15);
    CHECK(std::abs(std::expm1(z) - (std::exp(z) - 1.0)) < 1e-15);
    CHECK(std::abs(std::log1p(c128(-0.5, 1e-3)) - std::log(c128(0.5, 1e-3))) < 1e-15);
}

TEST_CASE("somebody's complex numbers, aligned as their parts are") {
    alignas(16) double numbers[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    const Tensor a = from_blob(static_cast<const void*>(numbers + 1), {2, 2}, kComplexDouble);
    const Tensor own = a.clone();
    CHECK(equal(a.mm(a.conj()), own.mm(own.conj())));
    CHECK(equal(a.t().mm(a), own.t().mm(own)));
    CHECK(equal(a + a.t(), own + own.t()));
    CHECK(equal(linalg_inv(a), linalg_inv(own)));
    CHECK(a[1][0].item<c128>() == c128(5, 6));
}

TEST_CASE("complex numbers as scalars") {
    const Scalar s = c128(1.5, -2);
    CHECK((s.isComplex() && !s.isFloatingPoint() && !s.isIntegral(true)));
    CHECK(s.toComplexDouble() == c128(1.5, -2));
    CHECK(s.toComplexFloat() == c64(1.5f, -2));
    CHECK(s.conj().equal(c128(1.5, 2)));
    CHECK((-s).equal(std::complex<double>(-1.5, 2)));
    CHECK((s.type() == kComplexDouble));
    CHECK(Scalar(2).toComplexDouble() == c128(2, 0));
    CHECK(Scalar(c64(3, 0)).toDouble() == 3);
    CHECK(Scalar(c64(3, 0)).toLong() == 3);
    CHECK(Scalar(c64(3, 0)).equal(3));
    CHECK(!Scalar(c64(3, 1)).equal(3));
    CHECK((Scalar(c64(0, 1)).toBool() && !Scalar(c64(0, -0.0f)).toBool()));
    CHECK_ERROR(ValueError, s.toDouble(),
                "[scalar] the number has an imaginary part; got 1.5-2i, expected a real number; "
                "try toComplexDouble().real() for its real part");
    CHECK_ERROR(ValueError, s.to<int>(),
                "[scalar] value cannot be converted to type int without overflow; got 1.5-2i for "
                "Int, expected a value that Int can hold; try a complex dtype");
}

TEST_CASE("promotion with complex dtypes") {
    CHECK((promote_types(kFloat, kComplexFloat) == kComplexFloat));
    CHECK((promote_types(kDouble, kComplexFloat) == kComplexDouble));
    CHECK((promote_types(kComplexFloat, kComplexDouble) == kComplexDouble));
    CHECK((promote_types(kLong, kComplexFloat) == kComplexFloat));
    CHECK((promote_types(kBool, kComplexDouble) == kComplexDouble));
    CHECK((promote_types(kHalf, kComplexFloat) == kComplexFloat));
    const Tensor f = ones({2}), d = ones({2}, kDouble), i = ones({2}, kInt), z = three();
    CHECK((result_type(f, c128(0, 1)) == kComplexFloat));
    CHECK((result_type(d, c128(0, 1)) == kComplexDouble));
    CHECK((result_type(i, c128(0, 1)) == kComplexFloat));
    CHECK((result_type(z, 2.5) == kComplexFloat));
    CHECK((result_type(f, ones({}, kComplexDouble)) == kComplexFloat));
    CHECK((result_type(i, ones({}, kComplexDouble)) == kComplexDouble));
    CHECK(can_cast(kFloat, kComplexFloat));
    CHECK(!can_cast(kComplexFloat, kFloat));
    CHECK((z.is_complex() && is_complex(z) && !z.is_floating_point() && z.is_signed()));
    CHECK(z.element_size() == 8);
    CHECK_ERROR(NotImplementedError, Tensor(ones({2}, kHalf) * c128(0, 1)).eval(),
                "[promote_types] the dtype is not supported; got ComplexHalf, expected Byte, Char, "
                "Short, Int, Long, Half, BFloat16, Float, Double, ComplexFloat, ComplexDouble or "
                "Bool; try kFloat");
}

TEST_CASE("complex tensors of two expressions, of one type and of different ones") {
    const Tensor a = tensor({1.0, 2.0}), b = tensor({3.0, 5.0});
    const Tensor expected = complex(tensor({0.0, 1.0}), tensor({2.0, 4.0}));
    CHECK(equal(complex(a - 1, b - 1), expected));
    CHECK(equal(complex(a - 1, (b - 1) * 1), expected));
    auto re = a - 1, im = b - 1;
    CHECK(equal(complex(re, im), expected));
}

TEST_CASE("complex tensors from numbers") {
    for_each_mode([] {
        same(three(), {3}, {{1, 2}, {-0.5f, 0.25f}, {3, -4}});
        same(full({2}, c128(0, 1)), {2}, {{0, 1}, {0, 1}});
        same(zeros({2}, kComplexFloat), {2}, {0, 0});
        same(ones({1}, kComplexFloat), {1}, {1});
        same(eye(2, kComplexFloat), {2, 2}, {1, 0, 0, 1});
        check<c128>(tensor(std::vector<c128>{{1, 2}}), {1}, {{1, 2}});
        check<c128>(linspace(0, c128(1, -1), 3, kComplexDouble), {3}, {0, {0.5, -0.5}, {1, -1}});
        same(scalar_tensor(c64(1, 2)), {}, {{1, 2}});
        CHECK(three()[2].item<c64>() == c64(3, -4));
        CHECK(three()[2].item().toComplexDouble() == c128(3, -4));
        CHECK_ERROR(ValueError, three()[2].item<float>(),
                    "[item] value cannot be converted to type float without overflow; got 3-4i for "
                    "Float, expected a value that Float can hold; try a complex dtype");
        const Tensor re = tensor({1.f, 2.f}), im = tensor({3.f, -4.f});
        same(sinter::complex(re, im), {2}, {{1, 3}, {2, -4}});
        same(sinter::complex(re + 1, im), {2}, {{2, 3}, {3, -4}});
        Tensor z = polar(tensor({2.0}, kDouble), tensor({M_PI / 2}, kDouble));
        CHECK(allclose(z, tensor({c128(0, 2)}, kComplexDouble)));
        CHECK_ERROR(Error, sinter::complex(re, ones({2}, kDouble)),
                    "[complex] the operands' dtypes differ; got Float and Double, expected the "
                    "same dtype; try .to(kDouble) on the first");
        CHECK_ERROR(NotImplementedError, polar(ones({2}, kInt), re),
                    "[polar] the dtype is not supported; got Int, expected Float or Double; try "
                    ".to(kFloat) first");
    });
    set_default_dtype(kDouble);
    CHECK((tensor({c64(1, 2)}).scalar_type() == kComplexFloat));
    set_default_dtype(kFloat);
}

TEST_CASE("arithmetic of complex numbers") {
    for_each_mode([] {
        const Tensor z = three(), w = tensor({c64(0, 1), c64(2, 0), c64(1, 1)});
        same(z + w, {3}, {{1, 3}, {1.5f, 0.25f}, {4, -3}});
        same(z - w, {3}, {{1, 1}, {-2.5f, 0.25f}, {2, -5}});
        same(z * w, {3}, {{-2, 1}, {-1, 0.5f}, {7, -1}});
        same(z / w, {3}, {{2, -1}, {-0.25f, 0.125f}, {-0.5f, -3.5f}});
        same(z * 2 + c64(0, 1), {3}, {{2, 5}, {-1, 1.5f}, {6, -7}});
        same(1.0 - z, {3}, {{0, -2}, {1.5f, -0.25f}, {-2, 4}});
        same(z * ones({3}, kLong), {3}, {{1, 2}, {-0.5f, 0.25f}, {3, -4}});
        same(-z, {3}, {{-1, -2}, {0.5f, -0.25f}, {-3, 4}});
        same(z.square(), {3}, {{-3, 4}, {0.1875f, -0.25f}, {-7, -24}});
        same(z.pow(2), {3}, {{-3, 4}, {0.1875f, -0.25f}, {-7, -24}});
        check<c128>(z * ones({3}, kComplexDouble), {3}, {{1, 2}, {-0.5, 0.25}, {3, -4}});
        check<float>(abs(tensor({c64(3, -4), c64(0, 2)})), {2}, {5, 2});
        check<bool>(z == w, {3}, {false, false, false});
        check<bool>(z != z, {3}, {false, false, false});
        check<bool>(z == three(), {3}, {true, true, true});
        check<bool>(isnan(tensor({c64(NAN, 0), c64(0, NAN), c64(1, 1)})), {3}, {true, true, false});
        check<bool>(isfinite(tensor({c64(INFINITY, 0), c64(0, 1)})), {2}, {false, true});
        check<bool>(logical_not(tensor({c64(0, 0), c64(0, 1)})), {2}, {true, false});
        same(where(tensor({true, false, true}), z, w), {3}, {{1, 2}, {2, 0}, {3, -4}});
        same(sgn(tensor({c64(3, 4), c64(0, 0)})), {2}, {{0.6f, 0.8f}, 0});
        // Division by zero and of infinite numbers gives the quotients of the parts.
        same(tensor({c64(1, 0)}) / 0, {1}, {{INFINITY, NAN}});
        same(tensor({c64(INFINITY, 1)}) * 2, {1}, {{INFINITY, NAN}});
        CHECK(allclose(z, z * c64(1 + 1e-7f, 0)));
        CHECK(equal(z, three()));
    });
}

TEST_CASE("the parts of complex tensors are views") {
    for_each_mode([] {
        Tensor z = three();
        check<float>(real(z), {3}, {1, -0.5f, 3});
        check<float>(imag(z), {3}, {2, 0.25f, -4});
        CHECK(imag(z).strides() == IntArrayRef({2}));
        CHECK(imag(z).storage_offset() == 1);
        CHECK(real(z).is_alias_of(z));
        real(z).mul_(10);
        imag(z).fill_(7);
        same(z, {3}, {{10, 7}, {-5, 7}, {30, 7}});
        Tensor pairs = view_as_real(z);
        check<float>(pairs, {3, 2}, {10, 7, -5, 7, 30, 7});
        pairs[1].copy_(tensor({1.f, 2.f}));
        same(z[1], {}, {{1, 2}});
        Tensor x = arange(6, kFloat).view({3, 2});
        Tensor y = view_as_complex(x);
        same(y, {3}, {{0, 1}, {2, 3}, {4, 5}});
        y.mul_(c64(0, 1));
        check<float>(x, {3, 2}, {-1, 0, -3, 2, -5, 4});
        y[0] = c64(8, 9);
        CHECK(x[0][1].item<float>() == 9);
        y.scatter_add_(0, tensor({1, 1}), tensor({c64(10, 20), c64(1, 2)}));
        check<float>(x, {3, 2}, {8, 9, 8, 24, -5, 4});
        real(y).index_put_({tensor({0, 2})}, 6.0f);
        check<float>(x, {3, 2}, {6, 9, 8, 24, 6, 4});
        const Tensor r = ones({2});
        CHECK(real(r).is_same(r));
        CHECK(conj(r).is_same(r));
        CHECK_ERROR(TypeError, imag(r),
                    "[imag] the tensor is real; got Float, expected a complex dtype; try "
                    "zeros_like(), the imaginary part of a real tensor");
        CHECK_ERROR(Error, view_as_complex(ones({2, 3})),
                    "[view_as_complex] the last dimension does not have size 2; got shape [2, 3], "
                    "expected shape [..., 2]; try complex(re, im) for separate parts");
        CHECK_ERROR(Error, view_as_complex(ones({2, 3}).t().narrow(1, 0, 2)),
                    "[view_as_complex] the strides do not fit complex elements; got strides [1, 3] "
                    "and offset 0, expected a last stride of 1, and all other strides and the "
                    "offset even; try contiguous() first");
        // Parts of one number do not overlap, even if they are adjacent in memory.
        real(z).add_(imag(z));
        // These operands are read before they are written.
        Tensor w = tensor({c64(1, 2), c64(3, 4), c64(5, 6)});
        real(w).copy_(view_as_real(w).flatten().narrow(0, 1, 3));
        check<float>(view_as_real(w), {3, 2}, {2, 2, 3, 4, 4, 6});
        w.copy_(imag(w));
        check<float>(view_as_real(w), {3, 2}, {2, 0, 4, 0, 6, 0});
        CHECK_ERROR(
            Error, w.copy_(view_as_real(w).flatten().narrow(0, 1, 3)),
            "[copy_] some elements of the input tensor and the written-to tensor refer to a single "
            "memory location; got views of one storage with strides [1] and [1], offsets 1 and 0, "
            "expected the same view or separate memory; try clone() on the input first");
    });
}

TEST_CASE("views of another dtype") {
    for_each_mode([] {
        Tensor x = tensor({1.f, -2.f, 0.f, 0.5f});
        check<int32_t>(x.view(kInt), {4},
                       {0x3f800000, static_cast<int32_t>(0xc0000000), 0, 0x3f000000});
        x.view(kInt).bitwise_and_(0x7fffffff);
        check<float>(x, {4}, {1, 2, 0, 0.5f});
        check<int16_t>((x * 2).view({2, 2}).view(kShort)[0], {4}, {0, 0x4000, 0, 0x4080});
        same(x.view(kComplexFloat), {2}, {{1, 2}, {0, 0.5f}});
        CHECK(x.view(kFloat).is_alias_of(x));
        Tensor bytes = zeros({2, 8}, kByte);
        bytes.view(kDouble)[1].fill_(1);
        check<uint8_t>(bytes[1], {8}, {0, 0, 0, 0, 0, 0, 0xf0, 0x3f});
        check<double>(bytes.view(kDouble), {2, 1}, {0, 1});
        // Pending values are computed before their bytes are read in another type.
        Tensor before = (x + 1).view(kInt) + 0;
        x.zero_();
        check<int32_t>(before, {4}, {0x40000000, 0x40400000, 0x3f800000, 0x3fc00000});
        CHECK_ERROR(
            Error, x.narrow(0, 1, 3).view(kDouble),
            "[view] the layout does not fit elements of Double; got a Float tensor of shape [3], "
            "strides [1] and offset 1, expected a last stride of 1, and the last size, the other "
            "strides and the offset divisible by 2; try contiguous() first");
        CHECK_ERROR(
            Error, zeros({}).view(kDouble),
            "[view] the layout does not fit elements of Double; got a Float tensor of shape [], "
            "strides [] and offset 0, expected a last stride of 1, and the last size, the other "
            "strides and the offset divisible by 2; try contiguous() first");
    });
}

TEST_CASE("conjugates, angles, and what is real") {
    for_each_mode([] {
        const Tensor z = three();
        CHECK((!is_neg(z) && resolve_neg(z).is_same(z) && resolve_conj(z).is_same(z)));
        same(z.conj(), {3}, {{1, -2}, {-0.5f, -0.25f}, {3, 4}});
        same(conj_physical(z), {3}, {{1, -2}, {-0.5f, -0.25f}, {3, 4}});
        Tensor w = three();
        w.conj_physical_();
        same(w, {3}, {{1, -2}, {-0.5f, -0.25f}, {3, 4}});
        same(z.view({1, 3}).mH(), {3, 1}, {{1, -2}, {-0.5f, -0.25f}, {3, 4}});
        CHECK((!z.is_conj() && z.resolve_conj().is_same(z)));
        check<bool>(isreal(tensor({c64(1, 0), c64(0, 1), c64(2, -0.0f)})), {3},
                    {true, false, true});
        CHECK(allclose(angle(z), atan2(imag(z), real(z))));
        check<float>(angle(tensor({-1.f, 2.f})), {2}, {static_cast<float>(M_PI), 0});
    });
}

TEST_CASE("conversions to and from complex dtypes") {
    struct counter : WarningHandler {
        int count = 0;
        void process(const Warning& w) override {
            CHECK(w.msg() == "Casting complex values to real discards the imaginary part");
            ++count;
        }
    } warnings;
    Warning::set_warning_handler(&warnings);
    Warning::set_warnAlways(true);
    for_each_mode([&] {
        warnings.count = 0;
        check<float>(three().to(kFloat), {3}, {1, -0.5f, 3});
        check<int64_t>(three().to(kLong), {3}, {1, 0, 3});
        CHECK(warnings.count == 2);
        check<bool>(tensor({c64(0, 0), c64(0, 1), c64(NAN, 0)}).to(kBool), {3},
                    {false, true, true});
        CHECK(warnings.count == 2);
        same(arange(2).to(kComplexFloat), {2}, {0, 1});
        check<c128>(three().to(kComplexDouble), {3}, {{1, 2}, {-0.5, 0.25}, {3, -4}});
        Tensor z = three();
        z.copy_(tensor({1, 2, 3}));
        same(z, {3}, {1, 2, 3});
        z.add_(1).mul_(c64(0, 1));
        same(z, {3}, {{0, 2}, {0, 3}, {0, 4}});
        CHECK_ERROR(Error, ones({3}).add_(z),
                    "[add_] result type ComplexFloat can't be cast to the desired output type "
                    "Float; got a ComplexFloat result for a Float tensor, expected a ComplexFloat "
                    "tensor; try the out-of-place form, or .to(kComplexFloat) first");
        CHECK_ERROR(ValueError, ones({3}).fill_(c64(0, 1)),
                    "[fill_] value cannot be converted to type float without overflow; got 0+1i "
                    "for Float, expected a value that Float can hold; try a complex dtype");
        CHECK_ERROR(Error, z.abs_(),
                    "[abs_] the result is real, but the tensor is complex; got ComplexFloat, "
                    "expected a real tensor; try the out-of-place form");
    });
    Warning::set_warnAlways(false);
    Warning::set_warning_handler(nullptr);
}

TEST_CASE("reductions and scans of complex numbers") {
    for_each_mode([] {
        const Tensor z = three();
        CHECK(z.sum().item<c64>() == c64(3.5f, -1.75f));
        same(z.view({1, 3}).sum(0), {3}, {{1, 2}, {-0.5f, 0.25f}, {3, -4}});
        CHECK(tensor({c64(1, 2), c64(3, -4)}).mean().item<c64>() == c64(2, -1));
        CHECK(z.prod().item<c64>() == c64(1, 2) * c64(-0.5f, 0.25f) * c64(3, -4));
        same(tensor({c64(1, 2), c64(3, -4), c64(0, 1), c64(1, 1), c64(2, 0)}).view({5, 1}).prod(0),
             {1}, {c64(1, 2) * c64(0, 1) * c64(3, -4) * c64(1, 1) * c64(2, 0)});
        same(z.view({3, 1}).prod(1, true), {3, 1}, {{1, 2}, {-0.5f, 0.25f}, {3, -4}});
        same(zeros({0}, kComplexFloat).prod(), {}, {1});
        same(zeros({0}, kComplexFloat).sum(), {}, {0});
        CHECK(z.var().item<float>() == real(z).var().item<float>() + imag(z).var().item<float>());
        CHECK(z.std().item<float>() == std::sqrt(z.var().item<float>()));
        CHECK(z.any().item<bool>());
        CHECK(!tensor({c64(0, 0), c64(0, 1)}).all().item<bool>());
        CHECK(tensor({c64(0, 0), c64(0, 1)}).count_nonzero().item<int64_t>() == 1);
        CHECK(tensor({c64(3, 4), c64(0, 12)}).norm().item<float>() == 13);
        same(ones({2}).sum(0, false, kComplexFloat), {}, {2});
        same(z.cumsum(0), {3}, {{1, 2}, {0.5f, 2.25f}, {3.5f, -1.75f}});
        const c64 first(1, 2), second = first * c64(-0.5f, 0.25f);
        same(z.cumprod(0), {3}, {first, second, second * c64(3, -4)});
        CHECK_ERROR(NotImplementedError, z.max(),
                    "[max] complex numbers are not supported; got ComplexFloat, expected a real "
                    "dtype; try real(), imag() or abs() first");
        CHECK_ERROR(NotImplementedError, z.sort(),
                    "[sort] complex numbers are not supported; got ComplexFloat, expected a real "
                    "dtype; try real(), imag() or abs() first");
        const Tensor a = tensor({c64(1, 2), c64(-INFINITY, 0), c64(INFINITY, 1), c64(1e3f, 1)}),
                     b = tensor({c64(0.5f, -1), c64(1, 1), c64(1, 0), c64(1e3f, -2)});
        const Tensor sums =
            tensor({c64(0.104993f, 1.789012f), c64(1, 1), c64(INFINITY, 1), c64(998.0426f, -0.5f)});
        CHECK(allclose(logaddexp(a, b), sums, 1e-4, 1e-5));
        const Tensor c = tensor({c64(1, 2), c64(3, 1), c64(0, -2)});
        const Tensor sum = tensor({c64(3.0290f, 1.1040f)});
        CHECK(allclose(c.logsumexp(0, true), sum, 1e-4, 1e-4));
        CHECK(allclose(c.logcumsumexp(0),
                       tensor({c64(1, 2), c64(3.0762f, 1.1057f), c64(3.0290f, 1.1040f)}), 1e-4,
                       1e-4));
        CHECK_ERROR(NotImplementedError, _unique2(z),
                    "[unique] complex numbers are not supported; got ComplexFloat, expected a real "
                    "dtype; try real(), imag() or abs() first");
        CHECK_ERROR(NotImplementedError, z < z,
                    "[lt] complex numbers are not supported; got ComplexFloat and ComplexFloat, "
                    "expected a real dtype; try real(), imag() or abs() first");
    });
}

TEST_CASE("lerp, addcdiv and float_power of complex numbers") {
    for_each_mode([] {
        const Tensor z = three(), w = tensor({c64(0, 1), c64(2, 0), c64(1, 1)});
        same(z.lerp(w, 0.5), {3}, {{0.5f, 1.5f}, {0.75f, 0.125f}, {2, -1.5f}});
        same(z.lerp(w, c64(0, 1)), {3}, {{2, 1}, {-0.25f, 2.75f}, {-2, -6}});
        same(z.lerp(w, full({3}, c64(0, 0.25f))), {3},
             {{1.25f, 1.75f}, {-0.4375f, 0.875f}, {1.75f, -4.5f}});
        CHECK_ERROR(ValueError, ones({2}).lerp(zeros({2}), c64(0, 1)),
                    "[scalar] the number has an imaginary part; got 0+1i, expected a real number; "
                    "try toComplexDouble().real() for its real part");
        same(z.addcdiv(w, tensor({c64(0, 1), c64(1, 0), c64(1, 1)}), c64(0, 1)), {3},
             {{1, 3}, {-0.5f, 2.25f}, {3, -3}});
        Tensor x = z.to(kComplexDouble);
        x.float_power_(2);
        check<c128>(x, {3}, {{-3, 4}, {0.1875, -0.25}, {-7, -24}});
        check<c128>(z.float_power(2), {3}, {{-3, 4}, {0.1875, -0.25}, {-7, -24}});
        CHECK_ERROR(
            Error, ones({2}, kDouble).float_power_(c64(0, 1)),
            "[float_power_] the result has dtype ComplexDouble; got a Double tensor, expected a "
            "ComplexDouble tensor; try float_power(), or .to(kComplexDouble) first");
    });
}

TEST_CASE("conjugates in H and in covariances") {
    for_each_mode([] {
        const Tensor z = three(), w = tensor({c64(0, 1), c64(2, 0), c64(1, 1)});
        same(z.view({1, 3}).H(), {3, 1}, {{1, -2}, {-0.5f, -0.25f}, {3, 4}});
        // The covariance of a number with itself is real.
        CHECK(allclose(cov(z), tensor(c64(12.6041667f, 0))));
        CHECK(allclose(corrcoef(stack({z, w}))[0],
                       tensor({c64(1, 0), c64(-0.28459045f, -0.4167218f)})));
    });
}

TEST_CASE("edges of complex numbers") {
    for_each_mode([] {
        const Tensor z = three();
        // 0 to a power that rotates it has no direction, but it has a magnitude.
        same(zeros({1}, kComplexFloat).pow(c64(1, 2)), {1}, {0});
        check<bool>(z.sum(kBool), {}, {true});
        check<bool>(ones({2}, kBool).fill_(c64(0, 1)), {2}, {true, true});
        CHECK_THROWS_AS(z[0].prod(1), IndexError);
        same(z.scatter_reduce(0, tensor({0, 0}), tensor({c64(2, 1), c64(3, 3)}), "mean"), {3},
             {{2, 2}, {-0.5f, 0.25f}, {3, -4}});
        CHECK_ERROR(Error, linspace(0, c64(1, 2), 1, kFloat),
                    "[linspace] an end is complex; got 0 to 1+2i for Float, expected a complex "
                    "dtype; try kComplexFloat");
    });
}

TEST_CASE("complex numbers in statements that have run before") {
    // A statement of one operation takes a shorter way from its second run on.
    for_each_mode([] {
        const Tensor z = three(), i = full({3}, c64(0, 1), kComplexFloat);
        const Tensor whole = arange(3), truth = ones({3}, kBool);
        for (int again = 0; again < 4; ++again) {
            CAPTURE(again);
            check<bool>(full({2}, c64(0, 1), kBool), {2}, {true, true});
            check<bool>(full({2}, c64(0, 0), kBool), {2}, {false, false});
            check<bool>(zeros({2}, kBool).fill_(c64(0, 1)), {2}, {true, true});
            same(full({1}, c64(2, 1), kComplexFloat), {1}, {{2, 1}});
            CHECK(equal(z.clone().fill_(c64(0, 1)), i));
            CHECK(equal(z + c64(0, 1), z + i));
            CHECK(equal(z * c64(0, 1), z * i));
            CHECK(equal(whole * c64(0, 1), whole * i));
            CHECK(equal(truth * c64(0, 1), i));
            CHECK(equal(where(truth, z, c64(0, 1)), z));
            CHECK(equal(z.clone().masked_fill_(truth, c64(0, 1)), i));
            check<bool>(i == c64(0, 1), {3}, {true, true, true});
            check<bool>(whole.to(kFloat) != c64(1, 1), {3}, {true, true, true});
        }
    });
}

TEST_CASE("products of complex matrices") {
    for_each_mode([] {
        const Tensor z = three(), w = tensor({c64(0, 1), c64(2, 0), c64(1, 1)});
        CHECK(z.dot(w).item<c64>() == c64(1, 2) * c64(0, 1) + c64(-1, 0.5f) + c64(7, -1));
        Tensor outer = z.view({3, 1}).mm(w.view({1, 3}));
        same(outer[1], {3}, {{-0.25f, -0.5f}, {-1, 0.5f}, {-0.75f, -0.25f}});
        CHECK(equal(outer.matmul(w), outer.mv(w)));
        CHECK(equal(outer.expand({2, 3, 3}).bmm(outer.expand({2, 3, 3}))[1], outer.mm(outer)));
        CHECK_ERROR(Error, z.matmul(w.narrow(0, 0, 2)),
                    "[matmul] the inner dimensions do not match; got shapes [3] and [2], expected "
                    "3 elements in the second; try narrow() on the longer one");
    });
}

TEST_CASE("indexing complex tensors") {
    for_each_mode([] {
        for (const ScalarType dtype : {kComplexFloat, kComplexDouble}) {
            const Tensor z = three().to(dtype);
            const auto like = [&](const std::vector<c64>& v) { return tensor(v).to(dtype); };
            CHECK(equal(z.index({tensor({2, 0})}), like({{3, -4}, {1, 2}})));
            CHECK(equal(z.index({abs(z) > 1}), like({{1, 2}, {3, -4}})));
            CHECK(equal(z.gather(0, tensor({1, 1})), like({{-0.5f, 0.25f}, {-0.5f, 0.25f}})));
            Tensor w = z.clone();
            w.index_put_({tensor({0, 0, 2})}, tensor({c64(1, 1), c64(0, 1), c64(1, 0)}).to(dtype),
                         true);
            CHECK(equal(w, like({{2, 4}, {-0.5f, 0.25f}, {4, -4}})));
            CHECK(equal(z.masked_fill(abs(z) < 1, c64(0, 9)), like({{1, 2}, {0, 9}, {3, -4}})));
            CHECK(equal(z.scatter_reduce(0, tensor({0}), like({c64(0, 1)}), "prod"),
                        like({{-2, 1}, {-0.5f, 0.25f}, {3, -4}})));
            CHECK_THROWS_AS(z.scatter_reduce(0, tensor({0}), like({c64(0, 1)}), "amax").eval(),
                            NotImplementedError);
            CHECK(equal(z.flip(0).roll(1), like({{1, 2}, {3, -4}, {-0.5f, 0.25f}})));
            CHECK(equal(cat({z, z}).reshape({2, 3}).t()[0], like({{1, 2}, {1, 2}})));
        }
    });
}

TEST_CASE("complex tensors go to files and through DLPack" * doctest::test_suite("host")) {
    const std::string file =
        (std::filesystem::temp_directory_path() / "sinter_complex_test.npy").string();
    for (const ScalarType dtype : {kComplexFloat, kComplexDouble}) {
        const Tensor z = three().to(dtype);
        save_npy(z, file);
        CHECK(equal(load_npy(file), z));
        CHECK((load_npy(file).scalar_type() == dtype));
        Tensor shared = fromDLPack(toDLPack(z));
        shared.mul_(2);
        CHECK(z[2].item().equal(c128(6, -8)));
        CHECK(z.storage()[1].to<c128>() == c128(-1, 0.5));
    }
    std::filesystem::remove(file);
    std::vector<std::complex<float>> v{{1, 2}, {3, 4}};
    Tensor b = from_blob(v.data(), {2}, kComplexFloat);
    b.mul_(c64(0, 1));
    CHECK(v[0] == std::complex<float>(-2, 1));
    auto a = b.accessor<c64, 1>();
    CHECK(a[1] == c64(-4, 3));
}

TEST_CASE("printing complex tensors" * doctest::test_suite("host")) {
    const Tensor z = three();
    CHECK(repr(z) == "tensor([ 1.0000+2.0000j, -0.5000+0.2500j,  3.0000-4.0000j])");
    CHECK(repr(z.to(kComplexDouble)) ==
          "tensor([ 1.0000+2.0000j, -0.5000+0.2500j,  3.0000-4.0000j],\n"
          "       dtype=torch.complex128)");
    CHECK(repr(tensor({c64(1.5, -2), c64(1000, 0.25), c64(NAN, INFINITY)})) ==
          "tensor([   1.5000-2.0000j, 1000.0000+0.2500j,       nan+infj])");
    CHECK(repr(z[0]) == "tensor(1.+2.j)");
    CHECK(
        repr(arange(30) * c64(1, 1)) ==
        "tensor([ 0.+0.j,  1.+1.j,  2.+2.j,  3.+3.j,  4.+4.j,  5.+5.j,  6.+6.j,  7.+7.j,\n"
        "         8.+8.j,  9.+9.j, 10.+10.j, 11.+11.j, 12.+12.j, 13.+13.j, 14.+14.j, 15.+15.j,\n"
        "        16.+16.j, 17.+17.j, 18.+18.j, 19.+19.j, 20.+20.j, 21.+21.j, 22.+22.j, 23.+23.j,\n"
        "        24.+24.j, 25.+25.j, 26.+26.j, 27.+27.j, 28.+28.j, 29.+29.j])");
    CHECK(repr(zeros({0}, kComplexFloat)) == "tensor([], dtype=torch.complex64)");
    CHECK(repr(Scalar(c128(1, -2))) == "(1-2j)");
    CHECK(repr(Scalar(c128(0, 1.5))) == "1.5j");
    // libtorch's layout prints the real parts only, with a warning.
    CHECK(text(tensor({c64(1, 2), c64(2, 0)})) == " 1\n 2\n[ CPUComplexFloatType{2} ]");
}

TEST_CASE("random complex numbers") {
    for_each_mode([] {
        manual_seed(7);
        const Tensor u = rand({1000}, kComplexFloat), n = randn({1000}, kComplexDouble);
        CHECK((real(u).min().item<float>() >= 0 && imag(u).max().item<float>() < 1));
        CHECK(std::abs(n.var().item<double>() - 1) < 0.15);
        manual_seed(7);
        CHECK(equal(view_as_real(rand({1000}, kComplexFloat)), view_as_real(u)));
        manual_seed(7);
        CHECK(equal(rand({1000, 2}), view_as_real(u)));
        Tensor z = empty({5}, kComplexFloat);
        z.uniform_(2, 3);
        CHECK(imag(z).min().item<float>() >= 2);
        z.normal_(100, 1);
        CHECK(real(z).min().item<float>() > 50);
    });
}

TEST_CASE("a complex number from its length and angle") {
    const c128 z = polar(2.0, 0.5);
    CHECK(z == c128(std::polar(2.0, 0.5)));
    CHECK(polar(2.0f) == c64(2, 0));
}

TEST_CASE("complex operations fuse") {
    const Tensor z = three().eval(), w = tensor({c64(0, 1), c64(2, 0), c64(1, 1)}).eval();
    CHECK(kernels_of(exp(z * w + 1) / w) == 1);
    CHECK(kernels_of((z * w).sum()) == 1);
    // Parts of a pending tensor are computed by the kernel that reads them.
    Tensor product = z * w;
    CHECK(kernels_of(real(product) * 2 + imag(product)) == 1);
    Tensor other = z * w;
    CHECK(kernels_of(abs(other).amax()) == 1);
    // If both parts are used, they are read from memory.
    Tensor third = z * w;
    CHECK(kernels_of(view_as_real(third) + 1) == 2);
    CHECK(kernels_of((z * w).conj().view({3, 1}) * z) == 1);
    Tensor before = z * 2;
    z.mul_(0);
    same(before, {3}, {{2, 4}, {-1, 0.5f}, {6, -8}});
}
