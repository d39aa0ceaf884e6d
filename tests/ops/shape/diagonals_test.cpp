#include "tests/ops/check.hpp"

using namespace sinter;
using test::check;
using test::counted;

TEST_CASE("diag") {
    test::for_each_mode([] {
        Tensor v = tensor({1, 2}), m = counted({2, 3});
        check<int64_t>(v.diag(), {2, 2}, {1, 0, 0, 2});
        check<int64_t>(diag(v, 1), {3, 3}, {0, 1, 0, 0, 0, 2, 0, 0, 0});
        check<int64_t>(v.diag(-1), {3, 3}, {0, 0, 0, 1, 0, 0, 0, 2, 0});
        check<float>(m.diag(), {2}, {0, 4});
        check<float>(m.t().diag(-1), {2}, {1, 5});
        check<float>(diag(m, 5), {0}, {});
        check<float>(zeros({0}).diag(), {0, 0}, {});
        check<float>(zeros({0}).diag(1), {1, 1}, {0});
        CHECK_FALSE(m.diag().is_alias_of(m));
    });
    CHECK_ERROR(Error, zeros({2, 2, 2}).diag(),
                "[diag] the tensor is neither a vector nor a matrix; got shape [2, 2, 2], expected "
                "1 or 2 dimensions; try diagonal() or diag_embed()");
    CHECK_ERROR(Error, zeros({}).diag(),
                "[diag] the tensor is neither a vector nor a matrix; got a 0-d tensor, expected 1 "
                "or 2 dimensions; try diagonal() or diag_embed()");
}

TEST_CASE("diag_embed and diagflat") {
    test::for_each_mode([] {
        Tensor m = counted({2, 2}) + 1;
        check<float>(m.diag_embed(), {2, 2, 2}, {1, 0, 0, 2, 3, 0, 0, 4});
        check<float>(diag_embed(m, 0, 0, 2), {2, 2, 2}, {1, 0, 3, 0, 0, 2, 0, 4});
        check<float>(m.t()[0].diag_embed(-1), {3, 3}, {0, 0, 0, 1, 0, 0, 0, 3, 0});
        check<float>(m[0].diag_embed(1, 1, 0), {3, 3}, {0, 0, 0, 1, 0, 0, 0, 2, 0});
        check<bool>(tensor({true, true}).diag_embed(), {2, 2}, {true, false, false, true});
        check<float>(m.t().diagflat(), {4, 4}, {1, 0, 0, 0, 0, 3, 0, 0, 0, 0, 2, 0, 0, 0, 0, 4});
        check<int64_t>(diagflat(tensor(7), 1), {2, 2}, {0, 7, 0, 0});
        CHECK(zeros({2, 0}).diag_embed().sizes() == IntArrayRef({2, 0, 0}));
        Tensor lines = m.diag_embed();
        m.zero_();
        check<float>(lines, {2, 2, 2}, {1, 0, 0, 2, 3, 0, 0, 4});
    });
    CHECK_ERROR(IndexError, zeros({}).diag_embed(),
                "[diag_embed] the dimension is out of range; got dimension -2 of a tensor with 1 "
                "dimensions, expected -1 to 0; try -1 for the last dimension");
    CHECK_ERROR(Error, zeros({2}).diag_embed(0, 0, -2),
                "[diag_embed] the two dimensions are the same; got dimensions 0 and -2, expected "
                "two different dimensions; try -2 and -1, the defaults");
    CHECK_ERROR(IndexError, zeros({2}).diag_embed(0, 0, 2),
                "[diag_embed] the dimension is out of range; got dimension 2 of a tensor with 2 "
                "dimensions, expected -2 to 1; try -1 for the last dimension");
}

