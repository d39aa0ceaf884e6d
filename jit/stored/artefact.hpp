// One compiled kernel as stored on disk: header, target, producer, key, image.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace sinter::code_cache {

using bytes = std::vector<uint8_t>;
using byte_view = std::span<const uint8_t>;

/// What must agree between the maker of the code and the library that runs it: identity.hpp.
struct identity {
    uint32_t abi = 0;
    uint64_t semantics = 0;
    bool operator==(const identity&) const = default;
};

struct artefact {
    std::string_view target;  // what the code runs on: "x86-64-v4", "CUDA sm_90"
    byte_view key;            // the kernel, the same for all targets: its serialised IR, or its
                              // source text
    byte_view image;          // position-independent code and its constants
    uint64_t entry = 0;
    identity is{};
    std::string_view producer{};  // the compiler and the generator, for people
    bool executable = false;      // the image lies in memory that can be executed
    uint64_t plain_size = 0;      // of a compressed image, before: compression.hpp. 0: it is not
};

/// The code that a look-up wants.
struct wanted_code {
    std::string_view target;
    byte_view key;
    identity is;
    std::string_view producer{};  // empty: any

    bool accepts(const artefact& a) const {
        return a.is == is && a.target == target && std::ranges::equal(a.key, key) &&
               (producer.empty() || a.producer == producer);
    }
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
    uint64_t high = 0, low = 0;
    auto operator<=>(const hash128&) const = default;
};
hash128 hash_of(byte_view data);
/// Returns the hash of several pieces, one after the other.
hash128 hash_of(std::initializer_list<byte_view> pieces);

/// Returns the hash under which code is stored. The identity is part of it, so that libraries that
/// differ in it and share a folder do not evict each other's kernels.
hash128 storage_hash(std::string_view target, byte_view key, const identity& is);

}  // namespace sinter::code_cache
