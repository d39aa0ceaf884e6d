#include "tests/ops/check.hpp"

using namespace sinter;
using test::check;
using test::counted;

TEST_CASE("transpose, t and permute") {
    test::for_each_mode([] {
        Tensor a = counted({2, 3});
        check<float>(a.transpose(0, 1), {3, 2}, {0, 3, 1, 4, 2, 5});
        check<float>(a.t(), {3, 2}, {0, 3, 1, 4, 2, 5});
        CHECK(a.t().strides() == IntArrayRef({1, 3}));
        check<float>(counted({2}).t(), {2}, {0, 1});
        Tensor b = counted({2, 3, 2}).permute({2, 0, -2});
        check<float>(b, {2, 2, 3}, {0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11});
        CHECK(b.strides() == IntArrayRef({1, 6, 2}));
        CHECK(zeros({}).transpose(0, -1).dim() == 0);
    });
    CHECK_ERROR(Error, zeros({2, 2, 2}).t(),
                "[t] the tensor has too many dimensions; got shape [2, 2, 2], expected at most 2 "
                "dimensions; try transpose() or permute()");
    CHECK_ERROR(Error, zeros({2, 3}).permute({0}),
                "[permute] the list does not name every dimension; got dims [0] for shape [2, 3], "
                "expected 2 dimensions, each once; try transpose() to swap two dimensions");
    CHECK_ERROR(Error, zeros({2, 3}).permute({0, -2}),
                "[permute] a dimension appears twice; got dimensions [0, -2] of a tensor with 2 "
                "dimensions, expected each dimension at most once; try removing one of them; -1 is "
                "the last dimension");
}

TEST_CASE("expand repeats without copying") {
    test::for_each_mode([] {
        Tensor a = counted({2, 1});
        check<float>(a.expand({2, 3}), {2, 3}, {0, 0, 0, 1, 1, 1});
        CHECK(a.expand({2, 3}).strides() == IntArrayRef({1, 0}));
        check<float>(a.expand({2, -1, 2}), {2, 2, 2}, {0, 0, 1, 1, 0, 0, 1, 1});
        check<float>(counted({3}).expand_as(zeros({2, 3})), {2, 3}, {0, 1, 2, 0, 1, 2});
        CHECK(a.expand({0, 2, 3}).numel() == 0);
        CHECK_FALSE(a.expand({2, 1}).is_same(a));
        CHECK(a.expand({2, 1}).is_alias_of(a));
    });
    const char* rule =
        ", expected the tensor's sizes, with any size in place of a 1, new sizes in front, and -1 "
        "to keep a size; try unsqueeze() first, which adds a dimension of size 1";
    CHECK_ERROR(
        Error, zeros({2, 3}).expand({3}),
        std::string("[expand] the number of sizes provided (1) must be greater or equal to the "
                    "number of dimensions in the tensor (2); got sizes [3] for shape [2, 3]") +
            rule);
    CHECK_ERROR(
        Error, zeros({2, 3}).expand({4, 3}),
        std::string("[expand] The expanded size of the tensor (4) must match the existing size (2) "
                    "at non-singleton dimension 0; got sizes [4, 3] for shape [2, 3]") +
            rule);
    CHECK_ERROR(Error, zeros({3}).expand({-1, 3}),
                std::string("[expand] The expanded size of the tensor (-1) isn't allowed in a "
                            "leading, non-existing dimension 0; got sizes [-1, 3] for shape [3]") +
                    rule);
}

TEST_CASE("squeeze and unsqueeze") {
    test::for_each_mode([] {
        Tensor a = counted({1, 3, 1});
        CHECK(a.squeeze().sizes() == IntArrayRef({3}));
        CHECK(a.squeeze(0).sizes() == IntArrayRef({3, 1}));
        CHECK(a.squeeze(1).sizes() == IntArrayRef({1, 3, 1}));
        check<float>(a.squeeze().unsqueeze(-1), {3, 1}, {0, 1, 2});
        CHECK(zeros({}).unsqueeze(0).sizes() == IntArrayRef({1}));
        CHECK(counted({2, 3}).unsqueeze(1).strides() == IntArrayRef({3, 3, 1}));
        CHECK(counted({2, 3}).unsqueeze(2).strides() == IntArrayRef({3, 1, 1}));
    });
    CHECK_ERROR(IndexError, zeros({2}).unsqueeze(2),
                "[unsqueeze] the dimension is out of range; got dimension 2 of a tensor with 2 "
                "dimensions, expected -2 to 1; try -1 for the last dimension");
}

