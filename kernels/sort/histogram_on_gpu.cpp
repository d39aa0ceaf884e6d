#include "kernels/sort/histogram_on_gpu.hpp"

#include "kernels/gpu/scratch.hpp"
#include "kernels/slices/rows_on_gpu.hpp"
#include "kernels/sort/histogram.hpp"
#include "kernels/sort/sort_on_gpu.hpp"
#include "kernels/sort/sort_text.hpp"
#include "runtime/device/transfer.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace sinter::ordering {
namespace {

using gpu_kernels::arguments, gpu_kernels::meanings, gpu_kernels::scratch, gpu_kernels::written;

// The maximum number of blocks that accumulate into one histogram.
constexpr int64_t most_blocks = 1024;

constexpr const char* span_text = R"(
struct spans { row_space space; elements of; i64 rows, n, step; const char* data; u64* found; };
extern "C" __global__ void __launch_bounds__(256) sinter_find_span(const spans k) {
    __shared__ u64 low[256], high[256];
    const u32 me = threadIdx.x;
    const i64 threads = (i64)gridDim.x * blockDim.x, all = k.rows * k.n;
    low[me] = high[me] = ~0ull;  // of keys turned over
    for (i64 t = (i64)blockIdx.x * blockDim.x + me; t < all; t += threads) {
        const i64 row = t / k.n;
        i64 at[1];
        find_row(k.space, (u64)row, at);
        const u64 key = key_at(k.of, k.data + at[0] + (t - row * k.n) * k.step);
        if (key < low[me]) low[me] = key;
        if (~key < high[me]) high[me] = ~key;
    }
    for (u32 by = 128; by > 0; by /= 2) {
        __syncthreads();
        if (me >= by) continue;
        if (low[me + by] < low[me]) low[me] = low[me + by];
        if (high[me + by] < high[me]) high[me] = high[me + by];
    }
    if (me == 0) {
        atomicMin(k.found, low[0]);
        atomicMin(k.found + 1, high[0]);
    }
}
)";

// FORM 0: equal parts of a range, computed in V; 1: between edges; 2: the number is the bin.
constexpr const char* bins_text = R"(
static __device__ inline f64 real_at(const char* p, u64 type) {
    switch ((u32)type) {
        case 0: return value_of(*(const f16*)p);
        case 1: return value_of(*(const bf16*)p);
        case 2: return *(const f32*)p;
        default: return *(const f64*)p;
    }
}
static __device__ inline void put_real(char* p, u64 type, f64 x) {
    switch ((u32)type) {
        case 0: *(f16*)p = made<f16>((f32)x); return;
        case 1: *(bf16*)p = made<bf16>((f32)x); return;
        case 2: *(f32*)p = (f32)x; return;
        default: *(f64*)p = x;
    }
}
struct bins_of {
    row_space space;
    i64 rows, n, step;
    u64 type;
    i64 bins;
    f64 low, high;
    const char *data, *edges;
    i64 edge_step;
};
// -1 of what is in none.
static __device__ inline i64 bin_of(const bins_of& k, const char* p) {
#if FORM == 0
    const V x = (V)real_at(p, k.type), low = (V)k.low, high = (V)k.high;
    if (!(x >= low && x <= high)) return -1;
    const i64 at = (i64)((x - low) * (V)k.bins / (high - low));
    return at < k.bins ? at : k.bins - 1;
#elif FORM == 1
    const f64 x = real_at(p, k.type);
    if (!(x >= real_at(k.edges, k.type) &&
          x <= real_at(k.edges + k.bins * k.edge_step, k.type)))
        return -1;
    i64 begin = 0;
    for (i64 n = k.bins; n > 1;) {
        const i64 half = n / 2;
        const bool above = real_at(k.edges + (begin + half) * k.edge_step, k.type) > x;
        if (!above) begin += half;
        n = above ? half : n - half;
    }
    return begin;
#else
    return *(const i64*)p;
#endif
}
)";

