// Makes layouts, and computes properties of one or two of them without reading elements.
#pragma once

#include <sinter/core/array_ref.hpp>
#include <sinter/core/geometry.hpp>
#include <sinter/dtype.hpp>

#include <vector>

namespace sinter::inline v1 {

/// Returns the layout of one part (0 real, 1 imaginary) of complex elements, counted in parts.
geometry_ptr part_geometry(const geometry& g, int part);
/// Returns the layout of the bytes of the elements, with one more dimension for the bytes.
geometry_ptr byte_geometry(const geometry& g, ScalarType dtype);
geometry_ptr make_geometry(IntArrayRef sizes, IntArrayRef strides, int64_t offset,
                           const char* op = "tensor");
geometry_ptr make_contiguous(IntArrayRef sizes, const char* op = "tensor");
/// Returns the sizes of a broadcast. Throws Error naming `what`.
std::vector<int64_t> broadcast_shapes(const char* what, IntArrayRef a, IntArrayRef b);
/// Returns the layout expanded to `sizes`: new dimensions, and expanded ones, get stride 0.
geometry_ptr expand_to(const geometry& g, IntArrayRef sizes);
/// Returns one past the last element that the layout reaches; 0 if it has none.
int64_t extent_of(const geometry& g);
/// Returns true if `g` covers a storage of `numel` elements, each exactly once.
bool covers(const geometry& g, int64_t numel);
/// Returns true if two layouts of one storage may touch a common element, or if that is undecided.
bool may_overlap(const geometry& a, const geometry& b);

}  // namespace sinter::inline v1
