// Recycled GPU memory: allocation by the driver synchronises with the device and costs more than
// many kernels.
//
// Memory comes from the driver in segments: 2 MiB for blocks up to 1 MiB, 20 MiB for blocks below
// 10 MiB, and a separate segment, in steps of 2 MiB, for larger blocks. Segments are cut into
// blocks, best fit first, and adjacent free blocks are joined again. (The sizes are those of
// PyTorch's allocator, for the same footprint.) A segment belongs to one stream: its blocks are
// reused in that stream's order, without waiting. If a block was used on another stream, the
// owner's stream, not the host, waits for that use when the block is given back.
//
// SINTER_GPU_POOL=off allocates every block from the driver at its exact size, for checking tools.
#pragma once

#include "runtime/device/uses.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace sinter::runtime {

struct gpu_segment;

/// A block of device memory and its uses on streams.
class gpu_block : public stream_uses {
public:
    char* data = nullptr;
    std::size_t bytes = 0;  // at least as many as requested

    const gpu& device() const { return owner_->device(); }

private:
    friend class gpu_memory;

    gpu_stream* owner_ = nullptr;
    gpu_segment* segment_ = nullptr;
    gpu_block *before_ = nullptr, *behind_ = nullptr;  // neighbours in the segment
    bool free_ = false;
};

struct gpu_memory_stats {
    uint64_t allocated = 0, reserved = 0;            // bytes now
    uint64_t allocated_peak = 0, reserved_peak = 0;  // since reset_peaks
    uint64_t blocks = 0, segments = 0;               // now
    uint64_t requests = 0, driver_calls = 0;         // so far: all, and calls of the driver
    uint64_t retries = 0;                            // so far: after releasing free segments
    uint64_t failures = 0;                           // so far: out-of-memory
};

/// Returns a block for work on the current stream. Throws OutOfMemoryError, whose text lists how
/// the memory is used.
gpu_block* take_gpu_block(const gpu& g, std::size_t bytes);
void give_gpu_block(gpu_block* b) noexcept;

gpu_memory_stats gpu_memory_stats_of(const gpu& g);
void reset_gpu_peaks(const gpu& g);
/// Returns segments without a used block to the driver. Returns the number of bytes.
std::size_t empty_gpu_cache(const gpu& g);
/// Limits the bytes allocated from the driver; 0: only the device limits them.
void limit_gpu_memory(const gpu& g, std::size_t bytes);
/// Returns the driver's figures, which include all processes.
void gpu_memory_info(const gpu& g, std::size_t& free, std::size_t& total);

}  // namespace sinter::runtime
