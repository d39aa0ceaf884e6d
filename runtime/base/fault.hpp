// Planted faults: wrong on purpose, one at a time, to show that the tests see it. Compiled in only
// with -DSINTER_FAULTS; the name comes from SINTER_TEST_FAULT.
#pragma once

#ifdef SINTER_FAULTS
#include <cstdlib>
#include <cstring>
#endif

namespace sinter {

#ifdef SINTER_FAULTS
inline bool fault(const char* name) {
    static const char* const planted = std::getenv("SINTER_TEST_FAULT");
    return planted && std::strcmp(planted, name) == 0;
}
#else
constexpr bool fault(const char*) { return false; }
#endif

}  // namespace sinter
