#include "tests/ops/check.hpp"

#include <array>

using namespace sinter;
using test::check;
using test::counted;

TEST_CASE("a list of tensors points to them") {
    Tensor a = counted({2}), b = counted({3});
    const std::vector<Tensor> many = {a, b};
    const std::array<Tensor, 2> two = {a, b};
    CHECK(TensorList().empty());
    CHECK(TensorList(a).size() == 1);
    CHECK(&TensorList(a)[0] == &a);
    CHECK(TensorList(many).data() == many.data());
    CHECK(TensorList(two).back().is_same(b));
    CHECK(TensorList(many).front().is_same(a));
    CHECK(TensorList(many).vec().size() == 2);
    test::for_each_mode([&] {
        check<float>(cat(many), {5}, {0, 1, 0, 1, 2});
        check<float>(cat(two), {5}, {0, 1, 0, 1, 2});
        check<float>(cat(a), {2}, {0, 1});
        auto named = a + 1;
        check<float>(cat({a * 2, named, b}), {7}, {0, 2, 1, 2, 0, 1, 2});
    });
}

TEST_CASE("cat") {
    test::for_each_mode([] {
        Tensor a = counted({2, 2}), b = counted({1, 2}) + 10;
        check<float>(cat({a, b}), {3, 2}, {0, 1, 2, 3, 10, 11});
        check<float>(cat({a, b}, -2), {3, 2}, {0, 1, 2, 3, 10, 11});
        check<float>(cat({a, a.t()}, 1), {2, 4}, {0, 1, 0, 2, 2, 3, 1, 3});
        check<float>(cat({a, a.t()}, -1), {2, 4}, {0, 1, 0, 2, 2, 3, 1, 3});
        check<float>(concat({a[0], a[1]}), {4}, {0, 1, 2, 3});
        check<float>(concatenate({a[0].expand({2, 2}), a}, 0), {4, 2}, {0, 1, 0, 1, 0, 1, 2, 3});
        check<float>(cat({a}, 1), {2, 2}, {0, 1, 2, 3});
        check<float>(cat({counted({2, 1, 2}), counted({2, 2, 2})}, 1), {2, 3, 2},
                     {0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 6, 7});
        // The result has separate memory and the values of this line.
        Tensor joined = cat({a, a});
        CHECK_FALSE(joined.is_alias_of(a));
        CHECK_FALSE(cat({a}).is_alias_of(a));
        a.zero_();
        check<float>(joined, {4, 2}, {0, 1, 2, 3, 0, 1, 2, 3});
        joined[1].add_(5);
        check<float>(a, {2, 2}, {0, 0, 0, 0});
        check<float>(joined * 2, {4, 2}, {0, 2, 14, 16, 0, 2, 4, 6});
    });
}

TEST_CASE("cat of empty tensors") {
    test::for_each_mode([] {
        Tensor a = counted({2, 2});
        check<float>(cat({zeros({0}), a, zeros({0})}, 1), {2, 2}, {0, 1, 2, 3});
        check<float>(cat({zeros({0, 2}), a}), {2, 2}, {0, 1, 2, 3});
        check<float>(cat({zeros({0}), zeros({0})}, 5), {0}, {});
        check<float>(cat({zeros({0, 2}), zeros({0, 3})}, 1), {0, 5}, {});
        check<double>(cat({zeros({0}, kDouble), a}), {2, 2}, {0, 1, 2, 3});
    });
}

TEST_CASE("joining promotes dtypes") {
    test::for_each_mode([] {
        Tensor i = tensor({1, 2}), f = tensor({0.5f}), b = tensor({true}),
               d = tensor({2.5}, kDouble);
        check<float>(cat({i, f}), {3}, {1, 2, 0.5f});
        check<int64_t>(cat({b, i}), {3}, {1, 1, 2});
        check<bool>(cat({b, b}), {2}, {true, true});
        check<double>(cat({f, d, i}), {4}, {0.5, 2.5, 1, 2});
        check<int32_t>(cat({tensor({200}, kByte), tensor({-3}, kInt)}), {2}, {200, -3});
        check<float>(stack({tensor({true, false}), i, f.expand({2})}), {3, 2},
                     {1, 0, 1, 2, 0.5f, 0.5f});
        check<double>(stack({tensor(1), scalar_tensor(0.5, kDouble)}), {2}, {1, 0.5});
        CHECK((cat({i, zeros({1}, kHalf)}).dtype() == kHalf));
    });
}

