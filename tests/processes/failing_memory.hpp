// Refuses memory once: the n-th allocation of this program, by any function.
#pragma once

#include <cstdint>

namespace sinter::test {

/// From now on, for the calling thread: the n-th allocation fails; 0: none fails.
void refuse_allocation(int64_t n);
/// Returns the number of allocations since then. No more are refused.
int64_t stop_refusing();
/// Prints to stderr where the refused allocation was requested.
void print_where_refused();

}  // namespace sinter::test
