#include "kernels/sort/sort_on_gpu.hpp"

#include "kernels/sort/sort_text.hpp"

#include <algorithm>
#include <bit>

namespace sinter::ordering {
namespace {

using gpu_kernels::arguments, gpu_kernels::meanings, gpu_kernels::scratch;

/// The input and output of one launch of sinter_sort_tiles.
struct tiles_of {
    arguments space = arguments().add(std::vector<int64_t>(1 + 16 + 2 * 16));
    arguments form = key_arguments(kByte, false);
    int64_t rows = 0, n = 0;
    const char* data = nullptr;  // elements; null: the input is `keys`
    int64_t step = 0;
    bool data_across = false;
    const void *keys = nullptr, *indices = nullptr;
    int64_t pitch = 0;
    char* out = nullptr;  // Long indices; null: the output is runs
    int64_t out_step = 0;
    bool out_across = false;
    int64_t from = 0, count = 0;
    void *run_keys = nullptr, *run_indices = nullptr;
    int64_t kept = 0;

    explicit tiles_of(int64_t rows_, int64_t n_) : rows(rows_), n(n_) {}
    explicit tiles_of(const gpu_elements& e)
        : space(e.rows.arguments()),
          form(key_arguments(e.dtype, e.descending)),
          rows(e.rows.rows()),
          n(e.rows.length(0)),
          data(e.data + e.rows.first(0)),
          step(e.rows.step(0)),
          data_across(e.rows.across(0)) {}

    /// Returns the number of elements of a segment in the shared memory of a block.
    int64_t width() const {
        return static_cast<int64_t>(
            std::bit_ceil(static_cast<uint64_t>(std::clamp<int64_t>(n, 8, tile_elements))));
    }
    int64_t tiles() const { return (n + tile_elements - 1) / tile_elements; }
    int64_t blocks() const {
        const int64_t together = tile_elements / width();
        return (rows * tiles() + together - 1) / together;
    }
    arguments all() const {
        arguments a;
        a.add(space).add(form).add(rows).add(n).add(width());
        a.add(data).add(step).add(data_across).add(keys).add(indices).add(pitch);
        a.add(out).add(out_step).add(out_across).add(from).add(count);
        return a.add(run_keys).add(run_indices).add(kept);
    }
};

meanings words(std::size_t key_bytes, std::size_t index_bytes) {
    meanings m;
    return m.number("OPERANDS", 2)
        .name("KEY", gpu_kernels::bits_name(key_bytes))
        .name("INDEX", gpu_kernels::bits_name(index_bytes));
}

/// Launches the two kernels for one width of keys and of indices.
class sorter {
public:
    sorter(runtime::gpu_stream& s, std::size_t key_bytes, std::size_t index_bytes)
        : stream_(s),
          key_bytes_(key_bytes),
          index_bytes_(index_bytes),
          kernels_(
              gpu_kernels::kernels_of(s.device(), sort_kernels(), words(key_bytes, index_bytes))) {}

    void put_tiles(const tiles_of& t) const { put(0, t.blocks(), t.all()); }

