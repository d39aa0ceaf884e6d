// The product kernels, compared with three loops in f64, over every pair of layouts.
#include "kernels/linalg/product.hpp"

#include "runtime/threads/threads.hpp"
#include "tests/linalg/products/product_case.hpp"
#include "tests/seed.hpp"

#include <sinter/error.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <thread>

using namespace sinter;
using namespace sinter::test;

namespace {

/// The sum of k products in T, in any order, within k rounding errors; 16-bit floats round once
/// more.
template <class T>
double bound(int64_t k) {
    const double wide = sizeof(T) == 8 ? 0x1p-53 : 0x1p-24;
    return wide * static_cast<double>(k + 1) + (std::is_same_v<T, Half>       ? 0x1p-10
                                                : std::is_same_v<T, BFloat16> ? 0x1p-7
                                                                              : 0);
}

struct size3 {
    int64_t m, n, k;
};

template <class T>
void check(const size3& s, arrangement la, arrangement lb, const std::vector<int64_t>& batch,
           bool repeat_a, bool repeat_b, std::mt19937_64& random) {
    array<T> a = make_array<T>(la, batch, s.m, s.k, repeat_a);
    array<T> b = make_array<T>(lb, batch, s.k, s.n, repeat_b);
    fill(a, random);
    fill(b, random);
    const auto got = run_product(blas::matmul_op, a, b);
    const worst_case w = compare(a, b, got);
    CAPTURE(s.m);
    CAPTURE(s.n);
    CAPTURE(s.k);
    CAPTURE(static_cast<int>(la));
    CAPTURE(static_cast<int>(lb));
    CHECK(w.finite);
    CHECK(w.error <= bound<T>(s.k));
}

/// The product modulo 2^64, truncated to T.
template <class T>
std::vector<T> wrapped(array<T>& a, array<T>& b) {
    const int nb = a.shape->ndim - 2;
    const int64_t m = a.shape->sizes()[nb], k = a.shape->sizes()[nb + 1];
    const int64_t n = b.shape->sizes()[nb + 1],
                  batches = a.shape->numel / std::max<int64_t>(m * k, 1);
    std::vector<T> r;
    for (int64_t i = 0; i < batches; ++i)
        for (int64_t row = 0; row < m; ++row)
            for (int64_t col = 0; col < n; ++col) {
                uint64_t sum = 0;
                for (int64_t p = 0; p < k; ++p)
                    sum += static_cast<uint64_t>(a.at(i, row, p)) *
                           static_cast<uint64_t>(b.at(i, p, col));
                r.push_back(static_cast<T>(sum));
            }
    return r;
}

/// Restores the thread count.
struct threads_scope {
    int before = get_num_threads();
    ~threads_scope() { set_num_threads(before); }
};

template <class T>
void check_thread_counts(const size3& s, const std::vector<int64_t>& batch,
                         std::mt19937_64& random) {
    array<T> a = make_array<T>(arrangement::rows, batch, s.m, s.k);
    array<T> b = make_array<T>(arrangement::columns, batch, s.k, s.n);
    fill(a, random);
    fill(b, random);
    threads_scope scope;
    set_num_threads(1);
    const auto one = run_product(blas::matmul_op, a, b);
    for (int threads : {2, 3, 7}) {
        set_num_threads(threads);
        CAPTURE(threads);
        CHECK(same_bits(one, run_product(blas::matmul_op, a, b)));
    }
}

}  // namespace

TEST_SUITE_BEGIN("host");

TEST_CASE_TEMPLATE("a product is right for every pair of layouts", T, float, double, Half,
                   BFloat16) {
    std::mt19937_64 random(seed());
    for (size3 s : {size3{1, 1, 1},
                    {5, 7, 3},
                    {17, 33, 40},
                    {1, 9, 12},
                    {9, 1, 12},
                    {1, 1, 50},
                    {4, 6, 1},
                    {2, 1, 1},
                    {1, 2, 1}})
        for (arrangement a : all_layouts)
            for (arrangement b : all_layouts) check<T>(s, a, b, {}, false, false, random);
}