TEST_CASE("errors of cat") {
    const Tensor a = zeros({2, 3});
    CHECK_ERROR(ValueError, cat({}),
                "[cat] the list of tensors is empty; got {}, expected one tensor or more; try "
                "{empty({0})}, which joins to an empty tensor");
    CHECK_ERROR(
        Error, cat({a, Tensor()}),
        "[cat] the tensor is undefined; got a default-constructed Tensor, expected a defined "
        "tensor; try assigning a tensor to it first; defined() tells whether it is one");
    CHECK_ERROR(Error, concat({a, zeros({})}),
                "[concat] zero-dimensional tensor (at position 1) cannot be concatenated; got a "
                "0-d tensor, expected at least 1 dimension; try stack(), or unsqueeze(0) first");
    CHECK_ERROR(Error, cat({a, zeros({2, 4})}),
                "[cat] Sizes of tensors must match except in dimension 0; got shapes [2, 3] and "
                "[2, 4] at position 1, expected equal sizes in the other dimensions; try "
                "concatenating along another dimension");
    CHECK_ERROR(Error, concatenate({a, zeros({3})}, -1),
                "[concatenate] Sizes of tensors must match except in dimension 1; got shapes [2, "
                "3] and [3] at position 1, expected equal sizes in the other dimensions; try "
                "concatenating along another dimension");
    CHECK_ERROR(IndexError, cat({a, a}, 2),
                "[cat] the dimension is out of range; got dimension 2 of a tensor with 2 "
                "dimensions, expected -2 to 1; try -1 for the last dimension");
}

TEST_CASE("stack") {
    test::for_each_mode([] {
        Tensor a = counted({2, 2}), b = a + 10;
        check<float>(stack({a, b}), {2, 2, 2}, {0, 1, 2, 3, 10, 11, 12, 13});
        check<float>(stack({a, b}, 1), {2, 2, 2}, {0, 1, 10, 11, 2, 3, 12, 13});
        check<float>(stack({a.t(), b}, -1), {2, 2, 2}, {0, 10, 2, 11, 1, 12, 3, 13});
        check<float>(stack({scalar_tensor(1.0), scalar_tensor(2.0)}), {2}, {1, 2});
        check<float>(stack(a[1]), {1, 2}, {2, 3});
        check<float>(stack({zeros({0}), zeros({0})}), {2, 0}, {});
    });
    CHECK_ERROR(Error, stack({}),
                "[stack] the list of tensors is empty; got {}, expected one tensor or more; try "
                "{empty({0})}, which joins to an empty tensor");
    CHECK_ERROR(
        Error, stack({zeros({2}), zeros({1})}),
        "[stack] stack expects each tensor to be equal size; got shapes [2] and [1] at position 1, "
        "expected equal shapes; try cat(), which joins along an existing dimension");
    CHECK_ERROR(IndexError, stack({zeros({2})}, 2),
                "[stack] the dimension is out of range; got dimension 2 of a tensor with 2 "
                "dimensions, expected -2 to 1; try -1 for the last dimension");
}

