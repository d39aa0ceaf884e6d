#include "tests/ops/nd_array.hpp"
#include "tests/seed.hpp"
#include "tests/support/element_types.hpp"

#include <cmath>
#include <functional>

using namespace sinter;
using test::check;
using test::check_array;
using test::nd_array;

namespace {

const char* const reductions[] = {"assign", "sum", "prod", "mean", "amax", "amin"};

double reduced(const std::string& how, const std::vector<double>& all) {
    double r = all[0];
    for (std::size_t i = 1; i < all.size(); ++i) {
        if (how == "assign") r = all[i];
        if (how == "sum" || how == "mean") r += all[i];
        if (how == "prod") r *= all[i];
        if (how == "amax") r = std::max(r, all[i]);
        if (how == "amin") r = std::min(r, all[i]);
    }
    return how == "mean" ? std::floor(r / static_cast<double>(all.size())) : r;
}

/// `place(p)` is the target of the source's element at `p`.
nd_array put_all(const nd_array& t, const nd_array& source, const std::string& how, bool itself,
                 const std::function<std::vector<int64_t>(const std::vector<int64_t>&)>& place,
                 const std::vector<int64_t>& space) {
    std::vector<std::vector<double>> all(t.values.size());
    nd_array number(t.sizes);
    for (std::size_t i = 0; i < t.values.size(); ++i) number.values[i] = static_cast<double>(i);
    const nd_array points(space);
    for (int64_t e = 0; e < points.count(); ++e) {
        const std::vector<int64_t> p = points.position(e);
        all[static_cast<std::size_t>(number[place(p)])].push_back(source[p]);
    }
    nd_array r = t;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].empty()) continue;
        if (itself || how == "assign") all[i].insert(all[i].begin(), t.values[i]);
        r.values[i] = reduced(how, all[i]);
    }
    return r;
}

}  // namespace

TEST_CASE("scatter in every way is the loop") {
    for (int i = 0; i < test::cases(150); ++i) {
        const uint64_t seed = test::seed() + static_cast<uint64_t>(i);
        CAPTURE(seed);
        test::for_each_mode([&] {
            test::random_arrays random(seed);
            const std::vector<int64_t> sizes = random.sizes(random.pick(1, 3));
            const auto d =
                static_cast<std::size_t>(random.pick(0, static_cast<int64_t>(sizes.size()) - 1));
            const auto dim = static_cast<int64_t>(d);
            std::vector<int64_t> space, larger;
            for (int64_t s : sizes) space.push_back(random.pick(1, s));
            space[d] = random.pick(1, 6);
            for (int64_t s : space) larger.push_back(s + random.pick(0, 1));
            // The mean of integers is rounded down; other means are not.
            const std::string how = reductions[random.pick(0, 5)];
            const ScalarType dtype =
                how == "mean" ? kLong : random.one_of({kLong, kFloat, kDouble, kInt});
            const Tensor t = random.tensor(sizes, dtype),
                         source = random.tensor(larger, dtype, -3, 3),
                         index = random.tensor(space, kLong, 0, sizes[d] - 1);
            CAPTURE(how);
            const bool itself = random.pick(0, 1) == 1;
            const nd_array at(index);
            const nd_array expected = put_all(
                nd_array(t), nd_array(source), how, itself,
                [&](std::vector<int64_t> p) {
                    p[d] = static_cast<int64_t>(at[p]);
                    return p;
                },
                space);
            const Tensor before = t.clone();
            Tensor r;
            if (how == "assign")
                r = t.scatter(dim, index, source);
            else
                r = t.scatter_reduce(dim, index, source, how, itself);
            check_array(r, expected);
            CHECK(equal(t, before));
            if (how == "sum" && itself) check_array(t.scatter_add(dim, index, source), expected);
            if (how == "sum" && itself) check_array(t.scatter(dim, index, source, "add"), expected);
            const Tensor old = t + 0;  // a reader of the old value, pending
            if (how == "assign")
                t.scatter_(dim, index, source);
            else
                t.scatter_reduce_(dim, index, source, how, itself);
            check_array(t, expected);
            CHECK(equal(old, before));
        });
    }
}

