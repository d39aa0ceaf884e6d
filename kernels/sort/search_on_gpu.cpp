#include "kernels/sort/search_on_gpu.hpp"

#include "kernels/sort/search.hpp"
#include "kernels/sort/sort_on_gpu.hpp"
#include "kernels/sort/sort_text.hpp"
#include "runtime/device/transfer.hpp"
#include "runtime/strided/geometry.hpp"

#include <algorithm>

namespace sinter::ordering {
namespace {

using gpu_kernels::arguments, gpu_kernels::meanings, gpu_kernels::scratch, gpu_kernels::written;

constexpr const char* check_text = R"(
struct sorters { row_space space; i64 rows, n, step; const char* data; u64* bad; };
extern "C" __global__ void __launch_bounds__(256) sinter_check_sorter(const sorters k) {
    const i64 threads = (i64)gridDim.x * blockDim.x, all = k.rows * k.n;
    for (i64 t = (i64)blockIdx.x * blockDim.x + threadIdx.x; t < all; t += threads) {
        i64 at[1];
        find_row(k.space, (u64)(t / k.n), at);
        const i64 x = *(const i64*)(k.data + at[0] + t % k.n * k.step);
        if (x < 0 || x >= k.n) atomicMin(k.bad, (u64)t);
    }
}
)";

// A comparison with NaN, on either side, always inserts after.
constexpr const char* search_text = R"(
struct searches {
    row_space space;
    elements of;
    u64 nan;
    i64 rows, count, n, right, narrow;
    const char *values, *sequence, *sorter;
    char* out;
    i64 values_step, sequence_step, sorter_step, out_step;
};
extern "C" __global__ void __launch_bounds__(256) sinter_search(const searches k) {
    const i64 threads = (i64)gridDim.x * blockDim.x, all = k.rows * k.count;
    for (i64 t = (i64)blockIdx.x * blockDim.x + threadIdx.x; t < all; t += threads) {
        const i64 row = t / k.count, i = t - row * k.count;
        i64 at[4], begin = 0;
        find_row(k.space, (u64)row, at);
        const KEY value = key_at(k.of, k.values + at[0] + i * k.values_step);
        const KEY nan = (KEY)k.nan;
        const bool last = k.nan && value == nan;
        for (i64 n = k.n; n > 0;) {
            const i64 half = n / 2;
            i64 m = begin + half;
            if (k.sorter) m = *(const i64*)(k.sorter + at[3] + m * k.sorter_step);
            const KEY middle = key_at(k.of, k.sequence + at[2] + m * k.sequence_step);
            const bool behind =
                last || (k.nan && middle == nan) || (k.right ? middle <= value : middle < value);
            if (behind) begin += half + 1;
            n = behind ? n - half - 1 : half;
        }
        char* const out = k.out + at[1] + i * k.out_step;
        if (k.narrow)
            *(i32*)out = (i32)begin;
        else
            *(i64*)out = begin;
    }
}
)";

constexpr const char* isin_text = R"(
struct members {
    row_space space;
    elements of;
    u64 nan;
    i64 rows, count, n, invert;
    const KEY* keys;
    const char* data;
    u8* out;
    i64 step, out_step;
};
extern "C" __global__ void __launch_bounds__(256) sinter_find_members(const members k) {
    const i64 threads = (i64)gridDim.x * blockDim.x, all = k.rows * k.count;
    for (i64 t = (i64)blockIdx.x * blockDim.x + threadIdx.x; t < all; t += threads) {
        const i64 row = t / k.count, i = t - row * k.count;
        i64 at[2];
        find_row(k.space, (u64)row, at);
        const KEY key = key_at(k.of, k.data + at[0] + i * k.step);
        const i64 found = first_not_below(k.keys, k.n, key);
        const bool there = found < k.n && k.keys[found] == key && !(k.nan && key == (KEY)k.nan);
        k.out[at[1] + i * k.out_step] = (u8)(there != (k.invert != 0));
    }
}
)";

const written& check_kernel() {
    static const written k{std::string(rows::row_space_text) + check_text, {"sinter_check_sorter"}};
    return k;
}

const written& search_kernel() {
    static const written k{std::string(rows::row_space_text) + key_text + search_text,
                           {"sinter_search"}};
    return k;
}

const written& isin_kernel() {
    static const written k{std::string(rows::row_space_text) + key_text + isin_text,
                           {"sinter_find_members"}};
    return k;
}

int64_t last_dim_of(const geometry& g) { return std::max(0, g.ndim - 1); }

void put_elements(runtime::gpu_stream& s, const written& text, const meanings& words,
                  int64_t elements, const arguments& a) {
    gpu_kernels::put(s, gpu_kernels::kernels_of(s.device(), text, words).front(),
                     gpu_kernels::grid_for(elements), a);
}

