#include "tests/ops/check.hpp"

#include <sinter/functions/shape.hpp>

using namespace sinter;

TEST_CASE("sum_to_size: sums over what the sizes do not have, fused") {
    test::for_each_mode([] {
        const Tensor x = test::counted({2, 3});
        test::check<float>(sum_to_size(x, {3}), {3}, {3, 5, 7});
        test::check<float>(x.sum_to_size({2, 1}), {2, 1}, {3, 12});
        test::check<float>((x * 2).sum_to_size({}), {}, {30});
        CHECK(x.sum_to_size({2, 3}).is_same(x));
        CHECK((ones({2, 3}, kInt).sum_to_size({3}).scalar_type() == kLong));
    });
    const uint64_t before = stats().library_calls;
    (test::counted({2, 3}) + 1).sum_to_size({1, 3}).eval();
    CHECK(stats().library_calls == before);
    CHECK_ERROR(Error, ones({2, 3}).sum_to_size({2}),
                "[sum_to_size] the sizes do not broadcast to the tensor's shape; got sizes [2] for "
                "shape [2, 3], expected the last sizes of [2, 3], or 1 in their places; try sum() "
                "over dimensions");
}

TEST_CASE("constant_pad_nd: fills around, and takes away") {
    test::for_each_mode([] {
        const Tensor x = test::counted({2, 2});
        test::check<float>(constant_pad_nd(x, {1, 0}, 9), {2, 3}, {9, 0, 1, 9, 2, 3});
        test::check<float>(constant_pad_nd(x, {-1, 1, 0, 1}), {3, 2}, {1, 0, 3, 0, 0, 0});
        test::check<float>(constant_pad_nd(x.t(), {}), {2, 2}, {0, 2, 1, 3});
        CHECK_FALSE(constant_pad_nd(x, {}).is_alias_of(x));
    });
    CHECK_ERROR(Error, constant_pad_nd(ones({3}), {1}),
                "[constant_pad_nd] the padding has an odd number of values; got [1], expected an "
                "even number; try two values for each dimension, the last dimension first");
    CHECK_ERROR(Error, constant_pad_nd(ones({3}), {-2, -2}),
                "[constant_pad_nd] the padding removes more elements than there are; got padding "
                "[-2, -2] for shape [3], expected resulting sizes of 0 or more; try negative "
                "values of smaller magnitude");
    CHECK_ERROR(
        Error, constant_pad_nd(ones({3}), {1, 1, 1, 1}),
        "[constant_pad_nd] the padding has more pairs than the tensor has dimensions; got padding "
        "[1, 1, 1, 1] for shape [3], expected at most 2 values; try unsqueeze(0) first");
}

TEST_CASE("empty_strided and its kin: memory of the layout that was asked for") {
    const Tensor t = empty_strided({2, 3}, {1, 2});
    CHECK(t.strides() == IntArrayRef({1, 2}));
    CHECK(t.storage().nbytes() == 24);
    t.copy_(test::counted({2, 3}));
    test::check<float>(t, {2, 3}, {0, 1, 2, 3, 4, 5});
    const Tensor shared = t.new_empty_strided({2, 3}, {0, 1}, kLong);
    CHECK((shared.scalar_type() == kLong));
    CHECK(shared.storage().nbytes() == 24);
    CHECK(empty_strided({0, 3}, {7, 1}).numel() == 0);
    CHECK(empty_permuted({2, 3, 5}, {2, 0, 1}).strides() == IntArrayRef({3, 1, 6}));
    CHECK_ERROR(Error, empty_strided({2}, {-1}),
                "[empty_strided] a stride is negative; got strides [-1], expected strides of 0 or "
                "more; try flip(), which reverses a dimension by a copy");
    CHECK_ERROR(
        Error, empty_strided({2, 3}, {1}),
        "[empty_strided] sizes and strides have different lengths; got sizes [2, 3] and strides "
        "[1], expected one stride for each size; try the strides() of a tensor of that shape");
    CHECK_ERROR(Error, empty_strided({3, 3}, {INT64_MAX / 2, INT64_MAX / 2}),
                "[empty_strided] the strides need too many elements; got sizes [3, 3] and strides "
                "[4611686018427387903, 4611686018427387903], expected fewer than 2^63 elements; "
                "try smaller strides");
    CHECK_ERROR(Error, empty_permuted({2, 3}, {0, 0}),
                "[empty_permuted] physical_layout is not a permutation of the dimensions; got "
                "physical_layout [0, 0] for sizes [2, 3], expected each number from 0 to 1 once; "
                "try the dimensions from the outermost to the innermost");
}

TEST_CASE("fill: a tensor like another, of one value") {
    test::for_each_mode([] {
        const Tensor x = test::counted({2, 2});
        test::check<float>(fill(x, 3), {2, 2}, {3, 3, 3, 3});
        test::check<int64_t>(fill(tensor({1, 2}), tensor(2.5)), {2}, {2, 2});
        test::check<float>(x, {2, 2}, {0, 1, 2, 3});
    });
    CHECK_ERROR(Error, fill(ones({2}), ones({2})),
                "[fill] the value is not a 0-d tensor; got shape [2], expected a 0-d tensor; try "
                "broadcast_to() on the value");
}

TEST_CASE("broadcast_shapes: of lists in braces and of vectors") {
    CHECK(broadcast_shapes({{2}, {3, 1}, {}}) == std::vector<int64_t>{3, 2});
    CHECK(broadcast_shapes({{0}, {1}}) == std::vector<int64_t>{0});
    const std::vector<std::vector<int64_t>> lists{{5, 1, 4}, {3, 1}};
    CHECK(broadcast_shapes(lists) == std::vector<int64_t>{5, 3, 4});
    CHECK_ERROR(ValueError, broadcast_shapes({{-2}, {1}}),
                "[broadcast_shapes] a size is negative; got sizes [-2], expected sizes of 0 or "
                "more; try sizes() of the tensors");
}

TEST_CASE("unsafe_split, unsafe_split_with_sizes and unsafe_chunk are the views of split") {
    const Tensor x = test::counted({4, 2});
    CHECK(unsafe_split(x, 3)[1].sizes() == IntArrayRef({1, 2}));
    CHECK(x.unsafe_split(3)[0].is_alias_of(x));
    CHECK(unsafe_split_with_sizes(x, {1, 3})[1].storage_offset() == 2);
    CHECK(unsafe_chunk(x, 2, 1)[1].sizes() == IntArrayRef({4, 1}));
}
