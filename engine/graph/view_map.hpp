// Where the elements of a view lie in what it was taken of.
#pragma once

#include <sinter/core/geometry.hpp>

namespace sinter::inline v1 {

/// Returns the layout of the elements of `view` in a row-major tensor of `source`'s sizes, if both
/// see one storage. Returns null if no layout says it, or if elements of `source` share an address.
geometry_ptr map_of_view(const geometry& source, const geometry& view);

}  // namespace sinter::inline v1
