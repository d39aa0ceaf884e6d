#include "kernels/sort/sort_on_gpu.hpp"

#include "kernels/sort/order_key.hpp"
#include "kernels/sort/radix_on_gpu.hpp"
#include "runtime/types/dtypes.hpp"

#include <algorithm>
#include <bit>

namespace sinter::embedded {
extern const char sort_sort[];  // sort.cuh
}

namespace sinter::ordering {
namespace {

using gpu_kernels::macro_definitions, gpu_kernels::scratch;
using sort_tiles = on_gpu::sort_tiles<void, void>;

enum : std::size_t { short_rows_kernel, tiles_kernel, merge_runs_kernel, put_order_kernel };
const gpu_kernels::kernel_source& sort_kernels() {
    static const gpu_kernels::kernel_source k{
        "sort_sort",
        embedded::sort_sort,
        {"sinter_sort_short_rows", "sinter_sort_tiles", "sinter_merge_runs", "sinter_put_order"}};
    return k;
}

int64_t blocks_of(int64_t n, int64_t tile) { return (n + tile - 1) / tile; }

/// Returns the arguments for rows of keys or of strided elements. The caller sets the output, and
/// the input of keys.
sort_tiles tiles_of(int64_t rows, int64_t n, int bits) {
    sort_tiles t{};
    t.of = key_arguments(kByte, false);
    t.rows = rows;
    t.n = n;
    t.bits = std::max(1, bits);
    t.width = static_cast<int64_t>(
        std::bit_ceil(static_cast<uint64_t>(std::clamp<int64_t>(n, 8, on_gpu::most_short_row))));
    return t;
}
int bits_of(ScalarType dtype) { return static_cast<int>(8 * elementSize(dtype)); }
sort_tiles tiles_of(const gpu_elements& e) {
    sort_tiles t = tiles_of(e.rows.rows(), e.rows.length(0), bits_of(e.dtype));
    t.space = e.rows.space<2>();
    t.of = key_arguments(e.dtype, e.descending);
    t.data = e.data + e.rows.first(0);
    t.step = e.rows.step(0);
    t.data_across = e.rows.across(0);
    return t;
}

macro_definitions words(std::size_t key_bytes, std::size_t index_bytes) {
    macro_definitions m;
    return m.name("KEY", gpu_kernels::bits_name(key_bytes))
        .name("INDEX", gpu_kernels::bits_name(index_bytes));
}

/// Launches the kernels for one width of keys and of indices, and keys of so many bits.
class sorter {
public:
    sorter(runtime::gpu_stream& s, std::size_t key_bytes, std::size_t index_bytes, int bits)
        : stream_(s),
          key_bytes_(key_bytes),
          index_bytes_(index_bytes),
          tile_(sorted_tile(key_bytes)),
          kernels_(gpu_kernels::kernels_of(
              s.device(), sort_kernels(),
              words(key_bytes, index_bytes).number("PACKED", key_bytes == 4 && bits <= 16))) {}

    void put_tiles(const sort_tiles& t) const {
        if (t.n <= on_gpu::most_short_row)
            put(short_rows_kernel, blocks_of(t.rows, on_gpu::merged_tile / t.width), t);
        else
            put(tiles_kernel, t.rows * blocks_of(t.n, tile_), t);
    }
    /// Writes `count` indices of each sorted row.
    void put_places(const on_gpu::ordered_places<void, void>& p) const {
        put(put_order_kernel, p.rows * blocks_of(p.count, on_gpu::merged_tile), p);
    }

    /// Sorts the tiles of `first`, then merges until each row is one run of at most `kept`
    /// elements.
    gpu_sorted put_runs(sort_tiles first, int64_t kept) const {
        gpu_sorted sorted = put_first(first, kept);
        int64_t n = first.n, runs = blocks_of(n, tile_), span = tile_;
        while (runs > 1) {
            if (2 * kept <= tile_) {
                // The kept elements of all runs form a shorter row, which is sorted again.
                sort_tiles again =
                    tiles_of(first.rows, (runs - 1) * kept + std::min(kept, n - (runs - 1) * tile_),
                             static_cast<int>(first.bits));
                again.keys = sorted.keys.data();
                again.indices = sorted.indices.data();
                again.pitch = runs * kept;
                gpu_sorted next = put_first(again, kept);
                std::swap(sorted, next);
                n = again.n;
                runs = blocks_of(n, tile_);
            } else {
                put_merge(sorted, first.rows, n, span, kept);
                span *= 2;
                runs = (runs + 1) / 2;
            }
        }
        return sorted;
    }

private:
    gpu_sorted room(int64_t elements) const {
        const auto n = static_cast<std::size_t>(elements);
        return {scratch(stream_, n * key_bytes_), scratch(stream_, n * index_bytes_), key_bytes_,
                index_bytes_};
    }
    gpu_sorted put_first(sort_tiles& t, int64_t kept) const {
        t.kept = std::min({kept, t.n, tile_});
        gpu_sorted runs = room(t.rows * blocks_of(t.n, tile_) * t.kept);
        t.run_keys = runs.keys.data();
        t.run_indices = runs.indices.data();
        put_tiles(t);
        return runs;
    }
    void put_merge(gpu_sorted& from, int64_t rows, int64_t n, int64_t span, int64_t kept) const {
        const int64_t runs = (n + span - 1) / span, pairs = (runs + 1) / 2;
        const int64_t wanted = std::min(2 * span, kept);
        gpu_sorted to = room(rows * pairs * wanted);
        put(merge_runs_kernel, rows * pairs * blocks_of(wanted, on_gpu::merged_tile),
            on_gpu::merge_runs<void, void>{.rows = rows,
                                           .n = n,
                                           .span = span,
                                           .kept = kept,
                                           .keys = from.keys.data(),
                                           .indices = from.indices.data(),
                                           .merged_keys = to.keys.data(),
                                           .merged_indices = to.indices.data()});
        std::swap(from, to);
    }
    template <class T>
    void put(std::size_t kernel, int64_t blocks, const T& a) const {
        if (blocks == 0) return;
        gpu_kernels::put(stream_, kernels_[kernel],
                         gpu_kernels::grid_for(blocks * gpu_kernels::block_threads), a);
    }

