// What `sinter cache build` compiles for: "x86-64-v4", "aarch64", "sm_90", "sm_90@h200", "ptx:90",
// "gfx90a".
#pragma once

#include "jit/cache/plugin.hpp"
#include "jit/codegen/c_like/gpu_compiler.hpp"
#include "runtime/device/gpu.hpp"

#include <memory>
#include <string>
#include <vector>

namespace sinter::cache_command {

struct build_target {
    std::string name;         // as in --targets
    std::string stored;       // as in packs: "x86-64-v4", "CUDA sm_90"
    codegen::target level{};  // of a CPU
    // ---- of a GPU
    const codegen::gpu_compiler* compiler = nullptr;
    std::string architecture;                 // as the compiler names it
    std::shared_ptr<const runtime::gpu> gpu;  // that works are planned for

    bool is_gpu() const { return gpu != nullptr; }
    /// Returns the compiler and its options, for people.
    std::string producer() const;
    /// Throws Error if there is no compiler for it here.
    void require_compiler() const;
    /// Compiles keys together. A reply has an error for one that cannot be compiled.
    std::vector<code_cache::compile_reply> compile(
        const std::vector<code_cache::byte_view>& keys) const;
};

/// Returns the target of a name, also of one as in packs. Throws Error.
build_target target_of(const std::string& name);

}  // namespace sinter::cache_command