TEST_CASE("diagonal") {
    test::for_each_mode([] {
        Tensor a = counted({3, 4});
        check<float>(a.diagonal(), {3}, {0, 5, 10});
        check<float>(a.diagonal(1), {3}, {1, 6, 11});
        check<float>(a.diagonal(-1), {2}, {4, 9});
        CHECK(a.diagonal(7).numel() == 0);
        check<float>(counted({2, 2, 2}).diagonal(0, 0, 2), {2, 2}, {0, 5, 2, 7});
    });
    CHECK_ERROR(Error, zeros({2, 2}).diagonal(0, 1, -1),
                "[diagonal] the two dimensions are the same; got dimensions 1 and -1, expected two "
                "different dimensions; try -2 and -1");
}

TEST_CASE("unfold slides a window") {
    test::for_each_mode([] {
        check<float>(counted({5}).unfold(0, 3, 1), {3, 3}, {0, 1, 2, 1, 2, 3, 2, 3, 4});
        check<float>(counted({5}).unfold(0, 2, 2), {2, 2}, {0, 1, 2, 3});
        check<float>(counted({2, 3}).unfold(0, 2, 1), {1, 3, 2}, {0, 3, 1, 4, 2, 5});
    });
    CHECK_ERROR(Error, zeros({3}).unfold(0, 4, 1),
                "[unfold] the window size is out of range; got size 4 for a dimension of size 3, "
                "expected 0 to 3; try constant_pad_nd() first");
    CHECK_ERROR(Error, zeros({3}).unfold(0, 1, 0),
                "[unfold] the step is not positive; got 0, expected 1 or more; try the window "
                "size, for windows that do not overlap");
}

TEST_CASE("as_strided sees any elements of the storage") {
    test::for_each_mode([] {
        Tensor a = counted({6});
        check<float>(a.as_strided({2, 2}, {3, 1}, 1), {2, 2}, {1, 2, 4, 5});
        check<float>(a.slice(0, 2).as_strided({2}, {1}), {2}, {2, 3});
        CHECK(a.as_strided({0}, {9}, 6).numel() == 0);
    });
    Tensor a = zeros({6});
    CHECK_ERROR(Error, a.as_strided({2}, {-1}),
                "[as_strided] a stride is negative; got strides [-1], expected strides of 0 or "
                "more; try flip(), which reverses a dimension by a copy");
    CHECK_ERROR(Error, a.as_strided({2, 2}, {5, 1}),
                "[as_strided] the view exceeds the storage; got sizes [2, 2], strides [5, 1] and "
                "offset 0 in a storage of 6 elements, expected elements 0 to 5; try smaller sizes, "
                "strides or offset");
    CHECK_ERROR(
        Error, a.as_strided({2, 2}, {1}),
        "[as_strided] sizes and strides have different lengths; got sizes [2, 2] and strides [1], "
        "expected one stride for each size; try the strides() of a tensor of that shape");
}

TEST_CASE("which views are the same tensor" * doctest::test_suite("host")) {
    test::for_each_mode([] {
        Tensor a = zeros({4});
        CHECK(a.to(kFloat).is_same(a));
        CHECK(a.contiguous().is_same(a));
        CHECK(a.cpu().is_same(a));
        CHECK(a.flatten().is_same(a));
        CHECK_FALSE(a.detach().is_same(a));
        CHECK_FALSE(a.reshape({4}).is_same(a));
        CHECK(a.detach().is_alias_of(a));
        CHECK(a.reshape({4}).is_alias_of(a));
    });
}

TEST_CASE("a write through any view is seen by every view") {
    test::for_each_mode([] {
        Tensor a = counted({2, 3});
        Tensor column = a.t()[1], diagonal = a.diagonal();
        column.add_(10);
        diagonal.mul_(2);
        check<float>(a, {2, 3}, {0, 11, 2, 3, 28, 5});
        check<float>(column, {2}, {11, 28});
        a.view({6}).slice(0, 4).zero_();
        check<float>(diagonal, {2}, {0, 0});
    });
}

TEST_CASE("squeeze of several dimensions leaves out those of size 1") {
    const Tensor t = zeros({1, 2, 1, 3, 1});
    CHECK(t.squeeze({0, -1}).sizes() == IntArrayRef({2, 1, 3}));
    CHECK(t.squeeze({1, 2}).sizes() == IntArrayRef({1, 2, 3, 1}));
    CHECK(squeeze(t, {0, 2, 4}).is_alias_of(t));
    CHECK_THROWS_AS(t.squeeze({0, 0}), Error);
    CHECK_THROWS_AS(t.squeeze({0, 5}), IndexError);
}
