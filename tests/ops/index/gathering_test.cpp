#include "tests/ops/nd_array.hpp"
#include "tests/seed.hpp"
#include "tests/support/element_types.hpp"

#include <limits>
#include <string>

using namespace sinter;
using sinter::indexing::None;
using sinter::indexing::Slice;
using test::check;
using test::check_array;
using test::counted;
using test::nd_array;

TEST_CASE("gather along any dimension is the loop") {
    for (int i = 0; i < test::cases(60); ++i) {
        const uint64_t seed = test::seed() + static_cast<uint64_t>(i);
        CAPTURE(seed);
        test::for_each_mode([&] {
            test::random_arrays random(seed);
            const std::vector<int64_t> sizes = random.sizes(random.pick(1, 4));
            const auto d = random.pick(0, static_cast<int64_t>(sizes.size()) - 1);
            std::vector<int64_t> wanted;
            for (int64_t s : sizes) wanted.push_back(random.pick(1, s));
            wanted[static_cast<std::size_t>(d)] = random.pick(1, 6);
            const Tensor t = random.tensor(sizes, random.one_of({kFloat, kLong, kHalf, kByte}), 0);
            const Tensor index =
                random.tensor(wanted, kLong, 0, sizes[static_cast<std::size_t>(d)] - 1);
            const nd_array from(t), at(index);
            nd_array expected(wanted);
            for (int64_t e = 0; e < expected.count(); ++e) {
                std::vector<int64_t> p = expected.position(e), q = p;
                q[static_cast<std::size_t>(d)] = static_cast<int64_t>(at[p]);
                expected[p] = from[q];
            }
            const Tensor r = t.gather(d - (random.pick(0, 1) ? t.dim() : 0), index);
            CHECK((r.dtype() == t.dtype()));
            check_array(r, expected);
        });
    }
}

TEST_CASE("every dtype moves unchanged") {
    for (ScalarType dtype : testing::all_types) {
        CAPTURE(toString(dtype));
        const Tensor t = tensor({0, 1, 2, 3, 4, 5}).to(dtype), back = tensor({5, 0, 2, 2});
        CHECK(equal(t.gather(0, back), tensor({5, 0, 2, 2}).to(dtype)));
        CHECK(equal(t.index_select(0, back), tensor({5, 0, 2, 2}).to(dtype)));
        CHECK(equal(t.take(back), tensor({5, 0, 2, 2}).to(dtype)));
        CHECK(equal(t.index({back}), tensor({5, 0, 2, 2}).to(dtype)));
    }
}

TEST_CASE("index_select takes slices" * doctest::test_suite("at the line")) {
    test::for_each_mode([] {
        const Tensor t = counted({3, 4});
        check<float>(t.index_select(0, tensor({2, 0, 2})), {3, 4},
                     {8, 9, 10, 11, 0, 1, 2, 3, 8, 9, 10, 11});
        check<float>(t.t().index_select(0, tensor({1})), {1, 3}, {1, 5, 9});
        check<float>(t.index_select(-1, tensor({3, 3}, kInt)), {3, 2}, {3, 3, 7, 7, 11, 11});
        check<float>(t.index_select(1, tensor(int64_t{2})), {3, 1}, {2, 6, 10});
        check<float>(t.index_select(1, empty({0}, kLong)), {3, 0}, {});
        check<float>(scalar_tensor(5.f).index_select(0, tensor({0})), {}, {5});
    });
    CHECK_ERROR(
        IndexError, counted({3, 4}).index_select(0, tensor({0, 3})).eval(),
        "[index_select] index 3 is out of bounds for dimension 0 with size 3; got index 3 into "
        "shape [3, 4], expected 0 to 2; try remainder() on the index if it counts from the end");
    CHECK_ERROR(
        IndexError, counted({3}).index_select(0, tensor({-1})).eval(),
        "[index_select] index -1 is out of bounds for dimension 0 with size 3; got index -1 into "
        "shape [3], expected 0 to 2; try remainder() on the index if it counts from the end");
    CHECK_ERROR(Error, counted({3}).index_select(0, tensor({1.5})),
                "[index_select] the index has the wrong dtype; got Float, expected Long or Int; "
                "try .to(kLong) on the index");
    CHECK_ERROR(IndexError, counted({3}).index_select(0, zeros({1, 1}, kLong)),
                "[index_select] the index has too many dimensions; got shape [1, 1], expected at "
                "most 1 dimension; try flatten() on the index");
}

TEST_CASE("take counts in row-major order, whatever the layout") {
    test::for_each_mode([] {
        const Tensor t = counted({2, 3}).t();  // 0 3 / 1 4 / 2 5
        check<float>(t.take(tensor({{0, 1}, {-1, 2}})), {2, 2}, {0, 3, 5, 1});
        check<float>(scalar_tensor(7.f).take(tensor(int64_t{0})), {}, {7});
        CHECK(empty({0}).take(empty({0}, kLong)).numel() == 0);
    });
    CHECK_ERROR(IndexError, empty({0}).take(tensor({0})),
                "[take] the tensor is empty; got shape [0], expected at least 1 element; try an "
                "empty index");
}

TEST_CASE("take_along_dim broadcasts, and flattens without a dimension") {
    test::for_each_mode([] {
        const Tensor t = tensor({{10., 30., 20.}, {60., 40., 50.}}).to(kFloat);
        check<float>(t.take_along_dim(tensor({0, 5})), {2}, {10, 50});
        check<float>(t.take_along_dim(tensor({{2}}), 1), {2, 1}, {20, 50});
        check<float>(t.take_along_dim(tensor({{1, 0, 1}}), 0), {1, 3}, {60, 30, 50});
    });
    CHECK_ERROR(
        Error, counted({2, 3}).take_along_dim(tensor({0}), 1),
        "[take_along_dim] the index and the tensor have different numbers of dimensions; got "
        "shapes [1] and [2, 3], expected 2 dimensions in the index; try unsqueeze() on the index");
}

