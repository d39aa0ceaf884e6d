// The shape of a tensor: an immutable, shared index map from indices to elements of a storage.
#pragma once

#include <sinter/config.hpp>
#include <sinter/core/array_ref.hpp>
#include <sinter/core/intrusive_ptr.hpp>
#include <sinter/core/reference_count.hpp>

#include <cstdint>

namespace sinter::inline v1 {

/// Sizes, strides and offset, all in elements. Tensors, expression leaves and graph nodes share it,
/// so that an expression over equal shapes makes no copy. The two arrays follow the object in
/// memory.
struct geometry {
    detail::reference_count references;
    int32_t ndim = 0;
    bool contiguous = true;  // row-major and dense, ignoring dimensions of size 1
    bool lasting = false;    // never destroyed, so pointers are not counted
    int64_t offset = 0;
    int64_t numel = 1;

    int64_t* sizes() { return reinterpret_cast<int64_t*>(this + 1); }
    const int64_t* sizes() const { return reinterpret_cast<const int64_t*>(this + 1); }
    int64_t* strides() { return sizes() + ndim; }
    const int64_t* strides() const { return sizes() + ndim; }
    IntArrayRef sizes_ref() const { return {sizes(), static_cast<std::size_t>(ndim)}; }
    IntArrayRef strides_ref() const { return {strides(), static_cast<std::size_t>(ndim)}; }
};

using geometry_ptr = intrusive_ptr<const geometry>;

inline void retain(const geometry* g) {
    if (!g->lasting) const_cast<geometry*>(g)->references.add();
}
SINTER_API void destroy(const geometry* g);
inline void release(const geometry* g) {
    if (!g->lasting && const_cast<geometry*>(g)->references.drop()) destroy(g);
}

}  // namespace sinter::inline v1
