// Shared by the GPU tests: they are skipped, with a message, if there is no GPU.
#pragma once

#include "runtime/device/gpu.hpp"

#include <sinter/error.hpp>

#include <doctest/doctest.h>

#include <string>

namespace sinter::testing {

inline bool has_gpu() {
    if (runtime::gpu_count() > 0) return true;
    MESSAGE("[SKIP] no GPU: " << runtime::why_no_gpu());
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
