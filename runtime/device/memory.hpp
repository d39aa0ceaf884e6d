// Recycled memory of a GPU: the driver's own allocation waits for the device and costs more than
// many kernels.
//
// Memory comes from the driver in segments: 2 MiB for blocks up to 1 MiB, 20 MiB for blocks up to
// 10 MiB, and one of its own, in steps of 2 MiB, for larger ones. Segments are cut into blocks,
// best fit first, and neighbours that are free are joined again. (The sizes are those of PyTorch's
// allocator, so that programs find the footprint they know.) A segment belongs to one stream: its
// blocks go from hand to hand in that stream's order, without waiting. A use on another stream is
// waited for by the owner's stream when the block comes back, not by the host.
//
// SINTER_GPU_POOL=off asks the driver for every block, exactly as large, for checking tools.
#pragma once

#include "runtime/device/uses.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace sinter::runtime {

struct gpu_segment;

/// A block of device memory and who used it.
class gpu_block : public stream_uses {
public:
    char* data = nullptr;
    std::size_t bytes = 0;  // at least what was asked for

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
    uint64_t requests = 0, driver_calls = 0;         // so far; what went to the driver
    uint64_t retries = 0;                            // after giving back what was free
    uint64_t failures = 0;                           // for want of memory
};

/// A block for work on the current stream. Throws OutOfMemoryError, which says what holds the
/// memory.
gpu_block* take_gpu_block(const gpu& g, std::size_t bytes);
void give_gpu_block(gpu_block* b) noexcept;

gpu_memory_stats gpu_memory_stats_of(const gpu& g);
void reset_gpu_peaks(const gpu& g);
/// Gives segments without a used block back to the driver. Returns the number of bytes.
std::size_t empty_gpu_cache(const gpu& g);
/// The most bytes that are asked of the driver; 0: no limit but the device's.
void limit_gpu_memory(const gpu& g, std::size_t bytes);
/// The driver's own figures: of all processes.
void gpu_memory_info(const gpu& g, std::size_t& free, std::size_t& total);

}  // namespace sinter::runtime
