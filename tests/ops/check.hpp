// Shared by the tests of the tensor API: both modes, and comparing values.
#pragma once

#include <sinter/functions/indexing.hpp>
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <limits>
#include <sstream>
#include <string>
#include <typeinfo>
#include <vector>

namespace sinter::test {

inline constexpr double inf64 = std::numeric_limits<double>::infinity();
inline constexpr double nan64 = std::numeric_limits<double>::quiet_NaN();
inline constexpr float inf32 = std::numeric_limits<float>::infinity();
inline constexpr float nan32 = std::numeric_limits<float>::quiet_NaN();

/// Runs f lazily, then eagerly: both modes must give the same values.
template <class F>
void for_each_mode(const F& f) {
    for (Mode mode : {Mode::lazy, Mode::eager}) {
        const std::string name = mode == Mode::lazy ? "lazy" : "eager";
        CAPTURE(name);
        ModeGuard guard(mode);
        f();
    }
}

inline std::string text(const tensor_base& t) {
    std::ostringstream out;
    out << t;
    return out.str();
}

/// Returns the elements in row-major order.
template <class T>
std::vector<T> elements(const tensor_base& t) {
    const Tensor c = t.cpu().contiguous();
    const T* p = c.const_data_ptr<T>();
    return std::vector<T>(p, p + c.numel());
}

/// Checks dtype, sizes and elements; NaN equals NaN, and zeros must agree in sign.
template <class T>
void check(const tensor_base& t, IntArrayRef sizes, const std::vector<T>& expected) {
    const std::string printed = text(t);
    CAPTURE(printed);
    // The extra parentheses keep doctest from using our toString.
    REQUIRE((t.scalar_type() == scalar_type_v<T>));
    REQUIRE(t.sizes() == sizes);
    const std::vector<T> got = elements<T>(t);
    REQUIRE(got.size() == expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        CAPTURE(i);
        const T x = got[i], y = expected[i];
        if (y != y)
            CHECK(x != x);
        else
            CHECK(std::memcmp(&x, &y, sizeof(T)) == 0);  // NOLINT: bits, the sign of zero too
    }
}

/// 0, 1, 2, ... as Float.
inline Tensor counted(IntArrayRef sizes) {
    int64_t n = 1;
    for (int64_t s : sizes) n *= s;
    return arange(n, kFloat).view(sizes);
}

}  // namespace sinter::test

/// Checks the whole text of an error, and its exact type.
#define CHECK_ERROR(E, expression, message)                   \
    do {                                                      \
        std::string got_;                                     \
        bool exact_ = false;                                  \
        try {                                                 \
            static_cast<void>(expression);                    \
        } catch (const ::sinter::Error& e) {                  \
            got_ = e.what();                                  \
            exact_ = typeid(e) == typeid(E);                  \
        }                                                     \
        CHECK(got_ == std::string(message));                  \
        CHECK_MESSAGE(exact_, "the type is not exactly " #E); \
    } while (false)
