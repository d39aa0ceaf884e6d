#include "kernels/histogram/histogram.hpp"

#include "kernels/slices/numbers.hpp"
#include "kernels/slices/row_walk.hpp"
#include "kernels/histogram/histogram_on_gpu.hpp"
#include "runtime/base/fail.hpp"
#include "runtime/base/plain_text.hpp"
#include "runtime/strided/walk.hpp"
#include "runtime/types/dtypes.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace sinter::ordering {
namespace {

/// Calls f(offset) for every element on this thread, so that sums have one order.
template <class F>
void for_each_offset(const geometry& g, const F& f) {
    runtime::for_each_element({&g}, 0, g.numel, f);
}

template <class T>
double element(const op_input& in, int64_t offset) {
    return static_cast<double>(rows::value_of(reinterpret_cast<const T*>(in.data)[offset]));
}

/// Returns the least and the largest element, or NaN for both if an element is NaN.
template <class T>
span_of extremes(const op_input& in) {
    span_of s{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    bool unknown = false;
    for_each_offset(*in.shape, [&](int64_t o) {
        const double x = element<T>(in, o);
        unknown = unknown || x != x;
        s.low = std::min(s.low, x);
        s.high = std::max(s.high, x);
    });
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return unknown ? span_of{nan, nan} : s;
}

/// Returns the range to count in: `given`, or the elements' range if `own`.
template <class T>
span_of range_of(const char* op, const op_input& in, span_of given, bool own, double margin,
                 span_of of_nothing) {
    span_of s = given;
    if (own) s = in.shape->numel > 0 ? extremes<T>(in) : of_nothing;
    return widened_range(op, s, margin);
}

void run_histc(const op_call& call) {
    const runtime::fp_environment environment;
    const op_input& in = call.inputs[0];
    const auto& how = call.attributes->as<histogram_range>();
    const span_of given{how.low, how.high};
    with_type(call.dtype, [&]<floating_element T>(std::type_identity<T>) {
        // Arithmetic is in the dtype; in float for the narrow ones.
        using V = decltype(rows::value_of(T()));
        const span_of s = range_of<T>("histc", in, given, how.of_elements, 1, given);
        const auto low = static_cast<V>(s.low), high = static_cast<V>(s.high);
        const int64_t bins = call.shape.numel;
        std::vector<int64_t> counts(static_cast<std::size_t>(bins));
        for_each_offset(*in.shape, [&](int64_t o) {
            const V x = rows::value_of(reinterpret_cast<const T*>(in.data)[o]);
            if (!(x >= low && x <= high)) return;
            const auto at = static_cast<int64_t>((x - low) * static_cast<V>(bins) / (high - low));
            ++counts[static_cast<std::size_t>(std::min(at, bins - 1))];
        });
        auto* out = reinterpret_cast<T*>(call.output);
        for (int64_t i = 0; i < bins; ++i)
            out[i] = static_cast<T>(static_cast<V>(counts[static_cast<std::size_t>(i)]));
    });
}

void run_edges(const op_call& call) {
    const runtime::fp_environment environment;
    const auto& how = call.attributes->as<histogram_range>();
    const span_of given{how.low, how.high};
    with_type(call.dtype, [&]<floating_element T>(std::type_identity<T>) {
        using V = decltype(rows::value_of(T()));
        const span_of s =
            range_of<T>("histogram", call.inputs[0], given, how.of_elements, 0.5, {0, 1});
        const auto low = static_cast<V>(s.low), high = static_cast<V>(s.high);
        const int64_t n = call.shape.numel;
        const V step = (high - low) / static_cast<V>(n - 1);
        auto* out = reinterpret_cast<T*>(call.output);
        // Computed from both ends, so that both ends are exact.
        for (int64_t i = 0; i < n; ++i)
            out[i] = static_cast<T>(i < n / 2 ? low + step * static_cast<V>(i)
                                              : high - step * static_cast<V>(n - 1 - i));
    });
}

void run_histogram(const op_call& call) {
    const runtime::fp_environment environment;
    const op_input &in = call.inputs[0], &edges = call.inputs[1];
    const int64_t bins = call.shape.numel, step = edges.shape->strides()[0];
    with_type(call.dtype, [&]<floating_element T>(std::type_identity<T>) {
        const auto edge = [&](int64_t i) {
            return element<T>(edges, edges.shape->offset + i * step);
        };
        std::vector<double> weights;
        if (call.inputs.size() > 2)
            for_each_offset(*call.inputs[2].shape,
                            [&](int64_t o) { weights.push_back(element<T>(call.inputs[2], o)); });
        std::vector<double> sums(static_cast<std::size_t>(bins));
        std::size_t k = 0;
        for_each_offset(*in.shape, [&](int64_t o) {
            const double x = element<T>(in, o);
            const double weight = weights.empty() ? 1 : weights[k];
            ++k;
            if (!(x >= edge(0) && x <= edge(bins))) return;
            int64_t begin = 0,
                    n = bins;  // the last edge that is not above x, except the very last
            while (n > 1) {
                const int64_t half = n / 2;
                const bool above = edge(begin + half) > x;
                if (!above) begin += half;
                n = above ? half : n - half;
            }
            sums[static_cast<std::size_t>(begin)] += weight;
        });
        auto* out = reinterpret_cast<T*>(call.output);
        for (int64_t i = 0; i < bins; ++i)
            out[i] = static_cast<T>(sums[static_cast<std::size_t>(i)]);
    });
}

template <class T>
void count_numbers(const op_call& call) {
    auto* out = reinterpret_cast<T*>(call.output);
    std::fill(out, out + call.shape.numel, T(0));
    std::vector<T> weights;
    if (call.inputs.size() > 1)
        for_each_offset(*call.inputs[1].shape, [&](int64_t o) {
            weights.push_back(reinterpret_cast<const T*>(call.inputs[1].data)[o]);
        });
    const auto* at = reinterpret_cast<const int64_t*>(call.inputs[0].data);
    std::size_t k = 0;
    for_each_offset(*call.inputs[0].shape, [&](int64_t o) {
        out[at[o]] += weights.empty() ? T(1) : weights[k];
        ++k;
    });
}

void run_bincount(const op_call& call) {
    const runtime::fp_environment environment;
    if (call.dtype == kLong)
        count_numbers<int64_t>(call);
    else if (call.dtype == kFloat)
        count_numbers<float>(call);
    else
        count_numbers<double>(call);
}

}  // namespace

void require_finite(const char* op, span_of s) {
    if (std::isfinite(s.low) && std::isfinite(s.high)) return;
    runtime::fail(op, "the range is not finite",
                  std::isnan(s.low) ? "nan" : runtime::text(s.low, " to ", s.high),
                  "finite elements, or a range", "nan_to_num() first, or passing a range");
}

span_of widened_range(const char* op, span_of s, double margin) {
    if (s.low == s.high) s = {s.low - margin, s.high + margin};
    require_finite(op, s);
    return s;
}

constexpr const char* own_range = "the range of the elements if none is given";
const kernel_op histc_op{
    .name = "histc", .run = run_histc, .on_gpu = histc_on_gpu, .waits_for = own_range};
const kernel_op edges_op{
    .name = "histogram", .run = run_edges, .on_gpu = edges_on_gpu, .waits_for = own_range};
const kernel_op histogram_op{
    .name = "histogram", .run = run_histogram, .on_gpu = histogram_on_gpu, .waits_for = own_range};
const kernel_op bincount_op{.name = "bincount", .run = run_bincount, .on_gpu = bincount_on_gpu};

}  // namespace sinter::ordering
