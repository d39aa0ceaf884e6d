// Distributions with their parameters, and the functions that draw from a generator.
#pragma once

#include "ops/common/op_checks.hpp"

#include <sinter/random_engines.hpp>

namespace sinter::ops {

struct distribution {
    enum class kind : uint8_t {
        uniform,      // in [a, b)
        normal,       // mean a, standard deviation b
        log_normal,   // the exponential of a normal number
        exponential,  // rate a
        cauchy,       // median a, scale b
        geometric,    // probability a
        bernoulli,    // probability a
        integers,     // low + [0, width); a width of 0 means 2^64
        any_integer,  // [0, width), but each dtype takes as many words as in PyTorch
    };
    kind how = kind::uniform;
    double a = 0, b = 1;
    int64_t low = 0;
    uint64_t width = 0;
};

/// Returns the distribution of each part of a complex number. The variances of the parts add up.
inline distribution of_parts(distribution d) {
    constexpr double root_half = 0.70710678118654752440;
    if (d.how == distribution::kind::normal) d.b *= root_half;
    return d;
}

/// Returns the range from which numbers of `dtype` are drawn for [low, high). For a floating dtype
/// it is narrowed if its last integers would round to `high`. Throws if the dtype does not hold
/// both ends.
struct whole_range {
    int64_t low, high;
};
whole_range range_in(const char* op, int64_t low, int64_t high, ScalarType dtype);

/// Returns the generator that the caller named, or the default one. It is not locked.
GeneratorImpl& generator_of(const optional_generator& generator);

/// Returns a new tensor with the layout of `shape`, which must be dense.
Tensor drawn(const distribution& d, ScalarType dtype, geometry_ptr shape,
             const optional_generator& generator);
/// Gives `target` new elements. The caller has checked that it can be written.
void draw_into(const distribution& d, const TensorImpl& target,
               const optional_generator& generator);
/// Returns 1 where a uniform number is below the probability, else 0. The probabilities expand to
/// `shape`.
Tensor drawn_below(const TensorImpl& probabilities, ScalarType dtype, geometry_ptr shape,
                   const optional_generator& generator);

/// Draws a new contiguous tensor from the Mersenne Twister at the call. `whole`: use PyTorch's rule
/// for normal numbers in contiguous memory. The caller holds the mutex.
Tensor twisted(const distribution& d, ScalarType dtype, IntArrayRef sizes, bool whole,
               CPUGeneratorImpl& generator);
/// Returns a tensor of `dtype`: 1 where a uniform number is below its probability.
Tensor twisted_below(const Tensor& probabilities, ScalarType dtype, CPUGeneratorImpl& generator);

}  // namespace sinter::ops
