// Shared by the GPU tests: they are skipped, with a message, if there is no GPU.
#pragma once

#include "runtime/device/gpu.hpp"

#include <sinter/error.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

namespace sinter::testing {

inline bool has_gpu() {
    if (runtime::gpu_count() > 0) return true;
    MESSAGE("[SKIP] no GPU: " << runtime::why_no_gpu());
    return false;
}

/// Returns false, with a message, without a GPU or where its memory is not cached, for a checking
/// tool.
inline bool has_cached_memory() {
    if (!has_gpu()) return false;
    const char* pool = std::getenv("SINTER_GPU_POOL");
    if (!pool || std::string(pool) != "off") return true;
    MESSAGE("[SKIP] SINTER_GPU_POOL=off: no block is used again");
    return false;
}

inline bool contains(const std::string& text, const std::string& part) {
    if (text.find(part) != std::string::npos) return true;
    MESSAGE("\"" << text << "\" lacks \"" << part << "\"");
    return false;
}

template <class F>
std::string text_of(F&& f) {
    try {
        f();
    } catch (const Error& e) {
        return e.what();
    }
    return "nothing was thrown";
}

}  // namespace sinter::testing
