// Hand-written GPU kernels, for library operations whose memory accesses depend on values. The
// kernel source is a .cuh file, which the build embeds (cmake/sinter_embed.cmake). It uses only
// what CUDA and HIP share (__global__, __shared__, __syncthreads, threadIdx, atomics on u32 and
// u64), the prelude of generated kernels, and the types of elements.cuh.
//
// Macro definitions fill in the words that a source leaves open, like template arguments. Each
// combination is compiled once and cached as generated kernels are.
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

/// One kernel source and the names of its kernels. Must have static storage: the address is the
/// cache key.
struct kernel_source {
    const char* name;  // of the text in recordings: that of the embedded file
    std::string text;
    std::vector<std::string> functions;
};

/// Macro definitions for the open words of a source. Each combination is compiled, so keep them
/// few.
class macro_definitions {
public:
    macro_definitions& number(std::string_view word, int64_t n);
    macro_definitions& name(std::string_view word, std::string_view meaning);
    /// Defines `word` as the type of an element in memory: f16, bf16, boolean, c64, c128 or a
    /// number's type.
    macro_definitions& type(std::string_view word, ScalarType t);
    /// Defines `TYPES(X)` as X(number of the ScalarType, type of an element) for each dtype that
    /// `takes` returns true for.
    macro_definitions& types(bool (*takes)(ScalarType));

    const std::string& text() const { return text_; }

private:
    std::string text_;
};

/// Returns the type for elements of that many bytes that are only moved.
const char* bits_name(std::size_t bytes);

/// Threads per block, unless a kernel says otherwise.
inline constexpr unsigned block_threads = 256;

/// What a recording has of a source that was asked for: its name and the definitions. `sinter cache
/// build` compiles it for other machines.
struct source_request {
    std::string name, words;
};
std::vector<uint8_t> write_request(const source_request& r);
/// Throws InternalError if the bytes are no request.
source_request read_request(std::span<const uint8_t> bytes);

/// Returns the kernels of a source, in the order of its functions. Compiles them if they are not
/// cached. Throws Error.
std::span<const runtime::gpu_kernel> kernels_of(const runtime::gpu& g, const kernel_source& of,
                                                const macro_definitions& words);

/// Returns a grid with at least `threads` threads, but no larger than the largest grid allowed.
runtime::launch_shape grid_for(int64_t threads);

/// Puts a launch on the stream and counts it.
void put(runtime::gpu_stream& s, const runtime::gpu_kernel& k, const runtime::launch_shape& shape,
         const arguments& a);
template <class T>
    requires(!std::same_as<T, arguments>)
void put(runtime::gpu_stream& s, const runtime::gpu_kernel& k, const runtime::launch_shape& shape,
         const T& of) {
    put(s, k, shape, arguments(of));
}

}  // namespace sinter::gpu_kernels
