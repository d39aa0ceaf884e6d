// The cost of a fixed reduction order, by lanes (L) and chunk (C): sums along the inner axis and
// along the outer axis in the order of jit/kernel_ir/reduce_order.hpp, compared with loops in a
// free order. Results and how to run: reduce_order.md.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

template <class T>
struct simd {
    typedef T type __attribute__((vector_size(vector_bytes), aligned(sizeof(T)), may_alias));
    static constexpr int width = vector_bytes / sizeof(T);
};

template <class T>
T merge_chunks(std::vector<T>& stack, int64_t chunk, T state) {
    stack.push_back(state);
    for (; chunk & 1; chunk >>= 1) {
        T upper = stack.back();
        stack.pop_back();
        stack.back() += upper;
    }
    return state;
}

// ---- inner axis: L lanes in registers
template <class T, int L, int C>
T inner(const T* x, int64_t n) {
    using vec = typename simd<T>::type;
    constexpr int width = simd<T>::width, regs = L / width;
    std::vector<T> stack;
    stack.reserve(64);
    for (int64_t begin = 0, chunk = 0; begin < n; begin += C, ++chunk) {
        int64_t count = std::min<int64_t>(C, n - begin) / L * L;
        vec acc[regs] = {};
        for (int64_t i = 0; i < count; i += L) {
#pragma GCC unroll 32
            for (int r = 0; r < regs; ++r) {
                acc[r] += *reinterpret_cast<const vec*>(x + begin + i + r * width);
            }
        }
        T lanes[L];
        std::memcpy(lanes, acc, sizeof lanes);
        for (int l = 0; begin + count + l < std::min<int64_t>(n, begin + C); ++l) {
            lanes[l] += x[begin + count + l];
        }
        for (int h = L / 2; h > 0; h /= 2) {
            for (int l = 0; l < h; ++l) lanes[l] += lanes[l + h];
        }
        merge_chunks(stack, chunk, lanes[0]);
    }
    T total = stack.back();
    stack.pop_back();
    for (; !stack.empty(); stack.pop_back()) total = stack.back() + total;
    return total;
}

template <class T>
T inner_free(const T* x, int64_t n) {
    using vec = typename simd<T>::type;
    constexpr int width = simd<T>::width;
    vec acc[8] = {};
    int64_t i = 0;
    for (; i + 8 * width <= n; i += 8 * width) {
#pragma GCC unroll 8
        for (int r = 0; r < 8; ++r) {
            acc[r] += *reinterpret_cast<const vec*>(x + i + r * width);
        }
    }
    for (int r = 1; r < 8; ++r) acc[0] += acc[r];
    T total = 0;
    for (int l = 0; l < width; ++l) total += acc[0][l];
    for (; i < n; ++i) total += x[i];
    return total;
}

// ---- outer axis: a strip of columns, L lanes in memory for each; one pass over the strip takes
// `together` rows of a lane, so that a lane is loaded and stored once for all of them
template <class T, int L, int C, int strip_bytes, int together>
void outer(const T* x, int64_t rows, int64_t cols, T* out) {
    using vec = typename simd<T>::type;
    constexpr int width = simd<T>::width;
    constexpr int strip = strip_bytes / static_cast<int>(sizeof(T));
    std::vector<T> stack;
    alignas(64) static T lanes[L * strip];
    for (int64_t c0 = 0; c0 < cols; c0 += strip) {
        const int w = static_cast<int>(std::min<int64_t>(strip, cols - c0)) / width * width;
        stack.clear();
        int depth = 0;
        for (int64_t begin = 0, chunk = 0; begin < rows; begin += C, ++chunk) {
            const int64_t end = std::min<int64_t>(rows, begin + C);
            const int used = static_cast<int>(std::min<int64_t>(L, end - begin));
            for (int64_t base = begin; base < end; base += L * together) {
                for (int l = 0; l < used && base + l < end; ++l) {
                    T* a = lanes + l * strip;
                    const T* row = x + (base + l) * cols + c0;
                    const int64_t count = std::min<int64_t>(together, (end - base - l - 1) / L + 1);
                    const int64_t step = L * cols;
                    if (count == together) {
                        for (int i = 0; i < w; i += width) {
                            vec s{};
                            if (base != begin) s = *reinterpret_cast<vec*>(a + i);
#pragma GCC unroll 8
                            for (int k = 0; k < together; ++k) {
                                s += *reinterpret_cast<const vec*>(row + k * step + i);
                            }
                            *reinterpret_cast<vec*>(a + i) = s;
                        }
                        continue;
                    }
                    if (base == begin) std::fill_n(a, w, T(0));
                    for (int64_t k = 0; k < count; ++k) {
                        for (int i = 0; i < w; i += width) {
                            *reinterpret_cast<vec*>(a + i) +=
                                *reinterpret_cast<const vec*>(row + k * step + i);
                        }
                    }
                }
            }
            for (int h = L / 2; h > 0; h /= 2) {
                for (int l = 0; l < h && l + h < used; ++l) {
                    for (int i = 0; i < w; ++i) lanes[l * strip + i] += lanes[(l + h) * strip + i];
                }
            }
            stack.resize(static_cast<std::size_t>(depth + 1) * strip);
            std::copy_n(lanes, w, &stack[static_cast<std::size_t>(depth++) * strip]);
            for (int64_t c = chunk; c & 1; c >>= 1, --depth) {
                T* lower = &stack[static_cast<std::size_t>(depth - 2) * strip];
                for (int i = 0; i < w; ++i) lower[i] += lower[strip + i];
            }
        }
        for (; depth > 1; --depth) {
            T* lower = &stack[static_cast<std::size_t>(depth - 2) * strip];
            for (int i = 0; i < w; ++i) lower[i] += lower[strip + i];
        }
        std::copy_n(stack.data(), w, out + c0);
    }
}

