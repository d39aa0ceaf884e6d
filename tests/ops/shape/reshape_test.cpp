#include "tests/ops/check.hpp"

using namespace sinter;
using test::check;
using test::counted;

TEST_CASE("view splits and joins dimensions") {
    test::for_each_mode([] {
        Tensor a = counted({2, 6});
        CHECK(a.view({3, 4}).strides() == IntArrayRef({4, 1}));
        CHECK(a.view({-1}).sizes() == IntArrayRef({12}));
        CHECK(a.view({2, -1, 3}).sizes() == IntArrayRef({2, 2, 3}));
        CHECK(a.view({2, 1, 6}).sizes() == IntArrayRef({2, 1, 6}));
        Tensor t = a.t();  // strides 1, 6
        CHECK(t.view({3, 2, 2}).strides() == IntArrayRef({2, 1, 6}));
        check<float>(t.view({3, 2, 2}), {3, 2, 2}, {0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11});
        CHECK(zeros({0, 3}).view({3, 0}).sizes() == IntArrayRef({3, 0}));
        CHECK(zeros({}).view({1, 1}).sizes() == IntArrayRef({1, 1}));
        CHECK(zeros({1}).view({}).dim() == 0);
        // Halves of rows keep their gap.
        Tensor half = a.slice(1, 0, 4);
        CHECK(half.view({2, 2, 2}).strides() == IntArrayRef({6, 2, 1}));
    });
}

TEST_CASE("view refuses what needs a copy") {
    CHECK_ERROR(Error, zeros({2, 3}).t().view({6}),
                "[view] view size is not compatible with input tensor's size and stride; got sizes "
                "[6] for shape [3, 2] with strides [1, 3], expected sizes that split dimensions or "
                "merge contiguous ones; try reshape(), which copies if it must");
    CHECK_ERROR(
        Error, zeros({2, 3}).view({4, 2}),
        "[view] shape '[4, 2]' is invalid for input of size 6; got sizes [4, 2] for shape [2, 3], "
        "expected sizes whose product is 6; try -1 for one of the sizes, which is then inferred");
    CHECK_ERROR(
        Error, zeros({2, 3}).view({-1, -1}),
        "[view] only one dimension can be inferred; got sizes [-1, -1] for shape [2, 3], expected "
        "sizes whose product is 6; try -1 for one of the sizes, which is then inferred");
    CHECK_ERROR(Error, zeros({0}).view({-1, 0}),
                "[view] the size for -1 is ambiguous, because the other sizes have the product 0; "
                "got sizes [-1, 0] for shape [0], expected sizes whose product is 0; try -1 for "
                "one of the sizes, which is then inferred");
    CHECK_ERROR(Error, zeros({2}).view({-2}),
                "[view] invalid shape dimension -2; got sizes [-2] for shape [2], expected sizes "
                "whose product is 2; try -1 for one of the sizes, which is then inferred");
}

TEST_CASE("reshape copies where it must") {
    test::for_each_mode([] {
        Tensor a = counted({2, 3});
        CHECK(a.reshape({3, 2}).is_alias_of(a));
        Tensor b = a.t().reshape({6});
        CHECK_FALSE(b.is_alias_of(a));
        check<float>(b, {6}, {0, 3, 1, 4, 2, 5});
        a.zero_();
        check<float>(b, {6}, {0, 3, 1, 4, 2, 5});
    });
}

TEST_CASE("flatten") {
    test::for_each_mode([] {
        CHECK(zeros({2, 3, 4}).flatten().sizes() == IntArrayRef({24}));
        CHECK(zeros({2, 3, 4}).flatten(1).sizes() == IntArrayRef({2, 12}));
        CHECK(zeros({2, 3, 4}).flatten(0, 1).sizes() == IntArrayRef({6, 4}));
        CHECK(zeros({}).flatten().sizes() == IntArrayRef({1}));
    });
    CHECK_ERROR(Error, zeros({2, 3}).flatten(1, 0),
                "[flatten] start_dim cannot come after end_dim; got start_dim 1 and end_dim 0, "
                "expected start_dim <= end_dim; try swapping them");
}

