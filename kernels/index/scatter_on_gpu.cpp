// Writing through indices on a GPU, in the order of the elements, so that the result equals the
// CPU's. The target places are sorted, which groups equal ones, and one thread applies all updates
// of an element.
#include "kernels/gpu/scratch.hpp"
#include "kernels/index/on_gpu.hpp"
#include "kernels/index/places.cuh"
#include "kernels/index/put.cuh"
#include "kernels/index/scatter.hpp"
#include "kernels/index/space_on_gpu.hpp"
#include "kernels/sort/sort_on_gpu.hpp"
#include "runtime/device/transfer.hpp"
#include "runtime/strided/geometry.hpp"

#include <bit>
#include <limits>

namespace sinter::embedded {
extern const char index_places[], index_put[];  // places.cuh, put.cuh
}

namespace sinter::index_kernels {
namespace {

using gpu_kernels::arguments, gpu_kernels::scratch, gpu_kernels::kernel_source;

const kernel_source& places_kernel() {
    static const kernel_source k{"index_places", embedded::index_places, {"sinter_find_places"}};
    return k;
}

const kernel_source& put_kernel() {
    static const kernel_source k{"index_put", embedded::index_put, {"sinter_put"}};
    return k;
}

/// Returns the definition of COMBINE, a function of put.cuh.
const char* combine(put_kind kind, ScalarType type) {
    switch (kind) {
        case put_kind::amax: return "larger";
        case put_kind::amin: return "smaller";
        case put_kind::add: return isComplexType(type) ? "complex_sum" : "sum";
        case put_kind::prod: return isComplexType(type) ? "complex_product" : "product";
        default: return "";
    }
}

}  // namespace

bool scatter_on_gpu(const op_call& c, runtime::gpu_stream& s) {
    const put_kind kind = c.attributes->as<scatter_attributes>().kind;
    const layout& l = c.attributes->as<scatter_attributes>().space;
    const auto indices = c.inputs.subspan(2);
    const loops space(l, c.output, c.shape, const_cast<char*>(c.inputs[1].data), *c.inputs[1].shape,
                      c.dtype, indices);
    if (space.total() == 0) {
        // The indices may still be out of range.
        check_range_on_gpu(c, l, c.shape, indices);
        return true;
    }
    // The dimensions along which an index varies or elements meet, and the others.
    std::vector<std::size_t> key_dims, free_dims;
    for (std::size_t d = 0; d < space.rank(); ++d) {
        bool meets = space.indexed_strides()[d] == 0;
        for (std::size_t k = 0; k < space.indices(); ++k)
            meets = meets || space.index_strides(k)[d] != 0;
        (meets ? key_dims : free_dims).push_back(d);
    }
    const loops keys = space.over(key_dims), free = space.over(free_dims);
    const auto item = static_cast<int64_t>(elementSize(c.dtype));
    const std::size_t place_bytes =
        extent_of(c.shape) > std::numeric_limits<uint32_t>::max() ? 8 : 4;
    const char* const place_name = gpu_kernels::bits_name(place_bytes);
    const scratch places(s, static_cast<std::size_t>(keys.total()) * place_bytes);
    const range_test test(s, indices.size());
    constexpr int any = on_gpu::any_length;
    const arguments found(
        on_gpu::found_places<any, any, void>{arguments_of(keys, test.words()), places.data()});
    if (!found.fit()) return false;
    const auto& find = gpu_kernels::kernels_of(
        s.device(), places_kernel(),
        macros_of(keys, l.wraps).name("PLACE", place_name).number("ITEM", item));
    gpu_kernels::put(s, find.front(), gpu_kernels::grid_for(keys.total()), found);
    test.put(c, l, c.shape);

    const auto bits = static_cast<int>(std::bit_width(static_cast<uint64_t>(extent_of(c.shape))));
    const ordering::gpu_sorted sorted =
        ordering::put_sorted(s, places, place_bytes, bits, 1, keys.total());
    const on_gpu::puts<any, any, void, void> put{.keys = keys.total(),
                                                 .free = free.total(),
                                                 .outside = test.words(),
                                                 .indices = static_cast<int64_t>(indices.size()),
                                                 .place = sorted.keys.data(),
                                                 .order = sorted.indices.data(),
                                                 .indexed = space.indexed(),
                                                 .values = space.other(),
                                                 .key_sizes = keys.sizes(),
                                                 .key_values = keys.other_strides(),
                                                 .free_sizes = free.sizes(),
                                                 .free_indexed = free.indexed_strides(),
                                                 .free_values = free.other_strides()};
    const bool computed = kind != put_kind::assign && !isComplexType(c.dtype);
    gpu_kernels::macro_definitions words;
    words.name("PLACE", place_name)
        .name("ORDER", gpu_kernels::bits_name(sorted.index_bytes))
        .number("ITEM", item)
        .number("KEY_DIMS", static_cast<int64_t>(keys.rank()))
        .number("FREE_DIMS", static_cast<int64_t>(free.rank()))
        .name("INDEX", space.total() > std::numeric_limits<int32_t>::max() ? "u64" : "u32")
        .number("ASSIGNS", kind == put_kind::assign)
        .number("COMPUTED", computed)
        .name("COMBINE", combine(kind, c.dtype));
    if (kind == put_kind::assign)
        words.name("T", gpu_kernels::bits_name(static_cast<std::size_t>(item)));
    else
        words.type("T", c.dtype);
    gpu_kernels::put(s, gpu_kernels::kernels_of(s.device(), put_kernel(), words).front(),
                     gpu_kernels::grid_for(space.total()), put);
    return true;
}

}  // namespace sinter::index_kernels
