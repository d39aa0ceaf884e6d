// All tests of this folder compile kernels in the background, on a thread that gets processor time
// besides other tests.
#include <cstdlib>

// Before tests/main.cpp sets the variable.
[[gnu::constructor(101)]] static void choose_mode() {
    setenv("SINTER_JIT", "background", 1);
    setenv("SINTER_JIT_PRIORITY", "normal", 0);
}
