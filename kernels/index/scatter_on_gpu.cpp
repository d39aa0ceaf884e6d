// Writing through indices on a GPU, in the order of the elements, so that the result equals the
// CPU's. The target places are sorted, which groups equal ones, and one thread applies all updates
// of an element.
#include "kernels/gpu/scratch.hpp"
#include "kernels/index/on_gpu.hpp"
#include "kernels/index/scatter.hpp"
#include "kernels/index/space_on_gpu.hpp"
#include "kernels/sort/sort_on_gpu.hpp"
#include "runtime/device/transfer.hpp"
#include "runtime/strided/geometry.hpp"

#include <limits>

namespace sinter::index_kernels {
namespace {

using gpu_kernels::arguments, gpu_kernels::scratch, gpu_kernels::written;

constexpr const char* places_text = R"(
struct places { space s; PLACE* to; };
extern "C" __global__ void sinter_find_places(const places k) {
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < k.s.total; i += step) {
        i64 place, unused;
        find(k.s, (INDEX)i, place, unused);
        k.to[i] = (PLACE)(place / ITEM);
    }
}
)";

// The same arithmetic as in scatter.cpp.
constexpr const char* combine_text = R"(
typedef computed<T>::type V;
static __device__ inline bool minus(f32 x) { return __float_as_int(x) < 0; }
static __device__ inline bool minus(f64 x) { return __double_as_longlong(x) < 0; }
template <class I> static __device__ inline bool minus(I x) { return x < 0; }
static __device__ inline V larger(V a, V b) {
    return b != b || (a == a && (b > a || (b == a && minus(a)))) ? b : a;
}
static __device__ inline V smaller(V a, V b) {
    return b != b || (a == a && (b < a || (b == a && minus(b)))) ? b : a;
}
static __device__ inline T combine(T x, T y) {
    const V a = value_of(x), b = value_of(y);
    return made<T>(COMBINED);
}
)";

// For complex elements, and for elements that are only moved.
constexpr const char* other_text = R"(
static __device__ inline T combine(T a, T b) { return COMBINED; }
)";

constexpr const char* put_text = R"(
struct puts {
    i64 keys, free;
    const PLACE* place;  // sorted
    const ORDER* order;
    char* indexed;
    const char* values;
    i64 key_sizes[KEY_DIMS], key_values[KEY_DIMS];
    i64 free_sizes[FREE_DIMS], free_indexed[FREE_DIMS], free_values[FREE_DIMS];
};
static __device__ inline const char* value_at(const puts& k, i64 key) {
    const char* p = k.values;
#pragma unroll
    for (int d = KEY_DIMS - 1; d >= 0; d--) {
        const INDEX rest = d ? (INDEX)key / (INDEX)k.key_sizes[d] : 0;
        p += (key - (i64)(rest * (INDEX)k.key_sizes[d])) * k.key_values[d];
        key = rest;
    }
    return p;
}
extern "C" __global__ void sinter_put(const puts k) {
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < k.keys * k.free; i += step) {
        i64 j = (INDEX)i / (INDEX)k.free, rest = i - j * k.free, to = 0, from = 0;
        const PLACE place = k.place[j];
        if (j > 0 && k.place[j - 1] == place) continue;
#pragma unroll
        for (int d = FREE_DIMS - 1; d >= 0; d--) {
            const INDEX outer = d ? (INDEX)rest / (INDEX)k.free_sizes[d] : 0;
            const i64 n = rest - (i64)(outer * (INDEX)k.free_sizes[d]);
            to += n * k.free_indexed[d];
            from += n * k.free_values[d];
            rest = outer;
        }
        T* const p = (T*)(k.indexed + (i64)place * ITEM + to);
        T x = *p;
        for (; j < k.keys && k.place[j] == place; j++)
            x = combine(x, *(const T*)(value_at(k, (i64)k.order[j]) + from));
        *p = x;
    }
}
)";

const written& places_kernel() {
    static const written k{std::string(space_text) + places_text, {"sinter_find_places"}};
    return k;
}

const written& put_kernel(bool assigned_or_complex) {
    static const written values{std::string(combine_text) + put_text, {"sinter_put"}};
    static const written moved{std::string(other_text) + put_text, {"sinter_put"}};
    return assigned_or_complex ? moved : values;
}

