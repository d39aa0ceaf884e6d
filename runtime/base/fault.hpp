// Deliberate faults, one at a time, to show that the tests detect them. Compiled in only with
// -DSINTER_FAULTS; SINTER_TEST_FAULT names the fault.
#pragma once

#ifdef SINTER_FAULTS
#include "runtime/base/environment.hpp"
#endif

namespace sinter {

#ifdef SINTER_FAULTS
inline bool fault(const char* name) { return runtime::environment().test_fault == name; }
#else
constexpr bool fault(const char*) { return false; }
#endif

}  // namespace sinter
