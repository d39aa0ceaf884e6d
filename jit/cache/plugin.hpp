// The library's interface to the LLVM plugins: the one that is opened for the first kernel that
// must be compiled, and the one for other processors, which only builds packs.
#pragma once

#include "jit/stored/artefact.hpp"
#include "jit/codegen/protocol.hpp"

#include <string>
#include <vector>

namespace sinter::code_cache {

struct compile_reply {
    bytes image;
    uint64_t entry = 0;
    std::string error;  // not empty if there is no image
};

/// Returns the folders of the library and of the program, with a slash at the end. Empty if neither
/// is known.
std::vector<std::string> own_folders();

/// Returns true if the file of the plugin for this processor exists. Loads nothing.
bool plugin_present(std::string* why_not);

/// Opens the plugin for this processor if it is not open yet; returns true on success. The plugin
/// lies beside the code of this function, must be of the same build, and is never closed.
bool open_plugin(std::string* why_not);
/// Does so for the plugin that compiles for `level`.
bool open_plugin_for(codegen::target level, std::string* why_not);

/// Compiles serialised kernels together and returns one reply each. Throws Error if there is no
/// compiler for the level.
std::vector<compile_reply> compile_kernels(codegen::target level, uint32_t mode,
                                           const std::vector<byte_view>& kernels);

}  // namespace sinter::code_cache
