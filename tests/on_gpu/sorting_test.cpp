// Sorting by GPU kernels: the results equal the CPU's, bit for bit.
#include "kernels/sort/radix_on_gpu.hpp"
#include "runtime/device/transfer.hpp"
#include "tests/on_gpu/same_on_gpu.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

using namespace sinter;
using namespace sinter::testing;

namespace {

constexpr ScalarType ordered[] = {kFloat, kDouble, kHalf, kBFloat16, kChar,
                                  kShort, kInt,    kLong, kByte,     kBool};

/// Returns unordered numbers, many of them equal; floating dtypes also have NaN, infinity and both
/// zeros.
Tensor unordered(IntArrayRef sizes, ScalarType dtype) {
    int64_t n = 1;
    for (int64_t s : sizes) n *= s;
    const Tensor i = arange(n), mixed = (i * 7919 + i.floor_divide(3) * 104729) % 251 - 100;
    Tensor x = mixed.to(dtype);
    if (x.is_floating_point()) {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        const double inf = std::numeric_limits<double>::infinity();
        x = where(mixed % 17 == 3, tensor(nan, dtype), x);
        x = where(mixed % 19 == 3, tensor(-inf, dtype), x);
        x = where(mixed % 23 == 3, tensor(-0., dtype), x);
    }
    return x.view(sizes);
}

}  // namespace

TEST_CASE("gpu sorting: rows of every dtype and length, along every dimension") {
    if (!has_gpu()) return;
    for (const ScalarType dtype : ordered) {
        CAPTURE(dtype);
        const Tensor x = unordered({3, 37, 10}, dtype);
        for (const int64_t dim : {0, 1, 2})
            for (const bool descending : {false, true}) {
                same_on_gpu([&](auto to) { return to(x).argsort(dim, descending); });
                same_on_gpu([&](auto to) { return std::get<1>(to(x).sort(dim, descending)); });
                same_on_gpu(
                    [&](auto to) { return to(x).transpose(0, 1).argsort(dim, descending); });
            }
        same_on_gpu([&](auto to) { return std::get<1>(to(x).topk(5, 1)); });
        same_on_gpu([&](auto to) { return std::get<1>(to(x).kthvalue(7, 1)); });
    }
    for (const int64_t n : {1, 2, 7, 8, 9, 255, 256, 257, 2047, 2048}) {
        CAPTURE(n);
        const Tensor x = unordered({n}, kFloat), y = unordered({3, n}, kShort);
        same_on_gpu([&](auto to) { return to(x).argsort(0); });
        same_on_gpu([&](auto to) { return to(x).argsort(0, true); });
        same_on_gpu([&](auto to) { return to(y).argsort(1); });
        same_on_gpu([&](auto to) { return to(y).t().argsort(0); });
    }
    same_on_gpu([&](auto to) { return to(zeros({0})).argsort(0); });
    same_on_gpu([&](auto to) { return to(zeros({4, 0})).argsort(0); });
    same_on_gpu([&](auto to) { return to(zeros({4, 0})).argsort(1); });
    same_on_gpu([&](auto to) { return to(tensor(2.5)).argsort(0); });
    same_on_gpu([&](auto to) { return to(zeros({4, 3}).expand({4, 3})).argsort(0, true); });
}

TEST_CASE("gpu sorting: rows that are longer than a block's memory") {
    if (!has_gpu()) return;
    for (const int64_t n : {2049, 4096, 4097, 6145, 20000}) {
        CAPTURE(n);
        const Tensor x = unordered({2, n}, kDouble), y = unordered({n}, kByte);
        same_on_gpu([&](auto to) { return to(x).argsort(1); });
        same_on_gpu([&](auto to) { return to(y).argsort(0, true); });
        same_on_gpu([&](auto to) { return std::get<1>(to(x).topk(n / 2 + 3, 1)); });
        same_on_gpu([&](auto to) { return std::get<1>(to(x).topk(3, 1, false)); });
        same_on_gpu([&](auto to) { return std::get<1>(to(y).topk(1025, 0)); });
        same_on_gpu([&](auto to) { return std::get<1>(to(x).kthvalue(n - 1, 1)); });
    }
    const Tensor x = unordered({2500, 3, 2}, kHalf);
    same_on_gpu([&](auto to) { return to(x).argsort(0); });
    same_on_gpu([&](auto to) { return to(x).transpose(0, 2).argsort(2); });
    same_on_gpu([&](auto to) { return std::get<1>(to(unordered({30000}, kInt)).topk(700)); });
}

