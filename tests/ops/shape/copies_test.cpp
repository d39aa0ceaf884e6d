#include "tests/ops/check.hpp"

using namespace sinter;
using test::check;
using test::counted;

TEST_CASE("flip") {
    test::for_each_mode([] {
        Tensor a = counted({2, 3});
        check<float>(a.flip({1}), {2, 3}, {2, 1, 0, 5, 4, 3});
        check<float>(a.flip({0, -1}), {2, 3}, {5, 4, 3, 2, 1, 0});
        check<float>(a.t().flip(0), {3, 2}, {2, 5, 1, 4, 0, 3});
        check<float>(a.flip({}), {2, 3}, {0, 1, 2, 3, 4, 5});
        CHECK(zeros({0, 2}).flip({0, 1}).sizes() == IntArrayRef({0, 2}));
        CHECK_FALSE(a.flip({}).is_alias_of(a));
        Tensor lines = a.flip(1);
        a.zero_();
        check<float>(lines, {2, 3}, {2, 1, 0, 5, 4, 3});
        Tensor b = counted({5});
        b.copy_(b.flip(0));
        check<float>(b, {5}, {4, 3, 2, 1, 0});
    });
    CHECK_ERROR(
        Error, zeros({2}).flip({0, 0}),
        "[flip] a dimension appears twice; got dimensions [0, 0] of a tensor with 1 dimensions, "
        "expected each dimension at most once; try removing one of them; -1 is the last dimension");
}

TEST_CASE("roll") {
    test::for_each_mode([] {
        Tensor a = counted({2, 3});
        check<float>(a.roll(1), {2, 3}, {5, 0, 1, 2, 3, 4});
        check<float>(a.roll(1, 1), {2, 3}, {2, 0, 1, 5, 3, 4});
        check<float>(a.roll({1, -1}, {0, 1}), {2, 3}, {4, 5, 3, 1, 2, 0});
        check<float>(a.roll(6), {2, 3}, {0, 1, 2, 3, 4, 5});
        CHECK_FALSE(a.roll(3, 1).is_alias_of(a));
        CHECK(zeros({0}).roll(2).numel() == 0);
        CHECK(zeros({0, 3}).roll(2, 0).sizes() == IntArrayRef({0, 3}));
    });
    CHECK_ERROR(Error, zeros({2, 2}).roll({1, 2}, {0}),
                "[roll] shifts and dims have different lengths; got shifts [1, 2] and dims [0], "
                "expected one shift for each dimension, or one shift and no dims; try leaving dims "
                "out, which rolls the flattened tensor");
}

TEST_CASE("rot90") {
    test::for_each_mode([] {
        Tensor a = counted({2, 3});
        check<float>(a.rot90(), {3, 2}, {2, 5, 1, 4, 0, 3});
        check<float>(a.rot90(2), {2, 3}, {5, 4, 3, 2, 1, 0});
        check<float>(a.rot90(-1), {3, 2}, {3, 0, 4, 1, 5, 2});
        check<float>(a.rot90(4), {2, 3}, {0, 1, 2, 3, 4, 5});
    });
    CHECK_ERROR(
        Error, zeros({2}).rot90(),
        "[rot90] a rotation needs two dimensions; got dims [0, 1] of a tensor with 1 dimension, "
        "expected two dims of a tensor with at least 2 dimensions; try unsqueeze(0) first");
}

TEST_CASE("clone and contiguous") {
    test::for_each_mode([] {
        Tensor a = counted({2, 3});
        Tensor b = a.clone();
        a.zero_();
        check<float>(b, {2, 3}, {0, 1, 2, 3, 4, 5});
        Tensor t = b.t();
        CHECK(t.contiguous().strides() == IntArrayRef({2, 1}));
        check<float>(t.contiguous(), {3, 2}, {0, 3, 1, 4, 2, 5});
        CHECK(t.clone().strides() == IntArrayRef({1, 3}));
        check<float>(t.clone(), {3, 2}, {0, 3, 1, 4, 2, 5});
        CHECK(b[0].expand({2, 3}).clone().is_contiguous());
    });
}

