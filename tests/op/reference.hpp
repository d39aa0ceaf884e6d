// The references of elementwise_ref.def as functions by row, and the comparison of results with
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

/// An MPFR number. Without `precision` it is wide enough for exact sums of doubles.
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

/// r = row(a, b, c); operands that the row does not have are ignored. Null if the row takes no
/// floats.
using float_reference = void (*)(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b, mpfr_srcptr c);
/// In double, by the C library. Null if there is none.
using libm_reference = double (*)(double a);
/// The caller wraps the result to `bits` bits. Null if the row takes no integers.
using integer_reference = wide (*)(wide a, wide b, wide c, int bits);

struct reference {
    float_reference in_reals = nullptr;
    libm_reference in_double = nullptr;
    integer_reference in_integers = nullptr;
};
const reference& reference_of(op::id row);

/// Returns the distance of a result from the exact value, in ULP of a result of its size. 0 for
/// matching NaN and infinities, 1e9 for a wrong NaN, infinity or sign.
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

/// Zeros, infinities, NaN, the limits of the normal and subnormal range, and small numbers, in both
/// signs.
template <class T>
const std::vector<T>& special_values();

/// A number from random bits, near a delicate point of a function, or of moderate size.
template <class T>
T random_value(std::mt19937_64& random);

/// Prints floats in a form that can be pasted back.
std::string hexadecimal(double value);

}  // namespace sinter::test
