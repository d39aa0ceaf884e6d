// What random functions share: a distribution with its parameters, drawn from a generator.
#pragma once

#include "ops/common/op_checks.hpp"

#include <sinter/random_engines.hpp>

namespace sinter::front {

struct distribution {
    enum class kind : uint8_t {
        uniform,      // in [a, b)
        normal,       // of mean a, deviation b
        log_normal,   // the exponential of that
        exponential,  // of rate a
        cauchy,       // of median a, scale b
        geometric,    // of probability a
        bernoulli,    // of probability a
        integers,     // low + [0, width); a width of 0 means 2^64
        any_integer,  // [0, width), but each dtype takes as many words as PyTorch takes
    };
    kind how = kind::uniform;
    double a = 0, b = 1;
    int64_t low = 0;
    uint64_t width = 0;
};

/// What each part of a complex number is drawn from; their variances add up.
inline distribution of_parts(distribution d) {
    constexpr double root_half = 0.70710678118654752440;
    if (d.how == distribution::kind::normal) d.b *= root_half;
    return d;
}

/// The range [low, high) as numbers of `dtype` are drawn from it: of floats narrower where its last
/// ones would be rounded to `high`. Throws where the dtype does not hold both ends.
struct whole_range {
    int64_t low, high;
};
whole_range range_in(const char* op, int64_t low, int64_t high, ScalarType dtype);

/// The generator that the caller named, or the default one. It is not locked.
GeneratorImpl& generator_of(const optional_generator& generator);

/// A new tensor with the layout of `shape`, a dense one.
Tensor drawn(const distribution& d, ScalarType dtype, geometry_ptr shape,
             const optional_generator& generator);
/// Gives `target` new elements; the caller has checked that it can be written.
void draw_into(const distribution& d, const TensorImpl& target,
               const optional_generator& generator);
/// 1 where a uniform number is below the probability, of a shape that expands to the result's.
Tensor drawn_below(const TensorImpl& probabilities, ScalarType dtype, geometry_ptr shape,
                   const optional_generator& generator);

/// The Mersenne twister's: new and contiguous, drawn now. `whole`: PyTorch's rule for normal
/// numbers in contiguous memory. The caller holds the mutex.
Tensor twisted(const distribution& d, ScalarType dtype, IntArrayRef sizes, bool whole,
               CPUGeneratorImpl& generator);
/// Whether each of `n` uniform numbers is below its probability, into a tensor of `dtype`.
Tensor twisted_below(const Tensor& probabilities, ScalarType dtype, CPUGeneratorImpl& generator);

}  // namespace sinter::front
