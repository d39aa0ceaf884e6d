// Operations on indices, by GPU kernels: their results equal the CPU's, bit for bit.
#include "tests/on_gpu/same_on_gpu.hpp"

#include <limits>

using namespace sinter;
using namespace sinter::testing;

TEST_CASE("gpu indices: elements are gathered in every dtype") {
    if (!has_gpu()) return;
    for (const ScalarType dtype : all_dtypes) {
        CAPTURE(dtype);
        const Tensor x = numbers({7, 10, 6}, dtype);
        const Tensor rows = tensor({5, 0, -1, 5}), at = (arange(7 * 3 * 6) % 10).view({7, 3, 6});
        same_on_gpu([&](auto to) { return to(x).gather(1, to(at)); });
        same_on_gpu([&](auto to) { return to(x).index_select(0, to(tensor({6, 0, 6}))); });
        same_on_gpu([&](auto to) { return to(x).take(to(tensor({0, 41, -1}))); });
        same_on_gpu([&](auto to) { return to(x).index({to(rows), indexing::Slice(), to(rows)}); });
        same_on_gpu([&](auto to) { return to(x).transpose(0, 2).index({to(rows)}); });
        same_on_gpu([&](auto to) { return take_along_dim(to(x), to(at), 1); });
    }
}

TEST_CASE("gpu indices: rows of any length and alignment are gathered") {
    if (!has_gpu()) return;
    for (const int64_t columns : {1, 3, 4, 8, 31, 64}) {
        CAPTURE(columns);
        const Tensor table = numbers({20, columns + 3}, kFloat), rows = tensor({19, 0, 7, 7, -20});
        for (const int64_t first : {0, 1, 2})
            same_on_gpu([&](auto to) {
                return to(table).narrow(1, first, columns).index_select(0, to(rows).abs() % 20);
            });
        same_on_gpu([&](auto to) { return to(table).index({to(rows)}); });
    }
}

TEST_CASE("gpu indices: one out of range is the CPU's error, and the GPU goes on") {
    if (!has_gpu()) return;
    const Tensor x = numbers({4, 5}, kFloat), bad = tensor({0, 3, 4, -9});
    const auto told = [&](auto to) {
        return text_of([&] { to(x).index_select(0, to(bad)).cpu(); }) +
               text_of([&] { to(x).index({to(tensor({1, 1})), to(tensor({2, -6}))}).cpu(); }) +
               text_of([&] { to(x).gather(0, to(tensor({0, 4}).view({1, 2}))).cpu(); });
    };
    const std::string expected = told([](const Tensor& t) { return t; });
    CHECK(contains(
        expected,
        "index 4 is out of bounds for dimension 0 with size 4; got index 4 into shape [4, 5]"));
    CHECK(told([](const Tensor& t) { return Tensor(t.cuda()); }) == expected);
    same_on_gpu([&](auto to) { return to(x).index_select(0, to(tensor({3, 1}))); });
}

