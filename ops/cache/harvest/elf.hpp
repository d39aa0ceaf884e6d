// The names in a program or shared library.
#pragma once

#include "jit/stored/artefact.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sinter::cache_command {

/// Views into the bytes of the file.
struct elf_names {
    std::vector<std::string_view> symbols;  // those that begin with the prefix
    std::vector<std::string_view> needed;   // the libraries that it asks the loader for
};

/// Reads an ELF file of 64 bits. A file without tables of symbols has no names. Throws Error, with
/// the path, for any other file, and if a table leads out of the file.
elf_names read_elf(code_cache::byte_view file, std::string_view prefix, const std::string& path);

}  // namespace sinter::cache_command
