// Pinned host memory, which kernels may use and copies need not stage.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpu_emulator {

void* allocate_pinned(std::size_t bytes);
bool release_pinned(void* memory);
/// Returns true if the bytes are in one pinned allocation.
bool is_pinned(const void* memory, std::size_t bytes);

}  // namespace gpu_emulator
