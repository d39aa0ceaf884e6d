// The references of elementwise_ref.def as functions by row, and what measures results against
// them.
#pragma once

#include <sinter/op/op.hpp>

#include <mpfr.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace sinter::test {

/// An MPFR number. Wide enough for exact sums of doubles where `precision` is not given.
class real {
public:
    explicit real(double value, mpfr_prec_t precision = 2300) {
        mpfr_init2(number_, precision);
        mpfr_set_d(number_, value, MPFR_RNDN);
    }
    ~real() { mpfr_clear(number_); }
    real(const real&) = delete;
    real& operator=(const real&) = delete;

    operator mpfr_ptr() { return number_; }           // NOLINT: stands for its MPFR number
    operator mpfr_srcptr() const { return number_; }  // NOLINT

private:
    mpfr_t number_;
};

using wide = __int128;

/// r = row(a, b, c); operands that the row does not have are ignored. Null where the row takes no
/// floats.
using float_reference = void (*)(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b, mpfr_srcptr c);
/// In double, by the C library. Null where there is none.
using libm_reference = double (*)(double a);
/// To be wrapped to `bits` bits. Null where the row takes no integers.
using integer_reference = wide (*)(wide a, wide b, wide c, int bits);

struct reference {
    float_reference in_reals = nullptr;
    libm_reference in_double = nullptr;
    integer_reference in_integers = nullptr;
};
const reference& reference_of(op::id row);

/// Distance of a result from the exact value, in units of the last place that a result of its size
/// has. 0 for matching NaN and infinities, 1e9 for NaN, infinity or a sign where there should be
/// another.
double ulp_error(float got, mpfr_srcptr exact);
double ulp_error(double got, mpfr_srcptr exact);

template <class T>
using word = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

template <class T>
T from_word(word<T> bits) {
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    return value;
}
template <class T>
word<T> to_word(T value) {
    word<T> bits;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
}

/// Zeros, infinities, NaN, the ends of the normal and subnormal range, and small numbers, in both
/// signs.
template <class T>
const std::vector<T>& special_values();

/// A number by its bits, or near a point where functions are delicate, or of moderate size.
template <class T>
T random_value(std::mt19937_64& random);

/// Prints floats so that they can be pasted back.
std::string hexadecimal(double value);

}  // namespace sinter::test
