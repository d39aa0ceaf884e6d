#include "jit/stored/artefact.hpp"

#include <sinter_build_identity.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>

namespace sinter::code_cache {
namespace {

struct header {
    char magic[8] = {'S', 'I', 'N', 'T', 'E', 'R', 'K', '\n'};
    uint32_t version = 4;
    uint32_t abi = 0;
    uint64_t semantics = 0;
    uint32_t target_size = 0;
    uint32_t producer_size = 0;
    uint64_t key_size = 0;
    uint64_t image_size = 0;
    uint64_t entry = 0;
    uint64_t plain_size = 0;
    uint64_t checksum = 0;  // of the whole artefact, with this field zero
};
static_assert(sizeof(header) == 72, "no padding: it would be hashed");

uint64_t checksum(header h, byte_view rest) {
    h.checksum = 0;
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    XXH3_64bits_update(&state, &h, sizeof h);
    XXH3_64bits_update(&state, rest.data(), rest.size());
    return XXH3_64bits_digest(&state);
}

hash128 digest(const XXH3_state_t& state) {
    const XXH128_hash_t hash = XXH3_128bits_digest(&state);
    return {hash.high64, hash.low64};
}

}  // namespace

const char* build_identity() { return SINTER_BUILD_IDENTITY; }

bytes write_artefact(const artefact& a) {
    header h;
    h.abi = a.is.abi;
    h.semantics = a.is.semantics;
    h.target_size = static_cast<uint32_t>(a.target.size());
    h.producer_size = static_cast<uint32_t>(a.producer.size());
    h.key_size = a.key.size();
    h.image_size = a.image.size();
    h.entry = a.entry;
    h.plain_size = a.plain_size;
    bytes out(sizeof h + a.target.size() + a.producer.size() + a.key.size() + a.image.size());
    auto at = std::copy(a.target.begin(), a.target.end(), out.begin() + sizeof h);
    at = std::copy(a.producer.begin(), a.producer.end(), at);
    at = std::copy(a.key.begin(), a.key.end(), at);
    std::copy(a.image.begin(), a.image.end(), at);
    h.checksum = checksum(h, byte_view(out).subspan(sizeof h));
    std::memcpy(out.data(), &h, sizeof h);
    return out;
}

std::optional<artefact> parse_artefact(byte_view data) {
    header h;
    if (data.size() < sizeof h) return std::nullopt;
    std::memcpy(&h, data.data(), sizeof h);
    const header like;
    if (std::memcmp(h.magic, like.magic, sizeof h.magic) != 0 || h.version != like.version)
        return std::nullopt;
    byte_view rest = data.subspan(sizeof h);
    const uint64_t texts = uint64_t{h.target_size} + h.producer_size;
    if (texts > rest.size() || h.key_size > rest.size() - texts ||
        h.image_size != rest.size() - texts - h.key_size)
        return std::nullopt;
    if (h.image_size == 0 || h.entry >= h.image_size || h.checksum != checksum(h, rest))
        return std::nullopt;
    const std::string_view words(reinterpret_cast<const char*>(rest.data()), texts);
    rest = rest.subspan(texts);
    return artefact{words.substr(0, h.target_size),
                    rest.first(h.key_size),
                    rest.subspan(h.key_size),
                    h.entry,
                    {h.abi, h.semantics},
                    words.substr(h.target_size),
                    false,
                    h.plain_size};
}

hash128 hash_of(byte_view data) {
    XXH128_hash_t hash = XXH3_128bits(data.data(), data.size());
    return {hash.high64, hash.low64};
}

hash128 hash_of(std::initializer_list<byte_view> pieces) {
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    for (byte_view p : pieces) XXH3_128bits_update(&state, p.data(), p.size());
    return digest(state);
}

hash128 storage_hash(std::string_view target, byte_view key, const identity& is) {
    const uint64_t numbers[] = {is.abi, is.semantics, target.size()};
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    XXH3_128bits_update(&state, numbers, sizeof numbers);
    XXH3_128bits_update(&state, target.data(), target.size());
    XXH3_128bits_update(&state, key.data(), key.size());
    return digest(state);
}

}  // namespace sinter::code_cache
