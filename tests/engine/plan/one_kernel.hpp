// Counts the kernels of one evaluation.
#pragma once

#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include "engine/run/lower.hpp"

/// Returns the number of kernels that compute `t`; the values must equal eager mode's `expected`.
inline uint64_t kernels_of(const sinter::Tensor& t) {
    sinter::reset_stats();
    t.eval();
    return sinter::stats().kernels_launched;
}
