// Compares runs of one program, and shrinks a failing one.
#pragma once

#include "tests/property/program.hpp"

#include <functional>
#include <optional>

namespace sinter::test {

/// How a program runs in lazy mode.
struct setting {
    int threads = 1;
    int64_t most_pending = 0;  // SINTER_MAX_PENDING; 0: the default
};
std::ostream& operator<<(std::ostream& out, const setting& s);

/// In turns: cold, then with kernels and plans of the previous runs, under every bound.
inline const std::vector<setting> usual_settings = {{1, 0}, {7, 0}, {2, 1}, {3, 17}, {1, 3}};

/// A run that differs from the eager one.
struct difference {
    setting how;
    int statement;  // the first with a different value
    std::string text;
};

/// Runs the program eagerly and lazily in each setting.
std::optional<difference> compare_modes(const program& p, coverage* counts,
                                        const std::vector<setting>& settings);

/// Runs the program eagerly on the CPU, and in a mode with everything on a GPU.
std::optional<difference> compare_devices(const program& p, coverage* counts, Device device,
                                          Mode mode = Mode::lazy);

/// Returns true if the runs differ, or crash, in a separate process.
bool fails_in_child(const program& p, const setting& how);

/// Removes statements and pauses as long as the program still fails, in at most `runs` runs.
program shrink(program p, int runs, const std::function<bool(const program&)>& fails);

/// Returns the program as text.
std::string listing(const program& p);

}  // namespace sinter::test
