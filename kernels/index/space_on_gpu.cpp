#include "kernels/index/space_on_gpu.hpp"

#include "kernels/gpu/scratch.hpp"
#include "kernels/index/check.cuh"
#include "runtime/device/transfer.hpp"

#include <algorithm>
#include <limits>

namespace sinter::embedded {
extern const char index_check[];  // check.cuh
}

namespace sinter::index_kernels {

namespace {

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
        const on_gpu::checked_index<on_gpu::any_length> a{.total = e.total,
                                                          .low = l.wraps ? -size : 0,
                                                          .high = size,
                                                          .data = e.data,
                                                          .outside = outside.as<uint64_t>() + k,
                                                          .sizes = sizes,
                                                          .strides = strides};
        static const gpu_kernels::kernel_source text{
            "index_check", embedded::index_check, {"sinter_check_index"}};
        gpu_kernels::macro_definitions words;
        words.number("DIMS", static_cast<int64_t>(dims));
        gpu_kernels::put(s, gpu_kernels::kernels_of(s.device(), text, words).front(),
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

gpu_kernels::macro_definitions macros_of(const loops& l, bool wraps) {
    gpu_kernels::macro_definitions m;
    m.number("DIMS", static_cast<int64_t>(l.sizes().size()))
        .number("INDICES", static_cast<int64_t>(l.indices()))
        .number("WRAPS", wraps)
        .name("INDEX", l.total() > std::numeric_limits<int32_t>::max() ? "u64" : "u32");
    return m;
}

space_arguments arguments_of(const loops& l, uint64_t* outside) {
    space_arguments a{.total = l.total(),
                      .indexed = l.indexed(),
                      .other = l.other(),
                      .outside = outside,
                      .sizes = l.sizes(),
                      .indexed_strides = l.indexed_strides(),
                      .other_strides = l.other_strides(),
                      .places = {}};
    for (std::size_t k = 0; k < l.indices(); ++k)
        a.places.push_back(
            {l.index(k), l.places()[k].extent, l.places()[k].step, l.index_strides(k)});
    return a;
}

void throw_outside_on_gpu(const op_call& c, runtime::gpu_stream& s, const layout& l,
                          const geometry& indexed, const loops& space, const void* outside) {
    const std::vector<uint64_t> first = gpu_kernels::read_back(s, outside, space.indices());
    for (std::size_t k = 0; k < first.size(); ++k) {
        if (first[k] == none) continue;
        const char* at = space.index(k) + runtime::offset_of(static_cast<int64_t>(first[k]),
                                                             space.rank(), space.sizes().data(),
                                                             space.index_strides(k).data());
        throw_outside(c.op.name, l, indexed, k,
                      static_cast<int64_t>(gpu_kernels::read_back(s, at, 1).front()));
    }
}

}  // namespace sinter::index_kernels
