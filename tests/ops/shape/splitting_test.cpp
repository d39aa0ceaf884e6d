#include "tests/ops/check.hpp"

using namespace sinter;
using test::check;
using test::counted;

namespace {

/// Returns the sizes of the parts in one dimension.
std::vector<int64_t> lengths(const std::vector<Tensor>& parts, int64_t dim = 0) {
    std::vector<int64_t> r;
    for (const Tensor& t : parts) r.push_back(t.size(dim));
    return r;
}
using list = std::vector<int64_t>;

}  // namespace

TEST_CASE("split by one size") {
    test::for_each_mode([] {
        Tensor a = counted({5, 2});
        const std::vector<Tensor> p = a.split(2);
        CHECK(lengths(p) == list{2, 2, 1});
        check<float>(p[1], {2, 2}, {4, 5, 6, 7});
        check<float>(p[2], {1, 2}, {8, 9});
        CHECK(lengths(split(a, 9)) == list{5});
        CHECK(lengths(a.split(1, -1), 1) == list{1, 1});
        check<float>(split(a.t(), 2, 1)[2], {2, 1}, {8, 9});
        CHECK(lengths(zeros({0, 2}).split(0)) == list{0});
        CHECK(lengths(zeros({0, 2}).split(3)) == list{0});
        for (const Tensor& t : p) CHECK(t.is_alias_of(a));
        p[1].zero_();
        a[4].fill_(3);
        check<float>(a, {5, 2}, {0, 1, 2, 3, 0, 0, 0, 0, 3, 3});
        check<float>(p[2], {1, 2}, {3, 3});
        auto named = a + 1;
        CHECK(split(named, 4)[0].is_alias_of(named));
        check<float>(cat(named.split(3, 0)), {5, 2}, {1, 2, 3, 4, 1, 1, 1, 1, 4, 4});
    });
    const Tensor a = zeros({4});
    CHECK_ERROR(Error, a.split(-1),
                "[split] the split size is not positive; got -1 for a dimension of size 4, "
                "expected 1 or more; try chunk(), which takes the number of parts");
    CHECK_ERROR(Error, a.split(0),
                "[split] the split size is not positive; got 0 for a dimension of size 4, expected "
                "1 or more; try chunk(), which takes the number of parts");
    CHECK_ERROR(Error, zeros({}).split(1),
                "[split] the tensor has too few dimensions; got a 0-d tensor, expected at least 1 "
                "dimension; try unsqueeze(0) first");
    CHECK_ERROR(IndexError, a.split(1, 1),
                "[split] the dimension is out of range; got dimension 1 of a tensor with 1 "
                "dimensions, expected -1 to 0; try -1 for the last dimension");
}

TEST_CASE("split by several sizes") {
    test::for_each_mode([] {
        Tensor a = counted({2, 4});
        const std::vector<Tensor> p = a.split({1, 0, 3}, 1);
        CHECK(lengths(p, 1) == list{1, 0, 3});
        check<float>(p[0], {2, 1}, {0, 4});
        check<float>(p[2], {2, 3}, {1, 2, 3, 5, 6, 7});
        CHECK(lengths(split(a, {1, 1})) == list{1, 1});
        CHECK(lengths(a.split_with_sizes(2)) == list{2});
        CHECK(lengths(split_with_sizes(a, {3, 1}, -1), 1) == list{3, 1});
        CHECK(zeros({0}).split_with_sizes({}).empty());
        p[2].add_(1);
        check<float>(a, {2, 4}, {0, 2, 3, 4, 4, 6, 7, 8});
    });
    const Tensor a = zeros({4});
    CHECK_ERROR(Error, a.split({1, 2}),
                "[split] the split sizes do not sum to the dimension's size; got split sizes [1, "
                "2] for a dimension of size 4, expected a sum of 4; try one number, which gives "
                "parts of equal size");
    CHECK_ERROR(Error, a.split_with_sizes({4, 1}),
                "[split_with_sizes] the split sizes do not sum to the dimension's size; got split "
                "sizes [4, 1] for a dimension of size 4, expected a sum of 4; try one number, "
                "which gives parts of equal size");
    CHECK_ERROR(Error, a.split({5, -1}),
                "[split] the split sizes do not sum to the dimension's size; got split sizes [5, "
                "-1] for a dimension of size 4, expected a sum of 4; try one number, which gives "
                "parts of equal size");
    CHECK_ERROR(Error, a.split_with_sizes({-1, 5}),
                "[split_with_sizes] a split size is negative; got split sizes [-1, 5], expected "
                "sizes of 0 or more; try tensor_split(), which takes indices");
    CHECK_ERROR(Error, split_with_sizes(zeros({}), 1),
                "[split_with_sizes] the tensor has too few dimensions; got a 0-d tensor, expected "
                "at least 1 dimension; try unsqueeze(0) first");
}

