#include "tests/ops/cases.hpp"

#include <sinter/functions/reductions.hpp>

using namespace sinter;
using test::check;
using test::plain;

TEST_CASE("differences of neighbours") {
    test::for_each_mode([] {
        Tensor a = tensor({{1, 4, 9, 16}, {2, 3, 5, 7}});
        check<int64_t>(a.diff(), {2, 3}, {3, 5, 7, 1, 2, 2});
        check<int64_t>(a.diff(2), {2, 2}, {2, 2, 1, 0});
        check<int64_t>(diff(a, 1, 0), {1, 4}, {1, -1, -4, -9});
        check<int64_t>(a.diff(4), {2, 0}, {});
        check<int64_t>(a.diff(9), {2, 0}, {});
        check<int64_t>(a.t().diff(1, 0), {3, 2}, {3, 1, 5, 2, 7, 2});
        const Tensor same = a.diff(0);
        CHECK(equal(same, a));
        CHECK_FALSE(same.is_alias_of(a));
        check<int64_t>(a.diff(1, -1, zeros({2, 1}, kLong)), {2, 4}, {1, 3, 5, 7, 2, 1, 2, 2});
        check<int64_t>(a.diff(1, 1, nullopt, zeros({2, 1}, kLong)), {2, 4},
                       {3, 5, 7, -16, 1, 2, 2, -7});
        check<int64_t>(diff(a, 2, 0, a, a), {4, 4},
                       {-2, 2, 8, 18, 2, -2, -8, -18, -2, 2, 8, 18, 2, -2, -8, -18});
        check<float>(a.diff(1, 0, zeros({1, 4})), {2, 4}, {1, 4, 9, 16, 1, -1, -4, -9});
        check<bool>(tensor({true, false, false, true}).diff(), {3}, {true, false, true});
        check<uint8_t>(tensor({3, 1}, kByte).diff(), {1}, {254});
        check<float>(zeros({0}).diff(), {0}, {});
        check<float>(zeros({1}).diff(), {0}, {});
    });
    CHECK_ERROR(Error, zeros({}).diff(),
                "[diff] the tensor has too few dimensions; got a 0-d tensor, expected at least 1 "
                "dimension; try unsqueeze(0) first");
    CHECK_ERROR(Error, zeros({2}).diff(-1),
                "[diff] n is negative; got -1, expected 0 or more; try 1, the default");
    CHECK_ERROR(Error, zeros({2, 2}).diff(1, 0, zeros({2, 3})),
                "[diff] the shape to prepend or append does not match; got shape [2, 3] for shape "
                "[2, 2], expected equal sizes apart from dimension 0; try expand() on it");
    CHECK_ERROR(IndexError, zeros({2}).diff(1, 1),
                "[diff] the dimension is out of range; got dimension 1 of a tensor with 1 "
                "dimensions, expected -1 to 0; try -1 for the last dimension");
}

TEST_CASE("derivatives at equal distances") {
    test::for_each_mode([] {
        Tensor a = tensor({1.0, 2.0, 4.0, 7.0, 11.0});
        check<float>(gradient(a)[0], {5}, {1, 1.5, 2.5, 3.5, 4});
        check<float>(gradient(a, Scalar(2))[0], {5}, {0.5, 0.75, 1.25, 1.75, 2});
        check<float>(gradient(a, nullopt, nullopt, 2)[0], {5}, {0.5, 1.5, 2.5, 3.5, 4.5});
        Tensor m = tensor({{1.0, 2.0, 4.0}, {5.0, 7.0, 10.0}});
        const std::vector<Tensor> both = gradient(m);
        REQUIRE(both.size() == 2);
        check<float>(both[0], {2, 3}, {4, 5, 6, 4, 5, 6});
        check<float>(both[1], {2, 3}, {1, 1.5, 2, 2, 2.5, 3});
        check<float>(gradient(m, Scalar(2), {1})[0], {2, 3}, {0.5, 0.75, 1, 1, 1.25, 1.5});
        check<float>(gradient(m, IntArrayRef{-1, 0})[1], {2, 3}, {4, 5, 6, 4, 5, 6});
        const Scalar steps[] = {1, 2};
        check<float>(gradient(m, ArrayRef<Scalar>(steps))[1], {2, 3}, {0.5, 0.75, 1, 1, 1.25, 1.5});
        check<float>(gradient(m, ArrayRef<Scalar>(steps), {1, 0})[1], {2, 3},
                     {2, 2.5, 3, 2, 2.5, 3});
        check<float>(gradient(tensor({1, 2, 4}))[0], {3}, {1, 1.5, 2});
        CHECK(gradient(full({}, 3.0)).empty());
    });
    CHECK_ERROR(
        Error, gradient(zeros({3}), nullopt, nullopt, 3),
        "[gradient] edge_order is neither 1 nor 2; got 3, expected 1 or 2; try 1, the default");
    CHECK_ERROR(Error, gradient(zeros({3, 2}), nullopt, nullopt, 2),
                "[gradient] a dimension has too few elements; got 2 elements in dimension 1 for "
                "edge_order 2, expected 3 or more; try passing the other dimensions as dim");
    CHECK_ERROR(NotImplementedError, gradient(zeros({3}, kByte)),
                "[gradient] unsigned integers are not supported; got Byte, expected a signed "
                "dtype; try .to(kInt) first");
    CHECK_ERROR(
        Error, gradient(zeros({3, 3}), std::vector<Scalar>{1}),
        "[gradient] the numbers of spacings and dimensions differ; got 1 spacing for 2 dimensions, "
        "expected one spacing for each dimension; try one number for all of them");
    CHECK_ERROR(Error, gradient(zeros({3, 3}), IntArrayRef{0, -2}),
                "[gradient] a dimension appears twice; got dimensions [0, -2] of a tensor with 2 "
                "dimensions, expected each dimension at most once; try removing one of them; -1 is "
                "the last dimension");
}

TEST_CASE("derivatives at coordinates") {
    test::for_each_mode([] {
        // Exact for parabolas in the interior, and at the edges for order 2.
        Tensor x = tensor({0.0, 1.0, 3.0, 4.0, 6.0}, kDouble);
        const Tensor slope = 2 * x + 3, y = x * x + 3 * x;
        const Tensor second = gradient(y, {x}, nullopt, 2)[0];
        test::check_near(second, plain(slope), 1e-12);
        const Tensor first = gradient(y, {x}, 0)[0];
        test::check_near(first.slice(0, 1, -1), plain(slope.slice(0, 1, -1)), 1e-12);
        check<double>(first.slice(0, 0, 1), {1}, {4});
        check<double>(first.slice(0, 4), {1}, {13});
        Tensor both = y.unsqueeze(0) + 2 * x.slice(0, 0, 3).unsqueeze(1);
        const std::vector<Tensor> g = gradient(both, {x.slice(0, 0, 3), x});
        test::check_near(g[0], plain(full({3, 5}, 2.0, kDouble)), 1e-12);
        test::check_near(gradient(both, {x}, {1}, 2)[0], plain(slope.expand({3, 5})), 1e-12);
    });
    CHECK_ERROR(Error, gradient(zeros({3}), {zeros({2})}),
                "[gradient] the numbers of samples and coordinates differ; got 2 coordinates for 3 "
                "samples in dimension 0, expected 3 coordinates; try one number for equal spacing");
    CHECK_ERROR(Error, gradient(zeros({3}), {zeros({3, 1})}),
                "[gradient] the tensor of coordinates is not a vector; got shape [3, 1], expected "
                "1 dimension; try flatten()");
}
