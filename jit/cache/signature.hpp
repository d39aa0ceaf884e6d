// Signatures of packs: Ed25519, by libsodium, which is opened when a signature is made or checked.
#pragma once

#include "jit/stored/artefact.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace sinter::code_cache {

using public_key = std::array<uint8_t, 32>;
using secret_key = std::array<uint8_t, 64>;
using signature = std::array<uint8_t, 64>;

/// Keys and signatures in files: hexadecimal digits, perhaps after lines that begin with #.
///@{
template <std::size_t N>
std::string to_text(const std::array<uint8_t, N>& bytes);
template <std::size_t N>
std::optional<std::array<uint8_t, N>> from_text(const std::string& text);
///@}

/// Where the machine's keys lie: `*.pub`, which only root or this user can have written.
inline constexpr const char* keys_folder = "/etc/sinter/keys";

/// Returns the keys of a folder, without those that others could have written.
std::vector<public_key> keys_in(const std::string& folder);

/// Adds a key for this process. `trusted_keys` returns those, and the machine's.
void trust_key(const public_key& key);
std::vector<public_key> trusted_keys();

/// Returns true if one of the keys has signed the content. Else says why not; if libsodium cannot
/// be opened, that is the reason.
bool is_signed(byte_view content, const signature& s, const std::vector<public_key>& keys,
               std::string& why_not);

struct key_pair {
    public_key known;
    secret_key secret;
};
/// Both throw Error if libsodium cannot be opened.
///@{
key_pair make_keys();
signature sign(byte_view content, const secret_key& key);
///@}

}  // namespace sinter::code_cache
