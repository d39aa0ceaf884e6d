// One compiled kernel as stored on disk: header, full key, image. Only artefacts of this build are
// valid.
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

/// Returns views into `data` if it is exactly one undamaged artefact of this build.
std::optional<artefact> parse_artefact(byte_view data);

/// Returns the identity of this build; the library and its plugin must have the same one.
const char* build_identity();

/// Hash for buckets and file names. Equal hashes do not imply equal keys: keys are always compared
/// in full.
struct hash128 {
    uint64_t high, low;
};
hash128 hash_of(byte_view data);

}  // namespace sinter::cache
