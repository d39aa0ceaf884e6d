// How often runs had a choice that is still open, so that a measurement can wait until there is
// none.
#pragma once

#include <cstdint>

namespace sinter::plan {

/// Notes that a run had an open choice: it was a turn of a race, or later runs will begin one. What
/// is decided never comes here, so warm runs do not pay for it.
void note_undecided();
/// Returns how often that was noted, by all threads of the process.
uint64_t undecided_runs();

}  // namespace sinter::plan
