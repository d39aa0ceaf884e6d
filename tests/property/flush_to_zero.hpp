// A thread that flushes subnormals to zero, numbers that it would flush, and the values that a
// program read on it.
#pragma once

#include "runtime/threads/threads.hpp"
#include "tests/property/program.hpp"
#include "tests/seed.hpp"

#include <doctest/doctest.h>

#include <xmmintrin.h>

#include <cstring>
#include <functional>
#include <random>
#include <type_traits>

namespace sinter::test {

inline constexpr unsigned default_control = 0x1F80, flushing = 0x1F80 | 0x8040;  // FTZ and DAZ
// Flags of past operations are not settings; the host's own arithmetic adds to them.
inline constexpr unsigned flags = 0x3F;

class control {
public:
    explicit control(unsigned value) : saved_(_mm_getcsr()) { _mm_setcsr(value); }
    ~control() { _mm_setcsr(saved_); }
    control(const control&) = delete;
    control& operator=(const control&) = delete;

private:
    unsigned saved_;
};

/// Numbers of any size, many of them subnormal. They are made of bits, since arithmetic may flush.
template <class T, class Bits>
std::vector<T> numbers(std::size_t n, int mantissa, int bias, bool tiny) {
    std::mt19937_64 random(seed() + n);
    std::vector<T> list(n);
    for (T& x : list) {
        Bits bits = static_cast<Bits>(random());
        const Bits sign = bits & (Bits{1} << (sizeof(Bits) * 8 - 1));
        // Around 1, around the smallest normal number, or below it.
        const int kind = tiny ? 2 : static_cast<int>(random() % 3);
        const auto near = static_cast<int>(random() % 6);
        const int exponent = kind == 0 ? bias - 3 + near : kind == 1 ? near : 0;
        bits = sign | static_cast<Bits>(static_cast<Bits>(exponent) << mantissa) |
               static_cast<Bits>(bits & ((Bits{1} << mantissa) - 1));
        std::memcpy(static_cast<void*>(&x), &bits, sizeof x);
    }
    return list;
}

template <class T>
std::vector<T> floats(std::size_t n, bool tiny = false) {
    if constexpr (std::is_same_v<T, float>)
        return numbers<float, uint32_t>(n, 23, 127, tiny);
    else if constexpr (std::is_same_v<T, double>)
        return numbers<double, uint64_t>(n, 52, 1023, tiny);
    else
        return numbers<Half, uint16_t>(n, 10, 15, tiny);
}

/// The values that a program has read, by name.
class record {
public:
    void operator()(const std::string& what, const Tensor& t) {
        const Tensor dense = t.contiguous();
        std::string bytes(dense.nbytes(), '\0');
        if (!bytes.empty()) std::memcpy(bytes.data(), dense.const_data_ptr(), bytes.size());
        make_nans_alike(bytes.data(), static_cast<std::size_t>(dense.numel()), dense.dtype());
        list_.emplace_back(what, std::move(bytes));
    }
    template <class T>
        requires std::is_arithmetic_v<T>
    void operator()(const std::string& what, T value) {
        list_.emplace_back(what, std::string(reinterpret_cast<const char*>(&value), sizeof value));
    }
    void operator()(const std::string& what, const std::string& value) {
        list_.emplace_back(what, value);
    }

    /// Returns the names of the differing values.
    std::string difference(const record& o) const {
        if (list_.size() != o.list_.size()) return "the number of values";
        std::string names;
        for (std::size_t i = 0; i < list_.size(); ++i)
            if (list_[i] != o.list_[i]) names += (names.empty() ? "" : ", ") + list_[i].first;
        return names;
    }

private:
    std::vector<std::pair<std::string, std::string>> list_;
};

using whole_program = std::function<void(record&)>;

inline record run(const whole_program& program, unsigned csr, bool* kept) {
    record seen;
    const control scope(csr);
    program(seen);
    *kept = (_mm_getcsr() & ~flags) == csr;
    return seen;
}

/// Runs the program with and without flushing: both modes, one thread and several, whose workers
/// may flush too. The flushing run is first, so that it plans and compiles.
inline void check_same(const whole_program& program) {
    struct team {
        int threads;
        bool flushing;  // true: the workers flush as well
    };
    const int before = get_num_threads();
    for (const Mode mode : {Mode::lazy, Mode::eager}) {
        const ModeGuard guard(mode);
        for (const team t : {team{1, false}, team{2, true}, team{4, false}}) {
            set_num_threads(t.threads);
            const auto on_workers = [&](unsigned csr) {
                if (t.flushing)
                    runtime::parallel_for(0, t.threads, 1,
                                          [=](int64_t, int64_t) { _mm_setcsr(csr); });
            };
            bool kept = false, kept_default = false;
            on_workers(flushing);
            const record flushed = run(program, flushing, &kept);
            on_workers(default_control);
            const record usual = run(program, default_control, &kept_default);
            CAPTURE(t.threads);
            CAPTURE(t.flushing);
            const std::string mode_name = mode == Mode::lazy ? "lazy" : "eager";
            CAPTURE(mode_name);
            CHECK(flushed.difference(usual) == "");
            CHECK(kept);
            CHECK(kept_default);
        }
    }
    set_num_threads(before);
}

/// Runs f with tensors of each floating dtype.
template <class F>
whole_program each_dtype(std::size_t n, F f) {
    return [=](record& see) {
        f(see, "Float", tensor(floats<float>(n), kFloat));
        f(see, "Double", tensor(floats<double>(n), kDouble));
        f(see, "Half", tensor(floats<Half>(n), kHalf));
    };
}

}  // namespace sinter::test
