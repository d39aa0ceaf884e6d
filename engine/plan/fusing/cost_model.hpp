// Compares the cost of computing a value inside the kernel that reads it with the cost of a
// separate kernel that materialises it. Clustering uses it when strides are known, but loop order
// and code are not, so these are single-core estimates, accurate to a factor of two or three. Where
// that does not decide, both alternatives are measured: engine/measure/autotune.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sinter::plan {

/// A pointwise value that a cluster would compute inside the reading kernel.
struct inlined_value {
    double cost = 0;           // primitives per element, including its pointwise producers
    int64_t item = 0;          // bytes of an element
    int64_t numel = 0;         // elements
    double in_lanes = 0;       // vectorised evaluations of an element
    double alone = 0;          // scalar evaluations, once per row
    int64_t side_by_side = 1;  // elements of the innermost loop there
    bool in_reduction = false;
    bool along_rows = false;        // lanes are rows of a reduction
    bool flat = false;              // a separate kernel would be a single loop
    bool behind_reduction = false;  // it depends on a reduction
    bool measured = true;           // unsure cases may be measured; otherwise take the likelier
    double lost = 0;                // loss from worse loops, in picoseconds
    double elsewhere = 0;           // time of the rest of the kernel, in picoseconds
};

/// `unsure`: both alternatives are measured.
enum class verdict : uint8_t { fuse, unsure, apart };

verdict judge(const inlined_value& v);

/// Returns the picoseconds to compute this many primitives.
double computing(double primitives);
/// Returns the picoseconds to read this many contiguous bytes.
double moving(double bytes);
/// Returns the picoseconds that one more kernel takes.
double launching();
/// Returns how many primitives per element cost as much as to write `numel` elements to memory, in
/// a kernel of their own, and to read them again.
double storing(double numel, std::size_t item);
/// Returns the extra picoseconds to read each element from a separate cache line, compared with
/// reading tiles.
double gathering(double elements);

}  // namespace sinter::plan
