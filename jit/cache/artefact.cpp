#include "jit/cache/artefact.hpp"

#include <sinter_build_identity.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>

namespace sinter::cache {
namespace {

struct header {
    char magic[8] = {'S', 'I', 'N', 'T', 'E', 'R', 'K', '\n'};
    uint32_t version = 1;
    uint32_t reserved = 0;
    char identity[32] = {};
    uint64_t key_size = 0;
    uint64_t image_size = 0;
    uint64_t entry = 0;
    uint64_t checksum = 0;  // of the whole artefact, with this field zero
};
static_assert(sizeof(header) == 80, "no padding: it would be hashed");

header make_header(const artefact& a) {
    header h;
    static_assert(sizeof SINTER_BUILD_IDENTITY == sizeof h.identity + 1);
    std::memcpy(h.identity, SINTER_BUILD_IDENTITY, sizeof h.identity);
    h.key_size = a.key.size();
    h.image_size = a.image.size();
    h.entry = a.entry;
    return h;
}

uint64_t checksum(header h, const artefact& a) {
    h.checksum = 0;
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    XXH3_64bits_update(&state, &h, sizeof h);
    XXH3_64bits_update(&state, a.key.data(), a.key.size());
    XXH3_64bits_update(&state, a.image.data(), a.image.size());
    return XXH3_64bits_digest(&state);
}

}  // namespace

const char* build_identity() { return SINTER_BUILD_IDENTITY; }

bytes write_artefact(const artefact& a) {
    header h = make_header(a);
    h.checksum = checksum(h, a);
    bytes out(sizeof h + a.key.size() + a.image.size());
    std::memcpy(out.data(), &h, sizeof h);
    auto at = std::copy(a.key.begin(), a.key.end(), out.begin() + sizeof h);
    std::copy(a.image.begin(), a.image.end(), at);
    return out;
}

std::optional<artefact> parse_artefact(byte_view data) {
    header h;
    if (data.size() < sizeof h) return std::nullopt;
    std::memcpy(&h, data.data(), sizeof h);
    std::size_t rest = data.size() - sizeof h;
    if (h.key_size > rest || h.image_size != rest - h.key_size) return std::nullopt;
    artefact a{data.subspan(sizeof h, h.key_size), data.subspan(sizeof h + h.key_size), h.entry};
    header expected = make_header(a);
    expected.checksum = h.checksum;
    if (std::memcmp(&h, &expected, sizeof h) != 0) return std::nullopt;
    if (a.image.empty() || a.entry >= a.image.size()) return std::nullopt;
    if (h.checksum != checksum(h, a)) return std::nullopt;
    return a;
}

hash128 hash_of(byte_view data) {
    XXH128_hash_t hash = XXH3_128bits(data.data(), data.size());
    return {hash.high64, hash.low64};
}

}  // namespace sinter::cache
