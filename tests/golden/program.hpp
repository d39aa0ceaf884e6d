// Programs in the notation of programs.py, and PyTorch's results for the values that they print.
#pragma once

#include <sinter/sinter.hpp>

#include <string>
#include <vector>

namespace sinter::golden {

struct recorded_program {
    int64_t number = 0;
    int line = 0;  // of the program's first statement in the file
    std::vector<std::string> statements;
};

/// Throws std::runtime_error if the file is not in the notation.
std::vector<recorded_program> read_programs(const std::string& path);

/// How a program is run, in addition to what it says itself.
struct program_run {
    Mode mode = Mode::lazy;
    bool evaluate = false;  // evaluates each new value at its line
};

/// Returns the first statement whose value or error differs from PyTorch's, and how; empty if there
/// is none.
std::string run(const recorded_program& p, const program_run& how);

/// Returns the names of all statements, for a test that each occurs.
std::vector<std::string> statement_names();

}  // namespace sinter::golden
