// Kernels for GPUs whose text is written, not generated: library operations, whose memory accesses
// follow values. The text is in the words that CUDA and HIP share (__global__, __shared__,
// __syncthreads, threadIdx, atomics on u32 and u64), over the types of generated text and those of
// element_types.hpp.
//
// A text is compiled for each meaning of the words that it leaves open, like a template, and
// cached as generated kernels are.
#pragma once

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

/// The only argument of a kernel: numbers and addresses of 8 bytes each, in the order of its
/// struct.
class arguments {
public:
    arguments& add(std::integral auto n) {
        words_.push_back(static_cast<uint64_t>(n));
        return *this;
    }
    arguments& add(const void* p) {
        words_.push_back(reinterpret_cast<uintptr_t>(p));
        return *this;
    }
    arguments& add(std::span<const int64_t> all) {
        words_.insert(words_.end(), all.begin(), all.end());
        return *this;
    }
    arguments& add(const arguments& more) {
        words_.insert(words_.end(), more.words_.begin(), more.words_.end());
        return *this;
    }
    const void* data() const { return words_.data(); }
    /// Whether a kernel can have so many.
    bool fit() const { return words_.size() * sizeof(uint64_t) <= 4096; }

private:
    std::vector<uint64_t> words_;
};

/// Puts a launch on the stream, and counts it.
void put(runtime::gpu_stream& s, const runtime::gpu_kernel& k, const runtime::launch_shape& shape,
         const arguments& a);

}  // namespace sinter::gpu_kernels
