// One compiled kernel as stored on disk: header, producer, full key, image.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace sinter::cache {

using bytes = std::vector<uint8_t>;
using byte_view = std::span<const uint8_t>;

/// What must agree between the maker of the code and the library that runs it: identity.hpp.
struct identity {
    uint32_t abi = 0;
    uint64_t semantics = 0;
    bool operator==(const identity&) const = default;
};

struct artefact {
    byte_view key;    // the plugin's request for this kernel alone
    byte_view image;  // position-independent code and its constants
    uint64_t entry = 0;
    identity is{};
    std::string_view producer{};  // the compiler and the generator, for people
};

bytes write_artefact(const artefact& a);

/// Returns views into `data` if it is exactly one undamaged artefact.
std::optional<artefact> parse_artefact(byte_view data);

/// Returns a hash of all sources of the code generator; the library and its plugin must have the
/// same one.
const char* build_identity();

/// Hash for buckets and file names. Equal hashes do not imply equal keys: keys are always compared
/// in full.
struct hash128 {
    uint64_t high, low;
};
hash128 hash_of(byte_view data);

}  // namespace sinter::cache