TEST_CASE("index_add, index_copy, index_fill and index_reduce are loops over slices") {
    for (int i = 0; i < test::cases(100); ++i) {
        const uint64_t seed = test::seed() + static_cast<uint64_t>(i);
        CAPTURE(seed);
        test::for_each_mode([&] {
            test::random_arrays random(seed);
            const std::vector<int64_t> sizes = random.sizes(random.pick(1, 3));
            const auto d =
                static_cast<std::size_t>(random.pick(0, static_cast<int64_t>(sizes.size()) - 1));
            const auto dim = static_cast<int64_t>(d);
            std::vector<int64_t> space = sizes;
            space[d] = random.pick(1, 5);
            const std::string how = reductions[random.pick(0, 5)];
            CAPTURE(how);
            const Tensor t = random.tensor(sizes, kLong),
                         source = random.tensor(space, kLong, -3, 3);
            const Tensor index =
                random.tensor({space[d]}, random.one_of({kLong, kInt}), 0, sizes[d] - 1);
            const bool itself = how == "sum" || random.pick(0, 1) == 1;
            const nd_array at(index);
            const auto place = [&](std::vector<int64_t> p) {
                p[d] = static_cast<int64_t>(at.values[static_cast<std::size_t>(p[d])]);
                return p;
            };
            const nd_array expected =
                put_all(nd_array(t), nd_array(source), how, itself, place, space);
            const auto apply = [&](const Tensor& to, bool in_place) -> Tensor {
                if (how == "assign")
                    return in_place ? to.index_copy_(dim, index.to(kLong), source)
                                    : to.index_copy(dim, index.to(kLong), source);
                if (how == "sum")
                    return in_place ? to.index_add_(dim, index, source)
                                    : to.index_add(dim, index, source);
                return in_place ? to.index_reduce_(dim, index, source, how, itself)
                                : to.index_reduce(dim, index, source, how, itself);
            };
            check_array(apply(t, false), expected);
            check_array(t.index_fill(dim, index.to(kLong), 7),
                        put_all(nd_array(t), nd_array(space, 7), "assign", true, place, space));
            apply(t, true);
            check_array(t, expected);
        });
    }
}

TEST_CASE("put counts in row-major order, whatever the layout") {
    test::for_each_mode([] {
        Tensor t = zeros({2, 3});
        check<float>(t.put(tensor({0, -1, 0}), tensor({1.f, 2.f, 3.f})), {2, 3},
                     {3, 0, 0, 0, 0, 2});
        check<float>(t.put(tensor({0, -1, 0}), tensor({1.f, 2.f, 3.f}), true), {2, 3},
                     {4, 0, 0, 0, 0, 2});
        t.t().put_(tensor({{1}, {2}}), tensor({8.f, 9.f}));
        check<float>(t, {2, 3}, {0, 9, 0, 8, 0, 0});
        t.put_(tensor({1}), tensor({1.f}), true);
        check<float>(t, {2, 3}, {0, 10, 0, 8, 0, 0});
    });
    CHECK_ERROR(IndexError, zeros({3}).put(tensor({0, 1}), tensor({1.f})),
                "[put] index and source have different numbers of elements; got 2 and 1, expected "
                "a source element for each index; try expand_as() on the source");
}

TEST_CASE("numbers, alpha and truth values") {
    test::for_each_mode([] {
        const Tensor t = zeros({2, 3}), index = tensor({{0, 2}, {1, 1}});
        check<float>(t.scatter(1, index, 4.5), {2, 3}, {4.5, 0, 4.5, 0, 4.5, 0});
        check<float>((t + 1).scatter(1, index, 4, "multiply"), {2, 3}, {4, 1, 4, 1, 16, 1});
        check<float>(t.scatter(1, index, 4, "add"), {2, 3}, {4, 0, 4, 0, 8, 0});
        check<float>(t.index_add(0, tensor({1}), ones({1, 3}), 2.5), {2, 3},
                     {0, 0, 0, 2.5, 2.5, 2.5});
        check<float>(t.index_fill(1, tensor({-1}), scalar_tensor(3.f)), {2, 3}, {0, 0, 3, 0, 0, 3});
        check<bool>(zeros({3}, kBool).scatter_add(0, tensor({1, 1}), tensor({true, true})), {3},
                    {false, true, false});
        check<uint8_t>(full({1}, 200, kByte).scatter_add(0, tensor({0, 0}), full({2}, 100, kByte)),
                       {1}, {144});
        check<float>(scalar_tensor(1.f).scatter(0, tensor(int64_t{0}), scalar_tensor(9.f)), {},
                     {9});
        check<float>(ones({2}).scatter(0, empty({0}, kLong), empty({0})), {2}, {1, 1});
    });
}