constexpr const char* count_text = R"(
struct counting { bins_of of; u64* counts; char* out; u64 out_type; };
extern "C" __global__ void __launch_bounds__(256) sinter_count(const counting k) {
    __shared__ u32 own[4096];
    const i64 threads = (i64)gridDim.x * blockDim.x, all = k.of.rows * k.of.n;
    const bool few = k.of.bins <= 4096;
    if (few)
        for (u32 b = threadIdx.x; b < (u32)k.of.bins; b += 256) own[b] = 0;
    __syncthreads();
    for (i64 t = (i64)blockIdx.x * blockDim.x + threadIdx.x; t < all; t += threads) {
        const i64 row = t / k.of.n;
        i64 at[2];
        find_row(k.of.space, (u64)row, at);
        const i64 bin = bin_of(k.of, k.of.data + at[0] + (t - row * k.of.n) * k.of.step);
        if (bin < 0) continue;
        if (few)
            atomicAdd(own + bin, 1u);
        else
            atomicAdd(k.counts + bin, (u64)1);
    }
    __syncthreads();
    if (few)
        for (u32 b = threadIdx.x; b < (u32)k.of.bins; b += 256)
            if (own[b]) atomicAdd(k.counts + b, (u64)own[b]);
}
extern "C" __global__ void __launch_bounds__(256) sinter_put_counts(const counting k) {
    const i64 threads = (i64)gridDim.x * blockDim.x;
    for (i64 b = (i64)blockIdx.x * blockDim.x + threadIdx.x; b < k.of.bins; b += threads) {
        const u64 count = k.counts[b];
        if (FORM == 2)
            *(u64*)(k.out + b * 8) = count;
        else
            put_real(k.out + b * (k.out_type < 2 ? 2 : k.out_type == 2 ? 4 : 8), k.out_type,
                     (f64)count);
    }
}
)";

// Elements are sorted by bin. A team of threads sums one bin, in ACC.
constexpr const char* weigh_text = R"(
struct weighing {
    bins_of of;
    const char* weights;
    i64 weights_step;
    u64 weights_type;
    i64 team;
    KEY* keys;
    const INDEX* order;
    char* out;
};
extern "C" __global__ void __launch_bounds__(256) sinter_find_bins(const weighing k) {
    const i64 threads = (i64)gridDim.x * blockDim.x, all = k.of.rows * k.of.n;
    for (i64 t = (i64)blockIdx.x * blockDim.x + threadIdx.x; t < all; t += threads) {
        const i64 row = t / k.of.n;
        i64 at[2];
        find_row(k.of.space, (u64)row, at);
        const i64 bin = bin_of(k.of, k.of.data + at[0] + (t - row * k.of.n) * k.of.step);
        k.keys[t] = (KEY)(bin < 0 ? k.of.bins : bin);
    }
}
static __device__ inline ACC weight_of(const weighing& k, i64 i) {
    const i64 t = (i64)k.order[i], row = t / k.of.n;
    i64 at[2];
    find_row(k.of.space, (u64)row, at);
    return (ACC)real_at(k.weights + at[1] + (t - row * k.of.n) * k.weights_step, k.weights_type);
}
extern "C" __global__ void __launch_bounds__(256) sinter_weigh(const weighing k) {
    __shared__ ACC sums[256];
    const u32 team = (u32)k.team, t = threadIdx.x % team, together = 256 / team;
    const i64 all = k.of.rows * k.of.n;
    for (i64 first = (i64)blockIdx.x * together; first < k.of.bins;
         first += (i64)gridDim.x * together) {
        const i64 bin = first + threadIdx.x / team;
        ACC sum = 0;
        if (bin < k.of.bins) {
            i64 i = first_not_below(k.keys, all, (KEY)bin);
            const i64 end = first_not_below(k.keys, all, (KEY)(bin + 1));
            if (end - i > 64) {
                for (i += t; i < end; i += team) sum += weight_of(k, i);
            } else if (t == 0) {  // as the CPU does
                for (; i < end; i++) sum += weight_of(k, i);
            }
        }
        sums[threadIdx.x] = sum;
        for (u32 by = team / 2; by > 0; by /= 2) {
            __syncthreads();
            if (t < by) sums[threadIdx.x] += sums[threadIdx.x + by];
        }
        if (t == 0 && bin < k.of.bins)
            put_real(k.out + bin * (k.weights_type < 2 ? 2 : k.weights_type == 2 ? 4 : 8),
                     k.weights_type, sums[threadIdx.x]);
        __syncthreads();
    }
}
)";

