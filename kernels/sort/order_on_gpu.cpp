#include "kernels/sort/order_on_gpu.hpp"

#include "kernels/sort/order.cuh"
#include "kernels/sort/order.hpp"
#include "kernels/sort/sort_on_gpu.hpp"

#include <algorithm>
#include <bit>

namespace sinter::embedded {
extern const char sort_order[];  // order.cuh
}

namespace sinter::ordering {
namespace {

using gpu_kernels::scratch;

enum : std::size_t { put_median, find_runs, put_mode };

rows::gpu_rows rows_of(const op_call& c, int64_t dim) {
    return {{{c.inputs[0].shape, c.inputs[0].dtype}, {&c.shape, c.dtype}}, dim};
}

/// Returns the number of threads for a row of `n` items.
int64_t team_for(int64_t n) {
    return static_cast<int64_t>(
        std::bit_ceil(static_cast<uint64_t>(std::clamp<int64_t>(n / 8, 1, 256))));
}

/// Launches a kernel that reads sorted rows, with `teams` teams of `team` threads each.
template <class T>
void put_teams(runtime::gpu_stream& s, const gpu_sorted& sorted, std::size_t kernel, int64_t teams,
               int64_t team, const T& a) {
    static const gpu_kernels::kernel_source text{
        "sort_order",
        embedded::sort_order,
        {"sinter_put_median", "sinter_find_runs", "sinter_put_mode"}};
    gpu_kernels::put(s,
                     gpu_kernels::kernels_of(s.device(), text, sorted.macro_definitions())[kernel],
                     gpu_kernels::grid_for(teams * team), a);
}

}  // namespace

bool order_on_gpu(const op_call& c, runtime::gpu_stream& s) {
    const op_input& input = c.inputs[0];
    const auto& how = c.attributes->as<order_attributes>();
    const rows::gpu_rows rows = rows_of(c, how.dim);
    if (!rows.fit()) return false;
    put_order(s, {rows, input.data, input.dtype, how.descending}, how.first, rows.length(1),
              c.output);
    return true;
}

bool sorted_on_gpu(const op_call& c, runtime::gpu_stream& s) {
    const op_input& input = c.inputs[0];
    const op_result &values = c.results[0], &indices = c.results[1];
    if (values.shape->strides_ref() != indices.shape->strides_ref()) return false;
    const auto& how = c.attributes->as<order_attributes>();
    const rows::gpu_rows rows({{input.shape, input.dtype}, {indices.shape, indices.dtype}},
                              how.dim);
    if (!rows.fit()) return false;
    put_order(s, {rows, input.data, input.dtype, how.descending}, how.first, rows.length(1),
              indices.data, values.data);
    return true;
}

bool median_on_gpu(const op_call& c, runtime::gpu_stream& s) {
    const op_input& input = c.inputs[0];
    const auto& how = c.attributes->as<median_attributes>();
    const rows::gpu_rows rows = rows_of(c, how.dim);
    if (!rows.fit()) return false;
    if (rows.rows() == 0) return true;
    const int64_t n = rows.length(0);
    const gpu_sorted sorted = put_sorted(s, {rows, input.data, input.dtype}, n);
    put_teams(s, sorted, put_median, rows.rows(), 1,
              on_gpu::medians<void, void>{.space = rows.space<2>(),
                                          .rows = rows.rows(),
                                          .n = n,
                                          .leave_out = how.ignore_nan,
                                          .nan = nan_key(input.dtype),
                                          .keys = sorted.keys.data(),
                                          .indices = sorted.indices.data(),
                                          .out = c.output + rows.first(1)});
    return true;
}

bool mode_on_gpu(const op_call& c, runtime::gpu_stream& s) {
    const op_input& input = c.inputs[0];
    const rows::gpu_rows rows = rows_of(c, c.attributes->as<mode_attributes>().dim);
    if (!rows.fit()) return false;
    if (rows.rows() == 0) return true;
    const int64_t n = rows.length(0), parts = std::clamp<int64_t>(n / 8192, 1, 1024);
    const gpu_sorted sorted = put_sorted(s, {rows, input.data, input.dtype}, n);
    const scratch found(s, static_cast<std::size_t>(rows.rows() * parts) * sizeof(on_gpu::longest));
    on_gpu::modes<void, void> a{.space = rows.space<2>(),
                                .rows = rows.rows(),
                                .n = n,
                                .part = (n + parts - 1) / parts,
                                .parts = parts,
                                .team = team_for(n / parts),
                                .nan = nan_key(input.dtype),
                                .keys = sorted.keys.data(),
                                .indices = sorted.indices.data(),
                                .found = found.as<on_gpu::longest>(),
                                .out = c.output + rows.first(1)};
    put_teams(s, sorted, find_runs, a.rows * parts, a.team, a);
    a.team = team_for(parts);
    put_teams(s, sorted, put_mode, a.rows, a.team, a);
    return true;
}

}  // namespace sinter::ordering
