#include "tests/ops/check.hpp"

using namespace sinter;
using test::check;
using test::counted;
using test::inf32;
using test::nan32;

namespace {}  // namespace

TEST_CASE("sum over all, one or several dimensions") {
    test::for_each_mode([] {
        Tensor a = counted({2, 3, 4});
        check<float>(a.sum(), {}, {276});
        check<float>(a.sum({1}), {2, 4}, {12, 15, 18, 21, 48, 51, 54, 57});
        check<float>(a.sum({0, -1}), {3}, {60, 92, 124});
        check<float>(a.sum({0, 2}, true), {1, 3, 1}, {60, 92, 124});
        check<float>(a.sum(IntArrayRef()), {}, {276});
        check<float>(a.permute({2, 0, 1}).sum({0}), {2, 3}, {6, 22, 38, 54, 70, 86});
        check<float>(a[0].t().sum({0}), {3}, {6, 22, 38});
        check<float>(zeros({}).sum({0}), {}, {0});
        check<float>(full({}, 3.0).sum({-1}, true), {}, {3});
        check<float>(zeros({0, 2}).sum({0}), {2}, {0, 0});
        check<float>(zeros({2, 0}).sum({0}), {0}, {});
    });
    CHECK_ERROR(
        Error, zeros({2, 2}).sum({0, -2}),
        "[sum] a dimension appears twice; got dimensions [0, -2] of a tensor with 2 dimensions, "
        "expected each dimension at most once; try removing one of them; -1 is the last dimension");
    CHECK_ERROR(IndexError, zeros({2, 2}).sum({2}),
                "[sum] the dimension is out of range; got dimension 2 of a tensor with 2 "
                "dimensions, expected -2 to 1; try -1 for the last dimension");
}

TEST_CASE("dtypes of sums and products") {
    test::for_each_mode([] {
        check<int64_t>(tensor({200, 100}, kByte).sum(), {}, {300});
        check<int64_t>(tensor({true, true}).sum(), {}, {2});
        check<int64_t>(tensor({3, 4}, kInt).prod(), {}, {12});
        check<double>(tensor({1, 2}).sum(kDouble), {}, {3});
        check<uint8_t>(tensor({200, 100}).sum(kByte), {}, {44});
        check<int32_t>(tensor({1.9, 1.9}).sum(kInt), {}, {2});
        check<float>(counted({2, 3}).add(1).prod(1), {2}, {6, 120});
        check<float>(zeros({0}).prod(), {}, {1});
        check<double>(tensor({1, 2}).mean(kDouble), {}, {1.5});
    });
}

TEST_CASE("mean, var and std") {
    test::for_each_mode([] {
        Tensor a = tensor({{1.0, 3.0}, {2.0, 6.0}});
        check<float>(a.mean(), {}, {3});
        check<float>(a.mean({0}), {2}, {1.5, 4.5});
        check<float>(a.var({1}, false), {2}, {1, 4});
        check<float>(a.var({1}, true), {2}, {2, 8});
        check<float>(a.std({1}, false, true), {2, 1}, {1, 2});
        check<float>(a.var(1), {2}, {2, 8});
        check<float>(tensor({5.0}).var(), {}, {nan32});
        check<float>(tensor({5.0}).var(false), {}, {0});
        check<float>(zeros({0}).mean(), {}, {nan32});
        check<float>(zeros({0}).var(), {}, {nan32});
        check<float>(zeros({0, 2}).std({0}, true), {2}, {nan32, nan32});
    });
    CHECK_ERROR(NotImplementedError, tensor({1}).mean(),
                "[mean] integers and booleans are not supported; got Long, expected a "
                "floating-point dtype; try .to(kFloat) first");
    CHECK_ERROR(NotImplementedError, tensor({true}).std(),
                "[std] integers and booleans are not supported; got Bool, expected a "
                "floating-point dtype; try .to(kFloat) first");
}

TEST_CASE("extremes and where they are") {
    test::for_each_mode([] {
        Tensor a = tensor({{1.0, 5.0, 5.0}, {-2.0, -7.0, -7.0}});
        check<float>(a.max(), {}, {5});
        check<float>(a.min(), {}, {-7});
        check<float>(a.amax({0}), {3}, {1, 5, 5});
        check<float>(a.amin(1, true), {2, 1}, {1, -7});
        check<int64_t>(a.argmax(), {}, {1});
        check<int64_t>(a.argmin(), {}, {4});
        check<int64_t>(a.argmax(1), {2}, {1, 0});
        check<int64_t>(a.argmin(1, true), {2, 1}, {0, 1});
        const auto [values, places] = a.max(1);
        check<float>(values, {2}, {5, -2});
        check<int64_t>(places, {2}, {1, 0});
        const auto [low, at] = a.min(-2, true);
        check<float>(low, {1, 3}, {-2, -7, -7});
        check<int64_t>(at, {1, 3}, {1, 1, 1});
        check<int64_t>(full({}, 3).argmax(0), {}, {0});
        check<int64_t>(tensor({3, 9, 9}).amax(), {}, {9});
    });
}

TEST_CASE("extremes of NaN and of nothing") {
    test::for_each_mode([] {
        Tensor a = tensor({1.0, double(nan32), double(inf32), double(nan32)});
        check<float>(a.amax(), {}, {nan32});
        check<float>(a.min(), {}, {nan32});
        check<int64_t>(a.argmax(), {}, {1});
        check<int64_t>(a.argmin(), {}, {1});
        CHECK(zeros({0, 3}).amax(1).numel() == 0);
    });
    CHECK_ERROR(IndexError, zeros({2, 0}).amax(1),
                "[amax] the reduced dimensions are empty; got shape [2, 0], expected at least 1 "
                "element in them; try another dimension");
    CHECK_ERROR(IndexError, zeros({0}).argmax(),
                "[argmax] the reduced dimensions are empty; got shape [0], expected at least 1 "
                "element in them; try another dimension");
    CHECK_ERROR(Error, zeros({0}).max(),
                "[max] the tensor is empty; got shape [0], expected at least 1 element; try "
                "checking numel() first");
}

TEST_CASE("any and all convert to booleans") {
    test::for_each_mode([] {
        Tensor a = tensor({{0.0, 0.5}, {0.0, 0.0}});
        check<bool>(a.any(), {}, {true});
        check<bool>(a.all(), {}, {false});
        check<bool>(a.any(1), {2}, {true, false});
        check<bool>(a.all(0, true), {1, 2}, {false, false});
        check<bool>(zeros({0}).any(), {}, {false});
        check<bool>(zeros({0}).all(), {}, {true});
        check<bool>(tensor({double(nan32)}).all(), {}, {true});
    });
}