constexpr const char* edges_text = R"(
struct edges { u64 type; i64 n; f64 low, high, step; char* out; };
extern "C" __global__ void __launch_bounds__(256) sinter_put_edges(const edges k) {
    const i64 threads = (i64)gridDim.x * blockDim.x;
    const V low = (V)k.low, high = (V)k.high, step = (V)k.step;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < k.n; i += threads) {
        const V x = i < k.n / 2 ? low + step * (V)i : high - step * (V)(k.n - 1 - i);
        put_real(k.out + i * (k.type < 2 ? 2 : k.type == 2 ? 4 : 8), k.type, x);
    }
}
)";

const written& span_kernel() {
    static const written k{std::string(rows::row_space_text) + key_text + span_text,
                           {"sinter_find_span"}};
    return k;
}
const written& count_kernels() {
    static const written k{std::string(rows::row_space_text) + bins_text + count_text,
                           {"sinter_count", "sinter_put_counts"}};
    return k;
}
const written& weigh_kernels() {
    static const written k{std::string(rows::row_space_text) + key_text + bins_text + weigh_text,
                           {"sinter_find_bins", "sinter_weigh"}};
    return k;
}
const written& edges_kernel() {
    static const written k{std::string(rows::row_space_text) + bins_text + edges_text,
                           {"sinter_put_edges"}};
    return k;
}

uint64_t real_type(ScalarType t) {
    return t == kHalf ? 0 : t == kBFloat16 ? 1 : t == kFloat ? 2 : 3;
}

/// Returns the type that arithmetic is in.
const char* value_type(ScalarType t) { return t == kDouble ? "f64" : "f32"; }

int64_t inner_dim(const geometry& g) { return std::max(0, g.ndim - 1); }

double element_of_key(uint64_t key, ScalarType dtype) {
    const uint64_t all = nan_key(dtype), sign = all / 2 + 1;
    const uint64_t bits = key & sign ? key ^ sign : ~key & all;
    if (key == all) return std::numeric_limits<double>::quiet_NaN();
    switch (dtype) {
        case kHalf: return Half::to_float(static_cast<uint16_t>(bits));
        case kBFloat16: return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
        case kFloat: return std::bit_cast<float>(static_cast<uint32_t>(bits));
        default: return std::bit_cast<double>(bits);
    }
}

/// Returns the range of at least one element. Waits for the stream.
span_of span_on_gpu(runtime::gpu_stream& s, const rows::gpu_rows& rows, const op_input& in) {
    const scratch found(s, 2 * sizeof(uint64_t));
    runtime::put_fill(s, found.data(), 0xff, 2 * sizeof(uint64_t));
    arguments a = rows.arguments();
    a.add(key_arguments(in.dtype, false)).add(rows.rows()).add(rows.length(0)).add(rows.step(0));
    a.add(in.data + rows.first(0)).add(found.data());
    meanings words = rows.meanings();
    const auto& k =
        gpu_kernels::kernels_of(s.device(), span_kernel(), words.name("KEY", "u64")).front();
    const int64_t blocks = std::min(most_blocks, rows.rows() * rows.length(0) / 1024 + 1);
    gpu_kernels::put(s, k, gpu_kernels::grid_for(blocks * gpu_kernels::block_threads), a);
    const std::vector<uint64_t> keys = gpu_kernels::read_back(s, found.data(), 2);
    const double high = element_of_key(~keys[1], in.dtype);
    return {high != high ? high : element_of_key(keys[0], in.dtype), high};
}

