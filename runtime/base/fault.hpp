// Deliberate faults, one at a time, to show that the tests detect them. Compiled in only with
// -DSINTER_FAULTS; SINTER_TEST_FAULT names the fault.
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