TEST_CASE_TEMPLATE("batches, own and repeated", T, float, double, Half, BFloat16) {
    std::mt19937_64 random(seed() + 1);
    for (size3 s : {size3{3, 4, 5}, {1, 6, 5}, {6, 1, 5}, {1, 1, 5}})
        for (arrangement l : all_layouts)
            for (int repeated = 0; repeated < 4; ++repeated) {
                check<T>(s, l, arrangement::rows, {4}, repeated & 1, repeated & 2, random);
                check<T>(s, arrangement::columns, l, {2, 3}, repeated & 1, repeated & 2, random);
            }
}

TEST_CASE_TEMPLATE("products that are cut into tiles", T, float, double) {
    std::mt19937_64 random(seed() + 2);
    // One size for each kind of cut: edges, k, both, long vectors, few long dots.
    for (size3 s : {size3{430, 410, 390},
                    {20, 30, 120000},
                    {300, 500, 1100},
                    {150, 900, 700},
                    {100, 90, 5000},
                    {2000, 1, 700},
                    {1, 2000, 700},
                    {3, 1, 300000},
                    {1, 1, 700000}})
        check<T>(s, arrangement::rows, arrangement::sliced_columns, {}, false, false, random);
    check<T>({3, 1, 150000}, arrangement::rows, arrangement::rows, {2}, false, true, random);
}

TEST_CASE_TEMPLATE("integers wrap", T, uint8_t, int8_t, int16_t, int32_t, int64_t) {
    std::mt19937_64 random(seed() + 3);
    for (size3 s :
         {size3{1, 1, 1}, {5, 7, 3}, {18, 35, 20}, {1, 40, 9}, {40, 1, 9}, {150, 170, 160}})
        for (arrangement l : all_layouts) {
            if (s.m == 150 && l != arrangement::stepped) continue;
            array<T> a = make_array<T>(l, {2}, s.m, s.k);
            array<T> b = make_array<T>(arrangement::columns, {2}, s.k, s.n, true);
            fill(a, random);
            fill(b, random);
            CHECK(same_bits(run_product(blas::matmul_op, a, b), wrapped(a, b)));
            array<T> c = make_array<T>(arrangement::rows, {2}, s.m, s.k, true);
            array<T> d = make_array<T>(l, {2}, s.k, s.n);
            fill(c, random);
            fill(d, random);
            CHECK(same_bits(run_product(blas::bmm_op, c, d), wrapped(c, d)));
        }
}

TEST_CASE_TEMPLATE("nothing to sum is zero, nothing to write is fine", T, float, double, Half,
                   BFloat16, int32_t, int64_t, uint8_t, int8_t) {
    array<T> a = make_array<T>(arrangement::rows, {2}, 3, 0),
             b = make_array<T>(arrangement::rows, {2}, 0, 4);
    a.memory.resize(1);
    b.memory.resize(1);
    const auto zeros = run_product(blas::matmul_op, a, b);
    CHECK(zeros.size() == 24);
    for (const T& x : zeros) CHECK(x == T(0));
    for (size3 s : {size3{0, 4, 3}, {3, 0, 4}, {0, 0, 0}}) {
        array<T> c = make_array<T>(arrangement::rows, {2}, s.m, s.k);
        array<T> d = make_array<T>(arrangement::rows, {2}, s.k, s.n);
        c.memory.resize(16);
        d.memory.resize(16);
        CHECK(run_product(blas::bmm_op, c, d).empty());
    }
    array<T> e = make_array<T>(arrangement::rows, {0}, 3, 3),
             f = make_array<T>(arrangement::rows, {0}, 3, 3);
    e.memory.resize(1);
    f.memory.resize(1);
    CHECK(run_product(blas::matmul_op, e, f).empty());
}

TEST_CASE("Half is rounded once, at the end") {
    // 1 + 2^-11 * 2048 terms: intermediate rounding would lose every small one.
    array<Half> a = make_array<Half>(arrangement::rows, {}, 2, 2049);
    array<Half> b = make_array<Half>(arrangement::rows, {}, 2049, 2);
    for (int64_t p = 0; p < 2049; ++p)
        for (int64_t i = 0; i < 2; ++i) {
            a.at(0, i, p) = Half(p == 0 ? 1.0f : 0x1p-11f);
            b.at(0, p, i) = Half(1.0f);
        }
    for (Half x : run_product(blas::mm_op, a, b)) CHECK(float(x) == 2.0f);
}

