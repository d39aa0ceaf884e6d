// Tests of this folder run as user programs do, with kernels compiled in the background, unless the
// environment says otherwise.
#include <cstdlib>

[[maybe_unused]] static const int mode = setenv("SINTER_JIT", "background", 0);
