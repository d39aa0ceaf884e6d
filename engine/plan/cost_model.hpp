// What it costs to compute a value where a kernel reads it, against a kernel of its own that writes
// it out. Asked while operations are joined to clusters: strides are known then, but loops have no
// order and no code yet, so these are estimates for one core, good to a factor of two or three.
// Where that does not decide, both ways are measured: engine/measure/autotune.hpp.
#pragma once

#include <cstdint>

namespace sinter::plan {

/// A pointwise value that a cluster would compute where it reads it.
struct inlined_value {
    double cost = 0;           // primitives of an element, with those of what leads up to it
    int64_t item = 0;          // bytes of an element
    int64_t numel = 0;         // elements
    double in_lanes = 0;       // computations of an element, side by side with others
    double alone = 0;          // computations of one number, for a whole row of others
    int64_t side_by_side = 1;  // elements that the innermost loop has there
    bool in_reduction = false;
    bool along_rows = false;        // lanes are rows of a reduction
    bool flat = false;              // in a kernel of its own one loop over everything
    bool behind_reduction = false;  // some reduction leads up to it
    bool measured = true;           // where it is not sure; else the likelier way is taken
    double lost = 0;                // to what it does to the loops, in picoseconds
    double elsewhere = 0;           // what else the kernel takes, in picoseconds
};

/// `unsure`: to be measured.
enum class verdict : uint8_t { fuse, unsure, apart };

verdict judge(const inlined_value& v);

/// Picoseconds of so many primitives, and of reading so many bytes that lie side by side.
double computing(double primitives);
double moving(double bytes);
/// What reading so many elements from a line each takes beyond reading tiles of them.
double gathering(double elements);

}  // namespace sinter::plan
