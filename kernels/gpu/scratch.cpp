#include "kernels/gpu/scratch.hpp"

#include "runtime/device/transfer.hpp"

#include <algorithm>
#include <cstring>

namespace sinter::gpu_kernels {

scratch::scratch(runtime::gpu_stream& s, std::size_t bytes)
    : memory_(runtime::make_buffer(std::max<std::size_t>(bytes, 16),
                                   static_cast<runtime::device_index>(s.device().index))) {}

std::vector<uint64_t> read_back(runtime::gpu_stream& s, const void* from, std::size_t count) {
    std::vector<uint64_t> words(count);
    s.finish(runtime::put_copy(s, words.data(), from, count * sizeof(uint64_t)));
    return words;
}

void upload(runtime::gpu_stream& s, void* to, const void* from, std::size_t bytes) {
    const runtime::buffer_ptr pinned = runtime::make_pinned_buffer(bytes);
    std::memcpy(pinned->data, from, bytes);
    pinned->uses->after_read(s, runtime::put_copy(s, to, pinned->data, bytes));
}

}  // namespace sinter::gpu_kernels
