// Writing through indices on a GPU, with the CPU's result: whole numbers are combined in any order,
// and otherwise the elements of a place are found, which keep their order. For assignments a word
// for each place has its last element; else the places are sorted, which groups equal ones, and one
// thread applies all updates of an element.
#include "kernels/gpu/scratch.hpp"
#include "kernels/index/atomic.cuh"
#include "kernels/index/on_gpu.hpp"
#include "kernels/index/places.cuh"
#include "kernels/index/put.cuh"
#include "kernels/index/scatter.hpp"
#include "kernels/index/targets.hpp"
#include "kernels/sort/sort_on_gpu.hpp"
#include "runtime/device/transfer.hpp"

#include <limits>

namespace sinter::embedded {
extern const char index_atomic[], index_places[], index_put[];  // atomic.cuh, places.cuh, put.cuh
}

namespace sinter::index_kernels {
namespace {

using gpu_kernels::arguments, gpu_kernels::scratch, gpu_kernels::kernel_source;

const kernel_source& atomic_kernel() {
    static const kernel_source k{
        "index_atomic", embedded::index_atomic, {"sinter_put_in_any_order"}};
    return k;
}

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

/// Returns the definition of COMBINE, a function of atomic.cuh, or nullptr if the order of elements
/// matters or the device has no such instruction.
const char* combine_in_any_order(put_kind kind, ScalarType type) {
    if (type == kBool) {
        if (kind == put_kind::add || kind == put_kind::amax) return "set";
        if (kind == put_kind::prod || kind == put_kind::amin) return "clear";
    } else if (type == kInt || type == kLong) {
        if (kind == put_kind::add) return "add";
        if (kind == put_kind::amax) return "keep_larger";
        if (kind == put_kind::amin) return "keep_smaller";
    }
    return nullptr;
}

/// One call. Its parts put work on the stream.
class scatter_call {
public:
    scatter_call(const op_call& c, runtime::gpu_stream& s, const loops& space)
        : call_(c), stream_(s), kind_(how().kind), space_(space), test_(s, space.indices()) {}

    bool put() const {
        const char* const combine = combine_in_any_order(kind_, call_.dtype);
        if (!(combine ? put_in_any_order(combine) : put_in_order())) return false;
        test_.put(call_, how().space, call_.shape);
        return true;
    }

private:
    const scatter_attributes& how() const { return call_.attributes->as<scatter_attributes>(); }

