// Whether a vendor's compiler takes part.
#pragma once

#include "jit/codegen/c_like/compiler.hpp"
#include "tests/seed.hpp"

#include <doctest/doctest.h>

namespace sinter::testing {

/// Whether to go on; says loudly why not.
inline bool usable(const codegen::rtc_library& compiler) {
    if (test::sanitized()) {
        MESSAGE("[SKIP] under a sanitizer, which would watch the vendor's library too");
        return false;
    }
    if (!compiler.why_not().empty()) {
        MESSAGE("[SKIP] nothing was compiled: " << compiler.why_not());
        return false;
    }
    MESSAGE(compiler.path() << ", version " << compiler.version());
    return true;
}

}  // namespace sinter::testing
