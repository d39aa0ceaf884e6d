#include "jit/launch/launch.hpp"
#include "runtime/threads/threads.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <vector>

using namespace sinter;
using kernel_ir::kernel_call;
using kernel_ir::operand_arg;

namespace {

// Calls of the kernel, and those among them that do not write the result directly.
std::atomic<int> calls{0}, beside{0};
std::atomic<const char*> result_begin{nullptr}, result_end{nullptr};

/// out = x + y.
template <class T>
void add(const kernel_call* c) {
    const operand_arg *x = c->operands, *y = x + 1, *out = x + 2;
    ++calls;
    beside += out->ptr < result_begin || out->ptr >= result_end;
    for (int64_t r = 0; r < c->n1; ++r)
        for (int64_t e = 0; e < c->n0; ++e) {
            T a, b;
            std::memcpy(&a, x->ptr + r * x->s1 + e * x->s0, sizeof a);
            std::memcpy(&b, y->ptr + r * y->s1 + e * y->s0, sizeof b);
            a = static_cast<T>(a + b);
            std::memcpy(out->ptr + r * out->s1 + e * out->s0, &a, sizeof a);
        }
}

/// A launch of `add` over rows of `n` elements that start `skip` elements into aligned memory, with
/// `gap` elements between rows.
template <class T>
struct sum_launch {
    int64_t rows, n, skip, gap;
    int64_t line = n + gap;
    std::vector<T> x, y, out;
    int64_t extents[2], strides[3][2];
    runtime::launch_operand operands[3];
    runtime::launch_request request;

    sum_launch(int64_t rows_, int64_t n_, int64_t skip_, int64_t gap_)
        : rows(rows_), n(n_), skip(skip_), gap(gap_) {
        const auto size = static_cast<std::size_t>(rows * line + 128);
        x.resize(size);
        y.resize(size);
        out.assign(size, T(77));
        for (std::size_t i = 0; i < size; ++i) {
            x[i] = static_cast<T>(i % 101);
            y[i] = static_cast<T>(i % 7);
        }
        extents[0] = rows;
        extents[1] = n;
        for (auto& s : strides) {
            s[0] = line * static_cast<int64_t>(sizeof(T));
            s[1] = sizeof(T);
        }
        operands[0] = {reinterpret_cast<char*>(x.data()), strides[0]};
        operands[1] = {reinterpret_cast<char*>(y.data()), strides[1]};
        operands[2] = {reinterpret_cast<char*>(first()), strides[2]};
        request.fn = add<T>;
        request.output = 2;
        request.past_caches_from = 1;
        request.rank = 2;
        request.extents = extents;
        request.operands = operands;
    }

    /// Returns the address `skip` elements after the first line of the output's memory.
    T* first() {
        const auto into = reinterpret_cast<uintptr_t>(out.data()) % 64;
        return out.data() + static_cast<int64_t>((64 - into) % 64 / sizeof(T)) + skip;
    }

    void run() {
        calls = beside = 0;
        result_begin = reinterpret_cast<char*>(out.data());
        result_end = reinterpret_cast<char*>(out.data() + out.size());
        launch(request);
    }

    /// Returns how many elements are wrong, including those outside the rows.
    int wrong() {
        int count = 0;
        const int64_t begin = first() - out.data();
        for (int64_t i = 0; i < static_cast<int64_t>(out.size()); ++i) {
            const int64_t at = i - begin;
            const bool inside = at >= 0 && at < rows * line && at % line < n;
            const auto a = static_cast<std::size_t>(at);
            const T expected = inside ? static_cast<T>(x[a] + y[a]) : T(77);
            count += out[static_cast<std::size_t>(i)] != expected;
        }
        return count;
    }
};

template <class T>
void check_all() {
    constexpr int64_t least = 4096 / sizeof(T);
    for (int threads : {1, 2, 3}) {
        const int before = get_num_threads();
        set_num_threads(threads);
        for (int64_t n : {least, least + 1, 3 * least + 5, int64_t{200000}})
            for (int64_t skip : {0, 1, 5})
                for (int64_t gap : {0, 3}) {
                    sum_launch<T> s(n == 200000 ? 1 : 7, n, skip, gap);
                    s.run();
                    CAPTURE(n);
                    CAPTURE(skip);
                    CAPTURE(gap);
                    CHECK(s.wrong() == 0);
#ifdef __SSE2__
                    CHECK(beside > 0);
#endif
                }
        set_num_threads(before);
    }
}

}  // namespace

TEST_CASE("past caches: every element lands where it belongs, whatever the alignment") {
    check_all<uint8_t>();
    check_all<int16_t>();
    check_all<float>();
    check_all<double>();
}

TEST_CASE("past caches: the last cache is of a size that caches have") {
    CHECK(runtime::past_caches_from() >= int64_t{1} << 16);
    CHECK(runtime::past_caches_from() <= int64_t{4} << 30);
    // The largest cache that the system reports for one processor, if it does.
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index3/size");
    int64_t kib = 0;
    if (file >> kib && file.peek() == 'K') CHECK(runtime::past_caches_from() == kib << 10);
}

TEST_CASE("past caches: what is small, read again, or not dense is stored as ever") {
    {
        sum_launch<float> s(4, 3000, 0, 0);
        s.request.past_caches_from = 4 * 3000 * 4 + 1;
        s.run();
        CHECK(beside == 0);
        s.request.past_caches_from = 0;
        s.run();
        CHECK(beside == 0);
        CHECK(s.wrong() == 0);
    }
    {
        sum_launch<float> s(400, 30, 0, 0);  // short rows
        s.run();
        CHECK(beside == 0);
        CHECK(s.wrong() == 0);
    }
    {
        sum_launch<float> s(4, 3000, 0, 0);  // reduced rows must be whole
        s.request.reduction = true;
        s.run();
        CHECK(beside == 0);
        CHECK(s.wrong() == 0);
    }
    {
        sum_launch<float> s(1, 3000, 0, 0);
        s.request.output = -1;
        s.run();
        CHECK(beside == 0);
    }
    for (int64_t cost : {16, 17}) {  // much computation per byte
        sum_launch<float> s(1, 3000, 0, 0);
        s.request.cost = cost;
        s.run();
        CHECK((beside == 0) == (cost > 16));
        CHECK(s.wrong() == 0);
    }
    for (std::size_t repeats : {0, 2, 3}) {  // reads from many places
        sum_launch<float> s(1, 3000, 0, 0);
        std::vector<runtime::launch_operand> operands(s.operands, s.operands + 3);
        operands.insert(operands.end(), repeats, s.operands[1]);
        s.request.operands = operands;
        s.run();
        CHECK((beside == 0) == (repeats > 2));
        CHECK(s.wrong() == 0);
    }
    {
        sum_launch<float> s(1, 3000, 0, 0);
        std::copy_n(s.x.data(), 3000, s.first());
        s.operands[0].base = s.operands[2].base;  // in place
        s.run();
        CHECK(beside == 0);
        CHECK(s.wrong() == 0);
    }
    {
        sum_launch<float> s(1, 3000, 0, 0);
        s.operands[2].base += 2;  // an address that is not aligned for float
        s.run();
        CHECK(beside == 0);
    }
}
