// Copies from and to a GPU, in a stream's order, and host memory that copies need not wait for.
#pragma once

#include "runtime/device/uses.hpp"

#include <cstddef>
#include <memory>

namespace sinter::runtime {

/// Puts a copy on a stream; either side may be memory of the host or of any GPU. From pageable
/// memory the bytes have been read when it returns; into pageable memory they are there. With
/// pinned memory nothing is waited for, and the caller keeps it as it is until the copy has run.
/// Returns the position of the copy.
uint64_t put_copy(gpu_stream& s, void* to, const void* from, std::size_t bytes);

/// Puts a fill with one byte value on a stream.
uint64_t put_fill(gpu_stream& s, void* to, unsigned char value, std::size_t bytes);

/// Whether the machine lets kernels of `g` read and write memory of `peer`; false of itself.
bool can_open_peer(const gpu& g, const gpu& peer);
/// Lets kernels of `g` read and write memory of `peer`. False where the machine cannot.
bool open_peer(const gpu& g, const gpu& peer);

/// Host memory that the driver has pinned: recycled, since pinning costs a millisecond. Throws
/// OutOfMemoryError, and Error where there is no GPU.
void* take_pinned(std::size_t bytes);
/// It is handed out again once the copies that use it have run.
void give_pinned(void* p, std::unique_ptr<stream_uses> uses = nullptr) noexcept;
/// Whether `p` is within such memory.
bool is_pinned(const void* p) noexcept;

}  // namespace sinter::runtime
