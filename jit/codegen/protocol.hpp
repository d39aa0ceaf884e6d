// The byte messages between the library and the LLVM plugin.
//
//   request   header, then `count` times {uint64_t size, bytes of kernel_ir::serialize}
//   response  response_header, then for each kernel a reply_header and `size` bytes: the kernel's
//             image, or an error text
//
// The request for one kernel alone is that kernel's cache key: it holds everything that the code
// generator reads. Integers are in the byte order of the machine; machines of different byte orders
// do not share a cache.
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

/// Instruction set levels. The numbers never change, since they are in cache keys.
enum class target : uint8_t { x86_64_v3 = 3, x86_64_v4 = 4, aarch64 = 64 };

/// Mode bits. No bit means exact. The upper bits plant a fault for tests (runtime/base/fault.hpp).
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

/// Reads `value` at `at` and advances `at`. Returns false if too few bytes are left.
template <class T>
bool take(const uint8_t* data, std::size_t size, std::size_t& at, T& value) {
    if (size - at < sizeof value) return false;
    std::memcpy(&value, data + at, sizeof value);
    at += sizeof value;
    return true;
}

/// Returns the request for one serialised kernel, which is also its cache key.
inline std::vector<uint8_t> make_request(target level, uint32_t mode,
                                         std::span<const uint8_t> kernel) {
    std::vector<uint8_t> out;
    out.reserve(sizeof(request_header) + sizeof(uint64_t) + kernel.size());
    append(out, request_header{.level = level, .mode = mode, .count = 1});
    append(out, static_cast<uint64_t>(kernel.size()));
    out.insert(out.end(), kernel.begin(), kernel.end());
    return out;
}

/// Returns the serialised kernel in a request for one kernel.
inline std::span<const uint8_t> kernel_of(std::span<const uint8_t> request) {
    return request.subspan(sizeof(request_header) + sizeof(uint64_t));
}

}  // namespace sinter::codegen
