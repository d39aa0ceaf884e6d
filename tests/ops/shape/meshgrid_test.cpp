#include "tests/ops/check.hpp"

using namespace sinter;
using test::check;
using test::counted;

TEST_CASE("meshgrid") {
    test::for_each_mode([] {
        Tensor a = tensor({1, 2}), b = tensor({5, 6, 7});
        const std::vector<Tensor> ij = meshgrid({a, b}), xy = meshgrid({a, b}, "xy");
        check<int64_t>(ij[0], {2, 3}, {1, 1, 1, 2, 2, 2});
        check<int64_t>(ij[1], {2, 3}, {5, 6, 7, 5, 6, 7});
        check<int64_t>(xy[0], {3, 2}, {1, 2, 1, 2, 1, 2});
        check<int64_t>(xy[1], {3, 2}, {5, 5, 6, 6, 7, 7});
        CHECK(meshgrid({a, b, a}, "xy")[2].sizes() == IntArrayRef({3, 2, 2}));
        check<int64_t>(meshgrid({a, tensor(9)})[1], {2, 1}, {9, 9});
        check<int64_t>(meshgrid({b.slice(0, 0, nullopt, 2)}, "xy")[0], {2}, {5, 7});
        CHECK(meshgrid({a, zeros({0}, kLong)})[0].sizes() == IntArrayRef({2, 0}));
        a.add_(1);
        check<int64_t>(ij[0], {2, 3}, {2, 2, 2, 3, 3, 3});
        CHECK(ij[1].is_alias_of(b));
    });
    CHECK_ERROR(Error, meshgrid({}),
                "[meshgrid] the list of tensors is empty; got {}, expected one tensor or more; try "
                "a vector");
    CHECK_ERROR(Error, meshgrid({zeros({2}), zeros({1, 2})}),
                "[meshgrid] a tensor has too many dimensions; got shape [1, 2] at position 1, "
                "expected at most 1 dimension; try flatten() on it");
    CHECK_ERROR(Error, meshgrid({zeros({2}), zeros({2}, kLong)}),
                "[meshgrid] the operands' dtypes differ; got Float and Long, expected the same "
                "dtype; try .to(kFloat) on the second");
    CHECK_ERROR(Error, meshgrid({zeros({2})}, "yx"),
                "[meshgrid] the indexing is unknown; got \"yx\", expected \"ij\" or \"xy\"; try "
                "\"ij\", the default");
}

TEST_CASE("cartesian_prod") {
    test::for_each_mode([] {
        Tensor a = tensor({1, 2}), b = tensor({5, 6});
        check<int64_t>(cartesian_prod({a, b}), {4, 2}, {1, 5, 1, 6, 2, 5, 2, 6});
        check<int64_t>(cartesian_prod({a, b.slice(0, 0, 1), b}), {4, 3},
                       {1, 5, 5, 1, 5, 6, 2, 5, 5, 2, 5, 6});
        CHECK(cartesian_prod({a}).is_same(a));
        CHECK(cartesian_prod({a, zeros({0}, kLong)}).sizes() == IntArrayRef({0, 2}));
        CHECK_FALSE(cartesian_prod({a, b}).is_alias_of(a));
    });
    CHECK_ERROR(Error, cartesian_prod({zeros({2}), zeros({})}),
                "[cartesian_prod] the tensor is not a vector; got a 0-d tensor, expected 1 "
                "dimension; try flatten()");
    CHECK_ERROR(Error, cartesian_prod({}),
                "[cartesian_prod] the list of tensors is empty; got {}, expected one tensor or "
                "more; try a vector");
    CHECK_ERROR(Error, cartesian_prod({zeros({2}), zeros({2}, kLong)}),
                "[cartesian_prod] the operands' dtypes differ; got Float and Long, expected the "
                "same dtype; try .to(kFloat) on the second");
}

TEST_CASE("combinations") {
    test::for_each_mode([] {
        Tensor a = tensor({1, 2, 3});
        check<int64_t>(combinations(a), {3, 2}, {1, 2, 1, 3, 2, 3});
        check<int64_t>(combinations(a, 2, true), {6, 2}, {1, 1, 1, 2, 1, 3, 2, 2, 2, 3, 3, 3});
        check<int64_t>(combinations(a, 1), {3, 1}, {1, 2, 3});
        check<int64_t>(combinations(ones({1}, kLong), 5, true), {1, 5}, {1, 1, 1, 1, 1});
        check<int64_t>(combinations(a, 3), {1, 3}, {1, 2, 3});
        check<int64_t>(combinations(a, 4), {0, 4}, {});
        check<int64_t>(combinations(tensor({7}), 3, true), {1, 3}, {7, 7, 7});
        check<int64_t>(combinations(a, 0), {0}, {});
        check<float>(combinations(zeros({0})), {0, 2}, {});
        check<float>(combinations(zeros({0}), 2, true), {0, 2}, {});
        check<float>(combinations(counted({7}).slice(0, 1, nullopt, 2)), {3, 2},
                     {1, 3, 1, 5, 3, 5});
        check<bool>(combinations(tensor({true, false})), {1, 2}, {true, false});
        check<float>(combinations(counted({4}) * 2, 3), {4, 3},
                     {0, 2, 4, 0, 2, 6, 0, 4, 6, 2, 4, 6});
    });
    CHECK_ERROR(Error, combinations(zeros({2, 2})),
                "[combinations] the tensor is not a vector; got shape [2, 2], expected 1 "
                "dimension; try flatten()");
    CHECK_ERROR(Error, combinations(zeros({2}), -1),
                "[combinations] r is negative; got -1, expected 0 or more; try 2, the default");
}

TEST_CASE("vander") {
    test::for_each_mode([] {
        Tensor x = tensor({1, 2, 3}, kInt);
        check<int64_t>(vander(x), {3, 3}, {1, 1, 1, 4, 2, 1, 9, 3, 1});
        check<int64_t>(vander(x, 4, true), {3, 4}, {1, 1, 1, 1, 1, 2, 4, 8, 1, 3, 9, 27});
        check<int64_t>(vander(x, 0), {3, 0}, {});
        check<float>(vander(counted({4}).slice(0, 2), 3), {2, 3}, {4, 2, 1, 9, 3, 1});
        check<double>(vander(tensor({0.5}, kDouble), 4), {1, 4}, {0.125, 0.25, 0.5, 1});
        check<float>(vander(zeros({0})), {0, 0}, {});
        // Columns are rounded once; in float each product would be rounded.
        check<float>(vander(tensor({1.1f}), 4, true), {1, 4},
                     {1, 1.1f, static_cast<float>(double{1.1f} * 1.1f),
                      static_cast<float>(double{1.1f} * 1.1f * 1.1f)});
        CHECK((vander(zeros({2}, kHalf)).dtype() == kHalf));
    });
    CHECK_ERROR(Error, vander(zeros({2, 2})),
                "[vander] the tensor is not a vector; got shape [2, 2], expected 1 dimension; try "
                "flatten()");
    CHECK_ERROR(Error, vander(zeros({2}), -1),
                "[vander] N is negative; got -1, expected 0 or more; try leaving N out for a "
                "square matrix");
}
