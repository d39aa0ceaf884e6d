// Whether a map over short rows runs many of them as one (jit/launch/flat_rows.hpp). Stands where
// loops are ordered, because strides over the merged dimensions decide; what is spread then has
// lanes of class unit, which is part of the kernel's key.
#pragma once

#include <cstdint>
#include <span>

namespace sinter::plan {

/// A launch space and all operands of its map, strides in elements.
class flat_rows {
public:
    /// `cost`: primitives of an element.
    flat_rows(std::span<const int64_t> extents, double cost);
    /// An operand in memory, or an index; `wide`: with elements of 8 bytes.
    void add(std::span<const int64_t> strides, bool memory, bool output, bool wide);
    bool pays() const;

    /// The longest rows, and the primitives of an element that pay for writing one operand out.
    static constexpr int64_t longest = 256;
    static constexpr double price(double length) { return 2 + 0.8 * length; }

    static bool is_spread(std::span<const int64_t> extents, std::span<const int64_t> strides);

private:
    std::span<const int64_t> extents_;
    double cost_;
    bool possible_, wide_ = false;
    int repeated_ = 0, copied_ = 0;  // operands that are spread once, and for all rows
};

}  // namespace sinter::plan