/// Returns the shape of a sorter without its broadcast dimensions, so that each row is checked
/// once.
geometry_ptr once_each(const geometry& g) {
    std::vector<int64_t> sizes = g.sizes_ref().vec();
    for (int d = 0; d + 1 < g.ndim; ++d)
        if (g.strides()[d] == 0 && g.sizes()[d] > 0) sizes[static_cast<std::size_t>(d)] = 1;
    return make_geometry(sizes, g.strides_ref(), g.offset);
}

bool check_on_gpu(runtime::gpu_stream& s, const op_input& sorter) {
    const geometry_ptr shape = once_each(*sorter.shape);
    const rows::gpu_rows rows({{shape.get(), kLong}}, last_dim_of(*shape));
    if (!rows.fit()) return false;
    const int64_t n = rows.length(0);
    if (rows.rows() * n == 0) return true;
    const scratch bad(s, sizeof(uint64_t));
    runtime::put_fill(s, bad.data(), 0xff, sizeof(uint64_t));
    arguments a = rows.arguments();
    a.add(rows.rows()).add(n).add(rows.step(0)).add(sorter.data + rows.first(0)).add(bad.data());
    put_elements(s, check_kernel(), rows.meanings(), rows.rows() * n, a);
    auto first = static_cast<int64_t>(gpu_kernels::read_back(s, bad.data(), 1).front());
    if (first < 0) return true;
    int64_t at = shape->offset;
    for (int d = shape->ndim; d-- > 0; first /= shape->sizes()[d])
        at += first % shape->sizes()[d] * shape->strides()[d];
    const char* where = sorter.data + at * static_cast<int64_t>(sizeof(int64_t));
    bad_sorter(static_cast<int64_t>(gpu_kernels::read_back(s, where, 1).front()), n);
}

}  // namespace

bool searchsorted_on_gpu(const op_call& c, runtime::gpu_stream& s) {
    const op_input &values = c.inputs[0], &sequence = c.inputs[1];
    const bool sorted = c.inputs.size() < 3;
    const op_input& sorter = c.inputs[sorted ? 1 : 2];
    const rows::gpu_rows rows({{values.shape, values.dtype},
                               {&c.shape, c.dtype},
                               {sequence.shape, sequence.dtype},
                               {sorter.shape, sorter.dtype}},
                              last_dim_of(*values.shape));
    if (!rows.fit() || (!sorted && !check_on_gpu(s, sorter))) return false;
    const int64_t all = rows.rows() * rows.length(0);
    if (all == 0) return true;
    arguments a = rows.arguments();
    a.add(key_arguments(values.dtype, false)).add(nan_key(values.dtype));
    a.add(rows.rows()).add(rows.length(0)).add(rows.length(2));
    a.add(c.attributes->as<search_attributes>().right).add(c.dtype == kInt);
    a.add(values.data + rows.first(0)).add(sequence.data + rows.first(2));
    a.add(sorted ? nullptr : sorter.data + rows.first(3)).add(c.output + rows.first(1));
    a.add(rows.step(0)).add(rows.step(2)).add(rows.step(3)).add(rows.step(1));
    meanings words = rows.meanings();
    words.name("KEY", gpu_kernels::bits_name(key_bytes(values.dtype)));
    put_elements(s, search_kernel(), words, all, a);
    return true;
}

bool isin_on_gpu(const op_call& c, runtime::gpu_stream& s) {
    const op_input &elements = c.inputs[0], &wanted = c.inputs[1];
    const rows::gpu_rows rows({{elements.shape, elements.dtype}, {&c.shape, c.dtype}},
                              last_dim_of(*elements.shape));
    const rows::gpu_rows list({{wanted.shape, wanted.dtype}, {wanted.shape, wanted.dtype}}, 0);
    if (!rows.fit()) return false;
    const int64_t n = wanted.shape->numel, all = rows.rows() * rows.length(0);
    if (all == 0) return true;
    const gpu_sorted sorted = put_sorted(s, {list, wanted.data, wanted.dtype}, n);
    arguments a = rows.arguments();
    a.add(key_arguments(elements.dtype, false)).add(nan_key(elements.dtype));
    a.add(rows.rows()).add(rows.length(0)).add(n).add(c.attributes->as<isin_attributes>().invert);
    a.add(sorted.keys.data()).add(elements.data + rows.first(0)).add(c.output + rows.first(1));
    a.add(rows.step(0)).add(rows.step(1));
    put_elements(s, isin_kernel(), sorted.meanings(), all, a);
    return true;
}

}  // namespace sinter::ordering
