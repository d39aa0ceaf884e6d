// Line searches.
#pragma once

#include <sinter/tensor.hpp>

#include <cstdint>
#include <functional>

namespace sinter::ops {

/// A point on a line: how far it is from the start, in directions, with the loss, its gradient and
/// its slope along the line there.
struct line_point {
    double at = 0, loss = 0;
    Tensor gradient;
    double slope = 0;
};

/// Returns a point that satisfies the strong Wolfe conditions: a loss that is less than that at
/// `start` by at least 1e-4 of what the slope there promises, and a slope of at most 0.9 of that
/// one. Returns the best point found if there is none within `steps` evaluations after the first,
/// or if the bracket gets shorter than 1e-9 for a direction whose largest element is `largest`.
/// Nocedal and Wright, Numerical Optimization, algorithms 3.5 and 3.6; it decides as PyTorch does.
line_point strong_wolfe(const std::function<line_point(double)>& evaluate, const line_point& start,
                        double first, double largest, int64_t steps);

}  // namespace sinter::ops