TEST_CASE("a NaN wins amax and amin, and -0 is below 0") {
    const float nan = std::nanf("");
    const Tensor zero = zeros({3}, kLong);
    for (ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16}) {
        CAPTURE(toString(dtype));
        const auto amax = [&](float a, float b) {
            return tensor({a})
                .to(dtype)
                .scatter_reduce(0, tensor({0}), tensor({b}).to(dtype), "amax")
                .to(kFloat);
        };
        check<float>(amax(nan, 1), {1}, {nan});
        check<float>(amax(1, nan), {1}, {nan});
        check<float>(amax(-0.f, 0.f), {1}, {0.f});
        check<float>(amax(0.f, -0.f), {1}, {0.f});
        const auto amin = [&](float a, float b) {
            return tensor({a})
                .to(dtype)
                .scatter_reduce(0, tensor({0}), tensor({b}).to(dtype), "amin")
                .to(kFloat);
        };
        check<float>(amin(nan, 1), {1}, {nan});
        check<float>(amin(0.f, -0.f), {1}, {-0.f});
        check<float>(amin(-0.f, 0.f), {1}, {-0.f});
    }
}

TEST_CASE("what does not fit is refused before anything is written" *
          doctest::test_suite("at the line")) {
    Tensor t = ones({2, 3});
    CHECK_ERROR(Error, t.scatter_(1, zeros({2, 1}, kLong), zeros({1, 1})),
                "[scatter_] the source is smaller than the index; got a source of shape [1, 1] for "
                "an index of shape [2, 1], expected the same number of dimensions, and no smaller "
                "sizes; try expand() on the source, or narrow() on the index");
    CHECK_ERROR(
        Error, t.scatter_(1, zeros({3, 1}, kLong), zeros({3, 1})),
        "[scatter_] the index's shape does not match the tensor's; got an index of shape [3, 1] "
        "for a tensor of shape [2, 3] and dimension 1, expected the same number of dimensions, and "
        "no larger sizes apart from dimension 1; try narrow() or unsqueeze() on the index");
    CHECK_ERROR(Error, t.scatter_(1, zeros({1, 1}, kLong), zeros({1, 1}, kLong)),
                "[scatter_] the operands' dtypes differ; got Float and Long, expected the same "
                "dtype; try .to(kFloat) on the source");
    CHECK_ERROR(Error, t.scatter_(1, zeros({1, 1}, kLong), 1, "max"),
                "[scatter_] the reduction is unknown; got \"max\", expected \"add\" or "
                "\"multiply\"; try scatter_reduce(), which has more reductions");
    CHECK_ERROR(
        Error, t.scatter_reduce_(1, zeros({1, 1}, kLong), zeros({1, 1}), "max"),
        "[scatter_reduce_] the reduction is unknown; got \"max\", expected \"sum\", \"prod\", "
        "\"mean\", \"amax\" or \"amin\"; try \"sum\", which scatter_add() computes too");
    CHECK_ERROR(Error, t.index_add_(1, tensor({0}), ones({3, 1})),
                "[index_add_] the source's shape does not match the indexed slices; got a source "
                "of shape [3, 1] for 1 indices into dimension 1 of shape [2, 3], expected shape "
                "[2, 1]; try expand() or narrow() on the source");
    CHECK_ERROR(Error, ones({1}).expand({3}).scatter_(0, tensor({0}), 1),
                "[scatter_] more than one element of the written-to tensor refers to a single "
                "memory location; got shape [3] with strides [0], expected a memory location for "
                "each element; try clone() first");
    CHECK_ERROR(IndexError,
                t.index_copy_(0, tensor({0}), t.narrow(0, 1, 1).narrow(0, 0, 1) * 1 + t),
                "[index_copy_] the source's shape does not match the indexed slices; got a source "
                "of shape [2, 3] for 1 indices into dimension 0 of shape [2, 3], expected shape "
                "[1, 3]; try expand() or narrow() on the source");
    CHECK_ERROR(Error, t.index_copy_(0, tensor({0, 1}), t),
                "[index_copy_] some elements of the input tensor and the written-to tensor refer "
                "to a single memory location; got views of one storage, expected separate memory; "
                "try clone() on the input first");
    const Tensor bad = tensor({{5}});
    bad.eval();
    CHECK_ERROR(
        Error, t.scatter_(1, bad, 1),
        "[scatter_] index 5 is out of bounds for dimension 1 with size 3; got index 5 into shape "
        "[2, 3], expected 0 to 2; try remainder() on the index if it counts from the end");
    check<float>(t, {2, 3}, {1, 1, 1, 1, 1, 1});
}