namespace {

Tensor bits_of(const Tensor& x) {
    constexpr ScalarType whole[] = {kByte, kShort, kInt, kLong};
    return x.view(whole[std::countr_zero(elementSize(x.scalar_type()))]);
}

/// Returns unordered numbers; of floating dtypes also both zeros and several NaN of each sign, with
/// bits of their own.
Tensor unordered_bits(IntArrayRef sizes, ScalarType dtype) {
    Tensor x = unordered(sizes, dtype);
    if (!x.is_floating_point()) return x;
    const Tensor i = arange(x.numel()).view(sizes), whole = bits_of(x);
    const Tensor changed = where(x.isnan(), whole.bitwise_xor((i % 5).to(whole.dtype())), whole);
    const Tensor minus = bits_of(tensor(-0., dtype));
    return where(x.isnan().logical_and(i % 3 == 0), changed.bitwise_xor(minus), changed)
        .view(dtype);
}

}  // namespace

TEST_CASE("gpu sorting: sorted elements have the bits that they had") {
    if (!has_gpu()) return;
    for (const ScalarType dtype : ordered) {
        CAPTURE(dtype);
        const Tensor x = unordered_bits({3, 37, 10}, dtype);
        for (const bool descending : {false, true}) {
            const auto values = [&](const Tensor& t, int64_t dim) {
                return bits_of(std::get<0>(t.sort(dim, descending)));
            };
            for (const int64_t dim : {0, 1, 2}) {
                same_on_gpu([&](auto to) { return values(to(x), dim); });
                same_on_gpu([&](auto to) { return values(to(x).transpose(0, 1), dim); });
            }
            same_on_gpu([&](auto to) { return values(to(x).slice(1, 1, 37, 3), 1); });
            same_on_gpu(
                [&](auto to) { return bits_of(std::get<0>(to(x).topk(5, 1, descending))); });
        }
        // By merges, by merges of parts, and by the bits of keys.
        const Tensor longer = unordered_bits({2, 5000}, dtype);
        same_on_gpu([&](auto to) { return bits_of(std::get<0>(to(longer).sort(1))); });
        same_on_gpu([&](auto to) { return bits_of(std::get<0>(to(longer.t()).sort(0, true))); });
        same_on_gpu([&](auto to) { return bits_of(std::get<0>(to(longer).topk(1500, 1))); });
        same_on_gpu([&](auto to) { return std::get<1>(to(longer).topk(1500, 1, false)); });
        if (elementSize(dtype) > 2) continue;
        const Tensor longest = unordered_bits({70000}, dtype);
        same_on_gpu([&](auto to) { return bits_of(std::get<0>(to(longest).sort(0))); });
        same_on_gpu([&](auto to) { return bits_of(to(longest).slice(0, 0, 60000, 2).msort()); });
    }
    same_on_gpu([&](auto to) { return std::get<0>(to(tensor(2.5)).sort()); });
    same_on_gpu([&](auto to) { return std::get<0>(to(tensor(2.5)).topk(0)); });
    same_on_gpu([&](auto to) { return std::get<0>(to(zeros({4, 0})).sort(1)); });
    same_on_gpu([&](auto to) { return std::get<0>(to(zeros({4, 0})).sort(0)); });
    same_on_gpu([&](auto to) { return std::get<0>(to(arange(3)).expand({4, 3}).sort(0)); });
}

