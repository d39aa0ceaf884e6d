// The byte messages between the library and the LLVM plugin.
//
//   request   header, then `count` times {uint64_t size, bytes of kernel_ir::serialize}
//   response  response_header, then for each kernel a reply_header and `size` bytes: the kernel's
//             image, or an error text
//
// Level, mode and kernel are everything that the code generator reads, so the caches find code by
// them. Integers are in the byte order of the machine; machines of different byte orders do not
// share a cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace sinter::codegen {

inline constexpr uint32_t request_magic = 0x514e4953;   // "SINQ"
inline constexpr uint32_t response_magic = 0x524e4953;  // "SINR"
inline constexpr uint16_t protocol_version = 1;

/// Instruction set levels.
enum class target : uint8_t { x86_64_v3 = 3, x86_64_v4 = 4, aarch64 = 64 };

/// Mode bits. No bit means exact. The upper bits plant a fault for tests (runtime/base/fault.hpp).
enum mode : uint32_t {
    mode_exact = 0,
    mode_fault_tail_mask = 1u << 16,   // the last vector of a row is stored whole
    mode_fault_lane_order = 1u << 17,  // a reduction has as many lanes as a vector
    mode_fault_contract = 1u << 18,    // a product that is added becomes a fused multiply-add
};

/// The alignment that the constants of an image need.
inline constexpr uint64_t image_alignment = 64;

struct request_header {
    uint32_t magic = request_magic;
    uint16_t version = protocol_version;
    target level = target::x86_64_v3;
    uint8_t reserved = 0;
    uint32_t mode = mode_exact;
    uint32_t count = 0;
};

struct response_header {
    uint32_t magic = response_magic;
    uint16_t version = protocol_version;
    uint16_t reserved = 0;
    uint32_t count = 0;
    uint32_t reserved2 = 0;
};

struct reply_header {
    uint64_t ok = 0;     // 1: an image follows; 0: an error text
    uint64_t entry = 0;  // offset of the kernel_fn in the image
    uint64_t size = 0;
};

template <class T>
void append(std::vector<uint8_t>& out, const T& value) {
    const auto* p = reinterpret_cast<const uint8_t*>(&value);
    out.insert(out.end(), p, p + sizeof value);
}

/// Reads `value` at `at` and advances `at`. Returns false if too few bytes are left.
template <class T>
bool take(const uint8_t* data, std::size_t size, std::size_t& at, T& value) {
    if (size - at < sizeof value) return false;
    std::memcpy(&value, data + at, sizeof value);
    at += sizeof value;
    return true;
}

}  // namespace sinter::codegen
