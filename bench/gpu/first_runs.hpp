// The cost of an expression's first run on a GPU: with its kernel compiled, and loaded from disk.
#pragma once

#include <string>
#include <vector>

namespace bench {

struct first_runs {
    std::vector<double> compiled, from_disk;  // ns, including the wait for the device
};

/// Runs two separate processes one after the other, with a shared kernel cache.
first_runs time_first_runs(const std::string& device);

/// The child process: prints what it compiled, what it loaded, and nanoseconds.
int first_runs_child(const std::string& device);

}  // namespace bench
