// The seed of everything random in the tests. Fixed unless the environment says otherwise, so that
// two runs of one tree agree; `./dev test --long` draws a fresh one.
#pragma once

#include <cstdint>

namespace sinter::test {

/// SINTER_TEST_SEED, or a constant.
uint64_t seed();

/// Whether the exhaustive sweeps run: SINTER_TEST_LONG is set and not 0.
bool long_run();

/// Whether this is a build with sanitizers.
bool sanitized();

/// How many random cases to run where `usual` are: 100 times as many in a long run, and a quarter
/// under sanitizers. Those look at how memory is used on each path, which few cases of each kind
/// show; rare values are for the release build, which runs the same cases and all of them.
int cases(int usual);

}  // namespace sinter::test
