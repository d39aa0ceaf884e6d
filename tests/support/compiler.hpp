// Skips tests that compile kernels in builds that cannot.
#pragma once

#include "jit/cache/kernel_cache.hpp"

#include <doctest/doctest.h>

#include <string>

namespace sinter::test {

/// Returns true if this build and processor have a compiler; otherwise prints why not. A compiler
/// that was built but does not open fails the test.
inline bool has_compiler() {
    std::string why;
    if (code_cache::compiler_available(&why)) return true;
    const bool meant = why.find("SINTER_LLVM=OFF") != std::string::npos ||
                       why.find("below x86-64-v3") != std::string::npos ||
                       why.find("for x86-64 processors alone") != std::string::npos;
    if (!meant) FAIL("the compiler cannot be used: ", why);
    MESSAGE("[SKIP] nothing was compiled: ", why);
    return false;
}

}  // namespace sinter::test
