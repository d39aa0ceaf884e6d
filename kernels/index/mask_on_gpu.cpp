#include "kernels/index/mask_on_gpu.hpp"

#include "kernels/gpu/kernel_source.hpp"
#include "kernels/index/mask.cuh"
#include "kernels/index/mask.hpp"
#include "runtime/base/fail.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace sinter::embedded {
extern const char index_mask[];  // mask.cuh
}

namespace sinter::index_kernels {
namespace {

using gpu_kernels::macro_definitions, gpu_kernels::kernel_source;

constexpr int64_t block_bytes = on_gpu::mask_block_bytes;

const kernel_source& count_kernels() {
    static const kernel_source k{
        "index_mask", embedded::index_mask, {"sinter_count_ones", "sinter_sum_ones"}};
    return k;
}

const kernel_source& use_kernel() {
    static const kernel_source k{"index_mask", embedded::index_mask, {"sinter_use_ones"}};
    return k;
}

unsigned blocks_of(int64_t n) {
    const int64_t blocks = (n + block_bytes - 1) / block_bytes;
    if (blocks > std::numeric_limits<int32_t>::max())
        runtime::fail("mask", "the mask is too large for the GPU", runtime::text(n, " elements"),
                      "fewer than 2^43", "slices of the tensor");
    return static_cast<unsigned>(blocks);
}

}  // namespace

gpu_mask_count::gpu_mask_count(runtime::gpu_stream& s, const char* mask, int64_t n)
    : stream_(s), mask_(mask), n_(n), before_(s, (blocks_of(n) + 1) * sizeof(uint64_t)) {
    if (n == 0) return;
    const auto kernels = gpu_kernels::kernels_of(s.device(), count_kernels(), {});
    const on_gpu::mask_bytes a{n, reinterpret_cast<const uint8_t*>(mask), before_.as<uint64_t>()};
    gpu_kernels::put(s, kernels[0], {blocks_of(n), gpu_kernels::block_threads}, a);
    gpu_kernels::put(s, kernels[1], {1, gpu_kernels::block_threads}, a);
    total_ = static_cast<int64_t>(
        gpu_kernels::read_back(s, before_.as<uint64_t>() + blocks_of(n), 1).front());
}

void gpu_mask_count::use(const char* how, const char* type, const void* from, void* to,
                         std::vector<int64_t> sizes, std::vector<int64_t> strides) const {
    if (total_ == 0) return;
    macro_definitions words;
    words.name("T", type).number("DIMS", static_cast<int64_t>(sizes.size())).name("USE", how);
    const auto& k = gpu_kernels::kernels_of(stream_.device(), use_kernel(), words).front();
    gpu_kernels::put(stream_, k, {blocks_of(n_), gpu_kernels::block_threads},
                     on_gpu::used_ones<on_gpu::any_length, void>{
                         .m = {n_, reinterpret_cast<const uint8_t*>(mask_), before_.as<uint64_t>()},
                         .from = from,
                         .to = to,
                         .sizes = std::move(sizes),
                         .strides = std::move(strides)});
}

void gpu_mask_count::write_nonzero(IntArrayRef sizes, char* indices) const {
    if (sizes.empty()) return;
    use("write_index", "i64", nullptr, indices, sizes.vec(), std::vector<int64_t>(sizes.size()));
}

void gpu_mask_count::select_ones(const char* from, std::size_t bytes, char* to) const {
    use("select_element", gpu_kernels::bits_name(bytes), from, to, {0}, {0});
}

void gpu_mask_count::put_ones(const char* from, std::size_t bytes, char* to,
                              const geometry& shape) const {
    const bool scalar = shape.ndim == 0;
    use("put_element", gpu_kernels::bits_name(bytes), from,
        to + shape.offset * static_cast<int64_t>(bytes),
        scalar ? std::vector<int64_t>{1} : shape.sizes_ref().vec(),
        scalar ? std::vector<int64_t>{1} : shape.strides_ref().vec());
}

bool masked_scatter_on_gpu(const op_call& c, runtime::gpu_stream& s) {
    const op_input &mask = c.inputs[1], &source = c.inputs[2];
    const std::size_t bytes = elementSize(c.dtype);
    const gpu_mask_count ones(s, mask.data + mask.shape->offset, c.shape.numel);
    require_enough(c.op.name, ones.total(), source.shape->numel);
    ones.put_ones(source.data + static_cast<std::size_t>(source.shape->offset) * bytes, bytes,
                  c.output, c.shape);
    return true;
}

}  // namespace sinter::index_kernels
