// Links a relocatable object to a flat, position-independent image.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sinter::codegen {

struct image {
    std::vector<uint8_t> bytes;
    std::size_t entry = 0;
};

/// Returns the part of an x86-64 or AArch64 ELF object that `entry` reaches, laid out as code, then
/// constants, with every reference resolved PC-relative. Entries of mergeable constant sections are
/// taken one by one, so kernels compiled together do not carry each other's constants. Throws
/// std::runtime_error, naming the symbol, if a reference is absolute, uses the GOT or TLS, or
/// leaves the object.
image link_image(const uint8_t* object, std::size_t size, const std::string& entry);

}  // namespace sinter::codegen
