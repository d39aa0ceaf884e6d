#include "kernels/gpu/scratch.hpp"

#include "runtime/device/transfer.hpp"

#include <algorithm>

namespace sinter::gpu_kernels {

scratch::scratch(runtime::gpu_stream& s, std::size_t bytes)
    : memory_(runtime::make_buffer(std::max<std::size_t>(bytes, 16),
                                   static_cast<runtime::device_index>(s.device().index))) {}

std::vector<uint64_t> read_back(runtime::gpu_stream& s, const void* from, std::size_t count) {
    std::vector<uint64_t> words(count);
    runtime::put_copy(s, words.data(), from, count * sizeof(uint64_t));
    return words;
}

}  // namespace sinter::gpu_kernels
