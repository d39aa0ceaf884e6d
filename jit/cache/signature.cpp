#include "jit/cache/signature.hpp"

#include "jit/cache/trust.hpp"
#include "runtime/base/fail.hpp"
#include "runtime/base/fork.hpp"
#include "runtime/device/driver_library.hpp"

#include <sinter/error.hpp>

#include <dirent.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string_view>

namespace sinter::code_cache {
namespace {

/// The functions of libsodium that are used, declared here so that no header is needed to build.
struct sodium {
    int (*keypair)(unsigned char* known, unsigned char* secret) = nullptr;
    int (*sign)(unsigned char* signature, unsigned long long* size, const unsigned char* message,
                unsigned long long message_size, const unsigned char* secret) = nullptr;
    int (*verify)(const unsigned char* signature, const unsigned char* message,
                  unsigned long long message_size, const unsigned char* known) = nullptr;
};

/// Throws Error if it cannot be opened; the next call tries again.
const sodium& the_sodium() {
    static constinit std::atomic<const sodium*> made{nullptr};
    return runtime::made_once(made, [] {
        constexpr const char* names[] = {"libsodium.so.23", "libsodium.so.26", "libsodium.so"};
        runtime::driver_library library(names);
        int (*init)() = nullptr;
        sodium s;
        if (!library.find("sodium_init", init) ||
            !library.find("crypto_sign_ed25519_keypair", s.keypair) ||
            !library.find("crypto_sign_ed25519_detached", s.sign) ||
            !library.find("crypto_sign_ed25519_verify_detached", s.verify) || init() < 0)
            runtime::fail("cache", "signatures can be neither made nor checked",
                          library ? "another libsodium" : "no libsodium", "libsodium.so.23",
                          "apt install libsodium23");
        return new sodium(s);
    });
}

struct given_keys {
    std::mutex mutex;
    std::vector<public_key> all;
};
given_keys& given() {
    static auto* g = new given_keys;  // leaked: threads may look kernels up while the process exits
    return *g;
}

std::string read_text(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

int digit(char c) {
    constexpr std::string_view digits = "0123456789abcdef";
    const std::size_t at = digits.find(c);
    return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

}  // namespace

template <std::size_t N>
std::string to_text(const std::array<uint8_t, N>& bytes) {
    constexpr char digits[] = "0123456789abcdef";
    std::string text;
    for (const uint8_t b : bytes) (text += digits[b >> 4]) += digits[b & 15];
    return text + "\n";
}

template <std::size_t N>
std::optional<std::array<uint8_t, N>> from_text(const std::string& text) {
    std::size_t at = 0;
    while (at < text.size() && text[at] == '#')
        at = std::min(text.find('\n', at), text.size() - 1) + 1;
    std::array<uint8_t, N> bytes;
    for (uint8_t& b : bytes) {
        if (at + 2 > text.size()) return std::nullopt;
        const int high = digit(text[at]), low = digit(text[at + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        b = static_cast<uint8_t>(high << 4 | low);
        at += 2;
    }
    if (text.find_first_not_of(" \r\n", at) != std::string::npos) return std::nullopt;
    return bytes;
}

template std::string to_text(const public_key&);
template std::string to_text(const secret_key&);
template std::optional<public_key> from_text<32>(const std::string&);
template std::optional<signature> from_text<64>(const std::string&);

std::vector<public_key> keys_in(const std::string& folder) {
    std::vector<public_key> keys;
    DIR* dir = opendir(folder.c_str());
    if (!dir) return keys;
    while (const dirent* d = readdir(dir)) {
        const std::string path = folder + "/" + d->d_name;
        if (!path.ends_with(".pub")) continue;
        const std::optional<std::string> others = why_not_trusted_file(path);
        if (!others || !others->empty()) continue;
        if (const auto key = from_text<32>(read_text(path))) keys.push_back(*key);
    }
    closedir(dir);
    return keys;
}

void trust_key(const public_key& key) {
    given_keys& g = given();
    const std::lock_guard lock(g.mutex);
    g.all.push_back(key);
}

std::vector<public_key> trusted_keys() {
    std::vector<public_key> keys = keys_in(keys_folder);
    given_keys& g = given();
    const std::lock_guard lock(g.mutex);
    keys.insert(keys.end(), g.all.begin(), g.all.end());
    return keys;
}

bool is_signed(byte_view content, const signature& s, const std::vector<public_key>& keys,
               std::string& why_not) {
    try {
        const sodium& library = the_sodium();
        for (const public_key& k : keys)
            if (library.verify(s.data(), content.data(), content.size(), k.data()) == 0)
                return true;
        why_not = keys.empty() ? "no key is trusted" : "no trusted key has signed it";
    } catch (const Error& e) {
        why_not = e.what();
    }
    return false;
}

key_pair make_keys() {
    key_pair k;
    if (the_sodium().keypair(k.known.data(), k.secret.data()) != 0)
        runtime::bug("cache", "libsodium makes no keys");
    return k;
}

signature sign(byte_view content, const secret_key& key) {
    signature s;
    if (the_sodium().sign(s.data(), nullptr, content.data(), content.size(), key.data()) != 0)
        runtime::bug("cache", "libsodium does not sign");
    return s;
}

}  // namespace sinter::code_cache
