// All tests of this folder compile kernels in the background, on a thread that gets processor time
// besides other tests.
#include <cstdlib>

[[maybe_unused]] static const int mode = setenv("SINTER_JIT", "background", 1);
[[maybe_unused]] static const int priority = setenv("SINTER_JIT_PRIORITY", "normal", 0);
