// What crosses the boundary between the main library and the LLVM plugin: bytes in, bytes out.
//
//   request   header, then `count` times {uint64_t size, bytes of kernel_ir::serialize}
//   response  magic, version, count, then for each kernel a reply_header and `size` bytes: the
//   image
//             of the kernel, or the text that says why there is none
//
// The request of one kernel alone is that kernel's cache key: it holds all that the code generator
// reads. Integers are in the byte order of the machine; a cache is never shared between byte
// orders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace sinter::codegen {

inline constexpr uint32_t request_magic = 0x514e4953;   // "SINQ"
inline constexpr uint32_t response_magic = 0x524e4953;  // "SINR"
inline constexpr uint16_t protocol_version = 1;

/// Instruction set levels, numbered for good.
enum class target : uint8_t { x86_64_v3 = 3, x86_64_v4 = 4, aarch64 = 64 };

/// Mode bits. No bit: exact. The upper ones plant a fault for the tests (runtime/base/fault.hpp).
enum mode : uint32_t {
    mode_exact = 0,
    mode_fault_tail_mask = 1u << 16,   // the last vector of a row is stored whole
    mode_fault_lane_order = 1u << 17,  // a reduction has as many lanes as a vector
    mode_fault_contract = 1u << 18,    // a product that is added becomes a fused multiply-add
};

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

/// Reads `value` at `at` and moves on; false where the bytes end first.
template <class T>
bool take(const uint8_t* data, std::size_t size, std::size_t& at, T& value) {
    if (size - at < sizeof value) return false;
    std::memcpy(&value, data + at, sizeof value);
    at += sizeof value;
    return true;
}

/// The request for one serialised kernel: also its cache key.
inline std::vector<uint8_t> make_request(target level, uint32_t mode,
                                         std::span<const uint8_t> kernel) {
    std::vector<uint8_t> out;
    out.reserve(sizeof(request_header) + sizeof(uint64_t) + kernel.size());
    append(out, request_header{.level = level, .mode = mode, .count = 1});
    append(out, static_cast<uint64_t>(kernel.size()));
    out.insert(out.end(), kernel.begin(), kernel.end());
    return out;
}

/// The serialised kernel in the request for it alone.
inline std::span<const uint8_t> kernel_of(std::span<const uint8_t> request) {
    return request.subspan(sizeof(request_header) + sizeof(uint64_t));
}

}  // namespace sinter::codegen
