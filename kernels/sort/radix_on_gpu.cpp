#include "kernels/sort/radix_on_gpu.hpp"

#include "kernels/sort/radix.cuh"

#include <algorithm>
#include <bit>

namespace sinter::embedded {
extern const char sort_radix[];  // radix.cuh
}

namespace sinter::ordering {
namespace {

using gpu_kernels::scratch;

enum : std::size_t { count_kernel, places_kernel, move_kernel };
const gpu_kernels::kernel_source& radix_kernels() {
    static const gpu_kernels::kernel_source k{
        "sort_radix",
        embedded::sort_radix,
        {"sinter_radix_count", "sinter_radix_places", "sinter_radix_move"}};
    return k;
}

int passes_of(int bits) { return std::max(1, (bits + 7) / 8); }

}  // namespace

bool radix_pays(int64_t rows, int64_t n, int bits) {
    // Picoseconds for an element on an H200: 10 for a merge and 16 for a pass over rows in memory,
    // measured; 2 and 3 for each pass for a tile in shared memory, estimated from its instructions.
    // A pass over rows is three launches, which count for few elements.
    const int passes = passes_of(bits);
    const int64_t tile = sorted_tile(bits > 32 ? 8 : 4);
    const int merges = std::bit_width(static_cast<uint64_t>((n - 1) / tile));  // rounded up
    const bool many = rows * n > int64_t{1} << 21;
    return many ? 2 + 3 * passes + 10 * merges > 16 * passes : merges > 2 * passes;
}

gpu_sorted put_radix_sorted(runtime::gpu_stream& s, const radix_input& in, std::size_t key_bytes,
                            std::size_t index_bytes) {
    gpu_sorted sorted{scratch(s, 0), scratch(s, 0), key_bytes, index_bytes};
    const auto kernels =
        gpu_kernels::kernels_of(s.device(), radix_kernels(), sorted.macro_definitions());
    const auto elements = static_cast<std::size_t>(in.rows * in.n);
    const auto tile =
        on_gpu::radix_tile_bytes / static_cast<int64_t>(std::max(key_bytes, index_bytes));
    const int64_t tiles = (in.n + tile - 1) / tile;
    const int64_t most = std::clamp<int64_t>(on_gpu::most_radix_parts / in.rows, 1, tiles);
    const int64_t part = (tiles + most - 1) / most * tile, parts = (in.n + part - 1) / part;
    const int64_t counts = in.rows * on_gpu::radix_digits;
    const scratch places(s, static_cast<std::size_t>(counts * parts) * index_bytes);
    const scratch totals(s, static_cast<std::size_t>(counts) * index_bytes);
    on_gpu::radix_pass<void, void> pass{.space = in.space,
                                        .of = in.of,
                                        .rows = in.rows,
                                        .n = in.n,
                                        .part = part,
                                        .parts = parts,
                                        .shift = 0,
                                        .mask = 0,
                                        .data = in.data,
                                        .step = in.step,
                                        .keys = in.keys,
                                        .indices = in.carried,
                                        .to_keys = nullptr,
                                        .to_indices = nullptr,
                                        .places = places.data(),
                                        .totals = totals.data()};
    const auto put = [&](std::size_t kernel, int64_t blocks) {
        gpu_kernels::put(s, kernels[kernel],
                         gpu_kernels::grid_for(blocks * gpu_kernels::block_threads), pass);
    };
    // Of fewer digits a pass writes longer runs, so all passes have about as many.
    const int passes = passes_of(in.bits), width = std::max(1, (in.bits + passes - 1) / passes);
    pass.mask = (int64_t{1} << width) - 1;
    for (int i = 0; i < passes; ++i) {
        gpu_sorted to{scratch(s, elements * key_bytes), scratch(s, elements * index_bytes),
                      key_bytes, index_bytes};
        pass.shift = int64_t{width} * i;
        pass.to_keys = to.keys.data();
        pass.to_indices = to.indices.data();
        put(count_kernel, in.rows * parts);
        put(places_kernel, counts);
        put(move_kernel, in.rows * parts);
        std::swap(sorted, to);
        pass.data = nullptr;
        pass.keys = sorted.keys.data();
        pass.indices = sorted.indices.data();
    }
    return sorted;
}

}  // namespace sinter::ordering
