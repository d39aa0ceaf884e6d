#include "kernels/sort/order.hpp"

#include "kernels/slices/row_walk.hpp"
#include "kernels/sort/items.hpp"
#include "kernels/sort/order_on_gpu.hpp"
#include "runtime/types/dtypes.hpp"

#include <bit>

namespace sinter::ordering {
namespace {

/// Returns the cost of sorting a row, in nanoseconds or so.
int64_t work_of(int64_t n) { return n * 4 * static_cast<int64_t>(std::bit_width(uint64_t(n))); }

/// Calls f(row of T, step, n, items, offset in the result, step there) for every row of the input
/// along `dim`.
template <class F>
void for_each_row(const op_call& call, int64_t dim, const geometry& result, const F& f) {
    const op_input& input = call.inputs[0];
    const rows::row_walk walk({input.shape, &result}, dim);
    const int64_t n = walk.length(0);
    with_type(input.dtype, [&]<real_element T>(std::type_identity<T>) {
        const auto* in = reinterpret_cast<const T*>(input.data);
        with_items<T>(n, [&](auto item_type) {
            using items = row_items<typename decltype(item_type)::type>;
            walk.for_each_row<items>(work_of(n), [&](const auto& at, items& memory) {
                f(in + at[0], walk.step(0), n, memory, at[1], walk.step(1));
            });
        });
    });
}

int64_t* indices_of(const op_call& call) { return reinterpret_cast<int64_t*>(call.output); }

/// Writes the indices, and the elements unless `values` is null. Both have this shape.
void put_order(const op_call& call, const geometry& shape, int64_t* indices, char* values) {
    const auto& how = call.attributes->as<order_attributes>();
    const int64_t count = shape.ndim ? shape.sizes()[how.dim] : 1;
    if (count == 0) return;
    for_each_row(call, how.dim, shape,
                 [&]<class T>(const T* x, int64_t step, int64_t n, auto& items, int64_t at,
                              int64_t out_step) {
                     items.load_sorted(x, step, n, how.descending, how.first, count);
                     int64_t* const out = indices + at;
                     T* const copies = values ? reinterpret_cast<T*>(values) + at : nullptr;
                     runtime::parallel_for(0, count, 1 << 15, [&](int64_t begin, int64_t end) {
                         for (int64_t i = begin; i < end; ++i)
                             out[i * out_step] = static_cast<int64_t>(items[i].index);
                         if (!copies) return;
                         for (int64_t i = begin; i < end; ++i)
                             copies[i * out_step] = x[out[i * out_step] * step];
                     });
                 });
}

void run_order(const op_call& call) { put_order(call, call.shape, indices_of(call), nullptr); }

void run_sorted(const op_call& call) {
    const op_result &values = call.results[0], &indices = call.results[1];
    put_order(call, *indices.shape, reinterpret_cast<int64_t*>(indices.data), values.data);
}

void run_median(const op_call& call) {
    const auto& how = call.attributes->as<median_attributes>();
    for_each_row(call, how.dim, call.shape,
                 [&](const auto* x, int64_t step, int64_t n, auto& items, int64_t at, int64_t) {
                     int64_t* const out = indices_of(call) + at;
                     int64_t first = n, unknown = 0;  // the number of NaNs
                     for (int64_t i = n; i-- > 0;)
                         if (rows::is_nan(x[i * step])) {
                             first = i;
                             ++unknown;
                         }
                     if (unknown > 0 && (!how.ignore_nan || unknown == n)) {
                         *out = first;
                         return;
                     }
                     items.load_sorted(x, step, n, false, (n - unknown - 1) / 2, 1);
                     *out = static_cast<int64_t>(items[0].index);
                 });
}

void run_mode(const op_call& call) {
    for_each_row(call, call.attributes->as<mode_attributes>().dim, call.shape,
                 [&](const auto* x, int64_t step, int64_t n, auto& items, int64_t to, int64_t) {
                     int64_t* const out = indices_of(call) + to;
                     items.load(x, step, n, false);
                     items.sort();
                     int64_t most = 0, begin = 0;
                     for (int64_t i = 0; i < n; ++i) {
                         const auto at = static_cast<int64_t>(items[i].index);
                         const bool last = i + 1 == n || items[i].key != items[i + 1].key ||
                                           rows::is_nan(x[at * step]);
                         if (!last) continue;
                         if (i + 1 - begin > most) {
                             most = i + 1 - begin;
                             *out = at;
                         }
                         begin = i + 1;
                     }
                 });
}

}  // namespace

const kernel_op order_op{.name = "argsort", .run = run_order, .on_gpu = order_on_gpu};
const kernel_op sorted_op{.name = "sort", .run = run_sorted, .on_gpu = sorted_on_gpu};
const kernel_op median_op{.name = "median", .run = run_median, .on_gpu = median_on_gpu};
const kernel_op mode_op{.name = "mode", .run = run_mode, .on_gpu = mode_on_gpu};

}  // namespace sinter::ordering