template <class T>
void outer_free(const T* x, int64_t rows, int64_t cols, T* out) {
    using vec = typename simd<T>::type;
    constexpr int width = simd<T>::width;
    std::fill_n(out, cols, T(0));
    constexpr int64_t strip = 16384 / sizeof(T);
    for (int64_t c0 = 0; c0 < cols; c0 += strip) {
        const int64_t c1 = std::min(cols, c0 + strip);
        int64_t j = 0;
        for (; j + 4 <= rows; j += 4) {
            const T* r = x + j * cols;
            for (int64_t i = c0; i + width <= c1; i += width) {
                auto at = [&](int64_t k) {
                    return *reinterpret_cast<const vec*>(r + k * cols + i);
                };
                *reinterpret_cast<vec*>(out + i) += (at(0) + at(1)) + (at(2) + at(3));
            }
        }
        for (; j < rows; ++j) {
            for (int64_t i = c0; i < c1; ++i) out[i] += x[j * cols + i];
        }
    }
}

// ---- measuring
volatile double sink;

template <class F>
double best_ns(F&& f, int64_t bytes) {
    using clock = std::chrono::steady_clock;
    const int64_t inner = std::max<int64_t>(1, 4'000'000 / bytes);
    double best = 1e300;
    const auto stop = clock::now() + std::chrono::milliseconds(25);
    for (int rep = 0; rep < 3 || clock::now() < stop; ++rep) {
        const auto t0 = clock::now();
        for (int64_t i = 0; i < inner; ++i) f();
        const std::chrono::duration<double, std::nano> t = clock::now() - t0;
        best = std::min(best, t.count() / static_cast<double>(inner));
    }
    return best;
}

template <class T>
struct bench {
    const char* where;
    int64_t rows, cols;
    std::vector<T> x, out;
    double bytes() const { return static_cast<double>(rows * cols) * sizeof(T); }

    template <class F>
    double rate(F&& f) {
        return bytes() / best_ns(f, rows * cols * static_cast<int64_t>(sizeof(T)));
    }
    template <int L, int C>
    void row(double in_free, double out_free) {
        const int64_t n = rows * cols;
        const double in = rate([&] { sink = inner<T, L, C>(x.data(), n); });
        std::printf("| %s | %s | %d | %d | %.1f (%.2f) |", sizeof(T) == 4 ? "f32" : "f64", where, L,
                    C, in, in / in_free);
        strips<L, C, 512, 1>(out_free);
        strips<L, C, 512, 4>(out_free);
        strips<L, C, 2048, 1>(out_free);
        strips<L, C, 2048, 4>(out_free);
        strips<L, C, 2048, 8>(out_free);
        std::puts("");
    }
    template <int L, int C, int strip_bytes, int together>
    void strips(double out_free) {
        const double r = rate([&] {
            outer<T, L, C, strip_bytes, together>(x.data(), rows, cols, out.data());
            sink = out[0];
        });
        std::printf(" %.1f (%.2f) |", r, r / out_free);
    }
    template <int L>
    void lanes(double in_free, double out_free) {
        row<L, 512>(in_free, out_free);
        row<L, 1024>(in_free, out_free);
        row<L, 4096>(in_free, out_free);
    }
    void all() {
        x.assign(static_cast<std::size_t>(rows * cols), T(1.25));
        out.assign(static_cast<std::size_t>(cols), T(0));
        const double in = rate([&] { sink = inner_free(x.data(), rows * cols); });
        const double outr = rate([&] {
            outer_free(x.data(), rows, cols, out.data());
            sink = out[0];
        });
        std::printf("| %s | %s | free | | %.1f | %.1f | | | | |\n", sizeof(T) == 4 ? "f32" : "f64",
                    where, in, outr);
        lanes<16>(in, outr);
        lanes<32>(in, outr);
        lanes<64>(in, outr);
    }
};

template <class T>
void run() {
    const int64_t k = 8 / static_cast<int64_t>(sizeof(T));
    bench<T>{"L1 (100 rows of 256 B)", 100, 64 * k / 2, {}, {}}.all();
    bench<T>{"L2 (1000 rows of 1 KiB)", 1000, 256 * k / 2, {}, {}}.all();
    bench<T>{"DRAM (65536 rows of 4 KiB)", 65536, 1024 * k / 2, {}, {}}.all();
}

}  // namespace

int main() {
    std::printf("vectors of %d bytes; GB/s (fraction of the free-order loop)\n\n", vector_bytes);
    std::printf(
        "| type | data | L | C | inner | outer 512/1 | 512/4 | 2048/1 | 2048/4 | 2048/8 |\n");
    std::printf("|---|---|---|---|---|---|---|---|---|---|\n");
    run<float>();
    run<double>();
}
