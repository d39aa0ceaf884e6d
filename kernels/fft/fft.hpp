// Discrete Fourier transforms of one operand, unscaled, along the dimensions of the attributes.
#pragma once

#include "kernels/kernel_op.hpp"

#include <string>

namespace sinter::fourier {

struct fft_attributes {
    std::vector<int64_t> dims;  // one or more
    bool inverse = false;       // the sign of the exponent; of c2c alone

    bool operator==(const fft_attributes&) const = default;
};

/// Complex to complex, of equal sizes.
extern const kernel_op c2c_op;
/// Real to complex: along the last of `dims` the result has the first n / 2 + 1 elements of n.
extern const kernel_op r2c_op;
/// The inverse, complex to real, along one dimension: n / 2 + 1 elements stand for the n of the
/// result.
extern const kernel_op c2r_op;

/// Returns which of FFTW's libraries were found, for a report; opens them.
std::string describe_fftw();

}  // namespace sinter::fourier