/// Sets `range` to the range to count in. Returns false if no kernel takes the call.
bool find_range(const op_call& c, runtime::gpu_stream& s, double margin, span_of of_nothing,
                span_of& range) {
    const auto& how = c.attributes->as<histogram_range>();
    const bool own = how.of_elements;
    range = {how.low, how.high};
    const op_input& in = c.inputs[0];
    if (own) range = of_nothing;
    if (own && in.shape->numel > 0) {
        const rows::gpu_rows rows({{in.shape, in.dtype}}, inner_dim(*in.shape));
        if (!rows.fit()) return false;
        range = span_on_gpu(s, rows, in);
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

arguments bins_of(const op_call& c, const rows::gpu_rows& rows, const counted& how) {
    const op_input& in = c.inputs[0];
    const char* edges = nullptr;
    int64_t edge_step = 0;
    if (how.edges) {
        const auto bytes = static_cast<int64_t>(elementSize(how.edges->dtype));
        edges = how.edges->data + how.edges->shape->offset * bytes;
        edge_step = how.edges->shape->strides()[0] * bytes;
    }
    arguments a = rows.arguments();
    a.add(rows.rows()).add(rows.length(0)).add(rows.step(0)).add(real_type(in.dtype));
    a.add(c.shape.numel).add(std::bit_cast<uint64_t>(how.range.low));
    a.add(std::bit_cast<uint64_t>(how.range.high)).add(in.data + rows.first(0));
    return a.add(edges).add(edge_step);
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
    arguments a = bins_of(c, rows, how);
    meanings words = rows.meanings();
    words.number("FORM", how.form).name("V", value_type(in.dtype));
    const auto put = [&](const runtime::gpu_kernel& k, int64_t threads) {
        gpu_kernels::put(s, k, gpu_kernels::grid_for(threads), a);
    };
    if (!how.weights) {
        const scratch counts(s, static_cast<std::size_t>(bins) * sizeof(uint64_t));
        runtime::put_fill(s, counts.data(), 0, static_cast<std::size_t>(bins) * sizeof(uint64_t));
        a.add(counts.data()).add(out).add(real_type(c.dtype));
        const auto kernels = gpu_kernels::kernels_of(s.device(), count_kernels(), words);
        if (all > 0)
            put(kernels[0], std::min(most_blocks, all / 4096 + 1) * gpu_kernels::block_threads);
        put(kernels[1], bins);
        return true;
    }
    const std::size_t key_bytes = index_bytes(bins);
    scratch keys(s, static_cast<std::size_t>(all) * key_bytes);
    words.name("KEY", gpu_kernels::bits_name(key_bytes))
        .name("INDEX", gpu_kernels::bits_name(index_bytes(all)))
        .name("ACC", how.computed == kFloat ? "f32" : "f64");
    const auto kernels = gpu_kernels::kernels_of(s.device(), weigh_kernels(), words);
    const int64_t team = bins <= 65536 ? gpu_kernels::block_threads : 32;
    const arguments head = a;
    const auto finish = [&](const void* sorted, const void* order) {
        a = head;
        a.add(beside.data + rows.first(1)).add(rows.step(1)).add(real_type(beside.dtype));
        a.add(team).add(sorted).add(order).add(out);
    };
    finish(keys.data(), nullptr);
    if (all > 0) put(kernels[0], all);
    const gpu_sorted sorted = put_sorted(s, keys, key_bytes, 1, all);
    finish(sorted.keys.data(), sorted.indices.data());
    put(kernels[1], bins * team);
    return true;
}

}  // namespace

bool histc_on_gpu(const op_call& c, runtime::gpu_stream& s) {
    counted how{.form = 0, .computed = kDouble};
    const auto& range = c.attributes->as<histogram_range>();
    return find_range(c, s, 1, {range.low, range.high}, how.range) && put_counted(c, s, how);
}

bool edges_on_gpu(const op_call& c, runtime::gpu_stream& s) {
    span_of range;
    if (!find_range(c, s, 0.5, {0, 1}, range)) return false;
    const int64_t n = c.shape.numel;
    double step = 0;
    if (c.dtype == kDouble)
        step = (range.high - range.low) / static_cast<double>(n - 1);
    else
        step = (static_cast<float>(range.high) - static_cast<float>(range.low)) /
               static_cast<float>(n - 1);
    arguments a;
    a.add(real_type(c.dtype)).add(n).add(std::bit_cast<uint64_t>(range.low));
    a.add(std::bit_cast<uint64_t>(range.high)).add(std::bit_cast<uint64_t>(step));
    a.add(c.output + c.shape.offset * static_cast<int64_t>(elementSize(c.dtype)));
    meanings words;
    words.number("FORM", 1).number("OPERANDS", 1).name("V", value_type(c.dtype));
    gpu_kernels::put(s, gpu_kernels::kernels_of(s.device(), edges_kernel(), words).front(),
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