namespace {

/// Returns rows of all sorts of bits, and of numbers that occur often, both zeros and NaN among
/// them.
Tensor mixed_bits(IntArrayRef sizes, ScalarType dtype) {
    int64_t n = 1;
    for (int64_t s : sizes) n *= s;
    const Tensor i = arange(n) + 1;
    Tensor any = i * 6364136223846793005 + 1442695040888963407;
    any = any.bitwise_xor(any.bitwise_right_shift(tensor(int64_t{29}))) * 2685821657736338717;
    any = any.bitwise_right_shift(tensor(int64_t{64} - 8 * int64_t(elementSize(dtype))));
    if (dtype == kBool) return (any % 2 == 0).view(sizes);
    const Tensor often = unordered({n}, dtype) % tensor(4, dtype);
    const Tensor bits = any.to(bits_of(often).dtype());
    return where(i % 7 < 4, bits, bits_of(often)).view(dtype).view(sizes);
}

/// Returns the indices of a row's elements in order, by the standard library.
template <class T>
Tensor standard_order(const Tensor& row, bool descending) {
    const Tensor numbers = row.to(scalar_type_v<T>).contiguous();
    const auto* const x = static_cast<const T*>(numbers.data_ptr());
    const Tensor order = arange(row.numel()).contiguous();
    auto* const first = static_cast<int64_t*>(order.data_ptr());
    std::stable_sort(first, first + row.numel(), [&](int64_t i, int64_t j) {
        const T a = x[descending ? j : i], b = x[descending ? i : j];
        return a < b || (b != b && a == a);  // NaN is the largest
    });
    return order;
}

}  // namespace

TEST_CASE("gpu sorting: rows around the lengths of tiles are in the order of std::stable_sort") {
    if (!has_gpu()) return;
    for (const ScalarType dtype : ordered)
        for (const int64_t n : {1,    31,   32,   33,   255,  256,  257,  511,  512,  513, 1023,
                                1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 8192, 8193}) {
            CAPTURE(dtype);
            CAPTURE(n);
            const Tensor x = mixed_bits({2, n}, dtype), there = x.cuda();
            for (const bool descending : {false, true}) {
                CAPTURE(descending);
                const auto [values, indices] = there.sort(1, descending);
                const Tensor sorted = bits_of(values.cpu()), places = indices.cpu();
                for (const int64_t row : {0, 1}) {
                    const Tensor order = dtype == kLong
                                             ? standard_order<int64_t>(x[row], descending)
                                             : standard_order<double>(x[row], descending);
                    CHECK(equal(places[row], order));
                    CHECK(equal(sorted[row], bits_of(x[row].gather(0, order))));
                }
            }
        }
}

TEST_CASE("gpu sorting: strided rows and parts of the order of a tile") {
    if (!has_gpu()) return;
    for (const ScalarType dtype : {kDouble, kHalf, kByte, kInt}) {
        CAPTURE(dtype);
        const Tensor x = mixed_bits({3, 1500, 2}, dtype);
        same_on_gpu([&](auto to) { return to(x).argsort(1); });
        same_on_gpu([&](auto to) { return to(x).transpose(0, 2).argsort(1, true); });
        same_on_gpu(
            [&](auto to) { return bits_of(std::get<0>(to(x).slice(1, 3, -1, 2).sort(1))); });
        for (const int64_t n : {516, 2048, 4500}) {
            CAPTURE(n);
            const Tensor y = mixed_bits({2, n}, dtype);
            for (const int64_t k : {int64_t{1}, int64_t{8}, int64_t{128}, int64_t{129}, n / 2})
                for (const bool largest : {false, true}) {
                    CAPTURE(k);
                    const auto part = [&](const Tensor& t) { return t.topk(k, 1, largest); };
                    same_on_gpu([&](auto to) { return std::get<1>(part(to(y))); });
                    same_on_gpu([&](auto to) { return bits_of(std::get<0>(part(to(y)))); });
                    same_on_gpu([&](auto to) { return std::get<1>(to(y).kthvalue(k, 1)); });
                }
            // More equal elements than a block compares, some of them among the first.
            const Tensor few = y == y.slice(1, 0, 1);
            same_on_gpu([&](auto to) { return to(few.to(dtype)).argsort(1); });
            same_on_gpu([&](auto to) { return std::get<1>(to(few.to(dtype)).topk(100, 1)); });
            same_on_gpu([&](auto to) { return std::get<1>(to(zeros({2, n}, dtype)).topk(8, 1)); });
        }
    }
}

TEST_CASE("gpu sorting: a sort reads nothing through its indices") {
    if (!has_gpu()) return;
    const Tensor x = unordered({20000}, kInt).cuda();
    x.eval();
    reset_stats();
    const auto [values, indices] = x.sort(0);
    values.eval(), indices.eval();
    // Tiles, three merges, and one launch for values and indices.
    CHECK(stats().kernels_launched == 5);
}