TEST_CASE("gpu indices: where a mask is true") {
    if (!has_gpu()) return;
    for (const int64_t n : {0, 1, 15, 16, 4095, 4096, 4097, 70000}) {
        CAPTURE(n);
        const Tensor x = numbers({n}, kInt), mask = x % 3 == 1;
        same_on_gpu([&](auto to) { return to(mask).nonzero(); });
        same_on_gpu([&](auto to) { return to(x).masked_select(to(mask)); });
        same_on_gpu([&](auto to) { return to(x).narrow(0, n / 2, n - n / 2).nonzero(); });
        same_on_gpu([&](auto to) { return to(x).masked_scatter(to(mask), to(x * 2)); });
    }
    const Tensor none = zeros({5, 6}, kBool);
    same_on_gpu([&](auto to) { return to(none).nonzero(); });
    same_on_gpu([&](auto to) { return to(none).masked_select(to(none)); });
    same_on_gpu([&](auto to) { return to(tensor(2.5)).nonzero(); });
    for (const ScalarType dtype : all_dtypes) {
        CAPTURE(dtype);
        const Tensor x = numbers({9, 5, 11}, dtype), mask = numbers({5, 11}, kInt) % 4 < 2;
        same_on_gpu([&](auto to) { return to(x).nonzero(); });
        same_on_gpu([&](auto to) { return to(x).transpose(0, 1).nonzero(); });
        same_on_gpu([&](auto to) { return to(x).masked_select(to(mask)); });
        same_on_gpu([&](auto to) { return to(x).index({indexing::Slice(), to(mask)}); });
        same_on_gpu([&](auto to) {
            Tensor y = to(x).transpose(0, 2).clone().transpose(0, 2);
            y.narrow(0, 2, 5).masked_scatter_(to(mask), to(x).flatten());
            return y;
        });
    }
    const auto told = [&](auto to) {
        return text_of(
            [&] { to(zeros({4})).masked_scatter(to(ones({4}, kBool)), to(zeros({3}))).eval(); });
    };
    const std::string expected = told([](const Tensor& t) { return t; });
    CHECK(contains(expected, "got 3 elements for a mask with 4 true elements"));
    CHECK(told([](const Tensor& t) { return Tensor(t.cuda()); }) == expected);
}

TEST_CASE("gpu indices: elements meet in the CPU's order") {
    if (!has_gpu()) return;
    for (const ScalarType dtype : all_dtypes) {
        CAPTURE(dtype);
        const Tensor x = numbers({6, 8}, dtype), y = numbers({30, 8}, dtype);
        const Tensor rows = (arange(30) * 7) % 6, at = (numbers({30, 8}, kLong) * 5) % 6;
        same_on_gpu([&](auto to) { return to(x).index_add(0, to(rows), to(y)); });
        same_on_gpu([&](auto to) { return to(x).index_copy(0, to(rows), to(y)); });
        same_on_gpu([&](auto to) { return to(x).scatter(0, to(at), to(y)); });
        same_on_gpu([&](auto to) { return to(x).scatter_add(0, to(at), to(y)); });
        same_on_gpu([&](auto to) { return to(x).index_put({to(rows - 6)}, to(y), true); });
        same_on_gpu([&](auto to) { return to(x).index_fill(1, to(tensor({3, 0, 3})), 1); });
        same_on_gpu([&](auto to) { return to(x).put(to(at), to(y), true); });
        if (isComplexType(dtype)) continue;
        for (const char* how : {"prod", "amax", "amin"})
            for (const bool self : {true, false}) {
                CAPTURE(how);
                same_on_gpu(
                    [&](auto to) { return to(x).scatter_reduce(0, to(at), to(y), how, self); });
            }
        same_on_gpu([&](auto to) { return to(x).index_reduce(0, to(rows), to(y), "amax"); });
    }
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const Tensor y = tensor({1.f, -0.f, nan, 0.f, -0.f, 0.f, -3.f, nan}).to(kDouble).view({8, 1});
    const Tensor at = tensor({0, 1, 2, 1, 1, 3, 3, 2}).view({8, 1});
    for (const char* how : {"amax", "amin"})
        same_on_gpu([&](auto to) {
            return to(zeros({4, 1}, kDouble))
                .scatter_reduce(0, to(at), to(y), how, false)
                .view(kLong);
        });
}

TEST_CASE("gpu indices: sums through an index have one order, however long") {
    if (!has_gpu()) return;
    manual_seed(3);
    const Tensor y = rand({5000, 3}), rows = randint(0, 40, {5000}), x = zeros({40, 3});
    same_on_gpu([&](auto to) { return to(x).index_add(0, to(rows), to(y)); });
    same_on_gpu([&](auto to) {
        Tensor z = to(zeros({3, 40})).t();
        z.narrow(0, 10, 30).index_add_(0, to(rows) % 30, to(y).t().contiguous().t());
        return z;
    });
    same_on_gpu(
        [&](auto to) { return to(zeros({7})).scatter_add(0, to(rows) % 7, to(y).select(1, 2)); });
}

