// Makes and broadcasts geometries, and computes what they cover.
#include "runtime/strided/geometry.hpp"

#include "runtime/base/fail.hpp"
#include "runtime/memory/pool.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <atomic>
#include <new>

namespace sinter::inline v1 {
namespace {

std::size_t bytes_of(int32_t ndim) {
    return sizeof(geometry) + 2 * static_cast<std::size_t>(ndim) * sizeof(int64_t);
}

using runtime::text;

/// Returns the product of sizes. Throws Error if it overflows or a size is negative.
int64_t count(const char* op, IntArrayRef sizes) {
    int64_t n = 1;
    bool empty = false, overflow = false;
    for (int64_t s : sizes) {
        if (s < 0)
            runtime::fail(op, text("Trying to create tensor with negative dimension ", s),
                          text("sizes ", sizes), "sizes of 0 or more",
                          "-1 only in view() and reshape(), which infer that size");
        if (s == 0) empty = true;
        overflow = overflow || __builtin_mul_overflow(n, s, &n);
    }
    if (empty) return 0;
    // Elements have up to 16 bytes, and the size in bytes must fit as well.
    if (overflow || n > INT64_MAX / 16)
        runtime::fail(op, "the tensor has too many elements", text("sizes ", sizes),
                      "a product below 2^59", "smaller sizes");
    return n;
}

geometry* allocate(const char* op, IntArrayRef sizes) {
    const int64_t numel = count(op, sizes);
    const auto ndim = static_cast<int32_t>(sizes.size());
    if (ndim > 64)
        runtime::fail(op, "the tensor has too many dimensions", text(ndim), "at most 64",
                      "flatten() on some of them");
    auto* g = new (runtime::allocate_uncounted(bytes_of(ndim))) geometry;
    g->ndim = ndim;
    g->numel = numel;
    std::copy(sizes.begin(), sizes.end(), g->sizes());
    return g;
}

bool is_row_major(const geometry& g) {
    if (g.numel == 0) return true;
    int64_t expected = 1;
    for (int d = g.ndim - 1; d >= 0; --d) {
        if (g.sizes()[d] == 1) continue;
        if (g.strides()[d] != expected) return false;
        expected *= g.sizes()[d];
    }
    return true;
}

}  // namespace

void destroy(const geometry* g) {
    const std::size_t bytes = bytes_of(g->ndim);
    g->~geometry();
    runtime::release_uncounted(const_cast<geometry*>(g), bytes);
}

geometry_ptr make_geometry(IntArrayRef sizes, IntArrayRef strides, int64_t offset, const char* op) {
    geometry* g = allocate(op, sizes);
    geometry_ptr result(g);
    std::copy(strides.begin(), strides.end(), g->strides());
    g->offset = offset;
    g->contiguous = is_row_major(*g);
    return result;
}

geometry_ptr part_geometry(const geometry& g, int part) {
    std::vector<int64_t> strides = g.strides_ref().vec();
    for (int64_t& s : strides) s *= 2;
    return make_geometry(g.sizes_ref(), strides, 2 * g.offset + part);
}

geometry_ptr byte_geometry(const geometry& g, ScalarType dtype) {
    const auto item = static_cast<int64_t>(elementSize(dtype));
    std::vector<int64_t> sizes = g.sizes_ref().vec(), strides = g.strides_ref().vec();
    for (int64_t& s : strides) s *= item;
    sizes.push_back(item);
    strides.push_back(1);
    return make_geometry(sizes, strides, g.offset * item);
}

namespace {

geometry_ptr fresh_contiguous(const char* op, IntArrayRef sizes) {
    geometry* g = allocate(op, sizes);
    int64_t stride = 1;
    for (int d = g->ndim - 1; d >= 0; --d) {
        g->strides()[d] = stride;
        // The other sizes of an empty tensor may overflow; its strides are never used.
        if (__builtin_mul_overflow(stride, std::max<int64_t>(g->sizes()[d], 1), &stride))
            stride = 1;
    }
    return geometry_ptr(g);
}

/// Interned contiguous geometries, never freed: pointers to them need no reference count, and equal
/// ones have equal addresses. Entries are never removed, so readers need no lock. If all places for
/// some sizes are taken, each tensor gets a separate geometry.
constexpr std::size_t table_size = 8192, probes = 8;
constinit std::atomic<const geometry*> lasting[table_size];

std::size_t first_place(IntArrayRef sizes) {
    uint64_t h = sizes.size() + 1;
    for (int64_t s : sizes) h = (h ^ static_cast<uint64_t>(s)) * 0x9e3779b97f4a7c15u;
    return h >> 32;
}

}  // namespace

geometry_ptr make_contiguous(IntArrayRef sizes, const char* op) {
    const std::size_t first = first_place(sizes);
    for (std::size_t p = 0; p < probes; ++p) {
        std::atomic<const geometry*>& place = lasting[(first + p) % table_size];
        const geometry* found = place.load(std::memory_order_acquire);
        if (!found) {
            geometry_ptr made = fresh_contiguous(op, sizes);
            const_cast<geometry&>(*made).lasting = true;
            if (place.compare_exchange_strong(found, made.get(), std::memory_order_acq_rel))
                return made;
            const_cast<geometry&>(*made).lasting = false;  // another thread was first
        }
        if (found->sizes_ref() == sizes) return geometry_ptr(found);
    }
    return fresh_contiguous(op, sizes);
}

std::vector<int64_t> broadcast_shapes(const char* what, IntArrayRef a, IntArrayRef b) {
    const IntArrayRef longer = a.size() < b.size() ? b : a, shorter = a.size() < b.size() ? a : b;
    std::vector<int64_t> r = longer.vec();
    const std::size_t lead = longer.size() - shorter.size();
    for (std::size_t d = 0; d < shorter.size(); ++d) {
        int64_t& s = r[lead + d];
        if (s == 1) s = shorter[d];
        const auto at = [&](IntArrayRef x) { return x[x.size() + d - shorter.size()]; };
        if (shorter[d] != 1 && shorter[d] != s)
            runtime::fail(
                what,
                text("The size of tensor a (", at(a), ") must match the size of tensor b (", at(b),
                     ") at non-singleton dimension ", lead + d),
                text("shapes ", a, " and ", b),
                "sizes that are equal or 1, counted from the last dimension",
                "unsqueeze() or reshape() to line up the dimensions");
    }
    return r;
}

geometry_ptr expand_to(const geometry& g, IntArrayRef sizes) {
    if (g.sizes_ref() == sizes) return geometry_ptr(&g);
    geometry* e = allocate("expand", sizes);
    geometry_ptr result(e);
    e->offset = g.offset;
    const int lead = e->ndim - g.ndim;
    for (int d = 0; d < e->ndim; ++d) {
        const bool same = d >= lead && g.sizes()[d - lead] == sizes[static_cast<std::size_t>(d)];
        e->strides()[d] = same ? g.strides()[d - lead] : 0;
    }
    e->contiguous = is_row_major(*e);
    return result;
}

int64_t extent_of(const geometry& g) {
    if (g.numel == 0) return 0;
    int64_t last = g.offset;
    for (int d = 0; d < g.ndim; ++d) last += (g.sizes()[d] - 1) * g.strides()[d];
    return last + 1;
}

bool covers(const geometry& g, int64_t numel) {
    if (g.numel != numel) return false;
    if (numel == 0) return true;
    if (g.offset != 0) return false;
    if (g.contiguous) return true;
    int order[64];
    int n = 0;
    for (int d = 0; d < g.ndim; ++d)
        if (g.sizes()[d] != 1) order[n++] = d;
    std::sort(order, order + n, [&](int a, int b) { return g.strides()[a] < g.strides()[b]; });
    int64_t expected = 1;
    for (int i = 0; i < n; ++i) {
        if (g.strides()[order[i]] != expected) return false;
        expected *= g.sizes()[order[i]];
    }
    return true;
}

}  // namespace sinter::inline v1