TEST_CASE("NaN and infinity pass through") {
    array<float> a = make_array<float>(arrangement::rows, {}, 3, 3);
    array<float> b = make_array<float>(arrangement::rows, {}, 3, 3);
    for (float& x : a.memory) x = 1;
    for (float& x : b.memory) x = 1;
    a.at(0, 0, 0) = NAN;
    a.at(0, 1, 0) = INFINITY;
    const auto r = run_product(blas::mm_op, a, b);
    for (int c = 0; c < 3; ++c) {
        CHECK(std::isnan(r[c]));
        CHECK(std::isinf(r[3 + c]));
        CHECK(r[6 + c] == 3);
    }
}

TEST_CASE("every number of threads gives the same bits") {
    std::mt19937_64 random(seed() + 4);
    for (size3 s : {size3{430, 410, 390},
                    {20, 30, 120000},
                    {150, 900, 700},
                    {2000, 1, 700},
                    {1, 2000, 700},
                    {1, 1, 700001},
                    {40, 50, 60}}) {
        CAPTURE(s.m);
        CAPTURE(s.n);
        check_thread_counts<float>(s, {}, random);
        check_thread_counts<double>(s, {}, random);
    }
    check_thread_counts<float>({30, 30, 30}, {50}, random);
    check_thread_counts<double>({250, 300, 200}, {5}, random);
    check_thread_counts<Half>({300, 300, 300}, {}, random);
    check_thread_counts<int32_t>({200, 150, 100}, {}, random);
}

TEST_CASE_TEMPLATE("threads may cut rows anywhere", T, float, double) {
    std::mt19937_64 random(seed() + 6);
    for (int i = 0; i < cases(12); ++i) {
        const auto size = [&](int64_t low, int64_t high) {
            return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low));
        };
        const size3 s{size(100, 900), size(60, 500), size(100, 700)};
        CAPTURE(s.m);
        CAPTURE(s.n);
        CAPTURE(s.k);
        const arrangement la = all_layouts[random() % 6], lb = all_layouts[random() % 6];
        array<T> a = make_array<T>(la, {}, s.m, s.k), b = make_array<T>(lb, {}, s.k, s.n);
        fill(a, random);
        fill(b, random);
        threads_scope scope;
        set_num_threads(1);
        const auto one = run_product(blas::matmul_op, a, b);
        for (int threads : {2, 3, 4, 5, 8}) {
            set_num_threads(threads);
            CAPTURE(threads);
            CHECK(same_bits(one, run_product(blas::matmul_op, a, b)));
        }
    }
}

TEST_CASE("64 callers at once") {
    std::mt19937_64 random(seed() + 5);
    array<double> a = make_array<double>(arrangement::rows, {}, 90, 80);
    array<double> b = make_array<double>(arrangement::columns, {}, 80, 70);
    fill(a, random);
    fill(b, random);
    const auto expected = run_product(blas::mm_op, a, b);
    std::vector<char> right(64, 0);
    std::vector<std::thread> callers;
    for (std::size_t i = 0; i < right.size(); ++i)
        callers.emplace_back([&, i] {
            bool all = true;
            for (int times = 0; times < 5; ++times)
                all = all && same_bits(expected, run_product(blas::mm_op, a, b));
            right[i] = all;
        });
    for (std::thread& t : callers) t.join();
    for (char r : right) CHECK(r == 1);
}

TEST_CASE("Bool has no product") {
    geometry_ptr g = make_contiguous({1, 1});
    const char bytes[1] = {1};
    char out[1];
    const op_input in[] = {{bytes, g.get(), kBool}, {bytes, g.get(), kBool}};
    CHECK_THROWS_WITH_AS(
        blas::mm_op.run({blas::mm_op, in, {}, out, *g, kBool}),
        "[mm] booleans are not supported; got Bool, expected a numeric dtype; try .to(kLong) first",
        NotImplementedError);
}

TEST_CASE("each operation says its own name") {
    CHECK(std::string(blas::matmul_op.name) == "matmul");
    CHECK(std::string(blas::mm_op.name) == "mm");
    CHECK(std::string(blas::mv_op.name) == "mv");
    CHECK(std::string(blas::dot_op.name) == "dot");
    CHECK(std::string(blas::bmm_op.name) == "bmm");
}

TEST_SUITE_END();
