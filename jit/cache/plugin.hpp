// The LLVM plugin as the library sees it: opened on the first kernel that must be compiled.
#pragma once

#include "jit/cache/artefact.hpp"
#include "jit/codegen/protocol.hpp"

#include <string>
#include <vector>

namespace sinter::cache {

struct compile_reply {
    bytes image;
    uint64_t entry = 0;
    std::string error;  // not empty: there is no image
};

/// Whether there is a plugin to open. Looks for the file and loads nothing.
bool plugin_present(std::string* why_not);

/// Opens the plugin if it is not open yet. It lies beside the code of this function, must be of the
/// same build, and is never closed.
bool open_plugin(std::string* why_not);

/// Compiles serialised kernels together, one reply each. Throws Error where there is no compiler.
std::vector<compile_reply> compile_kernels(codegen::target level, uint32_t mode,
                                           const std::vector<byte_view>& kernels);

}  // namespace sinter::cache