TEST_CASE("gpu indices: what cannot be written leaves memory that outside code reads as it was") {
    if (!has_gpu()) return;
    const Tensor x = numbers({4, 5}, kFloat);
    const auto told = [&](auto to) {
        Tensor y = to(x).clone();
        y.data_ptr();  // so that lines wait
        std::string text =
            text_of([&] { y.index_add_(0, to(tensor({0, 4})), to(x[0]).expand({2, 5})); });
        text += text_of([&] { y.scatter_(1, to(tensor({{2, -1}})), 3.0); });
        text += text_of([&] { y.index_put_({to(tensor({-5}))}, to(tensor(1.f))); });
        // Of a part, from a pending gather and from one that has run.
        const Tensor bad = to(tensor({0, 9}));
        text += text_of([&] { y.narrow(0, 0, 2).copy_(to(x).index_select(0, bad)); });
        const Tensor rows = to(x).clone().eval();
        text += text_of([&] {
            const Tensor gathered = rows.index_select(0, bad).eval();
            y.narrow(0, 0, 2).copy_(gathered * 2);
        });
        CHECK(equal(y.cpu(), x));
        return text;
    };
    const std::string expected = told([](const Tensor& t) { return t; });
    CHECK(contains(expected, "[scatter_] index -1 is out of bounds for dimension"));
    CHECK(told([](const Tensor& t) { return Tensor(t.cuda()); }) == expected);
}

TEST_CASE("gpu indices: somebody's complex numbers, aligned as their parts are") {
    if (!has_gpu()) return;
    const Tensor parts = arange(41, kDouble).cuda();
    parts.eval();
    double* const first = parts.data_ptr<double>() + 1;
    const Tensor z = from_blob(first, {20}, TensorOptions(kComplexDouble).device(kCUDA));
    const Tensor expected = view_as_complex(arange(1, 41, kDouble).view({20, 2}));
    const Tensor at = tensor({3, 19, 0, 3});
    CHECK(equal(z.index_select(0, at.cuda()).cpu(), expected.index_select(0, at)));
    CHECK(equal(zeros({20}, kComplexDouble).cuda().index_add(0, arange(20).cuda(), z).cpu(),
                expected));
}

namespace {

/// Returns the number of launches of f(target on the GPU).
template <class F>
int64_t launches_of(const Tensor& target, const F& f) {
    const Tensor there = target.cuda();
    there.eval();
    reset_stats();
    f(there);
    there.eval();
    return static_cast<int64_t>(stats().kernels_launched);
}

/// Returns `n` places below `size` in no order, many of them several times.
Tensor places_below(int64_t size, int64_t n) {
    const Tensor i = arange(n);
    return (i * 7919 + i.floor_divide(3) * 104729) % size;
}

}  // namespace

