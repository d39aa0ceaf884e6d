// Copies from and to a GPU, in a stream's order, and host memory that copies need not wait for.
#pragma once

#include "runtime/device/stream.hpp"

#include <cstddef>

namespace sinter::runtime {

/// Puts a copy on a stream; either side may be memory of the host or of any GPU. From pageable
/// memory the bytes have been read when it returns; into pageable memory they are there. With
/// pinned memory nothing is waited for, and the caller keeps it as it is until the copy has run.
/// Returns the position of the copy.
uint64_t put_copy(gpu_stream& s, void* to, const void* from, std::size_t bytes);

/// Puts a fill with one byte value on a stream.
uint64_t put_fill(gpu_stream& s, void* to, unsigned char value, std::size_t bytes);

/// Lets kernels of `g` read and write memory of `peer`. False where the machine cannot.
bool open_peer(const gpu& g, const gpu& peer);

/// Host memory that the driver has pinned: recycled, since pinning costs a millisecond. Throws
/// OutOfMemoryError. What was put on streams with it must have run before it is given back.
void* take_pinned(std::size_t bytes);
void give_pinned(void* p) noexcept;
/// Whether `p` is within such memory.
bool is_pinned(const void* p) noexcept;

}  // namespace sinter::runtime