TEST_CASE("a write through a late bad index fails whole, and older values stay" *
          doctest::test_suite("host")) {
    Tensor t = ones({4});
    const Tensor before = t * 1;
    t.scatter_(0, tensor({0, 9}) * 1, 5);
    const char* message =
        "[scatter_] index 9 is out of bounds for dimension 0 with size 4; got index 9 into shape "
        "[4], expected 0 to 3; try remainder() on the index if it counts from the end";
    CHECK_ERROR(Error, t.sum().item<float>(), message);
    CHECK_ERROR(Error, t[1].item<float>(), message);
    check<float>(before, {4}, {1, 1, 1, 1});
    t.fill_(2);  // wholly overwritten
    check<float>(t, {4}, {2, 2, 2, 2});
    std::vector<float> memory(4, 1.f);
    Tensor outside = from_blob(memory.data(), {4});
    CHECK_ERROR(Error, outside.scatter_(0, tensor({0, 9}) * 1, 5), message);
    CHECK(memory == std::vector<float>(4, 1.f));
    check<float>(outside, {4}, {1, 1, 1, 1});
    outside.scatter_(0, tensor({0, 3}), 5);
    CHECK(memory == std::vector<float>{5, 1, 1, 5});
}

TEST_CASE("a write through an index takes the tensor's own memory" * doctest::test_suite("host")) {
    Tensor t = zeros({100000});
    t.eval();
    const void* address = t.const_data_ptr();
    reset_stats();
    for (int i = 0; i < 10; ++i) t.scatter_(0, tensor({i}), i);
    t.eval();
    CHECK(t.const_data_ptr() == address);
    CHECK(stats().bytes_allocated < 500000);  // only one of ten writes moves to separate memory
    const Tensor held = t.slice(0, 0, 5);     // sees the newest value
    const Tensor old = t.slice(0, 0, 5) * 1;
    t.scatter_(0, tensor({0}), -1);
    check<float>(held, {5}, {-1, 1, 2, 3, 4});
    check<float>(old, {5}, {0, 1, 2, 3, 4});
}

TEST_CASE("sums of many indices have one order, on any number of threads") {
    const int64_t n = 200000;
    const Tensor index = (arange(n) * 7919) % 1000, values = rand({n, 3});
    const Tensor a = zeros({1000, 3}).index_add(0, index, values);
    a.eval();
    const int threads = get_num_threads();
    set_num_threads(1);
    const Tensor b = zeros({1000, 3}).index_add(0, index, values);
    b.eval();
    set_num_threads(threads);
    CHECK(equal(a, b));
    const std::vector<float> v = test::elements<float>(values), got = test::elements<float>(a);
    const std::vector<int64_t> at = test::elements<int64_t>(index);
    std::vector<float> expected(3000, 0.f);
    for (std::size_t i = 0; i < at.size(); ++i)
        for (std::size_t j = 0; j < 3; ++j)
            expected[static_cast<std::size_t>(at[i]) * 3 + j] += v[i * 3 + j];
    CHECK(got == expected);
}

TEST_CASE("what PyTorch takes as an index, and what it says of others" *
          doctest::test_suite("at the line")) {
    const Tensor t = zeros({2, 3});
    check<float>(t.scatter(1, tensor({{2}, {0}}, kInt), 1), {2, 3}, {0, 0, 1, 1, 0, 0});
    check<float>(t.scatter(1, empty({2, 0}), 1), {2, 3}, {0, 0, 0, 0, 0, 0});
    CHECK_ERROR(Error, zeros({0}).scatter(0, tensor({0, 0}), 1),
                "[scatter] index is out of bounds for dimension with size 0; got index 0 into "
                "shape [0], expected a dimension with elements; try checking size(0) first");
    CHECK_ERROR(Error, t.index_copy(0, tensor({0, 1}, kInt), t),
                "[index_copy] the index has the wrong dtype; got Int, expected Long; try "
                ".to(kLong) on the index");
    CHECK_ERROR(Error, t.index_copy(0, tensor({0, 1}), zeros({2, 2})),
                "[index_copy] the source's shape does not match the indexed slices; got a source "
                "of shape [2, 2] for 2 indices into dimension 0 of shape [2, 3], expected shape "
                "[2, 3]; try expand() or narrow() on the source");
    CHECK_ERROR(IndexError, t.index_fill(0, tensor({0}, kInt), 1),
                "[index_fill] the index has the wrong dtype; got Int, expected Long; try "
                ".to(kLong) on the index");
    CHECK_ERROR(Error, t.index_fill(0, zeros({1, 1}, kLong), 1),
                "[index_fill] the index has too many dimensions; got shape [1, 1], expected at "
                "most 1 dimension; try flatten() on the index");
    CHECK_ERROR(Error, t.index_fill(0, tensor({0}), complex<double>(1, 2)),
                "[index_fill] a complex value does not fit the dtype; got 1+2i for float, expected "
                "a real value; try a complex tensor, or the value's real part");
}
