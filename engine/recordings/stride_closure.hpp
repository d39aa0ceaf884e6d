// Closes a set of kernels for CPUs over the classes of their inputs' strides: layouts of operands
// change nothing else in a kernel, once it is known what the kernel computes.
#pragma once

#include "engine/plan/plan.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace sinter::plan {

/// Operands that always have the same strides.
struct operand_group {
    std::vector<std::size_t> operands;
    bool halves = false;   // the parts of complex numbers, which are never dense
    bool written = false;  // all outputs
    bool ready = false;    // a value that the program may have in any layout
    uint8_t seen = 0;      // classes, one bit each
};

class stride_closure {
public:
    /// Adds a kernel. Returns true if it is not among `kernels` yet, or may not be. Inputs that are
    /// parts of one value and have equal strides have them in all kernels. `w`: that of the plan.
    bool add(const kernel_step& step, const subgraph& w);

    /// Returns the kernels that were added, and those that differ from one of them in strides of
    /// inputs: one that has a stride in some of them may have any. Of a kernel with many
    /// inputs, only those in which few strides are unusual.
    std::set<std::vector<uint8_t>> kernels() const;

private:
    struct family {
        kernel_ir::kernel one;
        std::vector<operand_group> groups;
    };
    std::set<std::vector<uint8_t>> added_;
    std::map<std::vector<uint8_t>, family> families_;
};

}  // namespace sinter::plan