namespace {

/// Sorts rows of Int or Long keys by `sort`, which gets them in GPU memory, and compares keys and
/// indices with the CPU's.
template <class F>
void same_order(const Tensor& keys, std::size_t index_bytes, F sort) {
    runtime::gpu_stream& stream = runtime::current_stream(runtime::gpu_at(0));
    const auto count = static_cast<std::size_t>(keys.numel());
    const std::size_t key_bytes = elementSize(keys.scalar_type());
    gpu_kernels::scratch there(stream, count * key_bytes);
    runtime::put_copy(stream, there.data(), keys.data_ptr(), count * key_bytes);
    const ordering::gpu_sorted sorted = sort(stream, there);
    REQUIRE(sorted.index_bytes == index_bytes);
    const Tensor indices = empty(keys.sizes(), index_bytes == 8 ? kLong : kInt),
                 ordered_keys = empty(keys.sizes(), keys.scalar_type());
    runtime::put_copy(stream, indices.data_ptr(), sorted.indices.data(), count * index_bytes);
    stream.finish(
        runtime::put_copy(stream, ordered_keys.data_ptr(), sorted.keys.data(), count * key_bytes));
    const auto [values, places] = keys.sort(1);
    CHECK(equal(ordered_keys, values));
    CHECK(equal(indices.to(kLong), places));
}

}  // namespace

TEST_CASE("gpu sorting: keys, with indices as of rows beyond 2^32 elements") {
    if (!has_gpu()) return;
    for (const int64_t n : {0, 1, 100, 2048, 5000}) {
        CAPTURE(n);
        same_order(unordered({2, n}, kLong).abs(), 8, [&](auto& stream, const auto& keys) {
            return ordering::put_sorted(stream, keys, 8, 64, 2, n, 8);
        });
    }
}

TEST_CASE("gpu sorting: keys by their bits, in rows of several parts") {
    if (!has_gpu()) return;
    struct table {
        int64_t rows, n;
    };
    for (const table& of : {table{1, 1}, table{1, 4096}, table{2, 4500}})
        for (const ScalarType dtype : {kInt, kLong})
            for (const int bits : {1, 13, static_cast<int>(8 * elementSize(dtype))})
                for (const std::size_t index_bytes : {std::size_t{4}, std::size_t{8}}) {
                    CAPTURE(of.n);
                    CAPTURE(dtype);
                    CAPTURE(bits);
                    // Many equal keys, and keys that differ in all of their bits.
                    Tensor keys = unordered({of.rows, of.n}, dtype).abs();
                    if (bits > 13) keys = keys * (dtype == kInt ? 6700417 : 36028797018963913);
                    if (bits < 32) keys = keys % (int64_t{1} << bits);
                    same_order(keys.eval(), index_bytes, [&](auto& stream, const auto& there) {
                        return ordering::put_radix_sorted(stream,
                                                          {.space = {},
                                                           .of = {},
                                                           .rows = of.rows,
                                                           .n = of.n,
                                                           .bits = bits,
                                                           .data = nullptr,
                                                           .step = 0,
                                                           .keys = there.data(),
                                                           .carried = nullptr},
                                                          elementSize(dtype), index_bytes);
                    });
                }
}

TEST_CASE("gpu sorting: elements by the bits of their keys") {
    if (!has_gpu()) return;
    const Tensor bytes = unordered({20000, 2}, kByte), halves = unordered({70000}, kHalf);
    REQUIRE(ordering::radix_pays(2, 20000, 8));
    REQUIRE(ordering::radix_pays(1, 70000, 16));
    CHECK(ordering::radix_pays(1, int64_t{1} << 29, 32));
    CHECK_FALSE(ordering::radix_pays(100000, 4096, 8));   // one tile
    CHECK_FALSE(ordering::radix_pays(100000, 8192, 32));  // a merge is less than four passes
    CHECK(ordering::radix_pays(100000, 16384, 8));
    for (const bool descending : {false, true}) {
        same_on_gpu([&](auto to) { return to(bytes).argsort(0, descending); });
        same_on_gpu([&](auto to) { return to(bytes).view({2, 20000}).argsort(1, descending); });
        same_on_gpu([&](auto to) { return std::get<1>(to(halves).sort(0, descending)); });
        same_on_gpu([&](auto to) { return std::get<1>(to(halves).flip(0).sort(0, descending)); });
    }
    same_on_gpu([&](auto to) { return to(halves).nanmedian(); });
    // One place in two gets several elements.
    const Tensor places = unordered({70000}, kLong).abs() * 3, x = randn({70000});
    same_on_gpu(
        [&](auto to) { return zeros({500}, to(x).options()).index_add(0, to(places), to(x)); });
    same_on_gpu(
        [&](auto to) { return zeros({500}, to(x).options()).index_put({to(places)}, to(x)); });
}

