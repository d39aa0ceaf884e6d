// Kernels compiled through the plugin, many at a time, for each level that this processor supports.
#pragma once

#include "jit/cache/loader.hpp"
#include "jit/cache/plugin.hpp"
#include "jit/cache/target.hpp"
#include "jit/kernel_ir/kernel_ir.hpp"

#include <doctest/doctest.h>

namespace sinter::testing {

inline std::vector<codegen::target> levels() {
    std::vector<codegen::target> found;
    for (codegen::target t : {codegen::target::x86_64_v3, codegen::target::x86_64_v4}) {
        if (code_cache::can_run(t)) found.push_back(t);
    }
    return found;
}

/// Returns the functions of kernels at row level. A kernel that does not compile fails the test.
inline std::vector<kernel_ir::kernel_fn> compile(const std::vector<kernel_ir::kernel>& kernels,
                                                 codegen::target level,
                                                 uint32_t mode = code_cache::process_mode()) {
    std::vector<kernel_ir::kernel_fn> functions;
    constexpr std::size_t batch = 32;
    for (std::size_t from = 0; from < kernels.size(); from += batch) {
        std::vector<code_cache::bytes> serialized;
        for (std::size_t n = from; n < std::min(from + batch, kernels.size()); n++) {
            serialized.push_back(kernel_ir::serialize(kernels[n]));
        }
        const auto replies = code_cache::compile_kernels(
            level, mode, std::vector<code_cache::byte_view>(serialized.begin(), serialized.end()));
        for (std::size_t n = 0; n < replies.size(); n++) {
            INFO(kernel_ir::print(kernels[from + n]));
            REQUIRE(replies[n].error == "");
            functions.push_back(
                code_cache::load_image({"", serialized[n], replies[n].image, replies[n].entry}));
        }
    }
    return functions;
}

}  // namespace sinter::testing
