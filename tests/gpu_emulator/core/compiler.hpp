// Kernel text to an image: clang in process, many kernels a text.
#pragma once

#include <string>
#include <vector>

namespace gpu_emulator {

/// What the options of either vendor's compiler come to.
struct compile_request {
    std::string text, name;
    std::string prelude;       // the vendor's
    std::string architecture;  // goes into the image
    int warp = 32;
    std::string standard = "c++17";
    bool contract = true;  // as the vendors do unless told otherwise
    bool warnings = true;
    std::vector<std::string> defines;
};

struct compile_result {
    std::string code;  // empty: the log says why
    std::string log;
};

compile_result compile(const compile_request& r);

}  // namespace gpu_emulator