TEST_CASE("gpu sorting: medians and modes") {
    if (!has_gpu()) return;
    for (const ScalarType dtype : ordered) {
        CAPTURE(dtype);
        const Tensor x = unordered({5, 41, 3}, dtype);
        for (const int64_t dim : {0, 1, 2}) {
            same_on_gpu([&](auto to) { return std::get<1>(to(x).median(dim)); });
            same_on_gpu([&](auto to) { return std::get<1>(to(x).nanmedian(dim)); });
            same_on_gpu([&](auto to) { return std::get<1>(to(x).mode(dim)); });
        }
    }
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Tensor unknown = full({3, 4}, nan);
    same_on_gpu([&](auto to) { return std::get<1>(to(unknown).nanmedian(1)); });
    same_on_gpu([&](auto to) { return std::get<1>(to(unknown).mode(0)); });
    same_on_gpu([&](auto to) { return std::get<1>(to(zeros({0, 4})).median(1)); });
    same_on_gpu([&](auto to) { return std::get<1>(to(zeros({0, 4})).mode(1)); });
    same_on_gpu([&](auto to) { return to(tensor(2.5)).median(); });
    for (const int64_t n : {2049, 20000}) {
        const Tensor x = unordered({n}, kInt), runs = (arange(n) / 700).to(kShort);
        same_on_gpu([&](auto to) { return to(x).median(); });
        same_on_gpu([&](auto to) { return std::get<1>(to(x).mode(0)); });
        same_on_gpu([&](auto to) { return std::get<1>(to(runs).mode(0)); });
        same_on_gpu([&](auto to) { return std::get<1>(to(runs.flip({0})).mode(0)); });
        same_on_gpu([&](auto to) { return std::get<1>(to(arange(n)).mode(0)); });
    }
}

TEST_CASE("gpu sorting: quantiles") {
    if (!has_gpu()) return;
    for (const ScalarType dtype : {kFloat, kDouble}) {
        CAPTURE(dtype);
        const Tensor x = unordered({4, 33, 3}, dtype), known = x.nan_to_num(1, 5, -5);
        const Tensor q = tensor({0., 0.1, 0.5, 0.77, 1.}, dtype);
        for (const char* how : {"linear", "lower", "higher", "midpoint", "nearest"}) {
            CAPTURE(how);
            same_on_gpu([&](auto to) { return to(known).quantile(to(q), 1, false, how); });
            same_on_gpu([&](auto to) { return to(x).nanquantile(to(q), 1, true, how).isnan(); });
            same_on_gpu(
                [&](auto to) { return to(x).nanquantile(to(q), 0, true, how).nan_to_num(123.); });
        }
        same_on_gpu([&](auto to) { return to(x).quantile(to(q), 2).nan_to_num(123.); });
        same_on_gpu([&](auto to) { return to(known).quantile(0.3); });
        same_on_gpu([&](auto to) { return to(known.transpose(0, 1)).quantile(to(q), 2); });
    }
}

