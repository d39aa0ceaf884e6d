// The seed of all random choices in the tests. Fixed unless the environment sets it, so that two
// runs of one tree agree; `./dev test --long` draws a new one.
#pragma once

#include <cstdint>

namespace sinter::test {

/// Returns SINTER_TEST_SEED, or a constant.
uint64_t seed();

/// Returns true if the exhaustive sweeps run: SINTER_TEST_LONG is set and not 0, in a build without
/// sanitizers. Sweeps are about values, and sanitizers see none.
bool long_run();

/// Returns true in a build with sanitizers.
bool sanitized();

/// Returns how many random cases to run if `usual` is the default: `longer` times as many in a long
/// run, which is less than 100 where cases compile kernels or start processes. Under sanitizers it
/// is a quarter, or `usual` in a long run: they check how memory is used on each path, and a few
/// cases of each kind reach all paths. Release builds run the full number, which covers rare
/// values.
int cases(int usual, int longer = 100);

}  // namespace sinter::test