TEST_CASE("view_as, reshape_as and ravel") {
    test::for_each_mode([] {
        Tensor a = counted({2, 3});
        check<float>(a.view_as(zeros({3, 2}, kLong)), {3, 2}, {0, 1, 2, 3, 4, 5});
        CHECK(a.view_as(zeros({6})).is_alias_of(a));
        check<float>(a.t().reshape_as(zeros({1, 6})), {1, 6}, {0, 3, 1, 4, 2, 5});
        CHECK(a.ravel().is_alias_of(a));
        check<float>(ravel(a.t()), {6}, {0, 3, 1, 4, 2, 5});
        CHECK_FALSE(a.select(1, 0).ravel().is_alias_of(a));
        CHECK(zeros({}).ravel().sizes() == IntArrayRef({1}));
        CHECK(zeros({0, 2}).ravel().sizes() == IntArrayRef({0}));
        a.ravel().mul_(2);
        check<float>(a, {2, 3}, {0, 2, 4, 6, 8, 10});
    });
    CHECK_ERROR(
        Error, zeros({2, 3}).view_as(zeros({5})),
        "[view] shape '[5]' is invalid for input of size 6; got sizes [5] for shape [2, 3], "
        "expected sizes whose product is 6; try -1 for one of the sizes, which is then inferred");
    CHECK_ERROR(
        Error, zeros({2}).reshape_as(Tensor()),
        "[reshape_as] the tensor is undefined; got a default-constructed Tensor, expected a "
        "defined tensor; try assigning a tensor to it first; defined() tells whether it is one");
}

TEST_CASE("unflatten") {
    test::for_each_mode([] {
        Tensor a = counted({2, 6});
        CHECK(a.unflatten(1, {2, 3}).sizes() == IntArrayRef({2, 2, 3}));
        CHECK(unflatten(a, -1, {-1, 2}).strides() == IntArrayRef({6, 2, 1}));
        CHECK(a.t().unflatten(0, {3, 2}).strides() == IntArrayRef({2, 1, 6}));
        check<float>(a.t().unflatten(0, {3, -1})[1], {2, 2}, {2, 8, 3, 9});
        check<float>(a.slice(1, 0, nullopt, 3).unflatten(0, {2, 1}), {2, 1, 2}, {0, 3, 6, 9});
        CHECK(a.unflatten(0, 2).sizes() == IntArrayRef({2, 6}));
        CHECK(zeros({2, 0}).unflatten(1, {3, 0}).sizes() == IntArrayRef({2, 3, 0}));
        a.unflatten(1, {2, 3}).select(1, 0).zero_();
        check<float>(a, {2, 6}, {0, 0, 0, 3, 4, 5, 0, 0, 0, 9, 10, 11});
    });
    CHECK_ERROR(Error, zeros({2, 6}).unflatten(1, {4, -1}),
                "[unflatten] shape '[4, -1]' is invalid for input of size 6; got sizes [4, -1] for "
                "shape [6], expected sizes whose product is 6; try -1 for one of the sizes, which "
                "is then inferred");
    CHECK_ERROR(Error, zeros({2, 6}).unflatten(0, {}),
                "[unflatten] the list of sizes is empty; got {}, expected one size or more; try "
                "squeeze() to remove a dimension of size 1");
    CHECK_ERROR(IndexError, zeros({}).unflatten(0, {1}),
                "[unflatten] the tensor has too few dimensions; got a 0-d tensor, expected at "
                "least 1 dimension; try reshape()");
    CHECK_ERROR(IndexError, zeros({2}).unflatten(1, {1}),
                "[unflatten] the dimension is out of range; got dimension 1 of a tensor with 1 "
                "dimensions, expected -1 to 0; try -1 for the last dimension");
}