TEST_CASE("fill_diagonal_") {
    test::for_each_mode([] {
        Tensor m = zeros({2, 3});
        CHECK(m.fill_diagonal_(1).is_same(m));
        check<float>(m, {2, 3}, {1, 0, 0, 0, 1, 0});
        check<float>(zeros({3, 2}).t().fill_diagonal_(2, true), {2, 3}, {2, 0, 0, 0, 2, 0});
        check<int64_t>(zeros({2, 2, 2}, kLong).fill_diagonal_(2.5), {2, 2, 2},
                       {2, 0, 0, 0, 0, 0, 0, 2});
        check<float>(zeros({6, 2}).fill_diagonal_(1), {6, 2}, {1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0});
        check<float>(zeros({6, 2}).fill_diagonal_(1, true), {6, 2},
                     {1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0});
        check<float>(zeros({4, 2}).fill_diagonal_(1, true), {4, 2}, {1, 0, 0, 1, 0, 0, 1, 0});
        check<float>(zeros({3, 2}).fill_diagonal_(1, true), {3, 2}, {1, 0, 0, 1, 0, 0});
        check<uint8_t>(zeros({3, 1}, kByte).fill_diagonal_(200, true), {3, 1}, {200, 0, 200});
        Tensor wide = counted({2, 4});
        wide.t().fill_diagonal_(9, true);
        check<float>(wide, {2, 4}, {9, 1, 2, 9, 4, 9, 6, 7});
        CHECK(zeros({4, 0}).fill_diagonal_(1, true).numel() == 0);
        CHECK(zeros({0, 4}).fill_diagonal_(1).numel() == 0);
    });
    CHECK_ERROR(Error, zeros({2}).fill_diagonal_(1),
                "[fill_diagonal_] the tensor has too few dimensions; got shape [2], expected at "
                "least 2 dimensions; try fill_()");
    CHECK_ERROR(Error, zeros({2, 2, 3}).fill_diagonal_(1),
                "[fill_diagonal_] the sizes differ; got shape [2, 2, 3], expected equal sizes in a "
                "tensor with more than 2 dimensions; try diagonal().fill_(value), which fills the "
                "diagonals of its first two dimensions");
    CHECK_ERROR(ValueError, zeros({2, 2}, kByte).fill_diagonal_(300),
                "[fill_diagonal_] value cannot be converted to type uint8_t without overflow; got "
                "300 for Byte, expected a value that Byte can hold; try kLong, a wider dtype");
}

TEST_CASE("select_scatter and slice_scatter") {
    test::for_each_mode([] {
        Tensor a = counted({2, 3});
        check<float>(a.select_scatter(tensor({7, 8}), 1, -1), {2, 3}, {0, 1, 7, 3, 4, 8});
        check<float>(select_scatter(a.t(), zeros({2}), 0, 1), {3, 2}, {0, 3, 0, 0, 2, 5});
        check<float>(a.slice_scatter(a.slice(1, 1) * 10, 1, nullopt, 2), {2, 3},
                     {10, 20, 2, 40, 50, 5});
        check<float>(slice_scatter(a, ones({2, 2}), 1, 0, nullopt, 2), {2, 3}, {1, 1, 1, 1, 4, 1});
        check<float>(a.slice_scatter(zeros({2, 3})), {2, 3}, {0, 0, 0, 0, 0, 0});
        check<float>(a.slice_scatter(zeros({0, 3}), 0, 2), {2, 3}, {0, 1, 2, 3, 4, 5});
        check<float>(a, {2, 3}, {0, 1, 2, 3, 4, 5});
    });
    const Tensor a = zeros({2, 3});
    CHECK_ERROR(Error, a.select_scatter(zeros({2}), 0, 0),
                "[select_scatter] the source's shape does not match the view that it replaces; got "
                "a source of shape [2] for a view of shape [3], expected equal shapes; try "
                "expand() on the source");
    CHECK_ERROR(Error, a.slice_scatter(zeros({3}), 0, 1),
                "[slice_scatter] the source's shape does not match the view that it replaces; got "
                "a source of shape [3] for a view of shape [1, 3], expected equal shapes; try "
                "expand() on the source");
}

TEST_CASE("diagonal_scatter and as_strided_scatter replace a part of a copy") {
    test::for_each_mode([] {
        const Tensor t = zeros({3, 3}), source = tensor({1.f, 2.f});
        check<float>(t.diagonal_scatter(source, 1), {3, 3}, {0, 1, 0, 0, 0, 2, 0, 0, 0});
        check<float>(diagonal_scatter(t, tensor({7.f}), -2), {3, 3}, {0, 0, 0, 0, 0, 0, 7, 0, 0});
        check<float>(t.as_strided_scatter(source, {2}, {4}, 1), {3, 3},
                     {0, 1, 0, 0, 0, 2, 0, 0, 0});
        // Strides count in memory, so a copy keeps them.
        check<float>(as_strided_scatter(counted({2, 2}).t(), source, {2}, {1}), {2, 2},
                     {1, 2, 2, 3});
        check<float>(t, {3, 3}, {0, 0, 0, 0, 0, 0, 0, 0, 0});
    });
    CHECK_THROWS_AS(zeros({3, 3}).diagonal_scatter(ones({2})), Error);
}
