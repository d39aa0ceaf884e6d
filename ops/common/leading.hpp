// Layouts with a leading dimension more, for several tensors of one shape in one memory.
#pragma once

#include "ops/common/op_checks.hpp"

namespace sinter::ops {

/// Returns the layout with a leading dimension, of which each index lies `apart` elements behind
/// the one before.
inline geometry_ptr led(const geometry& g, int64_t leading, int64_t apart) {
    std::vector<int64_t> sizes = g.sizes_ref().vec(), strides = g.strides_ref().vec();
    sizes.insert(sizes.begin(), leading);
    strides.insert(strides.begin(), apart);
    return make_geometry(sizes, strides, g.offset);
}

/// Returns how many elements of a dtype take the bytes of `count` elements of another one.
inline int64_t counted_in(ScalarType dtype, int64_t count, ScalarType of) {
    return count * static_cast<int64_t>(elementSize(of)) / static_cast<int64_t>(elementSize(dtype));
}

}  // namespace sinter::ops
