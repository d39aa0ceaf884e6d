#include "tests/ops/check.hpp"

using namespace sinter;
using test::check;
using test::counted;

TEST_CASE("every row has a form that writes") {
    test::for_each_mode([] {
        Tensor a = tensor({1.0, -4.0, 9.0});
        CHECK(a.abs_().is_same(a));
        check<float>(a, {3}, {1, 4, 9});
        a.sqrt_().add_(1).mul_(tensor({2.0, 3.0, 4.0})).sub_(a);
        check<float>(a, {3}, {0, 0, 0});
        Tensor b = counted({2, 2});
        b += 1;
        b *= b;
        b -= b[0].clone();
        b /= 2;
        check<float>(b, {2, 2}, {0, 0, 4, 6});
        b.gt_(4);
        check<float>(b, {2, 2}, {0, 0, 0, 1});
        Tensor i = tensor({7, -7, 5});
        i.floor_divide_(2).bitwise_and_(3);
        check<int64_t>(i, {3}, {3, 0, 2});
    });
}

TEST_CASE("bitwise operators that write") {
    test::for_each_mode([] {
        Tensor i = tensor({7, -7, 5});
        i &= 3;
        check<int64_t>(i, {3}, {3, 1, 1});
        i |= tensor({4, 0, 4}, kInt);
        check<int64_t>(i, {3}, {7, 1, 5});
        i[0] ^= i.slice(0, 1, 2).squeeze() + 1;
        check<int64_t>(i, {3}, {5, 1, 5});
        auto mask = i > 1;
        mask &= i < 5;
        mask |= i == 1;
        check<bool>(mask, {3}, {false, true, false});
    });
    Tensor f = ones({1});
    CHECK_ERROR(NotImplementedError, f &= f,
                "[bitwise_and] floating-point numbers are not supported; got Float and Float, "
                "expected an integral dtype or Bool; try .to(kLong) first");
}

TEST_CASE("an operand of another dtype is computed in the common one") {
    test::for_each_mode([] {
        Tensor a = ones({2});
        a.add_(tensor({0.5, 0.25}, kDouble)).add_(tensor({1, 2}));
        check<float>(a, {2}, {2.5f, 3.25f});
        Tensor i = tensor({1, 2}, kInt);
        i.add_(tensor({5000000000, 1}));
        check<int32_t>(i, {2}, {705032705, 3});
    });
    Tensor i = tensor({1, 2});
    CHECK_ERROR(Error, i.div_(2),
                "[div_] result type Float can't be cast to the desired output type Long; got a "
                "Float result for a Long tensor, expected a Float tensor; try the out-of-place "
                "form, or .to(kFloat) first");
    CHECK_ERROR(Error, i += 0.5,
                "[add_] result type Float can't be cast to the desired output type Long; got a "
                "Float result for a Long tensor, expected a Float tensor; try the out-of-place "
                "form, or .to(kFloat) first");
    CHECK_ERROR(Error, zeros({2}, kBool).add_(i),
                "[add_] result type Long can't be cast to the desired output type Bool; got a Long "
                "result for a Bool tensor, expected a Long tensor; try the out-of-place form, or "
                ".to(kLong) first");
    check<int64_t>(i, {2}, {1, 2});
}

TEST_CASE("what an in-place operation refuses leaves the tensor as it was") {
    Tensor a = counted({3});
    CHECK_ERROR(Error, a.add_(zeros({2, 3})),
                "[add_] output with shape [3] doesn't match the broadcast shape [2, 3]; got shape "
                "[3], expected shape [2, 3]; try the out-of-place form, or operands that broadcast "
                "to the tensor's shape");
    CHECK_ERROR(Error, a.expand({2, 3}).add_(1),
                "[add_] more than one element of the written-to tensor refers to a single memory "
                "location; got shape [2, 3] with strides [0, 1], expected a memory location for "
                "each element; try clone() first");
    CHECK_ERROR(Error, a.unfold(0, 2, 1).neg_(),
                "[neg_] more than one element of the written-to tensor refers to a single memory "
                "location; got shape [2, 2] with strides [1, 1], expected a memory location for "
                "each element; try clone() first");
    Tensor m = counted({2, 2});
    CHECK_ERROR(
        Error, m.add_(m.t()),
        "[add_] some elements of the input tensor and the written-to tensor refer to a single "
        "memory location; got views of one storage with strides [1, 2] and [2, 1], offsets 0 and "
        "0, expected the same view or separate memory; try clone() on the input first");
    CHECK_ERROR(
        Error, m.copy_(m.t()),
        "[copy_] some elements of the input tensor and the written-to tensor refer to a single "
        "memory location; got views of one storage with strides [1, 2] and [2, 1], offsets 0 and "
        "0, expected the same view or separate memory; try clone() on the input first");
    CHECK_ERROR(
        Error, a.slice(0, 1).copy_(a.slice(0, 0, -1)),
        "[copy_] some elements of the input tensor and the written-to tensor refer to a single "
        "memory location; got views of one storage with strides [1] and [1], offsets 0 and 1, "
        "expected the same view or separate memory; try clone() on the input first");
    check<float>(a, {3}, {0, 1, 2});
    check<float>(m, {2, 2}, {0, 1, 2, 3});
}

