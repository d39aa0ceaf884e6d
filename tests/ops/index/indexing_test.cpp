#include "tests/ops/check.hpp"

using namespace sinter;
using test::check;
using test::counted;

TEST_CASE("select, slice and narrow") {
    test::for_each_mode([] {
        Tensor a = counted({3, 4});
        check<float>(a.select(1, -1), {3}, {3, 7, 11});
        check<float>(a.slice(0, 1), {2, 4}, {4, 5, 6, 7, 8, 9, 10, 11});
        check<float>(a.slice(1, -3, 100, 2), {3, 2}, {1, 3, 5, 7, 9, 11});
        check<float>(a.slice(1, 3, 1), {3, 0}, {});
        check<float>(a.slice(0, -100, 1), {1, 4}, {0, 1, 2, 3});
        check<float>(a.narrow(0, -2, 1), {1, 4}, {4, 5, 6, 7});
        CHECK(a.narrow(0, 3, 0).numel() == 0);
    });
    Tensor a = zeros({3, 4});
    CHECK_ERROR(IndexError, a.select(0, 3),
                "[select] index 3 is out of bounds for dimension 0 with size 3; got index 3 into "
                "shape [3, 4], expected -3 to 2; try -1 for the last element");
    CHECK_ERROR(Error, a.slice(0, 0, 3, -1),
                "[slice] the step is not positive; got step -1, expected 1 or more; try flip() to "
                "reverse the dimension");
    CHECK_ERROR(Error, a.narrow(0, 1, 3),
                "[narrow] start (1) + length (3) exceeds dimension size (3); got shape [3, 4], "
                "expected a length of 0 to 2; try slice(), which clamps the end");
    CHECK_ERROR(IndexError, zeros({}).select(0, 0),
                "[select] select() cannot be applied to a 0-dim tensor; got a 0-d tensor, expected "
                "at least 1 dimension; try item() for its value, or unsqueeze(0) first");
}

TEST_CASE("square brackets") {
    test::for_each_mode([] {
        Tensor a = counted({3, 4});
        CHECK(a[1][2].item<float>() == 6);
        CHECK(a[-1][-1].item<float>() == 11);
        check<float>(a[tensor(int64_t{2})], {4}, {8, 9, 10, 11});
        a[1] = 7;
        a[2] = counted({4}) * 10;
        a[0][0] += 5;
        check<float>(a, {3, 4}, {5, 1, 2, 3, 7, 7, 7, 7, 0, 10, 20, 30});
    });
    CHECK_ERROR(IndexError, zeros({})[0],
                "[index] invalid index of a 0-dim tensor; got a 0-d tensor, expected at least 1 "
                "dimension; try item() for its value, or unsqueeze(0) first");
    CHECK_ERROR(
        IndexError, zeros({2})[zeros({1}, kLong)],
        "[index] Can only index with tensors that are scalars (zero-dim); got a Long tensor of "
        "shape [1], expected a 0-d integral tensor; try index({t}), which takes any shape");
    CHECK_ERROR(IndexError, zeros({2})[Tensor()],
                "[index] Can only index with tensors that are defined; got a default-constructed "
                "Tensor, expected a 0-d integral tensor; try an integer");
    CHECK(arange(3)[Scalar(2)].item<int>() == 2);
    CHECK_ERROR(IndexError, zeros({2})[Scalar(3.14)],
                "[index] Can only index tensors with integral scalars; got 3.14 of type Double, "
                "expected an integer; try toLong() on the Scalar");
    CHECK_ERROR(IndexError, zeros({2})[Scalar(true)],
                "[index] Can only index tensors with integral scalars; got true of type Bool, "
                "expected an integer; try toLong() on the Scalar");
}

