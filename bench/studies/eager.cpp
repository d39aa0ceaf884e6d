// Compares eager mode with a hand-written loop for one operation, under the same numerics and on
// one thread. Prints the loop's time divided by the operation's, interleaved in one process. The
// project's lower limit is 0.8. Build with -O3 -march=native -ffp-contract=off -fno-math-errno
// -fno-trapping-math.
#include <sinter/math/host.hpp>
#include <sinter/op/rows.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

namespace {

using namespace sinter;

/// Returns the nanoseconds of one call of each: the best of several batches, `a` and `b` in turns.
std::pair<double, double> race(int64_t n, const std::function<void()>& a,
                               const std::function<void()>& b) {
    using clock = std::chrono::steady_clock;
    const int64_t batch = std::max<int64_t>(1, 200000 / n);
    const auto once = [&](const std::function<void()>& f) {
        const auto start = clock::now();
        for (int64_t i = 0; i < batch; ++i) f();
        const std::chrono::duration<double, std::nano> t = clock::now() - start;
        return t.count() / static_cast<double>(batch);
    };
    double best_a = 1e300, best_b = 1e300;
    for (int round = 0; round < (n > 1000000 ? 15 : 60); ++round) {
        best_a = std::min(best_a, once(a));
        best_b = std::min(best_b, once(b));
    }
    return {best_a, best_b};
}

void report(const char* what, const char* type, int64_t n, std::pair<double, double> ns) {
    std::printf("%-22s %-4s n=%-9lld hand %12.1f ns  eager %12.1f ns  ratio %.2f\n", what, type,
                static_cast<long long>(n), ns.first, ns.second, ns.first / ns.second);
}

template <class T>
constexpr const char* name = sizeof(T) == 4 ? "f32" : "f64";

template <class T>
void bench(int64_t n) {
    const ScalarType type = scalar_type_v<T>;
    const auto size = static_cast<std::size_t>(n);
    std::vector<T> x(size), y(size), z(size);
    for (std::size_t i = 0; i < size; ++i) {
        x[i] = static_cast<T>(i % 1000) / 500 - 1;
        y[i] = static_cast<T>(i % 777) / 300;
    }
    const auto tensor = [&](std::vector<T>& v) {
        return from_blob(v.data(), {n}, TensorOptions(type));
    };
    const Tensor tx = tensor(x), ty = tensor(y);
    Tensor tz = tensor(z);
    T* __restrict out = z.data();
    const T* a = x.data();
    const T* b = y.data();

    report("add", name<T>, n,
           race(
               n,
               [&] {
                   for (int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
               },
               [&] { add_out(tz, tx, ty); }));
    report("mul", name<T>, n,
           race(
               n,
               [&] {
                   for (int64_t i = 0; i < n; ++i) out[i] = a[i] * b[i];
               },
               [&] { mul_out(tz, tx, ty); }));
    T factor = static_cast<T>(1.5);
    report("mul scalar", name<T>, n,
           race(
               n,
               [&] {
                   for (int64_t i = 0; i < n; ++i) out[i] = a[i] * factor;
               },
               [&] { mul_out(tz, tx, factor); }));
    T* __restrict c = z.data();
    report("add in place", name<T>, n,
           race(
               n,
               [&] {
                   for (int64_t i = 0; i < n; ++i) c[i] += b[i];
               },
               [&] { tz.add_(ty); }));
    report("exp", name<T>, n,
           race(
               n,
               [&] {
                   [[maybe_unused]] const auto f = [&]() __attribute__((flatten)) {
                       for (int64_t i = 0; i < n; ++i)
                           out[i] = rows::exp::value(math::host<T>::from(a[i])).v;
                   };
                   f();
               },
               [&] { exp_out(tz, tx); }));

    // ---- reductions: over everything, and over the rows of a table of 100 columns
    volatile T sink;
    report("sum, free order", name<T>, n,
           race(
               n,
               [&] {
                   T lane[64] = {};
                   int64_t i = 0;
                   for (; i + 64 <= n; i += 64) {
                       for (int l = 0; l < 64; ++l) lane[l] += a[i + l];
                   }
                   for (; i < n; ++i) lane[0] += a[i];
                   for (int l = 1; l < 64; ++l) lane[0] += lane[l];
                   sink = lane[0];
               },
               [&] { const Tensor total = tx.sum(); }));
    (void)sink;
    if (n < 100000) return;
    const Tensor table = tx.reshape({n / 100, 100});
    for (int axis = 0; axis < 2; ++axis) {
        const int64_t rows = n / 100;
        report(axis == 0 ? "sum rows, free order" : "sum columns, free", name<T>, n,
               race(
                   n,
                   [&] {
                       if (axis == 0) {
                           std::fill_n(out, 100, T(0));
                           for (int64_t r = 0; r < rows; ++r) {
                               for (int64_t i = 0; i < 100; ++i) out[i] += a[r * 100 + i];
                           }
                       } else {
                           for (int64_t r = 0; r < rows; ++r) {
                               T lane[16] = {}, total = 0;
                               for (int64_t i = 0; i < 96; i += 16) {
                                   for (int l = 0; l < 16; ++l) lane[l] += a[r * 100 + i + l];
                               }
                               for (int64_t i = 96; i < 100; ++i) total += a[r * 100 + i];
                               for (T l : lane) total += l;
                               out[r] = total;
                           }
                       }
                   },
                   [&] { const Tensor total = table.sum(axis); }));
    }
}

}  // namespace

int main() {
    sinter::set_num_threads(1);
    sinter::set_mode(sinter::Mode::eager);
    for (int64_t n : {1000, 10000, 100000, 1000000, 10000000}) {
        bench<float>(n);
        bench<double>(n);
    }
}
