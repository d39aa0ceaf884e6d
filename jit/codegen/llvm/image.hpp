// From a relocatable object to a flat, position-independent image.
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

/// The part of an x86-64 ELF object that `entry` reaches, laid out as code, then constants, with
/// every reference resolved PC-relative. Constants of mergeable sections are taken one by one, so
/// that kernels compiled together do not carry each other's. Throws std::runtime_error, naming the
/// symbol, where a reference is absolute, goes through the GOT or TLS, or leaves the object.
image link_image(const uint8_t* object, std::size_t size, const std::string& entry);

}  // namespace sinter::codegen
