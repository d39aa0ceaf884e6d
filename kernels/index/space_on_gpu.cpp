#include "kernels/index/space_on_gpu.hpp"

#include "kernels/gpu/scratch.hpp"

#include "runtime/device/transfer.hpp"

#include <algorithm>
#include <limits>

namespace sinter::index_kernels {

const char* const space_text = R"(
struct place { const char* index; i64 extent, step, strides[DIMS]; };
struct space {
    i64 total;
    char *indexed, *other;
    u64* outside;
    i64 sizes[DIMS], indexed_strides[DIMS], other_strides[DIMS];
    place places[INDICES];
};
static __device__ __forceinline__ bool find(const space& k, INDEX i, i64& indexed, i64& other) {
    i64 at[INDICES] = {};
    INDEX rest = i;
    indexed = other = 0;
#pragma unroll
    for (int d = DIMS - 1; d >= 0; d--) {
        const INDEX outer = d ? rest / (INDEX)k.sizes[d] : 0;
        const i64 n = (i64)(rest - outer * (INDEX)k.sizes[d]);
        rest = outer;
        indexed += n * k.indexed_strides[d];
        other += n * k.other_strides[d];
#pragma unroll
        for (int p = 0; p < INDICES; p++) at[p] += n * k.places[p].strides[d];
    }
    bool inside = true;
#pragma unroll
    for (int p = 0; p < INDICES; p++) {
        i64 x = *(const i64*)(k.places[p].index + at[p]);
        if (WRAPS && x < 0) x += k.places[p].extent;
        if (x < 0 || x >= k.places[p].extent) {
            atomicMin(k.outside + p, (u64)i);
            inside = false;
        }
        indexed += x * k.places[p].step;
    }
    return inside;
}
)";

namespace {

constexpr const char* check_text = R"(
struct index_elements { i64 total, low, high; const char* data; u64* outside; i64 sizes[DIMS], strides[DIMS]; };
extern "C" __global__ void sinter_check_index(const index_elements k) {
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < k.total; i += step) {
        i64 rest = i, at = 0;
#pragma unroll
        for (int d = DIMS - 1; d >= 0; d--) {
            const i64 outer = d ? rest / k.sizes[d] : 0;
            at += (rest - outer * k.sizes[d]) * k.strides[d];
            rest = outer;
        }
        const i64 x = *(const i64*)(k.data + at);
        if (x < k.low || x >= k.high) atomicMin(k.outside, (u64)i);
    }
}
)";

const gpu_kernels::written& check_kernel() {
    static const gpu_kernels::written k{check_text, {"sinter_check_index"}};
    return k;
}

constexpr uint64_t none = ~uint64_t{0};

}  // namespace

void check_range_on_gpu(const op_call& c, const layout& l, const geometry& indexed,
                        std::span<const op_input> indices) {
    runtime::gpu_stream& s = *c.stream;
    const gpu_kernels::scratch outside(s, indices.size() * sizeof(uint64_t));
    runtime::put_fill(s, outside.data(), 0xff, indices.size() * sizeof(uint64_t));
    std::vector<index_elements> all;
    for (const op_input& in : indices) {
        const index_elements& e = all.emplace_back(in);
        if (e.total == 0) continue;
        const std::size_t dims = std::max<std::size_t>(1, e.sizes.size());
        std::vector<int64_t> sizes = e.sizes, strides = e.strides;
        sizes.resize(dims, 1);
        strides.resize(dims, 0);
        const std::size_t k = all.size() - 1;
        const int64_t size = indexed.sizes()[l.placed[k]];
        gpu_kernels::arguments a;
        a.add(e.total).add(l.wraps ? -size : 0).add(size).add(e.data);
        a.add(outside.as<uint64_t>() + k).add(sizes).add(strides);
        gpu_kernels::put(s,
                         gpu_kernels::kernels_of(
                             s.device(), check_kernel(),
                             gpu_kernels::meanings().number("DIMS", static_cast<int64_t>(dims)))
                             .front(),
                         gpu_kernels::grid_for(e.total), a);
    }
    const std::vector<uint64_t> first = gpu_kernels::read_back(s, outside.data(), all.size());
    for (std::size_t k = 0; k < all.size(); ++k)
        if (first[k] != none) {
            const char* at = all[k].address(static_cast<int64_t>(first[k]));
            throw_outside(c.op.name, l, indexed, k,
                          static_cast<int64_t>(gpu_kernels::read_back(s, at, 1).front()));
        }
}

gpu_kernels::meanings meanings_of(const loops& l, bool wraps) {
    gpu_kernels::meanings m;
    m.number("DIMS", static_cast<int64_t>(l.sizes().size()))
        .number("INDICES", static_cast<int64_t>(l.indices()))
        .number("WRAPS", wraps)
        .name("INDEX", l.total() > std::numeric_limits<int32_t>::max() ? "u64" : "u32");
    return m;
}

gpu_kernels::arguments arguments_of(const loops& l, const void* outside) {
    gpu_kernels::arguments a;
    a.add(l.total()).add(l.indexed()).add(l.other()).add(outside);
    a.add(l.sizes()).add(l.indexed_strides()).add(l.other_strides());
    for (const loops::place& p : l.places())
        a.add(p.index).add(p.extent).add(p.step).add(p.strides);
    return a;
}

void throw_outside_on_gpu(const op_call& c, runtime::gpu_stream& s, const layout& l,
                          const geometry& indexed, const loops& space, const void* outside) {
    const std::vector<uint64_t> first = gpu_kernels::read_back(s, outside, space.indices());
    for (std::size_t k = 0; k < first.size(); ++k) {
        if (first[k] == none) continue;
        const loops::place& p = space.places()[k];
        const char* at = p.index;
        auto i = static_cast<int64_t>(first[k]);
        for (std::size_t d = space.sizes().size(); d-- > 0; i /= space.sizes()[d])
            at += i % space.sizes()[d] * p.strides[d];
        throw_outside(c.op.name, l, indexed, k,
                      static_cast<int64_t>(gpu_kernels::read_back(s, at, 1).front()));
    }
}

}  // namespace sinter::index_kernels
