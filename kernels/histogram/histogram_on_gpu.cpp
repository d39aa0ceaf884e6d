#include "kernels/histogram/histogram_on_gpu.hpp"

#include "kernels/gpu/scratch.hpp"
#include "kernels/slices/rows_on_gpu.hpp"
#include "kernels/histogram/histogram.cuh"
#include "kernels/histogram/histogram.hpp"
#include "kernels/sort/order_key.hpp"
#include "kernels/sort/sort_on_gpu.hpp"
#include "runtime/device/transfer.hpp"
#include "runtime/types/dtypes.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace sinter::embedded {
extern const char histogram_histogram[];  // histogram.cuh
}

namespace sinter::ordering {
namespace {

using gpu_kernels::macro_definitions, gpu_kernels::scratch, gpu_kernels::kernel_source;

/// Returns the grid for kernels that accumulate elements in each block: at most as many blocks as
/// run at once, 4 on a multiprocessor.
runtime::launch_shape accumulating(const runtime::gpu& g, int64_t elements) {
    const int64_t blocks = std::min<int64_t>(g.properties.multiprocessors * 4, elements / 4096 + 1);
    return gpu_kernels::grid_for(blocks * gpu_kernels::block_threads);
}

/// Makes elements that lie side by side one row; for kernels that need no order.
template <class T>
T merged(T k) {
    if (k.space.dims == 1 && k.space.strides[0][0] == k.n * k.step) {
        k.n *= k.rows;
        k.rows = 1;
    }
    return k;
}

enum : std::size_t { find_span, count, put_counts, put_edges };
const kernel_source& count_kernels() {
    static const kernel_source k{
        "histogram_histogram",
        embedded::histogram_histogram,
        {"sinter_find_span", "sinter_count", "sinter_put_counts", "sinter_put_edges"}};
    return k;
}

enum : std::size_t { find_bins, weigh };
const kernel_source& weigh_kernels() {
    static const kernel_source k{
        "histogram_histogram", embedded::histogram_histogram, {"sinter_find_bins", "sinter_weigh"}};
    return k;
}

/// Returns the type that arithmetic is in.
const char* value_type(ScalarType t) { return t == kDouble ? "f64" : "f32"; }

/// Returns the macro definitions that both sets of kernels need.
macro_definitions words_of(int form, ScalarType dtype, bool weighted = false) {
    macro_definitions words;
    return words.types(isFloatingType)
        .type("TYPE", dtype)
        .number("FORM", form)
        .name("V", value_type(dtype))
        .number("WEIGHTED", weighted);
}

int64_t inner_dim(const geometry& g) { return std::max(0, g.ndim - 1); }

double element_of_key(uint64_t key, ScalarType dtype) {
    const uint64_t all = nan_key(dtype), sign = all / 2 + 1;
    const uint64_t bits = key & sign ? key ^ sign : sign | (sign - key);
    if (key == all) return std::numeric_limits<double>::quiet_NaN();
    return with_type(dtype, [bits]<floating_element T>(std::type_identity<T>) -> double {
        return rows::value_of(std::bit_cast<T>(static_cast<unsigned_of<T>>(bits)));
    });
}

/// Returns the range of at least one element. Waits for the stream.
span_of span_on_gpu(runtime::gpu_stream& s, const rows::gpu_rows& rows, const op_input& in,
                    int form) {
    const scratch found(s, 2 * sizeof(uint64_t));
    runtime::put_fill(s, found.data(), 0xff, 2 * sizeof(uint64_t));
    const on_gpu::spans a{.space = rows.space<1>(),
                          .of = key_arguments(in.dtype, false),
                          .rows = rows.rows(),
                          .n = rows.length(0),
                          .step = rows.step(0),
                          .data = in.data + rows.first(0),
                          .found = found.as<uint64_t>()};
    const auto& k =
        gpu_kernels::kernels_of(s.device(), count_kernels(), words_of(form, in.dtype))[find_span];
    gpu_kernels::put(s, k, accumulating(s.device(), a.rows * a.n), merged(a));
    const std::vector<uint64_t> keys = gpu_kernels::read_back(s, found.data(), 2);
    const double high = element_of_key(~keys[1], in.dtype);
    return {high != high ? high : element_of_key(keys[0], in.dtype), high};
}

/// Sets `range` to the range of a call. Returns false if the input has too many dimensions for a
/// kernel.
bool find_range(const op_call& c, runtime::gpu_stream& s, int form, double margin,
                span_of of_nothing, span_of& range) {
    const auto& how = c.attributes->as<histogram_range>();
    const bool own = how.of_elements;
    range = {how.low, how.high};
    const op_input& in = c.inputs[0];
    if (own) range = of_nothing;
    if (own && in.shape->numel > 0) {
        const rows::gpu_rows rows({{in.shape, in.dtype}}, inner_dim(*in.shape));
        if (!rows.fit()) return false;
        range = span_on_gpu(s, rows, in, form);
    }
    range = widened_range(c.op.name, range, margin);
    return true;
}

/// How elements map to bins, and the weights to sum, if any.
struct counted {
    int form;
    ScalarType computed;
    span_of range{};
    const op_input* edges = nullptr;
    const op_input* weights = nullptr;
};

on_gpu::bins_of bins_of(const op_call& c, const rows::gpu_rows& rows, const counted& how) {
    const op_input& in = c.inputs[0];
    on_gpu::bins_of k{.space = rows.space<2>(),
                      .rows = rows.rows(),
                      .n = rows.length(0),
                      .step = rows.step(0),
                      .bins = c.shape.numel,
                      .low = how.range.low,
                      .high = how.range.high,
                      .data = in.data + rows.first(0),
                      .edges = nullptr,
                      .edge_step = 0};
    if (how.edges) {
        const auto bytes = static_cast<int64_t>(elementSize(how.edges->dtype));
        k.edges = how.edges->data + how.edges->shape->offset * bytes;
        k.edge_step = how.edges->shape->strides()[0] * bytes;
    }
    return k;
}

bool put_counted(const op_call& c, runtime::gpu_stream& s, const counted& how) {
    const op_input& in = c.inputs[0];
    const op_input& beside = how.weights ? *how.weights : in;
    const rows::gpu_rows rows({{in.shape, in.dtype}, {beside.shape, beside.dtype}},
                              inner_dim(*in.shape));
    if (!rows.fit()) return false;
    const int64_t all = rows.rows() * rows.length(0), bins = c.shape.numel;
    if (bins == 0) return true;
    char* const out = c.output + c.shape.offset * static_cast<int64_t>(elementSize(c.dtype));
    const on_gpu::bins_of of = bins_of(c, rows, how);
    macro_definitions words = words_of(how.form, in.dtype, how.weights != nullptr);
    const auto put = [&](const runtime::gpu_kernel& k, int64_t threads, const auto& a) {
        gpu_kernels::put(s, k, gpu_kernels::grid_for(threads), a);
    };
    if (!how.weights) {
        const scratch counts(s, static_cast<std::size_t>(bins) * sizeof(uint64_t));
        runtime::put_fill(s, counts.data(), 0, static_cast<std::size_t>(bins) * sizeof(uint64_t));
        const on_gpu::counting a{.of = merged(of),
                                 .counts = counts.as<uint64_t>(),
                                 .out = out,
                                 .out_type = static_cast<uint64_t>(c.dtype)};
        const auto kernels = gpu_kernels::kernels_of(s.device(), count_kernels(), words);
        if (all > 0) gpu_kernels::put(s, kernels[count], accumulating(s.device(), all), a);
        put(kernels[put_counts], bins, a);
        return true;
    }
    const std::size_t key_bytes = index_bytes(bins);
    scratch keys(s, static_cast<std::size_t>(all) * key_bytes);
    words.name("KEY", gpu_kernels::bits_name(key_bytes))
        .name("INDEX", gpu_kernels::bits_name(index_bytes(all)))
        .name("ACC", how.computed == kFloat ? "f32" : "f64");
    const auto kernels = gpu_kernels::kernels_of(s.device(), weigh_kernels(), words);
    on_gpu::weighing<void, void> a{.of = of,
                                   .weights = beside.data + rows.first(1),
                                   .weights_step = rows.step(1),
                                   .weights_type = static_cast<uint64_t>(beside.dtype),
                                   .team = bins <= 65536 ? gpu_kernels::block_threads : 32,
                                   .keys = keys.data(),
                                   .order = nullptr,
                                   .out = out};
    if (all > 0) put(kernels[find_bins], all, a);
    const gpu_sorted sorted =
        put_sorted(s, keys, key_bytes, std::bit_width(static_cast<uint64_t>(bins)), 1, all);
    a.keys = sorted.keys.data();
    a.order = sorted.indices.data();
    put(kernels[weigh], bins * a.team, a);
    return true;
}

}  // namespace

bool histc_on_gpu(const op_call& c, runtime::gpu_stream& s) {
    counted how{.form = 0, .computed = kDouble};
    const auto& range = c.attributes->as<histogram_range>();
    return find_range(c, s, how.form, 1, {range.low, range.high}, how.range) &&
           put_counted(c, s, how);
}

bool edges_on_gpu(const op_call& c, runtime::gpu_stream& s) {
    span_of range;
    if (!find_range(c, s, 1, 0.5, {0, 1}, range)) return false;
    const int64_t n = c.shape.numel;
    double step = 0;
    if (c.dtype == kDouble)
        step = (range.high - range.low) / static_cast<double>(n - 1);
    else
        step = (static_cast<float>(range.high) - static_cast<float>(range.low)) /
               static_cast<float>(n - 1);
    const on_gpu::edges a{
        .type = static_cast<uint64_t>(c.dtype),
        .n = n,
        .low = range.low,
        .high = range.high,
        .step = step,
        .out = c.output + c.shape.offset * static_cast<int64_t>(elementSize(c.dtype))};
    gpu_kernels::put(
        s, gpu_kernels::kernels_of(s.device(), count_kernels(), words_of(1, c.dtype))[put_edges],
        gpu_kernels::grid_for(n), a);
    return true;
}

bool histogram_on_gpu(const op_call& c, runtime::gpu_stream& s) {
    counted how{.form = 1, .computed = kDouble};
    how.edges = &c.inputs[1];
    if (c.inputs.size() > 2) how.weights = &c.inputs[2];
    return put_counted(c, s, how);
}

bool bincount_on_gpu(const op_call& c, runtime::gpu_stream& s) {
    counted how{.form = 2, .computed = c.dtype};
    if (c.inputs.size() > 1) how.weights = &c.inputs[1];
    return put_counted(c, s, how);
}

}  // namespace sinter::ordering
