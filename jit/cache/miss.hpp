// The error of SINTER_CACHE=require: which kernel is missing, and what is there instead.
#pragma once

#include "jit/cache/disk.hpp"

#include <string>

namespace sinter::cache {

/// Returns the name of a key in messages: 16 digits.
std::string name_of_key(byte_view key);

/// Returns the file of the stored CPU kernel that is most like the wanted one, and the fields that
/// differ: "/cache/12ab.kernel: operand 2: stride class zero, stored is unit". Empty if no kernel
/// is stored. Reads all files.
std::string nearest_kernel(disk_cache& disk, const wanted_code& wanted);

/// Throws Error. `line`: where the program asked for the kernel; may be empty, as may `nearest`.
[[noreturn]] void refuse_miss(const std::string& kernel, const std::string& nearest,
                              const std::string& line);

}  // namespace sinter::cache
