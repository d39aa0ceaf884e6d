// When a test may fork while other threads of its process work.
#pragma once

#include <doctest/doctest.h>

namespace sinter::test {

/// Whether a fork may copy a process whose other threads allocate. Not with the address sanitizer:
/// what its allocator has locked then stays locked in the child.
inline bool can_fork_beside_threads() {
#ifdef SINTER_SANITIZE_ADDRESS
    MESSAGE("[SKIP] the address sanitizer's allocator does not survive a fork beside busy threads");
    return false;
#else
    return true;
#endif
}

}  // namespace sinter::test
