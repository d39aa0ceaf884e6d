// Kernels for GPUs whose text is written, not generated: library operations, whose memory accesses
// follow values. The text is a .cuh file, which the build embeds (cmake/sinter_embed.cmake). It is
// in the words that CUDA and HIP share (__global__, __shared__, __syncthreads, threadIdx, atomics
// on u32 and u64), over the types of generated text and those of elements.cuh.
//
// A text is compiled for each meaning of the words that it leaves open, like a template, and
// cached as generated kernels are.
#pragma once

#include "kernels/gpu/arguments.hpp"
#include "runtime/device/module.hpp"

#include <sinter/dtype.hpp>

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::gpu_kernels {

/// One for each text, of static storage: its address names it.
struct written {
    std::string text;
    std::vector<std::string> functions;
};

/// What the open words of a text mean. Few: each combination is compiled.
class meanings {
public:
    meanings& number(std::string_view word, int64_t n);
    meanings& name(std::string_view word, std::string_view meaning);
    /// The type of an element in memory: f16, bf16, boolean, c64, c128 or a number's.
    meanings& type(std::string_view word, ScalarType t);

    const std::string& text() const { return text_; }

private:
    std::string text_;
};

/// The type of elements of that many bytes which are only moved.
const char* bits_name(std::size_t bytes);

/// Threads of a block, unless a kernel says otherwise.
inline constexpr unsigned block_threads = 256;

/// The kernels of a text, in the order of its functions. Compiles them where nobody has. Throws
/// Error.
std::span<const runtime::gpu_kernel> kernels_of(const runtime::gpu& g, const written& of,
                                                const meanings& words);

/// As many blocks as give each of `threads` one, at most what a grid may have.
runtime::launch_shape grid_for(int64_t threads);

/// Puts a launch on the stream, and counts it.
void put(runtime::gpu_stream& s, const runtime::gpu_kernel& k, const runtime::launch_shape& shape,
         const arguments& a);
template <class T>
    requires(!std::same_as<T, arguments>)
void put(runtime::gpu_stream& s, const runtime::gpu_kernel& k, const runtime::launch_shape& shape,
         const T& of) {
    put(s, k, shape, arguments(of));
}

}  // namespace sinter::gpu_kernels