const char* combined(put_kind kind, ScalarType type) {
    if (kind == put_kind::assign) return "b";
    if (isComplexType(type))
        return kind == put_kind::add ? "T{a.re + b.re, a.im + b.im}"
                                     : "T{a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}";
    const bool integral = !isFloatingType(type);
    switch (kind) {
        case put_kind::amax: return "larger(a, b)";
        case put_kind::amin: return "smaller(a, b)";
        case put_kind::add:
            return type == kBool ? "a || b" : integral ? "(u64)a + (u64)b" : "a + b";
        case put_kind::prod:
            return type == kBool ? "a && b" : integral ? "(u64)a * (u64)b" : "a * b";
        default: return "b";
    }
}

/// Some dimensions of a space: either those along which an index varies or elements meet, or the
/// others.
struct dimensions {
    std::vector<int64_t> sizes, indexed, values;
    std::vector<std::size_t> which;
    int64_t total = 1;

    void add(const loops& l, std::size_t d) {
        sizes.push_back(l.sizes()[d]);
        indexed.push_back(l.indexed_strides()[d]);
        values.push_back(l.other_strides()[d]);
        which.push_back(d);
        total *= sizes.back();
    }
    void have_one() {
        if (!sizes.empty()) return;
        sizes.push_back(1);
        indexed.push_back(0);
        values.push_back(0);
    }
};

}  // namespace

bool scatter_on_gpu(const op_call& c, runtime::gpu_stream& s) {
    const put_kind kind = c.attributes->as<scatter_attributes>().kind;
    const layout& l = c.attributes->as<scatter_attributes>().space;
    const auto indices = c.inputs.subspan(2);
    const loops space(l, c.output, c.shape, const_cast<char*>(c.inputs[1].data), *c.inputs[1].shape,
                      c.dtype, indices);
    if (space.total() == 0) {
        // The indices may still be out of range.
        if (!c.checked) check_range_on_gpu(c, l, c.shape, indices);
        return true;
    }
    dimensions keys, free;
    for (std::size_t d = 0; d < space.sizes().size(); ++d) {
        bool meets = space.indexed_strides()[d] == 0;
        for (const loops::place& p : space.places()) meets = meets || p.strides[d] != 0;
        (meets ? keys : free).add(space, d);
    }
    const auto item = static_cast<int64_t>(elementSize(c.dtype));
    const std::size_t place_bytes =
        extent_of(c.shape) > std::numeric_limits<uint32_t>::max() ? 8 : 4;
    const char* const place_name = gpu_kernels::bits_name(place_bytes);
    const scratch places(s, static_cast<std::size_t>(keys.total) * place_bytes);
    const scratch outside(s, indices.size() * sizeof(uint64_t));
    const loops key_space = space.over(keys.which);
    arguments found = arguments_of(key_space, outside.data());
    found.add(places.data());
    if (!found.fit()) return false;
    const auto& find = gpu_kernels::kernels_of(
        s.device(), places_kernel(),
        meanings_of(key_space, l.wraps).name("PLACE", place_name).number("ITEM", item));
    if (!c.checked) runtime::put_fill(s, outside.data(), 0xff, indices.size() * sizeof(uint64_t));
    gpu_kernels::put(s, find.front(), gpu_kernels::grid_for(keys.total), found);
    if (!c.checked) throw_outside_on_gpu(c, s, l, c.shape, key_space, outside.data());

    const ordering::gpu_sorted sorted = ordering::put_sorted(s, places, place_bytes, 1, keys.total);
    keys.have_one();
    free.have_one();
    arguments put;
    put.add(keys.total).add(free.total).add(sorted.keys.data()).add(sorted.indices.data());
    put.add(space.indexed()).add(space.other()).add(keys.sizes).add(keys.values);
    put.add(free.sizes).add(free.indexed).add(free.values);
    gpu_kernels::meanings words;
    words.name("PLACE", place_name)
        .name("ORDER", gpu_kernels::bits_name(sorted.index_bytes))
        .number("ITEM", item)
        .number("KEY_DIMS", static_cast<int64_t>(keys.sizes.size()))
        .number("FREE_DIMS", static_cast<int64_t>(free.sizes.size()))
        .name("INDEX", space.total() > std::numeric_limits<int32_t>::max() ? "u64" : "u32")
        .name("COMBINED", combined(kind, c.dtype));
    if (kind == put_kind::assign)
        words.name("T", gpu_kernels::bits_name(static_cast<std::size_t>(item)));
    else
        words.type("T", c.dtype);
    gpu_kernels::put(
        s,
        gpu_kernels::kernels_of(
            s.device(), put_kernel(kind == put_kind::assign || isComplexType(c.dtype)), words)
            .front(),
        gpu_kernels::grid_for(space.total()), put);
    return true;
}

}  // namespace sinter::index_kernels
