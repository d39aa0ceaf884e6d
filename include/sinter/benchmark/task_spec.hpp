// What tells measurements apart.
#pragma once

#include <sinter/config.hpp>

#include <string>

namespace sinter::inline v1::benchmark {

/// What tells measurements apart; empty texts were not given. PyTorch:
/// torch.utils.benchmark.utils.common.TaskSpec.
struct SINTER_API TaskSpec {
    std::string stmt = {};         ///< The statement, or where it is.
    std::string label = {};        ///< What is measured: the title of a table.
    std::string sub_label = {};    ///< Which variant: the name of a row.
    std::string description = {};  ///< Of what: the title of a column.
    std::string env = {};          ///< In which environment: a part of the name of a row.
    int num_threads = 1;           ///< On how many threads.

    /// Returns label and sub_label, with the statement in place of a missing label.
    std::string title() const;
    /// Returns true if all fields are equal.
    bool operator==(const TaskSpec&) const = default;
};

}  // namespace sinter::inline v1::benchmark
