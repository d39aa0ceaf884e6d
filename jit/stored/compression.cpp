#include "jit/stored/compression.hpp"

#include "runtime/base/fail.hpp"
#include "runtime/base/fork.hpp"
#include "runtime/device/driver_library.hpp"

#include <atomic>
#include <string>

namespace sinter::code_cache {
namespace {

/// The functions of libzstd that are used, declared here so that no header is needed to build.
struct zstd {
    std::size_t (*compress)(void* to, std::size_t room, const void* from, std::size_t size,
                            int level) = nullptr;
    std::size_t (*decompress)(void* to, std::size_t room, const void* from,
                              std::size_t size) = nullptr;
    unsigned (*is_error)(std::size_t result) = nullptr;
    std::string why_not;  // empty: usable
};

const zstd& the_zstd() {
    static constinit std::atomic<const zstd*> made{nullptr};
    return runtime::made_once(made, [] {
        constexpr const char* names[] = {"libzstd.so.1", "libzstd.so"};
        runtime::driver_library library(names);
        zstd z;
        if (!library.find("ZSTD_compress", z.compress) ||
            !library.find("ZSTD_decompress", z.decompress) ||
            !library.find("ZSTD_isError", z.is_error))
            z.why_not = library.error();
        return new zstd(z);  // leaked: kernels are looked up while the process exits
    });
}

/// More than any kernel has. A size above comes from a damaged file.
constexpr uint64_t most_bytes = uint64_t{1} << 30;

/// Level 19 takes 7 % less room and ten times as long.
constexpr int level = 9;

}  // namespace

void compress(artefact& a, bytes& memory) {
    const zstd& z = the_zstd();
    if (!z.why_not.empty() || a.plain_size != 0) return;
    memory.resize(a.image.size());
    const std::size_t size =
        z.compress(memory.data(), memory.size(), a.image.data(), a.image.size(), level);
    if (z.is_error(size)) return;  // it does not fit into less room than it had
    memory.resize(size);
    a.plain_size = a.image.size();
    a.image = memory;
}

bytes plain_image(const artefact& a) {
    if (a.plain_size == 0) return {a.image.begin(), a.image.end()};
    const zstd& z = the_zstd();
    if (!z.why_not.empty())
        runtime::fail("cache", "compressed code cannot be read", z.why_not, "libzstd.so.1",
                      "apt install libzstd1");
    bytes plain(a.plain_size < most_bytes ? a.plain_size : 0);
    if (z.decompress(plain.data(), plain.size(), a.image.data(), a.image.size()) != a.plain_size)
        runtime::fail("cache", "compressed code cannot be read",
                      "bytes that are not " + std::to_string(a.plain_size) + " of code",
                      "a whole pack", "building or copying it again");
    return plain;
}

}  // namespace sinter::code_cache
