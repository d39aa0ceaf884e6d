// Histograms: counts of elements, or sums of weights, for each bin. Macro definitions:
// FORM      0: bins of equal width; 1: bins between edges; 2: an element is the number of its bin
// TYPE      the type of an element; i64 for form 2
// V         the type of the arithmetic, f32 or f64
// TYPES     the types of weights and results
// WEIGHTED  1: the source has the kernels that sum weights; 0: the other kernels
// If WEIGHTED is 1, also KEY and INDEX (unsigned types) and ACC (the type of the sums).
#pragma once

#include "kernels/slices/rows.cuh"
#include "kernels/sort/key.cuh"

namespace sinter::on_gpu {

/// The maximum number of bins that a block counts in shared memory.
enum { few_bins = 4096 };

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
typedef bits_of<TYPE> item;
typedef decltype(value_of(TYPE())) value;

#if FORM == 0
#ifdef __CUDACC_RTC__
static __device__ inline f32 fused(f32 a, f32 b, f32 c) { return __fmaf_rn(a, b, c); }
static __device__ inline f64 fused(f64 a, f64 b, f64 c) { return __fma_rn(a, b, c); }
#else
static __device__ inline f32 fused(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
static __device__ inline f64 fused(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }
#endif
#endif
// What is the same for all elements.
struct binning {
#if FORM == 0
    V low, high, bins, width, inverse;
#elif FORM == 1
    value low, high;
#endif
};
static __device__ inline binning binning_of(const bins_of& k) {
    binning b;
#if FORM == 0
    b.low = (V)k.low, b.high = (V)k.high, b.bins = (V)k.bins, b.width = b.high - b.low;
    b.inverse = 1 / b.width;
#elif FORM == 1
    b.low = value_of(*(const TYPE*)k.edges);
    b.high = value_of(*(const TYPE*)(k.edges + k.bins * k.edge_step));
#endif
    return b;
}
/// Whether bin_of<true> can be used.
static __device__ inline bool is_quick(const bins_of& k, const binning& b) {
#if FORM == 0
    if (!(b.width > (V)0x1p-60 && b.width < (V)0x1p60)) return false;
#endif
    return k.bins <= few_bins;
}
// Returns the bin of an element, or k.bins if no bin contains it.
template <bool quick>
static __device__ inline i64 bin_of(const bins_of& k, const binning& b, item bits) {
    const value x = value_of(of_bits<TYPE>(bits));
#if FORM == 0
    const bool inside = x >= b.low && x <= b.high;
    const V y = (x - b.low) * b.bins;
    if (!quick) {
        if (!inside) return k.bins;
        const i64 at = (i64)(y / b.width);
        return at < k.bins ? at : k.bins - 1;
    }
    // Two corrections by the remainder give y / width as division rounds it, unless the quotient is
    // far below 1: the theorem of Markstein, "Computation of elementary functions on the IBM RISC
    // System/6000 processor".
    V q = y * b.inverse;
    q = fused(fused(-b.width, q, y), b.inverse, q);
    q = fused(fused(-b.width, q, y), b.inverse, q);
    const i32 last = (i32)k.bins - 1, at = inside ? (i32)q : last + 1;
    return inside && at > last ? last : at;
#elif FORM == 1
    const bool inside = x >= b.low && x <= b.high;
    i64 begin = 0;
    for (i64 n = k.bins; n > 1;) {
        const i64 half = n / 2;
        const bool above = value_of(*(const TYPE*)(k.edges + (begin + half) * k.edge_step)) > x;
        if (!above) begin += half;
        n = above ? half : n - half;
    }
    return inside ? begin : k.bins;
#else
    return x;
#endif
}

// Calls f.take(items, t) for elements t, t + 1... of all, with an array of one or several, in any
// order. Elements that lie side by side are loaded in packs of 16 bytes.
template <class rows, class function>
static __device__ inline void for_each_item(const rows& k, function& f) {
    enum { packed = 16 / sizeof(item), together = 4 };
    typedef pack<item, packed, 16> items;
    const i64 threads = (i64)gridDim.x * blockDim.x, all = k.rows * k.n,
              me = (i64)blockIdx.x * blockDim.x + threadIdx.x;
    i64 first = 0;
    if (k.rows == 1 && k.step == sizeof(item)) {
        i64 at[2];
        find_row(k.space, 0, at);
        const char* const from = k.data + at[0];
        const i64 packs = (u64)from % 16 == 0 ? all / packed : 0;
        for (i64 p = me; p < packs; p += threads * together) {
            items x[together];
#pragma unroll
            for (int j = 0; j < together; j++)
                if (p + j * threads < packs) x[j] = load_pack<items>(from + (p + j * threads) * 16);
#pragma unroll
            for (int j = 0; j < together; j++)
                if (p + j * threads < packs) f.take(x[j].at, (p + j * threads) * packed);
        }
        first = packs * packed;
    }
    for (i64 t = first + me; t < all; t += threads * together) {
        item x[together][1];
#pragma unroll
        for (int j = 0; j < together; j++) {
            const u64 i = t + j * threads;
            if ((i64)i >= all) continue;
            const u64 row = k.rows == 1 ? 0 : i >> 32 ? i / k.n : (u32)i / (u32)k.n;
            i64 at[2];
            find_row(k.space, row, at);
            x[j][0] = *(const item*)(k.data + at[0] + (i64)(i - row * k.n) * k.step);
        }
#pragma unroll
        for (int j = 0; j < together; j++)
            if (t + j * threads < all) f.take(x[j], t + j * threads);
    }
}

#if WEIGHTED
struct bin_writer {
    const weighing<KEY, INDEX>& k;
    binning b;
    template <int n>
    __device__ void take(const item (&x)[n], i64 t) {
        for (int i = 0; i < n; i++) k.keys[t + i] = (KEY)bin_of<false>(k.of, b, x[i]);
    }
};
extern "C" __global__ void __launch_bounds__(256) sinter_find_bins(const weighing<KEY, INDEX> k) {
    bin_writer f{k, binning_of(k.of)};
    for_each_item(k.of, f);
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
struct span_finder {
    elements of;
    u64 least, most;  // `most` is an inverted key
    template <int n>
    __device__ void take(const item (&x)[n], i64) {
#pragma unroll
        for (int i = 0; i < n; i++) {
            const u64 key = key_of<u64>(of, x[i]);
            if (key < least) least = key;
            if (~key < most) most = ~key;
        }
    }
};
extern "C" __global__ void SINTER_LAUNCH_BOUNDS(256, 4) sinter_find_span(const spans k) {
    __shared__ u64 low[256], high[256];
    const u32 me = threadIdx.x;
    span_finder f{k.of, ~0ull, ~0ull};
    for_each_item(k, f);
    low[me] = f.least;
    high[me] = f.most;
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

struct quick_counter {
    const bins_of& k;
    binning b;
    u32* own;
    template <int n>
    __device__ void take(const item (&x)[n], i64) {
        i32 bins[n];
#pragma unroll
        for (int i = 0; i < n; i++) bins[i] = (i32)bin_of<true>(k, b, x[i]);
#pragma unroll
        for (int i = 0; i < n; i++) atomicAdd(own + bins[i], 1u);
    }
};
struct slow_counter {
    const counting& k;
    binning b;
    template <int n>
    __device__ void take(const item (&x)[n], i64) {
        for (int i = 0; i < n; i++) {
            const i64 bin = bin_of<false>(k.of, b, x[i]);
            if (bin < k.of.bins) atomicAdd(k.counts + bin, (u64)1);
        }
    }
};
extern "C" __global__ void SINTER_LAUNCH_BOUNDS(256, 4) sinter_count(const counting k) {
    __shared__ u32 own[few_bins + 1];  // the last counts what no bin contains
    const binning b = binning_of(k.of);
    const bool few = is_quick(k.of, b);
    if (few)
        for (u32 b = threadIdx.x; b < (u32)k.of.bins; b += 256) own[b] = 0;
    __syncthreads();
    if (few) {
        quick_counter f{k.of, b, own};
        for_each_item(k.of, f);
    } else {
        slow_counter f{k, b};
        for_each_item(k.of, f);
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