TEST_CASE("gpu sorting: places of values in sorted rows") {
    if (!has_gpu()) return;
    for (const ScalarType dtype : ordered) {
        CAPTURE(dtype);
        const Tensor sequence = std::get<0>(unordered({3, 50}, dtype).sort(1));
        const Tensor values = unordered({3, 20}, dtype);
        for (const bool right : {false, true}) {
            same_on_gpu(
                [&](auto to) { return searchsorted(to(sequence), to(values), false, right); });
            same_on_gpu([&](auto to) {
                return searchsorted(to(sequence[1]), to(values.t()), true, right);
            });
        }
        if (dtype == kBool) continue;
        const Tensor w = unordered({7}, dtype) + 1;
        same_on_gpu([&](auto to) { return isin(to(values), to(w)); });
        same_on_gpu([&](auto to) { return isin(to(values.t()), to(values[0]), false, true); });
        same_on_gpu([&](auto to) { return isin(to(values), to(w.narrow(0, 0, 0))); });
    }
    const Tensor x = unordered({3, 50}, kInt), v = unordered({3, 9}, kInt);
    same_on_gpu([&](auto to) {
        const Tensor s = to(x);
        return searchsorted(s, to(v), false, false, nullopt, s.argsort(1));
    });
    same_on_gpu([&](auto to) { return bucketize(to(v), to(arange(-90, 100, 13))); });
    same_on_gpu([&](auto to) { return searchsorted(to(arange(5)), 3); });
    same_on_gpu([&](auto to) { return searchsorted(to(zeros({0})), to(zeros({3}))); });
    same_on_gpu([&](auto to) { return searchsorted(to(zeros({2, 4})), to(zeros({2, 0}))); });
    const auto told = [&](auto to) {
        Tensor bad = arange(150).view({3, 50}) % 50;
        bad[1][7].fill_(-3);
        bad[2][3].fill_(50);
        return text_of([&] { searchsorted(to(x), to(v), false, false, nullopt, to(bad)).eval(); });
    };
    const std::string expected = told([](const Tensor& t) { return t; });
    CHECK(contains(expected, "got -3 for rows of 50 elements"));
    CHECK(told([](const Tensor& t) { return Tensor(t.cuda()); }) == expected);
}

TEST_CASE("gpu sorting: counts in parts of a range") {
    if (!has_gpu()) return;
    for (const ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16}) {
        CAPTURE(dtype);
        const Tensor x = unordered({5, 41, 3}, dtype).nan_to_num(1, 5, -5);
        same_on_gpu([&](auto to) { return to(x).histc(10); });
        same_on_gpu([&](auto to) { return to(x).transpose(0, 2).histc(7, -20, 30); });
        same_on_gpu([&](auto to) { return to(unordered({300}, dtype)).histc(5, -60, 60); });
        same_on_gpu([&](auto to) { return std::get<0>(to(x).histogram(9)); });
        same_on_gpu([&](auto to) { return std::get<1>(to(x).histogram(9)); });
        const Tensor edges = tensor({-70., -10., -10., 0., 3., 120.}, dtype);
        same_on_gpu([&](auto to) { return std::get<0>(to(x).histogram(to(edges))); });
        const Tensor w = (arange(x.numel()) % 8).view(x.sizes()).to(dtype);
        same_on_gpu([&](auto to) {
            return std::get<0>(to(x.transpose(0, 1)).histogram(to(edges), to(w.transpose(0, 1))));
        });
        same_on_gpu([&](auto to) { return std::get<0>(to(x).histogram(8, nullopt, to(w), true)); });
    }
    same_on_gpu([&](auto to) { return to(zeros({0})).histc(4); });
    same_on_gpu([&](auto to) { return std::get<1>(to(zeros({0})).histogram(4)); });
    same_on_gpu([&](auto to) { return to(ones({9})).histc(5000); });
    const auto told = [](auto to) {
        return text_of([&] { to(unordered({300}, kFloat)).histc(5).eval(); }) +
               text_of([&] { to(zeros({3}).log()).histc(5).eval(); }) +
               text_of([&] { to(tensor({3, -2, -7})).bincount(); });
    };
    const std::string expected = told([](const Tensor& x) { return x; });
    CHECK(contains(expected, "the range is not finite; got nan"));
    CHECK(contains(expected, "an element is negative; got -2"));
    CHECK(told([](const Tensor& x) { return Tensor(x.cuda()); }) == expected);
    const Tensor n = (arange(5000) * 7919) % 137;
    for (const ScalarType dtype : {kByte, kInt, kLong})
        same_on_gpu([&](auto to) { return to(n.to(dtype)).bincount(); });
    same_on_gpu([&](auto to) { return to(n * 100).bincount(nullopt, 20000); });
    same_on_gpu([&](auto to) { return to(n).bincount(to(arange(5000) * 0.5)); });
    same_on_gpu([&](auto to) { return to(n).bincount(to((arange(5000) * 0.3).to(kDouble))); });
    same_on_gpu([&](auto to) { return to(n % 2).bincount(to(arange(5000))); });
    same_on_gpu([&](auto to) { return to(zeros({0}, kLong)).bincount(nullopt, 3); });
}

