#include "tests/ops/check.hpp"

#include <algorithm>
#include <cmath>

using namespace sinter;

TEST_CASE("dtype names are libtorch's") {
    CHECK(std::string(toString(kByte)) == "Byte");
    CHECK(std::string(toString(kBFloat16)) == "BFloat16");
    CHECK(std::string(toString(ScalarType::Undefined)) == "Undefined");
    std::ostringstream out;
    out << kLong << ' ' << kBool << ' ' << kComplexDouble;
    CHECK(out.str() == "Long Bool ComplexDouble");
}

TEST_CASE("promotion of two dimensioned dtypes") {
    // torch.promote_types, as tabulated in its documentation.
    constexpr ScalarType all[] = {kByte, kChar,     kShort, kInt,    kLong,
                                  kHalf, kBFloat16, kFloat, kDouble, kBool};
    constexpr ScalarType u1 = kByte, i1 = kChar, i2 = kShort, i4 = kInt, i8 = kLong, f2 = kHalf,
                         bf = kBFloat16, f4 = kFloat, f8 = kDouble, b1 = kBool;
    constexpr ScalarType common[10][10] = {
        {u1, i2, i2, i4, i8, f2, bf, f4, f8, u1}, {i2, i1, i2, i4, i8, f2, bf, f4, f8, i1},
        {i2, i2, i2, i4, i8, f2, bf, f4, f8, i2}, {i4, i4, i4, i4, i8, f2, bf, f4, f8, i4},
        {i8, i8, i8, i8, i8, f2, bf, f4, f8, i8}, {f2, f2, f2, f2, f2, f2, f4, f4, f8, f2},
        {bf, bf, bf, bf, bf, f4, bf, f4, f8, bf}, {f4, f4, f4, f4, f4, f4, f4, f4, f8, f4},
        {f8, f8, f8, f8, f8, f8, f8, f8, f8, f8}, {u1, i1, i2, i4, i8, f2, bf, f4, f8, b1}};
    for (int i = 0; i < 10; ++i)
        for (int j = 0; j < 10; ++j) CHECK((promote_types(all[i], all[j]) == common[i][j]));
    CHECK((get_default_dtype() == kFloat));
    CHECK_ERROR(NotImplementedError, promote_types(kFloat, ScalarType::ComplexHalf),
                "[promote_types] the dtype is not supported; got ComplexHalf, expected Byte, Char, "
                "Short, Int, Long, Half, BFloat16, Float, Double, ComplexFloat, ComplexDouble or "
                "Bool; try kFloat");
}

TEST_CASE("numbers of 16 bits change in place and print") {
    Half h = 1.5f;
    h += 1;
    h *= h;
    h -= 0.25f;
    h /= 2;
    BFloat16 b = 3.0f;
    b += static_cast<float>(h);
    std::ostringstream out;
    out << h << ' ' << b;
    CHECK(out.str() == "3 6");
    static_assert(CppTypeToScalarType<Half>::value == kHalf);
}

TEST_CASE("casts that keep the kind of a number") {
    constexpr ScalarType all[] = {kByte, kChar,     kShort, kInt,    kLong,
                                  kHalf, kBFloat16, kFloat, kDouble, kBool};
    for (ScalarType from : all)
        for (ScalarType to : all) {
            const bool loses_fraction = isFloatingType(from) && isIntegralType(to, false);
            const bool to_bool = to == kBool && from != kBool;
            CHECK(can_cast(from, to) == !(loses_fraction || to_bool));
        }
    static_assert(can_cast(kFloat, kComplexFloat) && !can_cast(kComplexFloat, kFloat));
    const Tensor t = zeros({2}, kInt8);
    CHECK((t.is_signed() && !t.is_floating_point() && !is_complex(t)));
    CHECK((!is_signed(zeros({2}, kUInt8)) && is_floating_point(zeros({2}, kBFloat16))));
    CHECK((t.type(kHalf).dtype() == kHalf));
    CHECK((t.toType(kHalf).type_as(t).dtype() == kInt8));
    CHECK(t.type_as(t).is_same(t));
}

TEST_CASE("the dtype of a result of tensors and numbers") {
    const Tensor i8 = zeros({2}, kInt8), i64 = zeros({}, kInt64), f32 = zeros({}, kFloat32),
                 f16 = zeros({3, 1}, kFloat16);
    CHECK((result_type(i8, i64) == kInt8));
    CHECK((result_type(i8, f32) == kFloat32));
    CHECK((result_type(i8, 2.5) == kFloat32));
    CHECK((result_type(f16, 2.5) == kFloat16));
    CHECK((result_type(f16, f32) == kFloat16));
    CHECK((result_type(true, i8) == kInt8));
    CHECK((result_type(zeros({2}, kBool), 3) == kInt64));
    CHECK((result_type(1, 2.0) == kFloat32));
}