TEST_CASE("overlaps that are none") {
    test::for_each_mode([] {
        Tensor m = counted({2, 2});
        m.add_(m);
        m[0].add_(m[1]);
        check<float>(m, {2, 2}, {4, 8, 4, 6});
        m.select(1, 0).copy_(m.select(1, 1));
        check<float>(m, {2, 2}, {8, 8, 6, 6});
        m.copy_(m.t() + m);
        check<float>(m, {2, 2}, {16, 14, 14, 12});
        Tensor a = counted({6});
        a.slice(0, 0, 6, 2).copy_(a.slice(0, 1, 6, 2));
        check<float>(a, {6}, {1, 1, 3, 3, 5, 5});
    });
}

TEST_CASE("copy_ of a temporary expression computes it in place") {
    test::for_each_mode([] {
        const Tensor a = counted({2, 3}), b = counted({3}) + 1;
        Tensor z = zeros({2, 3});
        const Tensor before = z * 1, rows = z[1];
        const int64_t pending = stats().nodes_pending;
        z.copy_(a * b + 1);
        if (get_mode() == Mode::lazy) CHECK(stats().nodes_pending == pending + 1);
        check<float>(z, {2, 3}, {1, 3, 7, 4, 9, 16});
        check<float>(rows, {3}, {4, 9, 16});
        check<float>(before, {2, 3}, {0, 0, 0, 0, 0, 0});
        z[0] = b * 2;
        z.select(1, 2) = a.select(1, 0) - 1;
        check<float>(z, {2, 3}, {2, 4, -1, 4, 9, 2});
        // A named expression keeps its value; another dtype or shape is converted.
        auto named = a + 1;
        z.copy_(named);
        named.add_(1);
        check<float>(z, {2, 3}, {1, 2, 3, 4, 5, 6});
        check<float>(named, {2, 3}, {2, 3, 4, 5, 6, 7});
        Tensor whole = zeros({2, 3}, kLong);
        whole.copy_(a * 1.5);
        check<int64_t>(whole, {2, 3}, {0, 1, 3, 4, 6, 7});
        z.copy_(b * 3);
        check<float>(z, {2, 3}, {3, 6, 9, 3, 6, 9});
        CHECK_THROWS_AS(z.copy_(zeros({5}) + 1), Error);
        CHECK_THROWS_AS(Tensor().copy_(a + 1), Error);
        CHECK_THROWS_AS(z.expand({4, 2, 3}).copy_(a + zeros({4, 2, 3})), Error);
        check<float>(z, {2, 3}, {3, 6, 9, 3, 6, 9});
    });
}

TEST_CASE("one number fills what an expanded tensor repeats") {
    test::for_each_mode([] {
        const Tensor row = ones({3}), rows = row.expand({2, 3});
        const Tensor before = row + 0;
        rows.fill_(2);
        test::check<float>(row, {3}, {2, 2, 2});
        test::check<float>(before, {3}, {1, 1, 1});
        rows.slice(1, 1).zero_();
        test::check<float>(row, {3}, {2, 0, 0});
        ones({1}).expand({0}).fill_(1);
    });
}

TEST_CASE("copy_, fill_ and zero_") {
    test::for_each_mode([] {
        Tensor a = zeros({2, 2}, kLong);
        a.copy_(tensor({1.9, -1.9}));
        check<int64_t>(a, {2, 2}, {1, -1, 1, -1});
        a.t()[0].fill_(2.5);
        check<int64_t>(a, {2, 2}, {2, -1, 2, -1});
        check<bool>(zeros({2}, kBool).fill_(0.5), {2}, {true, true});
        check<uint8_t>(zeros({1}, kByte).fill_(-1), {1}, {255});
        check<float>(ones({2}).zero_(), {2}, {0, 0});
        ones({0}).fill_(1);
    });
    CHECK_ERROR(ValueError, zeros({1}, kByte).fill_(300),
                "[fill_] value cannot be converted to type uint8_t without overflow; got 300 for "
                "Byte, expected a value that Byte can hold; try kLong, a wider dtype");
    CHECK_ERROR(ValueError, zeros({1}, kLong).fill_(1e30),
                "[fill_] value cannot be converted to type int64_t without overflow; got 1e+30 for "
                "Long, expected a value that Long can hold; try kDouble, a wider dtype");
    CHECK_ERROR(
        Error, zeros({2}).copy_(zeros({3})),
        "[copy_] The size of tensor a (2) must match the size of tensor b (3) at non-singleton "
        "dimension 0; got shapes [2] and [3], expected sizes that are equal or 1, counted from the "
        "last dimension; try unsqueeze() or reshape() to line up the dimensions");
}

TEST_CASE("an expression keeps the value of its line") {
    test::for_each_mode([] {
        Tensor a = ones({3});
        auto e = a + 1;
        a.add_(5);
        check<float>(e, {3}, {2, 2, 2});
        check<float>(a, {3}, {6, 6, 6});
    });
}
