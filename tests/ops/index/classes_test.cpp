#include "tests/ops/check.hpp"

#include <sinter/functions/gathering.hpp>

using namespace sinter;

TEST_CASE("nonzero_static: a size that no value decides, so pending") {
    test::for_each_mode([] {
        const Tensor x = tensor({{0, 7}, {3, 0}});
        test::check<int64_t>(nonzero_static(x, 3), {3, 2}, {0, 1, 1, 0, -1, -1});
        test::check<int64_t>(x.nonzero_static(1, 5), {1, 2}, {0, 1});
        test::check<int64_t>(nonzero_static(zeros({0, 2}), 1, 5), {1, 2}, {5, 5});
    });
    const uint64_t before = stats().flushed(flush_reason::value_read);
    const Tensor later = nonzero_static(rand({3}) > 2, 2);
    CHECK(stats().flushed(flush_reason::value_read) == before);
    test::check<int64_t>(later, {2, 1}, {-1, -1});
    CHECK_ERROR(Error, nonzero_static(ones({2}), -1),
                "[nonzero_static] the size is negative; got -1, expected 0 or more; try nonzero(), "
                "which finds the size itself");
}

TEST_CASE("unravel_index: coordinates of places, wrapped as PyTorch does") {
    test::for_each_mode([] {
        const std::vector<Tensor> at = unravel_index(tensor({5, 0, -1}), {2, 3});
        test::check<int64_t>(at[0], {3}, {1, 0, 1});
        test::check<int64_t>(at[1], {3}, {2, 0, 2});
    });
    CHECK(unravel_index(tensor({0}), {}).empty());
    CHECK_ERROR(TypeError, unravel_index(ones({2}), {3}),
                "[unravel_index] the indices have the wrong dtype; got Float, expected an integral "
                "dtype; try .to(kLong) on the indices");
    CHECK_ERROR(ValueError, unravel_index(tensor({0}), {2, 0}),
                "[unravel_index] the shape has no elements to index; got shape [2, 0], expected "
                "sizes of 1 or more; try sizes() of the indexed tensor");
}

TEST_CASE("one_hot: a row of zeros with a one for each class") {
    test::for_each_mode([] {
        test::check<int64_t>(one_hot(tensor({0, 2})), {2, 3}, {1, 0, 0, 0, 0, 1});
        test::check<int64_t>(one_hot(tensor(1), 2), {2}, {0, 1});
    });
    CHECK_ERROR(Error, one_hot(tensor({0, 2}), 2),
                "[one_hot] a class is out of range; got 2 of 2 classes, expected 0 to 1; try a "
                "larger num_classes, or -1, which takes the largest class plus 1");
    CHECK_ERROR(
        Error, one_hot(tensor({-1})),
        "[one_hot] a class is negative; got -1, expected 0 or more; try clamp_min(0) first");
    CHECK_ERROR(Error, one_hot(ones({2})),
                "[one_hot] the classes have the wrong dtype; got Float, expected Long; try "
                ".to(kLong) first");
    CHECK_ERROR(Error, one_hot(zeros({0}, kLong)),
                "[one_hot] num_classes cannot be inferred from an empty tensor; got shape [0], "
                "expected num_classes of 1 or more; try passing num_classes");
}