TEST_CASE("gpu indices: the last of equal places is assigned, with and without a sort") {
    if (!has_gpu()) return;
    // With a few places a word for each of them is cheaper, with very many the sort.
    for (const int64_t size : {7, 5000, 3000000})
        for (const int64_t n : {1, 300, 9000}) {
            CAPTURE(size);
            CAPTURE(n);
            const Tensor at = places_below(size, n), y = arange(n).to(kShort);
            for (const ScalarType dtype : {kByte, kHalf, kFloat, kDouble}) {
                const Tensor v = (y % 113).to(dtype);
                same_on_gpu([&](auto to) {
                    Tensor x = to(zeros({size + 1}, dtype));
                    x.narrow(0, 1, size).index_put_({to(at - size)}, to(v));
                    return x;
                });
            }
            same_on_gpu([&](auto to) {
                return to(zeros({size}, kComplexDouble))
                    .scatter(0, to(at), to(y).to(kComplexDouble));
            });
        }
    for (const ScalarType dtype : {kByte, kHalf, kFloat}) {
        const Tensor at = places_below(12000000, 9000);
        same_on_gpu([&](auto to) {
            return to(zeros({12000000}, dtype)).index_put({to(at)}, to(arange(9000).to(dtype)));
        });
    }
    // Slices whose elements are far apart, an index over two dimensions, and broadcast values.
    const Tensor rows = places_below(50, 300), columns = places_below(40, 300);
    const Tensor y = numbers({300, 6}, kInt);
    for (const bool turned : {false, true}) {
        same_on_gpu([&](auto to) {
            Tensor x = turned ? to(zeros({6, 50}, kInt)).t() : to(zeros({50, 6}, kInt));
            return x.index_copy_(0, to(rows), to(y));
        });
        same_on_gpu([&](auto to) {
            Tensor x = turned ? to(zeros({40, 50}, kInt)).t() : to(zeros({50, 40}, kInt));
            return x.index_put_({to(rows), to(columns)}, to(y.select(1, 3)));
        });
        same_on_gpu([&](auto to) {
            Tensor x = turned ? to(zeros({40, 50}, kInt)).t() : to(zeros({50, 40}, kInt));
            x.slice(0, 1, 50, 2)
                .slice(1, 3, 40, 5)
                .index_put_({to(rows % 24), indexing::Slice()}, to(y.narrow(0, 0, 1).select(1, 1)));
            return x;
        });
    }
    same_on_gpu([&](auto to) { return to(zeros({50, 6}, kInt)).index_fill(0, to(rows), 7); });
    same_on_gpu([&](auto to) { return to(zeros({1}, kInt)).put(to(rows % 1), to(rows.to(kInt))); });
}

TEST_CASE("gpu indices: whole numbers and truth values meet in any order") {
    if (!has_gpu()) return;
    const Tensor at = places_below(60, 5000), big = (arange(5000) * 36028797018963913).view({-1});
    for (const ScalarType dtype : {kInt, kLong, kByte, kShort, kBool}) {
        CAPTURE(dtype);
        const Tensor y = dtype == kBool ? Tensor(arange(5000) % 7 == 3) : Tensor(big.to(dtype));
        const Tensor x = numbers({61}, dtype);
        for (const char* how : {"sum", "prod", "amax", "amin"}) {
            CAPTURE(how);
            same_on_gpu([&](auto to) {
                Tensor z = to(x).clone();
                z.slice(0, 1).scatter_reduce_(0, to(at), to(y), how, true);
                return z;
            });
        }
        same_on_gpu([&](auto to) {
            Tensor z = to(zeros({5, 183}, dtype)).t().slice(0, 0, 183, 3);
            return z.index_add_(0, to(at), to(y.view({1, 5000})).expand({5, 5000}).t());
        });
        same_on_gpu([&](auto to) { return to(x).index_put({to(at - 30)}, to(y), true); });
        same_on_gpu([&](auto to) {
            return to(x).index_add(0, to(at.narrow(0, 0, 0)), to(y.narrow(0, 0, 0)));
        });
        same_on_gpu([&](auto to) {
            return to(x).index_add(0, to(at.narrow(0, 7, 1)), to(y.narrow(0, 7, 1)));
        });
    }
    // The least and the largest number, and those beside them.
    for (const ScalarType dtype : {kInt, kLong}) {
        const int64_t low = dtype == kInt ? std::numeric_limits<int32_t>::min()
                                          : std::numeric_limits<int64_t>::min();
        const Tensor ends =
            tensor({low, ~low, low + 1, ~low - 1, int64_t{0}, int64_t{-1}}).to(dtype);
        for (const char* how : {"amax", "amin"})
            for (const int64_t first : {0, 1, 2, 3, 4, 5})
                same_on_gpu([&](auto to) {
                    return to(ends.roll(first))
                        .scatter_reduce(0, to(tensor({0, 1, 2, 3, 4, 5})), to(ends), how, true);
                });
    }
}

