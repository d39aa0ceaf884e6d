#include "tests/ops/check.hpp"

using namespace sinter;
using test::check;
using test::counted;

TEST_CASE("repeat") {
    test::for_each_mode([] {
        Tensor a = counted({2, 2});
        check<float>(a.repeat({2, 1}), {4, 2}, {0, 1, 2, 3, 0, 1, 2, 3});
        check<float>(a.t().repeat({1, 2}), {2, 4}, {0, 2, 0, 2, 1, 3, 1, 3});
        check<float>(a.repeat({2, 1, 2}), {2, 2, 4},
                     {0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3});
        check<float>(a.slice(1, 1).repeat({1, 3}), {2, 3}, {1, 1, 1, 3, 3, 3});
        check<int64_t>(tensor(5).repeat(3), {3}, {5, 5, 5});
        check<int64_t>(tensor(5).repeat({}), {}, {5});
        check<float>(a.repeat({0, 2}), {0, 4}, {});
        check<float>(zeros({0}).repeat({2, 3}), {2, 0}, {});
        // The result has separate memory even if nothing is repeated.
        Tensor once = a.repeat({1, 1}), twice = a.repeat({1, 2});
        CHECK_FALSE(once.is_alias_of(a));
        a.zero_();
        check<float>(once, {2, 2}, {0, 1, 2, 3});
        twice[0].add_(1);
        check<float>(twice, {2, 4}, {1, 2, 1, 2, 2, 3, 2, 3});
        check<float>(twice * 2 + once.repeat({1, 2}), {2, 4}, {2, 5, 2, 5, 6, 9, 6, 9});
    });
    const Tensor a = zeros({2, 3});
    CHECK_ERROR(Error, a.repeat(2),
                "[repeat] there are fewer repeats than dimensions; got repeats [2] for shape [2, "
                "3], expected at least 2 numbers; try tile(), which takes missing repeats as 1");
    CHECK_ERROR(Error, a.repeat({2, -1}),
                "[repeat] a number of repeats is negative; got repeats [2, -1], expected 0 or "
                "more; try flip() to reverse a dimension");
    CHECK_ERROR(Error, zeros({0, 4}).repeat({1, int64_t{1} << 62}),
                "[repeat] a size of the result is too large; got 4611686018427387904 times 4, "
                "expected a size below 2^63; try fewer repeats");
}

TEST_CASE("tile") {
    test::for_each_mode([] {
        Tensor a = counted({2, 2});
        check<float>(a.tile(2), {2, 4}, {0, 1, 0, 1, 2, 3, 2, 3});
        check<float>(tile(a, {}), {2, 2}, {0, 1, 2, 3});
        check<float>(tile(a[0], {2, 2}), {2, 4}, {0, 1, 0, 1, 0, 1, 0, 1});
        CHECK_FALSE(a.tile({}).is_alias_of(a));
    });
    CHECK_ERROR(Error, zeros({2}).tile(-1),
                "[tile] a number of repeats is negative; got repeats [-1], expected 0 or more; try "
                "flip() to reverse a dimension");
}

