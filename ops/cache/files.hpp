// Writes the files of `sinter cache`.
#pragma once

#include "jit/stored/artefact.hpp"

#include <string>

namespace sinter::cache_command {

/// Writes a file that appears complete, by renaming: a program may have the old one mapped. Throws
/// Error. `secret`: only this user can read it.
void write_file(const std::string& path, const code_cache::bytes& content, bool secret = false);

inline code_cache::bytes bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

/// Returns the content of a file. Throws Error.
code_cache::bytes read_file(const std::string& path);

}  // namespace sinter::cache_command
