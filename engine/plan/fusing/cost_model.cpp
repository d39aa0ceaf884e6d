#include "engine/plan/fusing/cost_model.hpp"

#include <algorithm>

namespace sinter::plan {
namespace {

// In picoseconds, fitted on a Zen 5 with AVX-512 to programs of bench/studies/fuse_or_split.cpp and
// to exp, tanh, log1p and erf of f32, f64 and f16 before sums, softmax and broadcasts.
constexpr double primitive = 5;                    // in full vectors, several in flight
constexpr double lonely = 75;                      // one scalar: latency counts
constexpr double cached_byte = 20, far_byte = 45;  // written and read again
constexpr double far = 4e6;                        // more bytes leave the near caches
constexpr double kernel = 3e5;
constexpr double apart_element = 700, turned_element = 150;  // a line each; register transpose

// Ratios of extra compute time to the cost of a separate kernel that decide without measuring.
constexpr double surely_less = 0.4, surely_more = 3, likely_more = 1.25;
// A value that depends on a reduction may need a separate kernel for that, too.
constexpr double surely_more_behind = 4;
constexpr double worth_measuring = 1.5e7, negligible = 0.05;

/// Returns the slowdown of a loop. Vectors along few elements are partly empty and are not
/// interleaved. The accumulators of a reduction leave fewer registers, but along elements they stay
/// in memory, and a long loop is split.
double slowdown(int64_t side_by_side, bool in_reduction, bool along_rows) {
    const double strided = along_rows ? 0.25 : 0, registers = in_reduction ? strided : 0;
    const double empty = 40.0 / static_cast<double>(std::max<int64_t>(side_by_side, 1));
    return std::min(1 + registers + strided + empty, 5.0);
}

}  // namespace

double computing(double primitives) { return primitives * primitive; }

double gathering(double elements) { return elements * (apart_element - turned_element); }

double moving(double bytes) { return bytes * (bytes > far ? far_byte : cached_byte) / 2; }

double launching() { return kernel; }

double storing(double numel, std::size_t item) {
    const double time = 2 * moving(numel * static_cast<double>(item)) + kernel;
    return time / std::max(numel, 1.0) / primitive;
}

verdict judge(const inlined_value& v) {
    const auto numel = static_cast<double>(v.numel);
    const double bytes = numel * static_cast<double>(v.item);
    const double here =
        v.in_lanes * primitive * slowdown(v.side_by_side, v.in_reduction, v.along_rows) +
        v.alone * lonely;
    const double there = numel * primitive * (v.flat ? 1 : slowdown(v.side_by_side, false, false));
    const double again = v.cost * (here - there) + v.lost, apart = 2 * moving(bytes) + kernel;
    const double whole = v.elsewhere + v.cost * here + v.lost;
    if (again < surely_less * apart || again < negligible * whole) return verdict::fuse;
    if (again > (v.behind_reduction ? surely_more_behind : surely_more) * apart)
        return verdict::apart;
    if (v.measured && whole >= worth_measuring) return verdict::unsure;
    return again > likely_more * apart && !v.behind_reduction ? verdict::apart : verdict::fuse;
}

}  // namespace sinter::plan
