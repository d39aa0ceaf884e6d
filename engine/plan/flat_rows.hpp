// Decides if a map over short rows runs many of them as one (jit/launch/flat_rows.hpp). Runs during
// loop ordering, because the strides over the merged dimensions decide. A spread operand gets
// stride class unit, which is part of the kernel's key.
#pragma once

#include <cstdint>
#include <span>

namespace sinter::plan {

/// A launch space and all operands of its map, strides in elements.
class flat_rows {
public:
    /// `cost`: primitives per element.
    flat_rows(std::span<const int64_t> extents, double cost);
    /// Adds an operand. `memory`: false for an index. `wide`: elements have 8 bytes.
    void add(std::span<const int64_t> strides, bool memory, bool output, bool wide);
    bool pays() const;

    /// The maximum row length, and the primitives per element that pay for copying one operand.
    static constexpr int64_t longest = 256;
    static constexpr double price(double length) { return 2 + 0.8 * length; }

    static bool is_spread(std::span<const int64_t> extents, std::span<const int64_t> strides);

private:
    std::span<const int64_t> extents_;
    double cost_;
    bool possible_, wide_ = false;
    int repeated_ = 0, copied_ = 0;  // operands spread only once, and operands spread per row
};

}  // namespace sinter::plan
