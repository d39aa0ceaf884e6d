// What the first run of an expression costs on a GPU: its kernel compiled, and from disk.
#pragma once

#include <string>
#include <vector>

namespace bench {

struct first_runs {
    std::vector<double> compiled, from_disk;  // ns, waited for
};

/// In processes of their own, one behind the other, with a kernel cache between them.
first_runs time_first_runs(const std::string& device);

/// Such a process: prints what it compiled, what it loaded, and nanoseconds.
int first_runs_child(const std::string& device);

}  // namespace bench
