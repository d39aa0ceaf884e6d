// All tests of this folder run with kernels compiled in the background, by a thread that gets its
// turn beside other tests.
#include <cstdlib>

[[maybe_unused]] static const int mode = setenv("SINTER_JIT", "background", 1);
[[maybe_unused]] static const int priority = setenv("SINTER_JIT_PRIORITY", "normal", 0);