TEST_CASE("chunk") {
    test::for_each_mode([] {
        Tensor a = counted({7});
        CHECK(lengths(a.chunk(3)) == list{3, 3, 1});
        CHECK(lengths(chunk(a, 4)) == list{2, 2, 2, 1});
        CHECK(lengths(a.chunk(5)) == list{2, 2, 2, 1});
        CHECK(lengths(a.chunk(9)) == list{1, 1, 1, 1, 1, 1, 1});
        check<float>(counted({2, 3}).chunk(2, -1)[1], {2, 1}, {2, 5});
        CHECK(lengths(zeros({0}).chunk(3)) == list{0, 0, 0});
        CHECK(a.chunk(2)[1].is_alias_of(a));
    });
    CHECK_ERROR(Error, zeros({2}).chunk(0),
                "[chunk] the number of chunks is not positive; got 0, expected 1 or more; try 1 "
                "for the whole tensor");
    CHECK_ERROR(Error, zeros({}).chunk(1),
                "[chunk] the tensor has too few dimensions; got a 0-d tensor, expected at least 1 "
                "dimension; try unsqueeze(0) first");
}

TEST_CASE("tensor_split") {
    test::for_each_mode([] {
        Tensor a = counted({7});
        CHECK(lengths(a.tensor_split(3)) == list{3, 2, 2});
        check<float>(tensor_split(a, 3)[1], {2}, {3, 4});
        CHECK(lengths(a.tensor_split(9)) == list{1, 1, 1, 1, 1, 1, 1, 0, 0});
        CHECK(lengths(a.tensor_split({1, 4})) == list{1, 3, 3});
        CHECK(lengths(a.tensor_split({4, 1, -2, 20})) == list{4, 0, 4, 2, 0});
        CHECK(lengths(tensor_split(a, IntArrayRef())) == list{7});
        check<float>(a.tensor_split({4, 1})[2], {6}, {1, 2, 3, 4, 5, 6});
        CHECK(lengths(a.tensor_split(tensor(2))) == list{4, 3});
        CHECK(lengths(tensor_split(a, tensor({2, 3}))) == list{2, 1, 4});
        CHECK(lengths(a.tensor_split(arange(8).slice(0, 1, 8, 3) - 1)) == list{0, 3, 3, 1});
        CHECK(lengths(a.tensor_split(zeros({0}, kLong))) == list{7});
        check<float>(counted({2, 3}).tensor_split(2, -1)[0], {2, 2}, {0, 1, 3, 4});
        CHECK(a.tensor_split(2)[1].is_alias_of(a));
    });
    const Tensor a = zeros({4});
    CHECK_ERROR(Error, a.tensor_split(0),
                "[tensor_split] the number of sections is not positive; got 0, expected 1 or more; "
                "try 1 for the whole tensor");
    CHECK_ERROR(Error, zeros({}).tensor_split(1),
                "[tensor_split] the tensor has too few dimensions; got a 0-d tensor, expected at "
                "least 1 dimension; try unsqueeze(0) first");
    CHECK_ERROR(Error, a.tensor_split(zeros({1})),
                "[tensor_split] the tensor of indices has the wrong dtype or shape; got a Float "
                "tensor of shape [1], expected a Long tensor of at most 1 dimension; try "
                ".to(kLong) or flatten() on it");
}

