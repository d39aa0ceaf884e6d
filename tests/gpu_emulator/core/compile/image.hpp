// Compiled code as bytes, like a cubin or a code object: a header that lists its kernels, and an
// object file for the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpu_emulator {

struct kernel_info {
    std::string name;
    std::vector<uint32_t> sizes, offsets;  // of the parameters
    uint32_t parameter_bytes = 0;
    uint32_t shared_bytes = 0;
    bool meets = false;  // true if its threads wait for each other
    uint32_t bound = 0;  // threads of a block, by its launch bounds; 0: it has none
};

struct image {
    std::string architecture;
    uint64_t release = 0;  // of the compiler: 13000
    std::vector<kernel_info> kernels;
    std::string object;
};

std::string write_image(const image& i);
/// Returns nothing if the bytes are no image.
std::optional<image> read_image(const void* bytes);

}  // namespace gpu_emulator
