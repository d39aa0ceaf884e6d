// The parts of a recording, each of which is one plan: a plan writes to a part of a tensor with its
// last node only.
#pragma once

#include "engine/frames/recording.hpp"

#include <cstdint>
#include <vector>

namespace sinter::frames {

/// Values have the numbers of the recording; those of the part count within `values`.
struct recorded_part {
    std::vector<int> nodes;   // in program order
    std::vector<int> values;  // the nodes, then what they read, in the order of reads
    std::vector<std::vector<int>>
        reads;                    // per node: the part's numbers of its sources, -1: an index
    std::vector<int> bases;       // per node: the part's number of its base, or -1
    std::vector<uint8_t> wanted;  // per node: its value must be in memory afterwards
};

/// Returns the parts in the order in which they run. A part reads what the parts before it compute.
std::vector<recorded_part> parts_of(const recording& r);

}  // namespace sinter::frames
