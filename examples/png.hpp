// Writes a PNG.
#pragma once

#include "support.hpp"

#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>

namespace example {

/// `pixels`: height x width x 3 bytes.
inline void write_png(const char* path, const sinter::Tensor& pixels) {
    sinter::Tensor dense = pixels.contiguous();
    auto height = static_cast<int>(dense.size(0)), width = static_cast<int>(dense.size(1));
    int done = stbi_write_png(path, width, height, 3, dense.const_data_ptr<uint8_t>(), width * 3);
    check(done != 0, "the picture could not be written");
}

}  // namespace example
