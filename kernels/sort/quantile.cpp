#include "kernels/sort/quantile.hpp"

#include "kernels/slices/row_walk.hpp"
#include "kernels/sort/items.hpp"
#include "kernels/sort/quantile_on_gpu.hpp"

#include <bit>
#include <cmath>

namespace sinter::ordering {
namespace {

/// Interpolates between two neighbours of the order, from the nearer one, so that a weight of 1
/// gives exactly b.
template <class T>
T between(T a, T b, T weight) {
    return weight < T(0.5) ? a + weight * (b - a) : b - (b - a) * (T(1) - weight);
}

template <class T, class Items>
T value_at(T rank, interpolation how, const T* x, int64_t step, const Items& items) {
    const auto at = [&](T place) {
        return x[static_cast<int64_t>(items[static_cast<int64_t>(place)].index) * step];
    };
    switch (how) {
        case interpolation::lower: return at(std::floor(rank));
        case interpolation::higher: return at(std::ceil(rank));
        case interpolation::nearest: return at(std::nearbyint(rank));
        case interpolation::midpoint:
            return between(at(std::floor(rank)), at(std::ceil(rank)), T(0.5));
        case interpolation::linear: break;
    }
    const T below = std::floor(rank);
    return between(at(below), at(std::ceil(rank)), rank - below);
}

template <class T>
void quantiles(const op_call& call) {
    const op_input &input = call.inputs[0], &wanted = call.inputs[1];
    const auto& [dim, how, ignore_nan] = call.attributes->as<quantile_attributes>();
    const rows::row_walk walk({input.shape, &call.shape}, dim);
    const auto* in = reinterpret_cast<const T*>(input.data);
    const auto* q = reinterpret_cast<const T*>(wanted.data) + wanted.shape->offset;
    const int64_t q_step = wanted.shape->ndim ? wanted.shape->strides()[0] : 0;
    auto* out = reinterpret_cast<T*>(call.output);
    const int64_t n = walk.length(0), step = walk.step(0);
    const int64_t work = n * 4 * static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(n)));
    with_items<T>(n, [&](auto item_type) {
        using items = row_items<typename decltype(item_type)::type>;
        walk.for_each_row<items>(work, [&](const auto& first, items& memory) {
            const T* x = in + first[0];
            memory.load(x, step, n, false);
            memory.sort();
            int64_t unknown = 0;  // the number of NaNs, which are last
            while (unknown < n &&
                   rows::is_nan(x[static_cast<int64_t>(memory[n - 1 - unknown].index) * step]))
                ++unknown;
            const int64_t known = ignore_nan ? std::max<int64_t>(n - unknown, 1) : n;
            for (int64_t i = 0; i < walk.length(1); ++i) {
                const auto last = static_cast<T>(known - 1);
                const T rank = unknown > 0 && !ignore_nan ? last : q[i * q_step] * last;
                out[first[1] + i * walk.step(1)] = value_at(rank, how, x, step, memory);
            }
        });
    });
}

void run(const op_call& call) {
    if (call.dtype == kFloat)
        quantiles<float>(call);
    else
        quantiles<double>(call);
}

}  // namespace

const kernel_op quantile_op{.name = "quantile", .run = run, .on_gpu = quantile_on_gpu};

}  // namespace sinter::ordering
