// Writes the files of `sinter cache`.
#pragma once

#include "jit/stored/artefact.hpp"

#include <string>

namespace sinter::cache_command {

/// Writes a file that appears complete, by renaming: a program may have the old one mapped. Throws
/// Error.
void write_file(const std::string& path, const code_cache::bytes& content);

}  // namespace sinter::cache_command
