#include "jit/cache/places.hpp"
#include "jit/cache/signature.hpp"
#include "runtime/base/fail.hpp"

#include <sinter/cache.hpp>

namespace sinter::inline v1::cache {
namespace {

[[noreturn]] void refuse(const std::string& which, const std::string& why) {
    runtime::fail("add_pack", "a pack of kernels cannot be used", which + ": " + why,
                  "a whole pack that only you or root can have written",
                  "building or copying it again, chmod go-w or chown; `sinter cache doctor` and "
                  "`sinter cache verify` say more");
}

}  // namespace

void add_pack(const std::string& path) {
    std::string why;
    std::unique_ptr<code_cache::pack> p = code_cache::open_trusted_pack(path, why);
    if (!p) refuse(path, why);
    code_cache::added_packs().add(std::move(p));
}

void add_pack(const void* data, std::size_t size) {
    std::string why;
    std::unique_ptr<code_cache::pack> p =
        code_cache::pack::in_memory({static_cast<const uint8_t*>(data), size}, why);
    if (!p) refuse("the embedded pack", why);
    code_cache::embedded_packs().add(std::move(p));
}

void trust_key(const std::string& key) {
    const auto parsed = code_cache::from_text<32>(key);
    if (!parsed)
        runtime::fail("trust_key", "a text is no public key", "'" + key.substr(0, 80) + "'",
                      "64 hexadecimal digits", "the content of a .pub file of `sinter cache keys`");
    code_cache::trust_key(*parsed);
}

}  // namespace sinter::inline v1::cache