    runtime::gpu_stream& stream_;
    std::size_t key_bytes_, index_bytes_;
    int64_t tile_;
    std::span<const runtime::gpu_kernel> kernels_;
};

}  // namespace

macro_definitions gpu_sorted::macro_definitions() const { return words(key_bytes, index_bytes); }

gpu_sorted put_sorted(runtime::gpu_stream& s, const gpu_kernels::scratch& keys,
                      std::size_t key_bytes, int bits, int64_t rows, int64_t n, std::size_t bytes,
                      const void* carried) {
    const std::size_t of_index = std::max(bytes, index_bytes(n));
    if (radix_pays(rows, n, bits))
        return put_radix_sorted(s,
                                {.space = {},
                                 .of = {},
                                 .rows = rows,
                                 .n = n,
                                 .bits = bits,
                                 .data = nullptr,
                                 .step = 0,
                                 .keys = keys.data(),
                                 .carried = carried},
                                key_bytes, of_index);
    const sorter to(s, key_bytes, of_index, bits);
    sort_tiles t = tiles_of(rows, n, bits);
    t.keys = keys.data();
    t.indices = carried;
    t.pitch = n;
    return to.put_runs(t, n);
}

gpu_sorted put_sorted(runtime::gpu_stream& s, const gpu_elements& of, int64_t kept) {
    const sort_tiles t = tiles_of(of);
    const int bits = bits_of(of.dtype);
    if (kept >= t.n && radix_pays(t.rows, t.n, bits))
        return put_radix_sorted(s,
                                {.space = t.space,
                                 .of = t.of,
                                 .rows = t.rows,
                                 .n = t.n,
                                 .bits = bits,
                                 .data = t.data,
                                 .step = t.step,
                                 .keys = nullptr,
                                 .carried = nullptr},
                                key_bytes(of.dtype), index_bytes(t.n));
    return sorter(s, key_bytes(of.dtype), index_bytes(t.n), bits).put_runs(t, std::min(kept, t.n));
}

void put_order(runtime::gpu_stream& s, const gpu_elements& of, int64_t from, int64_t count,
               char* out, char* values) {
    sort_tiles t = tiles_of(of);
    if (t.rows == 0 || count == 0) return;
    if (values)
        values += of.rows.first(1) / static_cast<int64_t>(sizeof(int64_t)) *
                  static_cast<int64_t>(elementSize(of.dtype));
    const int bits = bits_of(of.dtype);
    if (t.n <= sorted_tile(key_bytes(of.dtype))) {
        t.out = out + of.rows.first(1);
        t.values = values;
        t.out_step = of.rows.step(1);
        t.out_across = of.rows.across(1);
        t.from = from;
        t.count = count;
        sorter(s, key_bytes(of.dtype), 4, bits).put_tiles(t);
        return;
    }
    const gpu_sorted sorted = put_sorted(s, of, from + count);
    sorter(s, sorted.key_bytes, sorted.index_bytes, bits)
        .put_places({.space = t.space,
                     .of = t.of,
                     .rows = t.rows,
                     .pitch = from + count,
                     .from = from,
                     .count = count,
                     .out_step = of.rows.step(1),
                     .step = t.step,
                     .data = t.data,
                     .keys = sorted.keys.data(),
                     .indices = sorted.indices.data(),
                     .out = out + of.rows.first(1),
                     .values = values});
}

uint64_t nan_key(ScalarType dtype) {
    // NOLINTNEXTLINE(clang-analyzer-core.BitwiseShift): elements have a dtype
    return isFloatingType(dtype) ? ~uint64_t{0} >> (64 - 8 * elementSize(dtype)) : 0;
}

std::size_t key_bytes(ScalarType dtype) { return elementSize(dtype) <= 4 ? 4 : 8; }

on_gpu::elements key_arguments(ScalarType dtype, bool descending) {
    const std::size_t bytes = elementSize(dtype);
    // NOLINTNEXTLINE(clang-analyzer-core.BitwiseShift): elements have a dtype
    const uint64_t all = ~uint64_t{0} >> (64 - 8 * bytes);
    const uint64_t exponent = with_type(
        dtype,
        []<real_element T>(std::type_identity<T>) -> uint64_t { return infinity_bits<T>(); });
    return {.bytes = bytes,
            .form = isFloatingType(dtype) ? 2u
                    : isSignedType(dtype) ? 1u
                                          : 0u,
            .sign = all / 2 + 1,
            .exponent = exponent,
            .turn = descending ? all : 0};
}

}  // namespace sinter::ordering