TEST_CASE("index with integers, slices, None and Ellipsis") {
    test::for_each_mode([] {
        Tensor a = counted({2, 3, 4});
        check<float>(a.index({1, Slice(), 2}), {3}, {14, 18, 22});
        check<float>(a.index({Ellipsis, 0}), {2, 3}, {0, 4, 8, 12, 16, 20});
        check<float>(a.index({"...", -1, Slice(None, None, 2)}), {2, 2}, {8, 10, 20, 22});
        CHECK(a.index({None, 0, None}).sizes() == IntArrayRef({1, 1, 3, 4}));
        CHECK(a.index({Slice(1, None), Slice(0, 2)}).sizes() == IntArrayRef({1, 2, 4}));
        CHECK(a.index({Ellipsis, None}).sizes() == IntArrayRef({2, 3, 4, 1}));
    });
    Tensor a = zeros({2, 3});
    CHECK_ERROR(IndexError, a.index({0, 0, 0}),
                "[index] too many indices for tensor of dimension 2; got 3 indices for shape [2, "
                "3], expected at most 2; try unsqueeze() to add dimensions, or fewer indices");
    CHECK_ERROR(IndexError, zeros({}).index({0}),
                "[index] invalid index of a 0-dim tensor; got a 0-d tensor, expected at least 1 "
                "dimension; try item() for its value, or unsqueeze(0) first");
    CHECK_ERROR(IndexError, a.index({Ellipsis, Ellipsis}),
                "[index] there is more than one Ellipsis; got 2, expected at most one; try Slice() "
                "in place of the others");
    CHECK_ERROR(IndexError, a.index({Slice(), 3}),
                "[index] index 3 is out of bounds for dimension 1 with size 3; got index 3 into "
                "shape [2, 3], expected -3 to 2; try -1 for the last element");
    CHECK_ERROR(ValueError, a.index({Slice(None, None, -1)}),
                "[index] the step is not positive; got step -1, expected 1 or more; try flip() to "
                "reverse the dimension");
    CHECK_ERROR(ValueError, a.index({"x"}),
                "[index] the string is not an index; got \"x\", expected \"...\"; try Ellipsis, "
                "Slice() or an integer");
}

TEST_CASE("index_put_ writes through the view") {
    test::for_each_mode([] {
        Tensor a = zeros({2, 3}, kLong);
        a.index_put_({Slice(), 1}, 5);
        a.index_put_({0}, tensor({1.9, 2.0, -3.5}));
        check<int64_t>(a, {2, 3}, {1, 2, -3, 0, 5, 0});
        a.index({1, Slice(0, 2)}) = a.index({0, Slice(1, 3)}) + 1;
        check<int64_t>(a, {2, 3}, {1, 2, -3, 3, -2, 0});
    });
}

TEST_CASE("narrow from a tensor, and as a copy") {
    const Tensor t = test::counted({2, 3});
    test::check<float>(t.narrow(1, tensor(-2), 2), {2, 2}, {1, 2, 4, 5});
    test::check<float>(narrow(t, 0, tensor(1), 1), {1, 3}, {3, 4, 5});
    CHECK_ERROR(Error, t.narrow(0, tensor({0}), 1),
                "[narrow] the start is not a single integer; got a Long tensor of shape [1], "
                "expected a 0-d integral tensor; try start.item<int64_t>()");
    CHECK_ERROR(Error, t.narrow(5, 0, -1),
                "[narrow] the length is negative; got -1, expected 0 or more; try slice(), which "
                "takes the end in place of the length");
    const Tensor copy = t.t().narrow_copy(0, 1, 2);
    CHECK(copy.is_contiguous());
    CHECK_FALSE(copy.is_alias_of(t));
    test::check<float>(narrow_copy(t, 1, 0, 1), {2, 1}, {0, 3});
    CHECK_ERROR(Error, t.index(std::vector<indexing::TensorIndex>()),
                "[index] Passing an empty index list to Tensor::index() is not valid syntax; got "
                "{}, expected one index or more; try Ellipsis, which takes the whole tensor");
    CHECK_ERROR(
        Error, t.index_put_(std::vector<indexing::TensorIndex>(), 1),
        "[index_put_] Passing an empty index list to Tensor::index_put_() is not valid syntax; got "
        "{}, expected one index or more; try Ellipsis, which takes the whole tensor");
}