    bool put_in_any_order(const char* combine) const {
        const arguments a(arguments_of(space_, test_.words()));
        if (!a.fit()) return false;
        const auto& k = gpu_kernels::kernels_of(
            stream_.device(), atomic_kernel(),
            macros_of(space_, how().space.wraps).type("T", call_.dtype).name("COMBINE", combine));
        gpu_kernels::put(stream_, k.front(), gpu_kernels::grid_for(space_.total()), a);
        return true;
    }
    bool put_in_order() const {
        const targets to(space_);
        const bool claims =
            kind_ == put_kind::assign && to.claims_pay(stream_.device().properties.l2);
        const auto item = static_cast<int64_t>(elementSize(call_.dtype));
        const loops &keys = to.keys, &free = to.free;
        const auto elements = static_cast<std::size_t>(keys.total());
        const char* const place_name = gpu_kernels::bits_name(to.place_bytes());
        // A sort carries values of few bytes along, so that they are not read in its order.
        const bool carries =
            !claims && free.total() == 1 && item <= 4 && ordering::index_bytes(keys.total()) == 4;
        const bool dense = item == 4 && keys.rank() == 1 && keys.other_strides()[0] == item;
        const scratch places(stream_, elements * to.place_bytes());
        const scratch carried(stream_, carries && !dense ? elements * sizeof(uint32_t) : 0);
        const scratch words(stream_,
                            claims ? static_cast<std::size_t>(to.places) * sizeof(uint32_t) : 0);
        constexpr int any = on_gpu::any_length;
        const arguments found(
            on_gpu::found_places<any, any, void>{to.arguments(test_.words()), places.data(),
                                                 words.as<uint32_t>(), carried.as<uint32_t>()});
        if (!found.fit()) return false;
        const auto& find =
            gpu_kernels::kernels_of(stream_.device(), places_kernel(),
                                    macros_of(keys, how().space.wraps)
                                        .name("PLACE", place_name)
                                        .number("CLAIMS", claims)
                                        .number("CARRIES", carries && !dense ? item : 0));
        if (claims) runtime::put_fill(stream_, words.data(), 0, words.bytes());
        gpu_kernels::put(stream_, find.front(), gpu_kernels::grid_for(keys.total()), found);

        on_gpu::puts<any, any, void, void> put{.outside = test_.words(),
                                               .indices = static_cast<int64_t>(keys.indices()),
                                               .keys = keys.total(),
                                               .free = free.total(),
                                               .unit = to.unit,
                                               .place = places.data(),
                                               .order = nullptr,
                                               .words = words.as<uint32_t>(),
                                               .indexed = space_.indexed(),
                                               .values = space_.other(),
                                               .key_sizes = keys.sizes(),
                                               .key_values = keys.other_strides(),
                                               .free_sizes = free.sizes(),
                                               .free_indexed = free.indexed_strides(),
                                               .free_values = free.other_strides()};
        if (claims) {
            put_elements(put, puts_words(to, 4).number("CLAIMED", 1).number("CARRIED", 0));
            return true;
        }
        const ordering::gpu_sorted sorted = ordering::put_sorted(
            stream_, places, to.place_bytes(), to.place_bits(), 1, keys.total(), 4,
            carries ? (dense ? space_.other() : carried.data()) : nullptr);
        put.place = sorted.keys.data();
        put.order = sorted.indices.data();
        put_elements(
            put,
            puts_words(to, sorted.index_bytes).number("CLAIMED", 0).number("CARRIED", carries));
        return true;
    }
    gpu_kernels::macro_definitions puts_words(const targets& to, std::size_t order_bytes) const {
        const bool assigns = kind_ == put_kind::assign;
        gpu_kernels::macro_definitions words;
        if (assigns)
            words.name("T", gpu_kernels::bits_name(elementSize(call_.dtype)));
        else
            words.type("T", call_.dtype);
        words.name("PLACE", gpu_kernels::bits_name(to.place_bytes()))
            .name("ORDER", gpu_kernels::bits_name(order_bytes))
            .number("KEY_DIMS", static_cast<int64_t>(to.keys.rank()))
            .number("FREE_DIMS", static_cast<int64_t>(to.free.rank()))
            .name("INDEX", space_.total() > std::numeric_limits<int32_t>::max() ? "u64" : "u32")
            .number("ASSIGNS", assigns)
            .number("COMPUTED", !assigns && !isComplexType(call_.dtype))
            .name("COMBINE", combine(kind_, call_.dtype));
        return words;
    }
    void put_elements(const on_gpu::puts<0, 0, void, void>& a,
                      const gpu_kernels::macro_definitions& words) const {
        gpu_kernels::put(stream_,
                         gpu_kernels::kernels_of(stream_.device(), put_kernel(), words).front(),
                         gpu_kernels::grid_for(space_.total()), a);
    }

    const op_call& call_;
    runtime::gpu_stream& stream_;
    put_kind kind_;
    const loops& space_;
    range_test test_;
};

}  // namespace

bool scatter_on_gpu(const op_call& c, runtime::gpu_stream& s) {
    const layout& l = c.attributes->as<scatter_attributes>().space;
    const auto indices = c.inputs.subspan(2);
    const loops space(l, c.output, c.shape, const_cast<char*>(c.inputs[1].data), *c.inputs[1].shape,
                      c.dtype, indices);
    if (space.total() == 0) {
        // The indices may still be out of range.
        check_range_on_gpu(c, l, c.shape, indices);
        return true;
    }
    return scatter_call(c, s, space).put();
}

}  // namespace sinter::index_kernels
