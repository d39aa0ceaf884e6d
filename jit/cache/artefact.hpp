// One compiled kernel as bytes, as it lies on disk: header, full key, image. Of this build only;
// any other is foreign.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sinter::cache {

using bytes = std::vector<uint8_t>;
using byte_view = std::span<const uint8_t>;

struct artefact {
    byte_view key;    // the plugin's request for this kernel alone
    byte_view image;  // position-independent code and its constants
    uint64_t entry = 0;
};

bytes write_artefact(const artefact& a);

/// Views into `data`, if it is exactly one artefact of this build and undamaged.
std::optional<artefact> parse_artefact(byte_view data);

/// The build that both this library and its plugin must come from.
const char* build_identity();

/// Buckets and file names. Equal hashes mean nothing: keys are always compared in full.
struct hash128 {
    uint64_t high, low;
};
hash128 hash_of(byte_view data);

}  // namespace sinter::cache
