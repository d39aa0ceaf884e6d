// Decides if two index maps of one storage touch a common element.
//
// Element addresses of the two maps differ by d where  sum s_i x_i - sum t_j y_j = d,  0 <= x_i <
// n_i. Counting the second map's dimensions from their ends makes every coefficient positive: sum
// c_k z_k = target. The variables are tried from the largest coefficient down; what the rest can
// still reach bounds each, their greatest common divisor rules residues out, and the last two are
// solved by the extended Euclidean algorithm. Dense pairs never get that far, and two strided
// dimensions a side stay exact; a search that exceeds its budget answers yes.
#include "runtime/strided/geometry.hpp"

#include <algorithm>
#include <numeric>

namespace sinter::inline v1 {
namespace {

constexpr int64_t budget = int64_t{1} << 22;
constexpr int most = 128;

struct variable {
    int64_t step, count;
};

struct range {
    int64_t low, high;
};

range reach(const geometry& g) {
    range r{g.offset, g.offset};
    for (int d = 0; d < g.ndim; ++d) {
        const int64_t span = (g.sizes()[d] - 1) * g.strides()[d];
        (span < 0 ? r.low : r.high) += span;
    }
    return r;
}

/// Returns true if a map touches every element of its range.
bool is_interval(const geometry& g, const range& r) {
    variable v[64];
    int n = 0;
    for (int d = 0; d < g.ndim; ++d)
        if (g.sizes()[d] > 1 && g.strides()[d] != 0)
            v[n++] = {std::abs(g.strides()[d]), g.sizes()[d]};
    std::sort(v, v + n, [](variable a, variable b) { return a.step < b.step; });
    int64_t covered = 1;  // [0, covered) is reachable
    for (int i = 0; i < n; ++i) {
        if (v[i].step > covered) return false;
        covered += v[i].step * (v[i].count - 1);
    }
    return covered == r.high - r.low + 1;
}

int add_variables(const geometry& g, variable* v, int n) {
    for (int d = 0; d < g.ndim; ++d)
        if (g.sizes()[d] > 1 && g.strides()[d] != 0)
            v[n++] = {std::abs(g.strides()[d]), g.sizes()[d]};
    return n;
}

int64_t floor_div(__int128 a, int64_t b) {
    const __int128 q = a / b;
    return static_cast<int64_t>(a % b != 0 && a < 0 ? q - 1 : q);
}
int64_t ceil_div(__int128 a, int64_t b) { return -floor_div(-a, b); }

/// Returns true if a.step * x + b.step * y = target has a solution in range.
bool solve_two(variable a, variable b, int64_t target) {
    int64_t r0 = a.step, r1 = b.step, x0 = 1, x1 = 0;
    while (r1 != 0) {
        const int64_t q = r0 / r1;
        r0 = std::exchange(r1, r0 - q * r1);
        x0 = std::exchange(x1, x0 - q * x1);
    }
    if (target % r0 != 0) return false;
    // x = first + k * period, for every integer k
    const int64_t period = b.step / r0;
    __int128 first = static_cast<__int128>(x0) * (target / r0) % period;
    if (first < 0) first += period;
    // 0 <= x < a.count and 0 <= target - a.step * x <= b.step * (b.count - 1)
    const __int128 rest = static_cast<__int128>(b.step) * (b.count - 1);
    const int64_t low = std::max<int64_t>(0, ceil_div(target - rest, a.step));
    const int64_t high = std::min(a.count - 1, floor_div(target, a.step));
    const __int128 x = first + static_cast<__int128>(ceil_div(low - first, period)) * period;
    return x <= high;
}

/// Returns true if sum step_k * z_k = target has a solution; `v` by falling step, no two equal.
bool solve(const variable* v, int n, int64_t target) {
    if (n == 0) return target == 0;
    if (n == 1) return solve_two(v[0], {v[0].step, 1}, target);
    int64_t rest[most], common[most];  // reach and common divisor of the variables after k
    rest[n - 1] = 0;
    common[n - 1] = 0;
    for (int k = n - 2; k >= 0; --k) {
        rest[k] = rest[k + 1] + v[k + 1].step * (v[k + 1].count - 1);
        common[k] = std::gcd(common[k + 1], v[k + 1].step);
    }
    int64_t next[most], last[most], left[most];
    int depth = 0;
    int64_t steps = 0;
    auto enter = [&](int64_t remaining) {
        left[depth] = remaining;
        next[depth] = std::max<int64_t>(0, ceil_div(remaining - rest[depth], v[depth].step));
        last[depth] = std::min(v[depth].count - 1, floor_div(remaining, v[depth].step));
    };
    if (n == 2) return solve_two(v[0], v[1], target);
    enter(target);
    while (depth >= 0) {
        if (next[depth] > last[depth]) {
            --depth;
            continue;
        }
        if (++steps > budget) return true;
        const int64_t remaining = left[depth] - v[depth].step * next[depth]++;
        if (remaining % common[depth] != 0) continue;
        if (depth == n - 3) {
            if (solve_two(v[n - 2], v[n - 1], remaining)) return true;
            continue;
        }
        ++depth;
        enter(remaining);
    }
    return false;
}

}  // namespace

bool may_overlap(const geometry& a, const geometry& b) {
    if (a.numel == 0 || b.numel == 0) return false;
    const range ra = reach(a), rb = reach(b);
    if (ra.high < rb.low || rb.high < ra.low) return false;
    if (is_interval(a, ra) && is_interval(b, rb)) return true;
    variable v[most];
    int n = add_variables(b, v, add_variables(a, v, 0));
    std::sort(v, v + n, [](variable x, variable y) { return x.step > y.step; });
    int merged = 0;
    for (int i = 0; i < n; ++i) {
        if (merged > 0 && v[merged - 1].step == v[i].step)
            v[merged - 1].count += v[i].count - 1;
        else
            v[merged++] = v[i];
    }
    // From the low end of `a` up and from the high end of `b` down, the ends are this far apart.
    return solve(v, merged, rb.high - ra.low);
}

}  // namespace sinter::inline v1
