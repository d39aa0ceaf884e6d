// The error of SINTER_CACHE=require: which kernel is missing, and what is there instead.
#pragma once

#include "jit/cache/places.hpp"

#include <string>

namespace sinter::code_cache {

/// Returns the name of a key in messages: 16 digits.
std::string name_of_key(byte_view key);

/// Returns the file of the stored kernel that is most like the wanted one, and the fields that
/// differ: "/cache/12ab.kernel: operand 2: stride class zero, stored is unit". Empty if no kernel
/// is stored. The first reads all files and packs.
///@{
std::string nearest_kernel(code_places& places, const wanted_code& wanted);
struct stored_code {
    std::string file;
    artefact code;
};
std::string nearest_kernel(std::span<const stored_code> among, const wanted_code& wanted);
///@}

/// Throws Error. `line`: where the program asked for the kernel; may be empty, as may `nearest`.
[[noreturn]] void refuse_miss(const std::string& kernel, const std::string& nearest,
                              const std::string& line);

}  // namespace sinter::code_cache