    /// Sorts the tiles of `first`, then merges until each row is one run of at most `kept`
    /// elements.
    gpu_sorted put_runs(tiles_of first, int64_t kept) const {
        gpu_sorted sorted = put_first(first, kept);
        int64_t n = first.n, runs = first.tiles(), span = tile_elements;
        while (runs > 1) {
            if (2 * kept <= tile_elements) {  // the kept heads of the runs form a shorter row,
                                              // which is sorted again
                tiles_of again(first.rows,
                               (runs - 1) * kept + std::min(kept, n - (runs - 1) * tile_elements));
                again.keys = sorted.keys.data();
                again.indices = sorted.indices.data();
                again.pitch = runs * kept;
                gpu_sorted next = put_first(again, kept);
                std::swap(sorted, next);
                n = again.n;
                runs = again.tiles();
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
    gpu_sorted put_first(tiles_of& t, int64_t kept) const {
        t.kept = std::min({kept, t.n, tile_elements});
        gpu_sorted runs = room(t.rows * t.tiles() * t.kept);
        t.run_keys = runs.keys.data();
        t.run_indices = runs.indices.data();
        put_tiles(t);
        return runs;
    }
    void put_merge(gpu_sorted& from, int64_t rows, int64_t n, int64_t span, int64_t kept) const {
        const int64_t runs = (n + span - 1) / span, pairs = (runs + 1) / 2;
        const int64_t wanted = std::min(2 * span, kept);
        gpu_sorted to = room(rows * pairs * wanted);
        arguments a;
        a.add(rows).add(n).add(span).add(kept).add(from.keys.data()).add(from.indices.data());
        a.add(to.keys.data()).add(to.indices.data());
        put(1, rows * pairs * ((wanted + tile_elements - 1) / tile_elements), a);
        std::swap(from, to);
    }
    void put(std::size_t kernel, int64_t blocks, const arguments& a) const {
        if (blocks == 0) return;
        gpu_kernels::put(stream_, kernels_[kernel],
                         gpu_kernels::grid_for(blocks * gpu_kernels::block_threads), a);
    }

    runtime::gpu_stream& stream_;
    std::size_t key_bytes_, index_bytes_;
    std::span<const runtime::gpu_kernel> kernels_;
};

constexpr const char* put_order_text = R"(
struct places {
    row_space space;
    i64 rows, pitch, from, count, out_step;
    const INDEX* indices;
    char* out;
};
extern "C" __global__ void __launch_bounds__(256) sinter_put_order(const places k) {
    const u64 parts = ((u64)k.count + 2047) / 2048, blocks = (u64)k.rows * parts;
    for (u64 block = blockIdx.x; block < blocks; block += gridDim.x) {
        const u64 row = block / parts;
        i64 at[2];
        find_row(k.space, row, at);
        for (u32 t = threadIdx.x; t < 2048; t += 256) {
            const i64 i = (i64)(block - row * parts) * 2048 + t;
            if (i < k.count)
                *(i64*)(k.out + at[1] + i * k.out_step) = (i64)k.indices[row * k.pitch + k.from + i];
        }
    }
}
)";

const gpu_kernels::written& put_order_kernel() {
    static const gpu_kernels::written k{std::string(rows::row_space_text) + put_order_text,
                                        {"sinter_put_order"}};
    return k;
}

}  // namespace

meanings gpu_sorted::meanings() const { return words(key_bytes, index_bytes); }

gpu_sorted put_sorted(runtime::gpu_stream& s, const gpu_kernels::scratch& keys,
                      std::size_t key_bytes, int64_t rows, int64_t n, std::size_t bytes) {
    const sorter to(s, key_bytes, std::max(bytes, index_bytes(n)));
    tiles_of t(rows, n);
    t.keys = keys.data();
    t.pitch = n;
    return to.put_runs(t, n);
}

gpu_sorted put_sorted(runtime::gpu_stream& s, const gpu_elements& of, int64_t kept) {
    const tiles_of t(of);
    return sorter(s, key_bytes(of.dtype), index_bytes(t.n)).put_runs(t, std::min(kept, t.n));
}

void put_order(runtime::gpu_stream& s, const gpu_elements& of, int64_t from, int64_t count,
               char* out) {
    tiles_of t(of);
    if (t.rows == 0 || count == 0) return;
    if (t.tiles() == 1) {
        t.out = out + of.rows.first(1);
        t.out_step = of.rows.step(1);
        t.out_across = of.rows.across(1);
        t.from = from;
        t.count = count;
        sorter(s, key_bytes(of.dtype), 4).put_tiles(t);
        return;
    }
    const gpu_sorted sorted = put_sorted(s, of, from + count);
    arguments a = of.rows.arguments();
    a.add(t.rows).add(from + count).add(from).add(count).add(of.rows.step(1));
    a.add(sorted.indices.data()).add(out + of.rows.first(1));
    gpu_kernels::put(
        s, gpu_kernels::kernels_of(s.device(), put_order_kernel(), sorted.meanings()).front(),
        gpu_kernels::grid_for(t.rows * ((count + tile_elements - 1) / tile_elements) *
                              gpu_kernels::block_threads),
        a);
}

}  // namespace sinter::ordering
