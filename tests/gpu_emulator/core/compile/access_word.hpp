// The word that compiled code passes to the checks of an access, and the names of the checks.
#pragma once

#include "core/run/launch_state.hpp"

#include <cstddef>
#include <cstdint>

namespace gpu_emulator {

enum class access_kind : uint8_t { read, write, atomic };

inline constexpr const char* prelude_name = "gpu_emulator_prelude";

/// Called as void*(state, pointer, word, bytes); returns the address of the bytes.
inline constexpr const char* access_functions[] = {"gpu_emulator_read", "gpu_emulator_write",
                                                   "gpu_emulator_atomic"};
/// Called as void(state, pointer, word with the bytes, variable, its extent). An extent of 0 means
/// the rest of the block's shared memory.
inline constexpr const char* shared_functions[] = {
    "gpu_emulator_shared_read", "gpu_emulator_shared_write", "gpu_emulator_shared_atomic"};
inline constexpr const char* object_function = "gpu_emulator_object";

inline constexpr unsigned access_word_bits = 32;  // the bytes are in the bits above
constexpr uint64_t access_word(unsigned log2_alignment, unsigned line) {
    return log2_alignment | uint64_t{line & 0xffffff} << 8;
}
constexpr uint64_t alignment_of(uint64_t word) { return uint64_t{1} << (word & 0xff); }
constexpr uint32_t line_of(uint64_t word) { return static_cast<uint32_t>(word >> 8 & 0xffffff); }

inline constexpr unsigned shared_member = offsetof(launch_state, shared);

}  // namespace gpu_emulator
