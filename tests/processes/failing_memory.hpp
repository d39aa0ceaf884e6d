// Memory that is refused once: the n-th allocation of this program, by whichever way.
#pragma once

#include <cstdint>

namespace sinter::test {

/// From now on, of the calling thread: the n-th allocation fails; 0: none does.
void refuse_allocation(int64_t n);
/// Allocations since then. Refuses none any more.
int64_t stop_refusing();
/// Where the refused one was asked for, on stderr.
void print_where_refused();

}  // namespace sinter::test