TEST_CASE("hsplit, vsplit and dsplit") {
    test::for_each_mode([] {
        Tensor m = counted({2, 4}), c = counted({2, 1, 4});
        check<float>(m.hsplit(2)[1], {2, 2}, {2, 3, 6, 7});
        check<float>(hsplit(m, {1, 3})[1], {2, 2}, {1, 2, 5, 6});
        CHECK(lengths(hsplit(counted({4}), 2)) == list{2, 2});
        CHECK(lengths(counted({4}).hsplit({3, 3})) == list{3, 0, 1});
        check<float>(vsplit(m, 2)[1], {1, 4}, {4, 5, 6, 7});
        CHECK(lengths(m.vsplit({1, 1})) == list{1, 0, 1});
        CHECK(lengths(c.dsplit(4), 2) == list{1, 1, 1, 1});
        CHECK(lengths(dsplit(c, {1, 2}), 2) == list{1, 1, 2});
        CHECK(lengths(dsplit(c, 2), 2) == list{2, 2});
        CHECK(lengths(vsplit(m, {1, 2})) == list{1, 1, 0});
        m.hsplit(2)[0].zero_();
        check<float>(m, {2, 4}, {0, 0, 2, 3, 0, 0, 6, 7});
    });
    const std::string divisible = "the dimension is not divisible by the number of sections; got ";
    CHECK_ERROR(Error, zeros({2, 3}).hsplit(2),
                "[hsplit] " + divisible +
                    "2 sections for dimension 1 of size 3, expected a divisor of 3; try "
                    "tensor_split(), which takes any number");
    CHECK_ERROR(Error, zeros({3, 2}).vsplit(2),
                "[vsplit] " + divisible +
                    "2 sections for dimension 0 of size 3, expected a divisor of 3; try "
                    "tensor_split(), which takes any number");
    CHECK_ERROR(Error, zeros({2, 2, 5}).dsplit(3),
                "[dsplit] " + divisible +
                    "3 sections for dimension 2 of size 5, expected a divisor of 5; try "
                    "tensor_split(), which takes any number");
    CHECK_ERROR(Error, zeros({2, 2, 4}).dsplit(0),
                "[dsplit] the number of sections is not positive; got 0, expected 1 or more; try 1 "
                "for the whole tensor");
    CHECK_ERROR(Error, zeros({}).hsplit(1),
                "[hsplit] the tensor has too few dimensions; got a 0-d tensor, expected at least 1 "
                "dimension; try atleast_1d() first");
    CHECK_ERROR(Error, zeros({2}).vsplit(1),
                "[vsplit] the tensor has too few dimensions; got shape [2], expected at least 2 "
                "dimensions; try atleast_2d() first");
    CHECK_ERROR(Error, zeros({2, 2}).dsplit({1, 1}),
                "[dsplit] the tensor has too few dimensions; got shape [2, 2], expected at least 3 "
                "dimensions; try atleast_3d() first");
}

TEST_CASE("unbind") {
    test::for_each_mode([] {
        Tensor a = counted({2, 3});
        const std::vector<Tensor> rows = a.unbind(), columns = unbind(a, -1);
        REQUIRE(rows.size() == 2);
        REQUIRE(columns.size() == 3);
        check<float>(rows[1], {3}, {3, 4, 5});
        check<float>(columns[2], {2}, {2, 5});
        columns[0].add_(10);
        check<float>(rows[1], {3}, {13, 4, 5});
        check<float>(stack(a.t().unbind(), 1), {2, 3}, {10, 1, 2, 13, 4, 5});
        CHECK(zeros({0, 3}).unbind().empty());
        CHECK(zeros({0, 3}).unbind(1)[2].numel() == 0);
        CHECK(counted({2}).unbind()[1].item<float>() == 1);
    });
    CHECK_ERROR(IndexError, zeros({}).unbind(),
                "[unbind] the tensor has too few dimensions; got a 0-d tensor, expected at least 1 "
                "dimension; try unsqueeze(0) first");
    CHECK_ERROR(IndexError, zeros({2}).unbind(1),
                "[unbind] the dimension is out of range; got dimension 1 of a tensor with 1 "
                "dimensions, expected -1 to 0; try -1 for the last dimension");
}
