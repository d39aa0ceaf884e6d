// Layouts: making them, and what can be known of one or two of them without looking at elements.
#pragma once

#include <sinter/array_ref.hpp>
#include <sinter/dtype.hpp>
#include <sinter/geometry.hpp>

#include <vector>

namespace sinter::inline v1 {

/// The layout of one part of complex elements, counted in parts: 0 the real one, 1 the imaginary.
geometry_ptr part_geometry(const geometry& g, int part);
/// The bytes of the elements, one by one.
geometry_ptr byte_geometry(const geometry& g, ScalarType dtype);
geometry_ptr make_geometry(IntArrayRef sizes, IntArrayRef strides, int64_t offset);
geometry_ptr make_contiguous(IntArrayRef sizes);
/// Shape of a broadcast. Throws Error naming `what`.
std::vector<int64_t> broadcast_shapes(const char* what, IntArrayRef a, IntArrayRef b);
/// The same elements seen with more dimensions: size 1 becomes stride 0.
geometry_ptr expand_to(const geometry& g, IntArrayRef sizes);
/// One past the last element that the layout reaches; 0 if it has none.
int64_t extent_of(const geometry& g);
/// Whether `g` covers a storage of `numel` elements, each exactly once.
bool covers(const geometry& g, int64_t numel);
/// Whether two index maps of one storage may touch a common element (undecided means yes).
bool may_overlap(const geometry& a, const geometry& b);

}  // namespace sinter::inline v1