TEST_CASE("gather checks shapes at the call, and indices as soon as they are known" *
          doctest::test_suite("at the line")) {
    const Tensor t = counted({2, 3});
    CHECK_ERROR(
        Error, t.gather(1, tensor({0, 1})),
        "[gather] the index's shape does not match the tensor's; got an index of shape [2] for a "
        "tensor of shape [2, 3] and dimension 1, expected the same number of dimensions, and no "
        "larger sizes apart from dimension 1; try narrow() or unsqueeze() on the index");
    CHECK_ERROR(
        Error, t.gather(1, zeros({3, 1}, kLong)),
        "[gather] the index's shape does not match the tensor's; got an index of shape [3, 1] for "
        "a tensor of shape [2, 3] and dimension 1, expected the same number of dimensions, and no "
        "larger sizes apart from dimension 1; try narrow() or unsqueeze() on the index");
    check<float>(t.gather(1, tensor({{2}, {0}}, kInt)), {2, 1}, {2, 3});
    CHECK(t.gather(1, empty({2, 0})).sizes() == IntArrayRef({2, 0}));  // index of any dtype
    CHECK_ERROR(Error, t.gather(1, zeros({2, 1})),
                "[gather] the index has the wrong dtype; got Float, expected Long or Int; try "
                ".to(kLong) on the index");
    CHECK_ERROR(
        Error, Tensor().gather(0, tensor({0})),
        "[gather] the tensor is undefined; got a default-constructed Tensor, expected a defined "
        "tensor; try assigning a tensor to it first; defined() tells whether it is one");
    const char* message =
        "[gather] index 3 is out of bounds for dimension 1 with size 3; got index 3 into shape [2, "
        "3], expected 0 to 2; try remainder() on the index if it counts from the end";
    const Tensor known = tensor({{0, 3}});
    known.eval();
    CHECK_ERROR(Error, t.gather(1, known), message);
    const Tensor pending = known * 1;
    const Tensor late = t.gather(1, pending), good = t.gather(1, pending.clamp(0, 2));
    CHECK_ERROR(Error, late.eval(), message);
    CHECK_ERROR(Error, (late + 1).eval(), message);  // again, for every reader
    check<float>(good, {1, 2}, {0, 2});
    CHECK(t.gather(0, empty({0, 7}, kLong)).sizes() == IntArrayRef({0, 7}));
}

TEST_CASE("the first index out of range is named, wherever it is" *
          doctest::test_suite("at the line")) {
    const Tensor t = arange(100);
    for (int64_t place : {0, 511, 512, 1700, 2047, 2099})
        for (const int64_t wrong : {int64_t{100}, int64_t{-1}, std::numeric_limits<int64_t>::min(),
                                    std::numeric_limits<int64_t>::max()}) {
            Tensor index = arange(2100) % 100;
            index.index_put_({place}, wrong);
            index.index_put_({Slice(place + 1, None)}, 1000);
            std::string message;
            try {
                t.gather(0, index).eval();
            } catch (const Error& e) {
                message = e.what();
            }
            CHECK(message.find("index " + std::to_string(wrong) + " is out of bounds") !=
                  std::string::npos);
        }
    // The last ones that are not, counted from both ends.
    const Tensor ends = (arange(2100) % 2) * 199 - 100;
    CHECK(equal(t.index({ends}), where(arange(2100) % 2 == 0, 0, 99)));
}

TEST_CASE("an index keeps the value of its line") {
    test::for_each_mode([] {
        Tensor index = tensor({0, 1, 2});
        const Tensor t = counted({5});
        const Tensor before = t.gather(0, index);
        index.add_(2);
        t.mul_(10);
        check<float>(before, {3}, {0, 1, 2});
        check<float>(t.gather(0, index), {3}, {20, 30, 40});
    });
}

TEST_CASE("a gather of many rows, on several threads") {
    const int64_t rows = 3000, columns = 37;
    const Tensor t = arange(rows * columns).view({rows, columns});
    const Tensor index = (arange(2 * rows) * 7919) % rows;
    const std::vector<int64_t> at = test::elements<int64_t>(index);
    for (const Tensor& from : {t, t.t().contiguous().t()}) {
        const std::vector<int64_t> r = test::elements<int64_t>(from.index_select(0, index));
        bool same = true;
        for (std::size_t i = 0; i < r.size(); ++i)
            same = same && r[i] == at[i / 37] * columns + static_cast<int64_t>(i % 37);
        CHECK(same);
    }
}

TEST_CASE("take_along_dim goes round a dimension that is named" *
          doctest::test_suite("at the line")) {
    const Tensor t = counted({5});
    check<float>(take_along_dim(t, tensor({9, -1, -6}), 0), {3}, {4, 4, 4});
    CHECK_ERROR(
        Error, take_along_dim(t, tensor({9})),
        "[take_along_dim] index 9 is out of bounds for dimension 0 with size 5; got index 9 into "
        "shape [5], expected 0 to 4; try remainder() on the index if it counts from the end");
    check<float>(take_along_dim(t, tensor({1}, kInt)), {1}, {1});
    CHECK_ERROR(Error, take_along_dim(t, tensor({1}, kInt), 0),
                "[take_along_dim] the index has the wrong dtype; got Int, expected Long; try "
                ".to(kLong) on the index");
    CHECK_ERROR(IndexError, take_along_dim(zeros({}), zeros({}, kLong), 0),
                "[take_along_dim] the tensor has too few dimensions; got a 0-d tensor, expected at "
                "least 1 dimension; try leaving dim out");
}
