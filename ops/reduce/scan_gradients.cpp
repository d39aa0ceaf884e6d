#include "ops/reduce/scan_gradients.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/scans.hpp>
#include <sinter/grad_mode.hpp>

namespace sinter::ops {
namespace {

/// Returns s with s[i] = b[i] + a[i] s[i + 1], and s[n - 1] = b[n - 1]. Each round composes twice
/// as many steps as the one before. It divides by nothing, so that it is right for all numbers and
/// has derivatives of all orders.
Tensor recurrence_from_behind(Tensor a, Tensor b, int64_t dim) {
    const int64_t n = b.size(dim);
    for (int64_t step = 1; step < n; step *= 2) {
        const int64_t m = n - step;
        const Tensor near = a.narrow(dim, 0, m), rest = b.narrow(dim, m, step);
        b = cat({Tensor(b.narrow(dim, 0, m) + near * b.narrow(dim, step, m)), rest}, dim);
        // The last `step` compositions reach the end: what they would multiply is not there.
        a = cat({Tensor(near * a.narrow(dim, step, m)), zeros_like(rest)}, dim);
    }
    return b;
}

/// Moves elements by one along a dimension; `last` fills the place at the end.
Tensor next_of(const Tensor& t, int64_t dim, const Scalar& last) {
    const int64_t n = t.size(dim);
    return cat({t.narrow(dim, 1, n - 1), full_like(t.narrow(dim, 0, 1), last)}, dim);
}
Tensor previous_of(const Tensor& t, int64_t dim, const Scalar& first) {
    const int64_t n = t.size(dim);
    return cat({full_like(t.narrow(dim, 0, 1), first), t.narrow(dim, 0, n - 1)}, dim);
}

/// Returns true if the scan of such a tensor is the tensor.
bool is_trivial(const Tensor& t, int64_t dim) {
    return t.dim() == 0 || t.size(dim) == 1 || t.numel() == 0;
}

}  // namespace

Tensor sums_from_behind(const Tensor& t, int64_t dim) {
    if (is_trivial(t, dim)) return t;
    return t.flip(dim).cumsum(dim).flip(dim);
}

Tensor cumprod_gradient(const Tensor& g, const Tensor& x, const Tensor& y, int64_t dim) {
    if (is_trivial(g, dim)) return g;
    // Quotients are faster, but a derivative with respect to two zeros would be lost.
    if (GradMode::is_enabled())
        return previous_of(y, dim, 1) * recurrence_from_behind(next_of(x, dim, 0), g, dim);
    const Tensor is_zero = x == 0;
    const Tensor zeros_so_far = is_zero.cumsum(dim);
    const Tensor before = zeros_so_far == 0, first = is_zero & (zeros_so_far == 1);
    // The product of the others, for the first zero.
    const Tensor others = x.masked_fill(first, 1).cumprod(dim);
    return where(before, sums_from_behind(g * y, dim) / x.masked_fill(is_zero, 1),
                 where(first, sums_from_behind(g * others, dim), 0));
}

// The gradient is the sum of g[k] exp(x[i] - y[k]) over k >= i. Since y grows, each factor of the
// recurrence is at most 1, and nothing overflows.
Tensor logcumsumexp_gradient(const Tensor& g, const Tensor& x, const Tensor& y, int64_t dim) {
    const auto ratio = [](const Tensor& a, const Tensor& b) -> Tensor {
        // Equal numbers include two infinities, whose difference is NaN.
        const Tensor same = a == b;
        return where(same, 1, exp((a - b).masked_fill(same, 0))).conj();
    };
    if (is_trivial(g, dim)) return g;
    const int64_t n = g.size(dim);
    const Tensor steps = ratio(y.narrow(dim, 0, n - 1), y.narrow(dim, 1, n - 1));
    const Tensor a = cat({steps, zeros_like(g.narrow(dim, 0, 1))}, dim);
    return ratio(x, y) * recurrence_from_behind(a, g, dim);
}

}  // namespace sinter::ops