TEST_CASE("gpu indices: sums of places that receive one element, a few and very many") {
    if (!has_gpu()) return;
    manual_seed(5);
    const Tensor y = randn({6000}), often = (places_below(90, 6000) - 60).clamp_min(0);
    for (const ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16, kComplexFloat, kByte}) {
        CAPTURE(dtype);
        const Tensor v = (y * 20).to(dtype);
        for (const int64_t n : {1, 2, 3, 4, 5, 8, 9, 6000}) {
            CAPTURE(n);
            same_on_gpu([&](auto to) {
                return to(zeros({31}, dtype))
                    .index_add(0, to(often.narrow(0, 0, n)), to(v.narrow(0, 0, n)));
            });
            same_on_gpu([&](auto to) {
                return to(ones({31}, dtype))
                    .index_put({to(often.narrow(0, 0, n))}, to(v.narrow(0, 3, 1)), true);
            });
        }
        same_on_gpu([&](auto to) {
            return to(zeros({31, 2}, dtype))
                .index_add(0, to(often), to(v).unsqueeze(1).expand({6000, 2}));
        });
        same_on_gpu([&](auto to) {
            return to(zeros({31}, dtype))
                .index_put({to(often.flip(0).slice(0, 0, 6000, 2))}, to(v).slice(0, 0, 6000, 2),
                           true);
        });
    }
}

TEST_CASE("gpu indices: an index that is computed first is checked before anything is written") {
    if (!has_gpu()) return;
    for (const ScalarType dtype : {kInt, kLong, kBool, kFloat, kShort}) {
        CAPTURE(dtype);
        const Tensor x = numbers({4, 5}, dtype), y = numbers({3, 5}, dtype);
        const auto told = [&](auto to) {
            const Tensor first = to(tensor({0, 1, 2})), there = to(x);
            return text_of([&] { there.index_add(0, first * 2, to(y)).cpu().eval(); }) +
                   text_of([&] { there.index_copy(0, first * 3, to(y)).cpu().eval(); }) +
                   text_of([&] { there.index_put({first - 5}, to(y[0])).cpu().eval(); }) +
                   text_of([&] {
                       Tensor z = there.clone();
                       z.scatter_reduce_(0, first.view({1, 3}) - 1, to(y), "amax").cpu().eval();
                   });
        };
        const std::string expected = told([](const Tensor& t) { return t; });
        CHECK(contains(expected, "index 4 is out of bounds"));
        CHECK(contains(expected, "index 6 is out of bounds"));
        CHECK(contains(expected, "index -5 is out of bounds"));
        CHECK(contains(expected, "index -1 is out of bounds"));
        CHECK(told([](const Tensor& t) { return Tensor(t.cuda()); }) == expected);
    }
}

TEST_CASE("gpu indices: few launches write through an index") {
    if (!has_gpu()) return;
    const Tensor at = places_below(5000, 20000).cuda(), y = numbers({20000}, kInt).cuda();
    const Tensor f = y.to(kFloat), far = at * 2000;
    at.eval(), y.eval(), f.eval(), far.eval();
    const Tensor whole = zeros({5000}, kInt), real = zeros({5000}, kFloat);
    // Each of them is a call, which counts, and its launches.
    CHECK(launches_of(whole, [&](const Tensor& x) { x.index_put_({at}, y); }) == 1 + 2);
    CHECK(launches_of(whole, [&](const Tensor& x) { x.index_add_(0, at, y); }) == 1 + 1);
    CHECK(launches_of(whole, [&](const Tensor& x) { x.scatter_reduce_(0, at, y, "amax"); }) ==
          1 + 1);
    // Five runs are merged three times. A word for each of ten million places would take longer.
    CHECK(launches_of(zeros({10000000}, kInt), [&](const Tensor& x) { x.index_put_({far}, y); }) ==
          1 + 6);
    CHECK(launches_of(real, [&](const Tensor& x) { x.index_add_(0, at, f); }) == 1 + 6);
}
