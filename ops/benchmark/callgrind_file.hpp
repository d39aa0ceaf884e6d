// Files of instruction counts, as valgrind's tool callgrind writes them.
#pragma once

#include <sinter/benchmark/callgrind.hpp>

#include <istream>

namespace sinter::benchmark_text {

struct callgrind_file {
    benchmark::FunctionCounts exclusive, inclusive;
};

/// Reads a file of format version 1 with one event, Ir. The format is described in valgrind's
/// manual, "Callgrind Format Specification". Throws Error, naming the line, if it is another one.
callgrind_file read_callgrind_file(std::istream& in);

}  // namespace sinter::benchmark_text
