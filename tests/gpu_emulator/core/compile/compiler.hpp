// Compiles kernel text to an image: clang in process, many kernels per text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gpu_emulator {

/// The options of either vendor's compiler, translated.
struct compile_request {
    std::string text, name;
    std::string prelude;       // of the vendor
    std::string architecture;  // goes into the image
    uint64_t release = 0;      // of the compiler; the same
    int warp = 32;
    uint32_t most_parameters = UINT32_MAX;  // bytes of a kernel's
    std::string standard = "c++17";
    bool contract = true;  // the vendors' default
    bool warnings = true;
    std::vector<std::string> defines;
};

struct compile_result {
    std::string code;  // empty: the log says why
    std::string log;
};

compile_result compile(const compile_request& r);

}  // namespace gpu_emulator