TEST_CASE("the default dtype is what floats become") {
    struct restore {
        ~restore() { set_default_dtype(kFloat32); }
    } at_end;
    auto e = [] { return tensor({1, 2, 3}) / 2; };
    test::check<float>(e(), {3}, {0.5f, 1, 1.5f});
    set_default_dtype(kFloat64);
    test::check<double>(e(), {3}, {0.5, 1, 1.5});
    test::check<double>(tensor({0.1}), {1}, {0.1});
    CHECK((zeros({2}).dtype() == kFloat64));
    CHECK((rand({2}).dtype() == kFloat64));
    CHECK((arange(0.0, 1.0, 0.5).dtype() == kFloat64));
    CHECK((sqrt(tensor({4})).dtype() == kFloat64));
    set_default_dtype(kFloat32);
    test::check<float>(e(), {3}, {0.5f, 1, 1.5f});
    // As in PyTorch's C++ API: factories use it, and floating results are Float.
    set_default_dtype(kInt32);
    CHECK((get_default_dtype() == kInt32));
    for (const Tensor& t : {zeros({2}), ones({2}), empty({2}), eye(2), tensor({1.0, 2.0}),
                            full({2}, 1.5), scalar_tensor(1)})
        CHECK((t.dtype() == kInt32));
    test::check<float>(e(), {3}, {0.5f, 1, 1.5f});
    CHECK((sqrt(tensor({4})).dtype() == kFloat32));
    CHECK(((tensor({4}) * 2.5).dtype() == kFloat32));
    CHECK((complex<double>(0, 1) * tensor({4})).dtype() == kComplexFloat);
    CHECK((rand({2}, kFloat32).dtype() == kFloat32));
    CHECK_THROWS_AS(rand({2}), NotImplementedError);
    CHECK_THROWS_AS(set_default_dtype(ScalarType::QInt8), NotImplementedError);
}

TEST_CASE("limits of dtypes") {
    const finfo h(kFloat16), b(kBFloat16), d(kFloat64);
    CHECK((h.max == 65504 && h.min == -65504 && h.eps == 0x1p-10 && h.tiny == 0x1p-14));
    CHECK((b.max == 0x1.FEp127 && b.eps == 0x1p-7 && b.smallest_normal == 0x1p-126));
    CHECK((b.bits == 16 && b.resolution == 0.01));
    CHECK((finfo().max == static_cast<double>(std::numeric_limits<float>::max())));
    CHECK((d.max == std::numeric_limits<double>::max() && d.eps == 0x1p-52));
    const iinfo byte(kUInt8), i16(kInt16), i64(kInt64);
    CHECK((byte.min == 0 && byte.max == 255 && byte.bits == 8));
    CHECK((i16.min == -32768 && i16.max == 32767));
    CHECK((i64.min == INT64_MIN && i64.max == INT64_MAX));
    CHECK_ERROR(TypeError, iinfo(kBool),
                "[iinfo] the dtype is not an integral dtype; got Bool, expected Byte, Char, Short, "
                "Int or Long; try finfo for floating-point dtypes");
    CHECK_ERROR(TypeError, finfo(kInt32),
                "[finfo] the dtype is not a floating-point dtype; got Int, expected Half, "
                "BFloat16, Float or Double; try iinfo for integers");
}

TEST_CASE("numeric_limits of the 16-bit floats are their formats'") {
    using half = std::numeric_limits<Half>;
    using bfloat = std::numeric_limits<BFloat16>;
    CHECK((half::max() == 65504.0f && half::lowest() == -65504.0f && half::min() == 0x1p-14f));
    CHECK((half::epsilon() == 0x1p-10f && half::denorm_min() == 0x1p-24f));
    CHECK((half::round_error() == 0.5f && half::infinity() == INFINITY));
    CHECK(std::isnan(static_cast<float>(half::quiet_NaN())));
    CHECK((bfloat::max() == 0x1.FEp127f && bfloat::min() == 0x1p-126f));
    CHECK((bfloat::epsilon() == 0x1p-7f && bfloat::denorm_min() == 0x1p-133f));
    CHECK(std::isnan(static_cast<float>(bfloat::quiet_NaN())));
    static_assert(half::digits10 == 3 && half::max_digits10 == 5 && half::max_exponent == 16);
    static_assert(half::max_exponent10 == 4 && half::min_exponent == -13);
    static_assert(bfloat::digits10 == 2 && bfloat::max_exponent10 == 38);
    static_assert(bfloat::min_exponent10 == -37);
}

TEST_CASE("devices are read and written as text") {
    CHECK(Device("cpu") == Device(kCPU));
    CHECK(Device("cuda:1").type() == kCUDA);
    CHECK(Device("cuda:1").index() == 1);
    CHECK(Device("cuda:1").str() == "cuda:1");
    CHECK(Device("cuda").str() == "cuda");
    for (const char* wrong : {"", "gpu", "cuda:", "cuda:x", "cuda:1x", "cuda:-1", "cuda:999"}) {
        CAPTURE(wrong);
        CHECK_ERROR(Error, Device(wrong),
                    "[Device] Invalid device string: '" + std::string(wrong) +
                        "'; got an unknown name or index, expected cpu, cuda, hip, xla, mkldnn, "
                        "opengl, opencl or ideep, with or without an index, as in cuda:1; try "
                        "\"cpu\" or \"cuda\"");
    }
}

TEST_CASE("what the options refuse" * doctest::test_suite("host")) {
    CHECK(TensorOptions().requires_grad(true).requires_grad());
    CHECK((TensorOptions(kDouble).requires_grad(false).dtype() == kDouble));
    CHECK_ERROR(Error, zeros({2}, kCUDA),
                "[zeros] no GPU is available; got cuda, expected cpu; try checking "
                "cuda::is_available() first; `sinter info` shows what was found");
    CHECK_ERROR(
        NotImplementedError, ones({2}, ScalarType::ComplexHalf),
        "[ones] the dtype is not supported; got ComplexHalf, expected Byte, Char, Short, Int, "
        "Long, Half, BFloat16, Float, Double, ComplexFloat, ComplexDouble or Bool; try kFloat");
}

TEST_CASE("lists of integers print as Python's") {
    std::ostringstream out;
    out << IntArrayRef({2, 3}) << IntArrayRef();
    CHECK(out.str() == "[2, 3][]");
}
