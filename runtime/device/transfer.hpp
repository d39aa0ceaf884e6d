// Copies from and to a GPU, in stream order, and pinned host memory.
#pragma once

#include "runtime/device/uses.hpp"

#include <cstddef>
#include <memory>

namespace sinter::runtime {

/// Submits a copy to a stream and returns its position. Either side may be memory of the host or of
/// any GPU. Does not wait: the caller keeps the memory, unchanged, until the copy has run. Drivers
/// do not promise to have read or written pageable memory on return.
uint64_t put_copy(gpu_stream& s, void* to, const void* from, std::size_t bytes);

/// Submits a fill with one byte value to a stream and returns its position.
uint64_t put_fill(gpu_stream& s, void* to, unsigned char value, std::size_t bytes);

/// Returns true if kernels of `g` can read and write memory of `peer`; false if both are one GPU.
bool can_open_peer(const gpu& g, const gpu& peer);
/// Enables kernels of `g` to read and write memory of `peer`. Returns false if they cannot.
bool open_peer(const gpu& g, const gpu& peer);

/// Returns pinned host memory, which is recycled because pinning takes 1 ms. Throws
/// OutOfMemoryError, or Error if there is no GPU.
void* take_pinned(std::size_t bytes);
/// Gives back pinned memory, which is reused once the copies that use it have run.
void give_pinned(void* p, std::unique_ptr<stream_uses> uses = nullptr) noexcept;
/// Returns true if `p` is within such memory.
bool is_pinned(const void* p) noexcept;

}  // namespace sinter::runtime