TEST_CASE("memory formats" * doctest::test_suite("host")) {
    test::for_each_mode([] {
        const Tensor x = arange(24).view({2, 3, 2, 2});
        const Tensor y = x.contiguous(MemoryFormat::ChannelsLast);
        CHECK(y.strides() == IntArrayRef({12, 1, 6, 3}));
        CHECK((y.is_contiguous(MemoryFormat::ChannelsLast) && !y.is_contiguous()));
        CHECK(!x.is_contiguous(MemoryFormat::ChannelsLast));
        CHECK(equal(x, y));
        CHECK(y.contiguous(MemoryFormat::ChannelsLast).is_same(y));
        CHECK(x.contiguous(MemoryFormat::Contiguous).is_same(x));
        CHECK(y.clone(MemoryFormat::Preserve).strides() == y.strides());
        CHECK(y.clone(MemoryFormat::Contiguous).is_contiguous());
        CHECK(x.view({2, 3, 2, 2, 1}).contiguous(MemoryFormat::ChannelsLast3d).stride(1) == 1);
        CHECK(x.get_device() == -1);
        CHECK_ERROR(Error, x.view({24}).contiguous(MemoryFormat::ChannelsLast),
                    "[clone] the memory format needs another number of dimensions; got shape [24] "
                    "for ChannelsLast, expected 4 dimensions; try MemoryFormat::Contiguous");
        CHECK_ERROR(
            Error, x.transpose(0, 1).contiguous(MemoryFormat::Preserve),
            "[contiguous] MemoryFormat::Preserve names no format; got Preserve, expected "
            "Contiguous, ChannelsLast or ChannelsLast3d; try clone(MemoryFormat::Preserve)");
    });
}

TEST_CASE("to another dtype" * doctest::test_suite("host")) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    test::for_each_mode([&] {
        Tensor a = tensor({-1.5, 0.0, 2.7, 300.0}, kDouble);
        check<int64_t>(a.to(kLong), {4}, {-1, 0, 2, 300});
        check<bool>(a.to(kBool), {4}, {true, false, true, true});
        check<float>(a.to(kFloat), {4}, {-1.5f, 0.0f, 2.7f, 300.0f});
        check<uint8_t>(a.to(kByte), {4}, {255, 0, 2, 44});
        check<int32_t>(tensor({nan, 1e20}, kDouble).to(kInt), {2}, {INT32_MIN, INT32_MIN});
        CHECK((a.to(TensorOptions(kHalf)).dtype() == kHalf));
    });
    CHECK_ERROR(Error, zeros({2}).to(Device("cuda:0")),
                "[to] no GPU is available; got cuda:0, expected cpu; try checking "
                "cuda::is_available() first; `sinter info` shows what was found");
    CHECK_ERROR(
        NotImplementedError, zeros({2}).to(ScalarType::ComplexHalf),
        "[to] the dtype is not supported; got ComplexHalf, expected Byte, Char, Short, Int, Long, "
        "Half, BFloat16, Float, Double, ComplexFloat, ComplexDouble or Bool; try kFloat");
}

TEST_CASE("fliplr and flipud") {
    test::for_each_mode([] {
        Tensor a = counted({2, 3});
        check<float>(a.fliplr(), {2, 3}, {2, 1, 0, 5, 4, 3});
        check<float>(flipud(a.t()), {3, 2}, {2, 5, 1, 4, 0, 3});
        check<float>(counted({2}).flipud(), {2}, {1, 0});
        check<float>(fliplr(zeros({0, 2})), {0, 2}, {});
        CHECK_FALSE(a.flipud().is_alias_of(a));
    });
    CHECK_ERROR(Error, zeros({2}).fliplr(),
                "[fliplr] the tensor has too few dimensions; got shape [2], expected at least 2 "
                "dimensions; try flip(0), which reverses a vector");
    CHECK_ERROR(Error, flipud(zeros({})),
                "[flipud] the tensor has too few dimensions; got a 0-d tensor, expected at least 1 "
                "dimension; try unsqueeze(0) first");
}