TEST_CASE("repeat_interleave") {
    test::for_each_mode([] {
        Tensor a = counted({2, 2});
        check<float>(a.repeat_interleave(2), {8}, {0, 0, 1, 1, 2, 2, 3, 3});
        check<float>(repeat_interleave(a, 2, 0), {4, 2}, {0, 1, 0, 1, 2, 3, 2, 3});
        check<float>(a.t().repeat_interleave(3, -1), {2, 6}, {0, 0, 0, 2, 2, 2, 1, 1, 1, 3, 3, 3});
        check<float>(a.t().repeat_interleave(1), {4}, {0, 2, 1, 3});
        check<float>(a.repeat_interleave(0, 1), {2, 0}, {});
        check<int64_t>(tensor(4).repeat_interleave(2), {2}, {4, 4});
        check<float>(zeros({0, 2}).repeat_interleave(2, 0), {0, 2}, {});
        Tensor lines = a.repeat_interleave(2, 1);
        a.zero_();
        check<float>(lines, {2, 4}, {0, 0, 1, 1, 2, 2, 3, 3});
    });
    CHECK_ERROR(Error, zeros({2}).repeat_interleave(-1),
                "[repeat_interleave] the number of repeats is negative; got -1, expected 0 or "
                "more; try flip() to reverse a dimension");
    CHECK_ERROR(IndexError, zeros({}).repeat_interleave(2, 0),
                "[repeat_interleave] the tensor has too few dimensions; got dimension 0 of a 0-d "
                "tensor, expected at least 1 dimension; try leaving dim out");
    CHECK_ERROR(IndexError, zeros({2}).repeat_interleave(2, 1),
                "[repeat_interleave] the dimension is out of range; got dimension 1 of a tensor "
                "with 1 dimensions, expected -1 to 0; try -1 for the last dimension");
    CHECK_ERROR(Error, zeros({0, 4}).repeat_interleave(int64_t{1} << 62, 1),
                "[repeat_interleave] a size of the result is too large; got 4 times "
                "4611686018427387904, expected a size below 2^63; try fewer repeats");
}

TEST_CASE("broadcast_to and broadcast_tensors") {
    test::for_each_mode([] {
        Tensor a = counted({2, 1}), b = counted({3});
        check<float>(a.broadcast_to({2, 3}), {2, 3}, {0, 0, 0, 1, 1, 1});
        check<float>(broadcast_to(b, {2, 3}), {2, 3}, {0, 1, 2, 0, 1, 2});
        const std::vector<Tensor> both = broadcast_tensors({a, b, tensor(7)});
        check<float>(both[0], {2, 3}, {0, 0, 0, 1, 1, 1});
        check<float>(both[1], {2, 3}, {0, 1, 2, 0, 1, 2});
        check<int64_t>(both[2], {2, 3}, {7, 7, 7, 7, 7, 7});
        CHECK(both[0].is_alias_of(a));
        a.add_(1);
        check<float>(both[0], {2, 3}, {1, 1, 1, 2, 2, 2});
        CHECK(broadcast_tensors({}).empty());
        CHECK(broadcast_tensors({zeros({0}), zeros({1})})[1].sizes() == IntArrayRef({0}));
    });
    CHECK_ERROR(Error, zeros({2}).broadcast_to({3}),
                "[broadcast_to] The expanded size of the tensor (3) must match the existing size "
                "(2) at non-singleton dimension 0; got sizes [3] for shape [2], expected the "
                "tensor's sizes, with any size in place of a 1, new sizes in front, and -1 to keep "
                "a size; try unsqueeze() first, which adds a dimension of size 1");
    CHECK_ERROR(
        Error, broadcast_tensors({zeros({2}), zeros({3})}),
        "[broadcast_tensors] The size of tensor a (2) must match the size of tensor b (3) at "
        "non-singleton dimension 0; got shapes [2] and [3], expected sizes that are equal or 1, "
        "counted from the last dimension; try unsqueeze() or reshape() to line up the dimensions");
}

TEST_CASE("at least so many dimensions") {
    test::for_each_mode([] {
        Tensor s = tensor(3), v = counted({2}), m = counted({2, 1}), c = zeros({1, 2, 1});
        CHECK(atleast_1d(s).sizes() == IntArrayRef({1}));
        CHECK(atleast_1d(v).is_same(v));
        CHECK(atleast_2d(s).sizes() == IntArrayRef({1, 1}));
        CHECK(atleast_2d(v).sizes() == IntArrayRef({1, 2}));
        CHECK(atleast_2d(m).is_same(m));
        CHECK(atleast_3d(s).sizes() == IntArrayRef({1, 1, 1}));
        CHECK(atleast_3d(v).sizes() == IntArrayRef({1, 2, 1}));
        CHECK(atleast_3d(m).sizes() == IntArrayRef({2, 1, 1}));
        CHECK(atleast_3d(c).is_same(c));
        CHECK(atleast_2d(v * 2).sizes() == IntArrayRef({1, 2}));
        const std::vector<Tensor> all = atleast_2d({s, v, m});
        CHECK(all[0].sizes() == IntArrayRef({1, 1}));
        CHECK(all[2].is_same(m));
        CHECK(atleast_1d({s, v})[0].sizes() == IntArrayRef({1}));
        CHECK(atleast_3d(std::vector<Tensor>{s, c})[0].dim() == 3);
        atleast_3d(v).add_(1);
        check<float>(v, {2}, {1, 2});
    });
    CHECK_ERROR(
        Error, atleast_1d(Tensor()),
        "[atleast_1d] the tensor is undefined; got a default-constructed Tensor, expected a "
        "defined tensor; try assigning a tensor to it first; defined() tells whether it is one");
}

