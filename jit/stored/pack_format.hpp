// The bytes of a pack: one file of compiled kernels for several targets, which never changes.
//
//   header
//   targets     pack_target, one for each
//   entries     pack_entry, sorted by storage_hash, to be searched in place
//   texts       names of targets and producers, and keys, each once
//   images      from a page boundary on for each target, at multiples of codegen::image_alignment
//
// A reader believes no offset before it has checked it. Each entry has a digest of itself and its
// image, which is checked when the entry is used, so opening a pack reads its header alone. Nothing
// depends on where, when and by whom a pack was written. Integers are little-endian.
#pragma once

#include "jit/stored/artefact.hpp"

#include <bit>

namespace sinter::code_cache {

static_assert(std::endian::native == std::endian::little, "packs are read in place");

inline constexpr char pack_magic[8] = {'S', 'I', 'N', 'T', 'E', 'R', 'P', '\n'};
inline constexpr uint32_t pack_version = 2;
/// Code of one target can be mapped by itself with pages of this size.
inline constexpr uint64_t page_alignment = 4096;

/// Bytes of the file.
struct pack_range {
    uint64_t at = 0, size = 0;
};

struct pack_header {
    char magic[8] = {};
    uint32_t version = pack_version;
    uint32_t targets = 0;
    uint64_t entries = 0;
    uint64_t size = 0;  // of the file
    hash128 digest;     // of the file, with this field zero
};
static_assert(sizeof(pack_header) == 48, "no padding: it would be hashed");

struct pack_target {
    pack_range name;
    pack_range code;  // its images
};
static_assert(sizeof(pack_target) == 32);

struct pack_entry {
    hash128 name;  // storage_hash of target, key and identity
    uint32_t target = 0;
    uint32_t abi = 0;
    uint64_t semantics = 0;
    pack_range producer, key, image;
    uint64_t entry = 0;
    uint64_t plain_size = 0;  // of a compressed image, before; 0: it is not
    hash128 digest;           // of this, with this field zero, the producer and the image
};
static_assert(sizeof(pack_entry) == 112, "no padding: it would be hashed");

/// Returns the digest of a header and all bytes after it, or of an entry, its producer and its
/// image.
template <class Record, class... Pieces>
hash128 digest_of(Record r, Pieces... described) {
    r.digest = {};
    return hash_of({byte_view(reinterpret_cast<const uint8_t*>(&r), sizeof r), described...});
}

}  // namespace sinter::code_cache
