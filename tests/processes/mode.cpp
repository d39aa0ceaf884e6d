// Tests of this folder run as user programs do, with kernels compiled in the background, unless the
// environment says otherwise.
#include <cstdlib>

// Before tests/main.cpp sets the variable.
[[gnu::constructor(101)]] static void choose_mode() { setenv("SINTER_JIT", "background", 0); }
