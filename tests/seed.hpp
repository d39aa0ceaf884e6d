// The seed of all random choices in the tests. Fixed unless the environment sets it, so that two
// runs of one tree agree; `./dev test --long` draws a new one.
#pragma once

#include <cstdint>

namespace sinter::test {

/// Returns SINTER_TEST_SEED, or a constant.
uint64_t seed();

/// Returns true in a long run: SINTER_TEST_LONG is set and not 0, in a build without sanitizers. It
/// has long sweeps over values, and sanitizers see none.
bool long_run();

/// Returns true in a long run that takes a night: SINTER_TEST_LONG is `all`.
bool exhaustive();

/// Returns true in a build with sanitizers.
bool sanitized();

/// Returns how many random cases to run if `usual` is the default: `longer` times as many in a long
/// run, less where cases compile kernels or start processes, and 10 times these in an exhaustive
/// one. Under sanitizers it
/// is a quarter, or `usual` in a long run: they check how memory is used on each path, and a few
/// cases of each kind reach all paths. Release builds run the full number, which covers rare
/// values.
int cases(int usual, int longer = 10);

}  // namespace sinter::test
