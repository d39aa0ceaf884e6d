#include "kernels/sort/search_on_gpu.hpp"

#include "kernels/sort/search.cuh"
#include "kernels/sort/search.hpp"
#include "kernels/sort/sort_on_gpu.hpp"
#include "runtime/device/transfer.hpp"
#include "runtime/strided/geometry.hpp"
#include "runtime/strided/walk.hpp"

#include <algorithm>

namespace sinter::embedded {
extern const char sort_search[];  // search.cuh
}

namespace sinter::ordering {
namespace {

using gpu_kernels::scratch;

enum : std::size_t { check_sorter, search, find_members };

int64_t last_dim_of(const geometry& g) { return std::max(0, g.ndim - 1); }

/// Launches a kernel with one thread per element. The keys take `bytes` bytes each.
template <class T>
void put_elements(runtime::gpu_stream& s, std::size_t kernel, std::size_t bytes, int64_t elements,
                  const T& a) {
    static const gpu_kernels::kernel_source text{
        "sort_search",
        embedded::sort_search,
        {"sinter_check_sorter", "sinter_search", "sinter_find_members"}};
    gpu_kernels::macro_definitions words;
    words.name("KEY", gpu_kernels::bits_name(bytes));
    gpu_kernels::put(s, gpu_kernels::kernels_of(s.device(), text, words)[kernel],
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

bool check_on_gpu(runtime::gpu_stream& s, const op_input& sorter, std::size_t bytes) {
    const geometry_ptr shape = once_each(*sorter.shape);
    const rows::gpu_rows rows({{shape.get(), kLong}}, last_dim_of(*shape));
    if (!rows.fit()) return false;
    const int64_t n = rows.length(0);
    if (rows.rows() * n == 0) return true;
    const scratch bad(s, sizeof(uint64_t));
    runtime::put_fill(s, bad.data(), 0xff, sizeof(uint64_t));
    put_elements(s, check_sorter, bytes, rows.rows() * n,
                 on_gpu::sorters{.space = rows.space<1>(),
                                 .rows = rows.rows(),
                                 .n = n,
                                 .step = rows.step(0),
                                 .data = sorter.data + rows.first(0),
                                 .bad = bad.as<uint64_t>()});
    const auto first = static_cast<int64_t>(gpu_kernels::read_back(s, bad.data(), 1).front());
    if (first < 0) return true;
    const char* where =
        sorter.data + runtime::offset_of(first, *shape) * static_cast<int64_t>(sizeof(int64_t));
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
    const std::size_t bytes = key_bytes(values.dtype);
    if (!rows.fit() || (!sorted && !check_on_gpu(s, sorter, bytes))) return false;
    const int64_t all = rows.rows() * rows.length(0);
    if (all == 0) return true;
    put_elements(s, search, bytes, all,
                 on_gpu::searches{.space = rows.space<4>(),
                                  .of = key_arguments(values.dtype, false),
                                  .nan = nan_key(values.dtype),
                                  .rows = rows.rows(),
                                  .count = rows.length(0),
                                  .n = rows.length(2),
                                  .right = c.attributes->as<search_attributes>().right,
                                  .narrow = c.dtype == kInt,
                                  .values = values.data + rows.first(0),
                                  .sequence = sequence.data + rows.first(2),
                                  .sorter = sorted ? nullptr : sorter.data + rows.first(3),
                                  .out = c.output + rows.first(1),
                                  .values_step = rows.step(0),
                                  .sequence_step = rows.step(2),
                                  .sorter_step = rows.step(3),
                                  .out_step = rows.step(1)});
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
    put_elements(s, find_members, sorted.key_bytes, all,
                 on_gpu::members<void>{.space = rows.space<2>(),
                                       .of = key_arguments(elements.dtype, false),
                                       .nan = nan_key(elements.dtype),
                                       .rows = rows.rows(),
                                       .count = rows.length(0),
                                       .n = n,
                                       .invert = c.attributes->as<isin_attributes>().invert,
                                       .keys = sorted.keys.data(),
                                       .data = elements.data + rows.first(0),
                                       .out = reinterpret_cast<uint8_t*>(c.output + rows.first(1)),
                                       .step = rows.step(0),
                                       .out_step = rows.step(1)});
    return true;
}

}  // namespace sinter::ordering