TEST_CASE("gpu sorting: elements at the borders of bins are counted as on the CPU") {
    if (!has_gpu()) return;
    const double inf = std::numeric_limits<double>::infinity();
    for (const ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16})
        for (const double width : {1., 0.7, 3e-20, 7e30}) {
            if (elementSize(dtype) == 2 && width != 1 && width != 0.7) continue;
            CAPTURE(dtype);
            CAPTURE(width);
            for (const int64_t bins : {1, 3, 100, 4096, 4097}) {
                CAPTURE(bins);
                // Multiples of the width of a bin, and their neighbours.
                const Tensor borders = arange(bins + 1).to(kDouble) * (width / bins);
                const Tensor near = stack({borders, borders * (1 + 1e-7), borders * (1 - 1e-7),
                                           borders * (1 + 2e-16), borders * 1.3, -borders});
                const Tensor x =
                    cat({near.view({-1}), tensor({inf, -inf, std::nan("")}, kDouble)}).to(dtype);
                same_on_gpu([&](auto to) { return to(x).histc(bins, 0, width); });
                same_on_gpu([&](auto to) { return to(x).slice(0, 1).histc(bins, 0, width); });
                same_on_gpu(
                    [&](auto to) { return to(x).slice(0, 0, 40, 3).histc(bins, 0, width); });
            }
        }
    const Tensor x = rand({40, 70}, kFloat);
    same_on_gpu([&](auto to) { return to(x).histc(50); });
    same_on_gpu([&](auto to) { return to(x).slice(1, 3).histc(50); });
    same_on_gpu([&](auto to) { return to(x).slice(1, 3).t().histc(50, 0.1, 0.8); });
}

TEST_CASE("gpu sorting: sets") {
    if (!has_gpu()) return;
    for (const ScalarType dtype : ordered) {
        CAPTURE(dtype);
        Tensor x = unordered({6, 50}, dtype);
        if (x.is_floating_point()) x = x.nan_to_num(7);
        same_on_gpu(
            [&](auto to) { return std::get<0>(sinter::_unique2(to(x), true, true, true)); });
        same_on_gpu(
            [&](auto to) { return std::get<1>(sinter::_unique2(to(x), true, true, true)); });
        same_on_gpu(
            [&](auto to) { return std::get<2>(sinter::_unique2(to(x), true, true, true)); });
    }
    const Tensor x = (arange(60) * 7 % 3).view({15, 2, 2}), runs = arange(90).floor_divide(7) % 2;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Tensor odd = tensor({nan, 1., -0., 0., nan, 1.});
    same_on_gpu([&](auto to) { return std::get<1>(sinter::_unique2(to(odd), true, true, true)); });
    for (const int64_t dim : {0, 1}) {
        same_on_gpu([&](auto to) { return std::get<0>(unique_dim(to(x), dim, true, true, true)); });
        same_on_gpu([&](auto to) { return std::get<1>(unique_dim(to(x), dim, true, true, true)); });
        same_on_gpu([&](auto to) { return std::get<2>(unique_dim(to(x), dim, true, true, true)); });
    }
    same_on_gpu([&](auto to) { return std::get<0>(unique_consecutive(to(runs), true, true)); });
    same_on_gpu([&](auto to) { return std::get<1>(unique_consecutive(to(runs), true, true)); });
    same_on_gpu([&](auto to) { return std::get<2>(unique_consecutive(to(runs), true, true, 0)); });
    same_on_gpu([&](auto to) { return std::get<0>(unique_consecutive(to(x), true, true, 0)); });
    same_on_gpu([&](auto to) { return std::get<0>(sinter::_unique2(to(tensor({5})), true)); });
    same_on_gpu([&](auto to) { return std::get<0>(sinter::_unique2(to(zeros({0})), true)); });
}

