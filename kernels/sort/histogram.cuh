// Histograms: counts of elements, or sums of weights, for each bin. Macro definitions:
// FORM      0: bins of equal width; 1: bins between edges; 2: an element is the number of its bin
// V         the type of the arithmetic, f32 or f64
// TYPES     the types of floating elements
// WEIGHTED  1: the source has the kernels that sum weights; 0: the other kernels
// If WEIGHTED is 1, also KEY and INDEX (unsigned types) and ACC (the type of the sums).
#pragma once

#include "kernels/slices/rows.cuh"
#include "kernels/sort/key.cuh"

namespace sinter::on_gpu {

// `found` gets the least key of all elements and the least inverted key.
struct spans {
    row_space<1> space;
    elements of;
    i64 rows, n, step;
    const char* data;
    u64* found;
};

// Types are numbers of dtypes. Steps are in bytes.
struct bins_of {
    row_space<2> space;
    i64 rows, n, step;
    u64 type;
    i64 bins;
    f64 low, high;
    const char *data, *edges;
    i64 edge_step;
};

struct counting {
    bins_of of;
    u64* counts;
    char* out;
    u64 out_type;
};

// sinter_find_bins sets `keys` to the bins of the elements. sinter_weigh reads them sorted, with
// the elements in `order`; `team` threads sum the weights of one bin.
template <class key, class index>
struct weighing {
    bins_of of;
    const char* weights;
    i64 weights_step;
    u64 weights_type;
    i64 team;
    key* keys;
    const index* order;
    char* out;
};

struct edges {
    u64 type;
    i64 n;
    f64 low, high, step;
    char* out;
};

#ifdef SINTER_DEVICE
static __device__ inline i64 real_bytes(u64 type) {
    switch ((u32)type) {
#define SINTER_BYTES(number, element) \
    case number: return sizeof(element);
        TYPES(SINTER_BYTES)
        default: return 0;
    }
}
static __device__ inline f64 real_at(const char* p, u64 type) {
    switch ((u32)type) {
#define SINTER_LOAD(number, element) \
    case number: return value_of(*(const element*)p);
        TYPES(SINTER_LOAD)
        default: return 0;
    }
}
static __device__ inline void put_real(char* p, u64 type, f64 x) {
    switch ((u32)type) {
#define SINTER_STORE(number, element) \
    case number: *(element*)p = made<element>(x); return;
        TYPES(SINTER_STORE)
    }
}
// Returns the bin of the element at `p`, or -1 if no bin contains it.
static __device__ inline i64 bin_of(const bins_of& k, const char* p) {
#if FORM == 0
    const V x = (V)real_at(p, k.type), low = (V)k.low, high = (V)k.high;
    if (!(x >= low && x <= high)) return -1;
    const i64 at = (i64)((x - low) * (V)k.bins / (high - low));
    return at < k.bins ? at : k.bins - 1;
#elif FORM == 1
    const f64 x = real_at(p, k.type);
    if (!(x >= real_at(k.edges, k.type) && x <= real_at(k.edges + k.bins * k.edge_step, k.type)))
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

#if WEIGHTED
extern "C" __global__ void __launch_bounds__(256) sinter_find_bins(const weighing<KEY, INDEX> k) {
    const i64 threads = (i64)gridDim.x * blockDim.x, all = k.of.rows * k.of.n;
    for (i64 t = (i64)blockIdx.x * blockDim.x + threadIdx.x; t < all; t += threads) {
        const i64 row = t / k.of.n;
        i64 at[2];
        find_row(k.of.space, (u64)row, at);
        const i64 bin = bin_of(k.of, k.of.data + at[0] + (t - row * k.of.n) * k.of.step);
        k.keys[t] = (KEY)(bin < 0 ? k.of.bins : bin);
    }
}
static __device__ inline ACC weight_of(const weighing<KEY, INDEX>& k, i64 i) {
    const i64 t = (i64)k.order[i], row = t / k.of.n;
    i64 at[2];
    find_row(k.of.space, (u64)row, at);
    return (ACC)real_at(k.weights + at[1] + (t - row * k.of.n) * k.weights_step, k.weights_type);
}
extern "C" __global__ void __launch_bounds__(256) sinter_weigh(const weighing<KEY, INDEX> k) {
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
            } else if (t == 0) {  // in the order of the CPU
                for (; i < end; i++) sum += weight_of(k, i);
            }
        }
        sums[threadIdx.x] = sum;
        for (u32 by = team / 2; by > 0; by /= 2) {
            __syncthreads();
            if (t < by) sums[threadIdx.x] += sums[threadIdx.x + by];
        }
        if (t == 0 && bin < k.of.bins)
            put_real(k.out + bin * real_bytes(k.weights_type), k.weights_type, sums[threadIdx.x]);
        __syncthreads();
    }
}

#else
extern "C" __global__ void __launch_bounds__(256) sinter_find_span(const spans k) {
    __shared__ u64 low[256], high[256];
    const u32 me = threadIdx.x;
    const i64 threads = (i64)gridDim.x * blockDim.x, all = k.rows * k.n;
    low[me] = high[me] = ~0ull;  // `high` holds inverted keys
    for (i64 t = (i64)blockIdx.x * blockDim.x + me; t < all; t += threads) {
        const i64 row = t / k.n;
        i64 at[1];
        find_row(k.space, (u64)row, at);
        const u64 key = key_at<u64>(k.of, k.data + at[0] + (t - row * k.n) * k.step);
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
            put_real(k.out + b * real_bytes(k.out_type), k.out_type, (f64)count);
    }
}

extern "C" __global__ void __launch_bounds__(256) sinter_put_edges(const edges k) {
    const i64 threads = (i64)gridDim.x * blockDim.x;
    const V low = (V)k.low, high = (V)k.high, step = (V)k.step;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < k.n; i += threads) {
        const V x = i < k.n / 2 ? low + step * (V)i : high - step * (V)(k.n - 1 - i);
        put_real(k.out + i * real_bytes(k.type), k.type, x);
    }
}
#endif
#endif

}  // namespace sinter::on_gpu
