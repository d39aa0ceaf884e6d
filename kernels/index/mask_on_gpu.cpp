#include "kernels/index/mask_on_gpu.hpp"

#include "kernels/gpu/written.hpp"
#include "kernels/index/mask.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <limits>

namespace sinter::index_kernels {
namespace {

using gpu_kernels::arguments, gpu_kernels::meanings, gpu_kernels::written;

// A block has 256 threads of 16 bytes each. One block then sums the counts of the blocks before
// each block, in order. A use of the mask finds the true elements again.
constexpr int64_t block_bytes = 4096;

constexpr const char* ones_text = R"(
struct mask_bytes { i64 n; const u8* mask; u64* before; };
static __device__ inline u32 ones_of_thread(const mask_bytes& k) {
    const i64 first = (i64)blockIdx.x * 4096 + threadIdx.x * 16;
    if (first >= k.n) return 0;
    u32 ones = 0;
    if (first + 16 <= k.n && (u64)(k.mask + first) % 16 == 0) {
        const bits16 all = *(const bits16*)(k.mask + first);
        for (int j = 0; j < 8; j++) {
            ones |= (u32)((all.low >> 8 * j & 255) != 0) << j;
            ones |= (u32)((all.high >> 8 * j & 255) != 0) << (8 + j);
        }
        return ones;
    }
    for (int j = 0; j < 16; j++)
        if (first + j < k.n) ones |= (u32)(k.mask[first + j] != 0) << j;
    return ones;
}
// Of the threads before this one in the block, and of all.
template <class T>
static __device__ inline T sum_before(T mine, T& all) {
    __shared__ T sums[256];
    const u32 t = threadIdx.x;
    sums[t] = mine;
    __syncthreads();
    T sum = mine;
    for (u32 by = 1; by < 256; by *= 2) {
        if (t >= by) sum += sums[t - by];
        __syncthreads();
        sums[t] = sum;
        __syncthreads();
    }
    all = sums[255];
    __syncthreads();
    return sum - mine;
}
)";

constexpr const char* count_text = R"(
extern "C" __global__ void sinter_count_ones(const mask_bytes k) {
    u32 all;
    sum_before((u32)__popc(ones_of_thread(k)), all);
    if (threadIdx.x == 0) k.before[blockIdx.x] = all;
}
extern "C" __global__ void sinter_sum_ones(const mask_bytes k) {
    const i64 blocks = (k.n + 4095) / 4096;
    u64 so_far = 0;
    for (i64 first = 0; first < blocks; first += 256) {
        const i64 at = first + threadIdx.x;
        const u64 mine = at < blocks ? k.before[at] : 0;
        u64 all;
        const u64 before = sum_before(mine, all);
        if (at < blocks) k.before[at] = so_far + before;
        so_far += all;
    }
    if (threadIdx.x == 0) k.before[blocks] = so_far;
}
)";

// USE is a statement over `at`, the element's index in the mask, and `rank`, the number of true
// elements before it.
constexpr const char* use_text = R"(
struct use { mask_bytes m; const T* from; T* to; i64 sizes[DIMS], strides[DIMS]; };
extern "C" __global__ void sinter_use_ones(const use k) {
    u32 ones = ones_of_thread(k.m), all;
    u64 rank = k.m.before[blockIdx.x] + sum_before((u32)__popc(ones), all);
    i64 at = (i64)blockIdx.x * 4096 + threadIdx.x * 16;
    for (; ones; ones >>= 1, at++)
        if (ones & 1) {
            USE
            rank++;
        }
}
)";

const written& count_kernels() {
    static const written k{std::string(ones_text) + count_text,
                           {"sinter_count_ones", "sinter_sum_ones"}};
    return k;
}

const written& use_kernel() {
    static const written k{std::string(ones_text) + use_text, {"sinter_use_ones"}};
    return k;
}

unsigned blocks_of(int64_t n) {
    const int64_t blocks = (n + block_bytes - 1) / block_bytes;
    if (blocks > std::numeric_limits<int32_t>::max())
        throw Error("[mask] a mask is too large for a GPU's grid; got " + std::to_string(n) +
                    " elements, expected less than 2^43; try parts of it");
    return static_cast<unsigned>(blocks);
}

}  // namespace

gpu_mask_count::gpu_mask_count(runtime::gpu_stream& s, const char* mask, int64_t n)
    : stream_(s), mask_(mask), n_(n), before_(s, (blocks_of(n) + 1) * sizeof(uint64_t)) {
    if (n == 0) return;
    const auto kernels = gpu_kernels::kernels_of(s.device(), count_kernels(), {});
    arguments a;
    a.add(n).add(mask).add(before_.data());
    gpu_kernels::put(s, kernels[0], {blocks_of(n), gpu_kernels::block_threads}, a);
    gpu_kernels::put(s, kernels[1], {1, gpu_kernels::block_threads}, a);
    total_ = static_cast<int64_t>(
        gpu_kernels::read_back(s, before_.as<uint64_t>() + blocks_of(n), 1).front());
}

void gpu_mask_count::use(const meanings& words, const arguments& tail) const {
    if (total_ == 0) return;
    const auto& k = gpu_kernels::kernels_of(stream_.device(), use_kernel(), words).front();
    arguments a;
    a.add(n_).add(mask_).add(before_.data()).add(tail);
    gpu_kernels::put(stream_, k, {blocks_of(n_), gpu_kernels::block_threads}, a);
}

void gpu_mask_count::write_nonzero(IntArrayRef sizes, char* indices) const {
    const auto rank = static_cast<int64_t>(sizes.size());
    if (rank == 0) return;
    meanings m;
    m.name("T", "i64")
        .number("DIMS", rank)
        .name("USE",
              "i64 rest = at;"
              " for (int d = DIMS - 1; d >= 0; d--) {"
              " k.to[rank * DIMS + d] = rest % k.sizes[d]; rest /= k.sizes[d]; }");
    const std::vector<int64_t> unused(sizes.size());
    use(m, arguments().add(nullptr).add(indices).add(sizes.vec()).add(unused));
}

void gpu_mask_count::select_ones(const char* from, std::size_t bytes, char* to) const {
    meanings m;
    m.name("T", gpu_kernels::bits_name(bytes)).number("DIMS", 1);
    m.name("USE", "k.to[rank] = k.from[at];");
    use(m, arguments().add(from).add(to).add(0).add(0));
}

void gpu_mask_count::put_ones(const char* from, std::size_t bytes, char* to,
                              const geometry& shape) const {
    const int64_t item = static_cast<int64_t>(bytes);
    meanings m;
    m.name("T", gpu_kernels::bits_name(bytes)).number("DIMS", std::max(1, shape.ndim));
    m.name("USE",
           "i64 rest = at, place = 0;"
           " for (int d = DIMS - 1; d >= 0; d--) {"
           " place += rest % k.sizes[d] * k.strides[d]; rest /= k.sizes[d]; }"
           " k.to[place] = k.from[rank];");
    arguments tail;
    tail.add(from).add(to + shape.offset * item);
    if (shape.ndim == 0)
        tail.add(1).add(1);
    else
        tail.add(shape.sizes_ref().vec()).add(shape.strides_ref().vec());
    use(m, tail);
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
