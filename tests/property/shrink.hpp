// Comparing runs of one program, and making a failing one small.
#pragma once

#include "tests/property/program.hpp"

#include <functional>
#include <optional>

namespace sinter::test {

/// A run that differs from the eager one.
struct difference {
    int threads;
    int statement;  // where a value differs first
    std::string text;
};

/// Runs the program eagerly and lazily with each number of threads.
std::optional<difference> compare_modes(const program& p, coverage* counts,
                                        const std::vector<int>& threads);

/// Runs the program eagerly on the CPU, and in a mode with everything on a GPU.
std::optional<difference> compare_devices(const program& p, coverage* counts, Device device,
                                          Mode mode = Mode::lazy);

/// Whether the runs differ, or crash, in a process of their own.
bool fails_in_child(const program& p, int threads);

/// Leaves out statements for as long as the program still fails, at most so many runs.
program shrink(program p, int runs, const std::function<bool(const program&)>& fails);

/// The program as text.
std::string listing(const program& p);

}  // namespace sinter::test