TEST_CASE("repeat_interleave by a tensor") {
    test::for_each_mode([] {
        const Tensor t = counted({2, 3}), often = tensor({2, 0, 1});
        check<float>(t.repeat_interleave(often, 1), {2, 3}, {0, 0, 2, 3, 3, 5});
        check<float>(t.repeat_interleave(tensor({1, 2}, kInt), 0), {3, 3},
                     {0, 1, 2, 3, 4, 5, 3, 4, 5});
        check<float>(t.repeat_interleave(scalar_tensor(2, kLong)), {12},
                     {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5});
        check<float>(t.t().repeat_interleave(often * 1, -2, 3), {3, 2}, {0, 3, 0, 3, 2, 5});
        check<int64_t>(repeat_interleave(often), {3}, {0, 0, 2});
        check<int64_t>(repeat_interleave(empty({0}, kLong)), {0}, {});
    });
    CHECK_ERROR(Error, counted({3}).repeat_interleave(tensor({1, 2}), 0),
                "[repeat_interleave] the repeats do not match the dimension; got shape [2] for a "
                "dimension of size 3, expected one number, or one for each element; try flatten() "
                "or expand() on the repeats");
    CHECK_ERROR(Error, repeat_interleave(tensor({1, -2})),
                "[repeat_interleave] a number of repeats is negative; got -2, expected 0 or more; "
                "try clamp_min(0) on the repeats");
    CHECK_ERROR(Error, repeat_interleave(tensor({1, 2}), optional<int64_t>(4)),
                "[repeat_interleave] output_size is not the sum of the repeats; got 4 for a sum of "
                "3, expected 3; try leaving output_size out");
    CHECK_ERROR(Error, repeat_interleave(zeros({1, 1}, kLong)),
                "[repeat_interleave] the tensor of repeats is not a vector; got shape [1, 1], "
                "expected 1 dimension; try flatten()");
}

TEST_CASE("repeat_interleave checks the size of its output, and keeps the dtype of the repeats") {
    CHECK(zeros({2, 3}).repeat_interleave(2, 1, 6).sizes() == IntArrayRef({2, 6}));
    CHECK(repeat_interleave(zeros({2}), 2, nullopt, 4).sizes() == IntArrayRef({4}));
    CHECK_ERROR(Error, zeros({2}).repeat_interleave(2, 0, 5),
                "[repeat_interleave] output_size is not the sum of the repeats; got 5 for a sum of "
                "4, expected 4; try leaving output_size out");
    CHECK(repeat_interleave(tensor({1, 2}, kInt)).dtype() == kInt);
    CHECK_ERROR(NotImplementedError, repeat_interleave(ones({2})),
                "[repeat_interleave] the repeats have the wrong dtype; got Float, expected Long or "
                "Int; try .to(kLong) on the repeats");
    CHECK_ERROR(IndexError, zeros({}).repeat_interleave(tensor(2), 0),
                "[repeat_interleave] the tensor has too few dimensions; got dimension 0 of a 0-d "
                "tensor, expected at least 1 dimension; try leaving dim out");
    const Tensor t = zeros({2});
    CHECK(broadcast_tensors({t, zeros({1})})[0].is_same(t));
}