TEST_CASE("gpu sorting: sets of slices of any length") {
    if (!has_gpu()) return;
    const auto same_sets = [](const Tensor& x, int64_t dim) {
        same_on_gpu([&](auto to) {
            const Tensor y = std::get<0>(unique_dim(to(x), dim, true, true, true));
            return bits_of(y.contiguous());
        });
        same_on_gpu([&](auto to) { return std::get<1>(unique_dim(to(x), dim, true, true, true)); });
        same_on_gpu([&](auto to) { return std::get<2>(unique_dim(to(x), dim, true, true, true)); });
    };
    // Some slices are equal, others differ in one element.
    for (const int64_t columns : {2, 3, 33, 70}) {
        CAPTURE(columns);
        const Tensor i = arange(40 * columns).view({40, columns});
        const Tensor rows = (arange(40) * 7919 % 11).unsqueeze(1), at = i % columns;
        const Tensor x = where(at == rows * 5 % columns, rows % 3 - 1, zeros({1}, kLong));
        for (const ScalarType dtype : {kFloat, kLong, kBool}) {
            CAPTURE(dtype);
            same_sets(x.to(dtype), 0);
            same_sets(x.to(dtype).t(), 1);
        }
        const Tensor y = unordered_bits({40, columns}, kDouble);
        same_sets(where(rows > 4, y, y.narrow(0, 0, 1)), 0);
        same_sets(where(at % 3 == 1, y, tensor(-0., kDouble)), 0);
    }
    const float inf = std::numeric_limits<float>::infinity();
    const float most = std::numeric_limits<float>::max();
    const Tensor ends = tensor({inf, 1.f, most, 0.f, inf, 1.f, -inf, 2.f, -most, 1.f, most, 0.f});
    same_sets(ends.view({6, 2}), 0);
    same_sets(numbers({1, 40}, kInt), 0);
    same_sets(numbers({40, 1}, kInt), 0);
    same_sets((arange(5000 * 36) * 7919 % 3 / 2).view({5000, 6, 6}).narrow(1, 1, 5), 0);
    same_sets(numbers({3, 40, 7}, kShort) % 2, 1);
    // Many slices: the ranks of some columns are found before those of the others.
    const Tensor many = (arange(540000) * 7919 % 1000003 % 2).view({135000, 4}) == 1;
    same_on_gpu([&](auto to) { return std::get<2>(unique_dim(to(many), 0, true, true, true)); });
}

TEST_CASE("gpu sorting: permutations are those of the CPU") {
    if (!has_gpu()) return;
    const auto drawn = [](int64_t n, const TensorOptions& options, int seed) {
        manual_seed(seed);
        return randperm(n, options);
    };
    for (const int64_t n : {0, 1, 2, 3, 5, 100, 127, 2049, 70000})
        for (const ScalarType dtype : {kLong, kInt, kChar, kHalf, kBFloat16, kFloat, kDouble}) {
            if (n > (dtype == kChar ? 128 : dtype == kBFloat16 ? 257 : dtype == kHalf ? 2049 : n))
                continue;
            CAPTURE(n);
            CAPTURE(dtype);
            // Of few numbers all orders occur, as that in which a step leaves its number in place.
            for (int seed = 0; seed < (n < 6 ? 30 : 1); seed++) {
                const Tensor expected = drawn(n, dtype, seed);
                reset_stats();
                const Tensor got = drawn(n, TensorOptions(dtype).device(kCUDA), seed);
                got.eval();
                CHECK(stats().host_fallbacks == 0);
                CHECK(equal(got.cpu(), expected));
            }
        }
    CHECK(equal(drawn(2, TensorOptions(kBool).device(kCUDA), 7).cpu(), drawn(2, kBool, 7)));
}

TEST_CASE("gpu sorting: derivatives of the digamma function") {
    if (!has_gpu()) return;
    const Tensor x = tensor({0.3, 1., 7.5, 40., 0., -0.5, -3., -7.25, 1e-3, 1e9}).view({2, 5});
    for (const ScalarType dtype : {kFloat, kDouble})
        for (const int64_t n : {2, 3, 20})
            same_on_gpu([&](auto to) { return to(x.t().to(dtype)).polygamma(n); });
}
