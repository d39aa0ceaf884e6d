// The plugin's interface: three C functions, bytes in and bytes out. No exception leaves them.
#include "jit/codegen/llvm/machine.hpp"
#include "jit/codegen/protocol.hpp"
#include "jit/kernel_ir/kernel_ir.hpp"

#include <sinter_build_identity.hpp>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>

// Nothing in the plugin, including LLVM's archives, is destroyed at exit: a program may exit while
// the background thread runs static initialisers, and destructors would race with them.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the name in the C library
extern "C" [[gnu::visibility("hidden")]] int __cxa_atexit(void (*)(void*), void*, void*) noexcept;
extern "C" int __cxa_atexit(void (*)(void*), void*, void*) noexcept { return 0; }  // NOLINT

namespace sinter::codegen {
namespace {

constexpr uint32_t known_modes =
#ifdef SINTER_FAULTS
    mode_fault_tail_mask | mode_fault_lane_order | mode_fault_contract;
#else
    mode_exact;
#endif

/// A kernel of a request at primitive level, or the error.
struct parsed {
    std::optional<kernel_ir::kernel> kernel;
    std::string error;
};

parsed parse_kernel(const uint8_t* data, std::size_t size) {
    try {
        // decompose verifies both levels.
        return {kernel_ir::decompose(kernel_ir::deserialize(data, size)), {}};
    } catch (const std::exception& e) {
        return {std::nullopt, e.what()};
    }
}

std::vector<uint8_t> answer(const uint8_t* data, std::size_t size) {
    request_header head;
    std::size_t at = 0;
    if (!take(data, size, at, head) || head.magic != request_magic ||
        head.version != protocol_version || head.reserved != 0)
        throw std::runtime_error("[codegen] the request has another protocol version");
    if (head.mode & ~known_modes) throw std::runtime_error("[codegen] the mode is unknown");
    std::vector<parsed> requests;
    std::vector<kernel_ir::kernel> good;
    for (uint32_t n = 0; n < head.count; ++n) {
        uint64_t bytes = 0;
        if (!take(data, size, at, bytes) || size - at < bytes)
            throw std::runtime_error("[codegen] the request ends early");
        requests.push_back(parse_kernel(data + at, bytes));
        if (requests.back().kernel) good.push_back(std::move(*requests.back().kernel));
        at += bytes;
    }
    if (at != size) throw std::runtime_error("[codegen] the request is too long");

    std::vector<compiled> code = compile(good, head.level, head.mode);
    std::vector<uint8_t> out;
    append(out, response_header{.count = head.count});
    std::size_t next = 0;
    for (const parsed& r : requests) {
        const compiled* c = r.kernel ? &code[next++] : nullptr;
        const std::string& error = c ? c->error : r.error;
        const auto* text = reinterpret_cast<const uint8_t*>(error.data());
        if (c && error.empty()) {
            append(out, reply_header{1, c->code.entry, c->code.bytes.size()});
            out.insert(out.end(), c->code.bytes.begin(), c->code.bytes.end());
        } else {
            append(out, reply_header{0, 0, error.size()});
            out.insert(out.end(), text, text + error.size());
        }
    }
    return out;
}

/// Passes a copy of `bytes` to the caller; returns false if out of memory.
bool give(const uint8_t* bytes, std::size_t size, uint8_t** out, std::size_t* out_size) {
    *out = static_cast<uint8_t*>(std::malloc(size ? size : 1));
    *out_size = *out ? size : 0;
    if (*out) std::memcpy(*out, bytes, size);
    return *out != nullptr;
}

}  // namespace
}  // namespace sinter::codegen

extern "C" {

/// Returns 0 and a response, or 1 and an error text; the caller frees either with sinter_llvm_free.
[[gnu::visibility("default")]] int sinter_llvm_compile(const uint8_t* in, std::size_t n,
                                                       uint8_t** out, std::size_t* out_n) {
    using namespace sinter::codegen;
    try {
        std::vector<uint8_t> response = answer(in, n);
        return give(response.data(), response.size(), out, out_n) ? 0 : 1;
    } catch (const std::exception& e) {
        give(reinterpret_cast<const uint8_t*>(e.what()), std::strlen(e.what()), out, out_n);
        return 1;
    }
}

[[gnu::visibility("default")]] void sinter_llvm_free(uint8_t* bytes) { std::free(bytes); }

[[gnu::visibility("default")]] const char* sinter_llvm_build_id() { return SINTER_BUILD_IDENTITY; }

}  // extern "C"