TEST_CASE("hstack, vstack, dstack and column_stack") {
    test::for_each_mode([] {
        Tensor v = counted({2}), m = counted({2, 2}), s = scalar_tensor(7.0);
        check<float>(hstack({v, s, v}), {5}, {0, 1, 7, 0, 1});
        check<float>(hstack({m, m}), {2, 4}, {0, 1, 0, 1, 2, 3, 2, 3});
        check<float>(vstack({v, m}), {3, 2}, {0, 1, 0, 1, 2, 3});
        check<float>(row_stack({s, s}), {2, 1}, {7, 7});
        check<float>(dstack({v, v + 5}), {1, 2, 2}, {0, 5, 1, 6});
        check<float>(dstack({m, m}), {2, 2, 2}, {0, 0, 1, 1, 2, 2, 3, 3});
        check<float>(dstack({s, s}), {1, 1, 2}, {7, 7});
        check<float>(column_stack({v, m, v}), {2, 4}, {0, 0, 1, 0, 1, 2, 3, 1});
        check<float>(column_stack({s, s}), {1, 2}, {7, 7});
    });
    const std::string none =
        "the list of tensors is empty; got {}, expected one tensor or more; try {empty({0})}, "
        "which joins to an empty tensor";
    CHECK_ERROR(Error, hstack({}), "[hstack] " + none);
    CHECK_ERROR(Error, vstack({}), "[vstack] " + none);
    CHECK_ERROR(Error, row_stack({}), "[row_stack] " + none);
    CHECK_ERROR(Error, dstack({}), "[dstack] " + none);
    CHECK_ERROR(Error, column_stack({}), "[column_stack] " + none);
    const auto differ = [](const char* sizes, int dim) {
        return "Sizes of tensors must match except in dimension " + std::to_string(dim) +
               "; got shapes " + sizes +
               " at position 1, expected equal sizes in the other dimensions; try concatenating "
               "along another dimension";
    };
    const Tensor v = zeros({2}), m = zeros({2, 2});
    CHECK_ERROR(Error, hstack({v, m}), "[hstack] " + differ("[2] and [2, 2]", 0));
    CHECK_ERROR(Error, vstack({v, zeros({3})}), "[vstack] " + differ("[1, 2] and [1, 3]", 0));
    CHECK_ERROR(Error, row_stack({v, zeros({3})}), "[row_stack] " + differ("[1, 2] and [1, 3]", 0));
    CHECK_ERROR(Error, dstack({v, m}), "[dstack] " + differ("[1, 2, 1] and [2, 2, 1]", 2));
    CHECK_ERROR(Error, column_stack({v, zeros({3})}),
                "[column_stack] " + differ("[2, 1] and [3, 1]", 1));
}

TEST_CASE("block_diag") {
    test::for_each_mode([] {
        Tensor m = counted({2, 2}), v = tensor({5, 6});
        check<float>(block_diag({m.t(), v, tensor(7)}), {4, 5},
                     {0, 2, 0, 0, 0, 1, 3, 0, 0, 0, 0, 0, 5, 6, 0, 0, 0, 0, 0, 7});
        check<int64_t>(block_diag({v}), {1, 2}, {5, 6});
        check<float>(block_diag({}), {1, 0}, {});
        check<float>(block_diag({zeros({0, 2}), ones({1, 1})}), {1, 3}, {0, 0, 1});
    });
    CHECK_ERROR(Error, block_diag({zeros({1}), zeros({1, 1, 1})}),
                "[block_diag] a tensor has too many dimensions; got shape [1, 1, 1] at position 1, "
                "expected at most 2 dimensions; try flatten(1) on it");
}

TEST_CASE("external memory is read where it stands") {
    test::for_each_mode([] {
        float memory[] = {1, 2, 3, 4};
        Tensor outside = from_blob(memory, {2, 2});
        Tensor joined = cat({outside, ones({1, 2})}), stacked = stack({outside, outside * 2});
        Tensor upper = outside.triu(), repeated = outside.repeat({1, 2});
        const std::vector<Tensor> parts = outside.split(1);
        for (float& x : memory) x = 9;
        check<float>(joined, {3, 2}, {1, 2, 3, 4, 1, 1});
        check<float>(stacked, {2, 2, 2}, {1, 2, 3, 4, 2, 4, 6, 8});
        check<float>(upper, {2, 2}, {1, 2, 0, 4});
        check<float>(repeated, {2, 4}, {1, 2, 1, 2, 3, 4, 3, 4});
        check<float>(parts[1], {1, 2}, {9, 9});
        outside.tril_();
        CHECK(memory[1] == 0);
        parts[0].fill_(5);
        CHECK(memory[1] == 5);
    });
}
