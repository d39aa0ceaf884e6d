// Kernels that run without a plan, found by the operation and a signature of its loops.
#pragma once

#include "engine/graph/infer.hpp"
#include "engine/measure/timing.hpp"
#include "engine/plan/layout.hpp"
#include "engine/run/execute.hpp"

#include <array>
#include <memory>

namespace sinter::plan {

inline constexpr int max_sources = 8, max_scalars = 8;

struct direct_kernel {
    const typed_program* code;
    uint64_t signature;
    kernel_ir::kernel_fn fn;                            // or null, and block rows run it
    std::shared_ptr<const block::block_kernel> blocks;  // lanes run along elements
    int64_t cost;                                       // per element
    int64_t numel, bytes;  // of the plan that it came from, whose runs are timed
    std::shared_ptr<kernel_timing> timing;
    code_cache::run_count* runs;  // of the work that it came from; null if nothing is recorded
    bool integer_scalars;
    int scalars;
    std::array<scalar_binding, max_scalars> scalar;
};

/// Distinguishes kernels of block rows from compiled ones in a signature.
inline constexpr uint64_t by_blocks = uint64_t{1} << 63;

/// Returns the signature of loops over operands: which sources are the same load, three bits each,
/// the stride classes of the loads, four bits each, and the dtype of the result.
constexpr uint64_t signature_of(uint64_t alias, uint64_t classes, ScalarType dtype) {
    return alias << 37 | classes << 5 | static_cast<uint64_t>(dtype);
}

/// Returns the signature of one loop over `loads` operands with the same dense layout.
inline uint64_t dense_signature(uint64_t alias, int loads, ScalarType dtype) {
    static constexpr auto classes = [] {
        constexpr auto dense = static_cast<uint64_t>(kernel_ir::stride_class::unit) << 1;
        std::array<uint64_t, max_sources + 1> r{};
        for (std::size_t n = 1; n <= max_sources; ++n) r[n] = r[n - 1] << 4 | dense;
        return r;
    }();
    return signature_of(alias, classes[static_cast<std::size_t>(loads)], dtype);
}

/// Returns the kernel, which lives as long as the process, or null.
const direct_kernel* find_direct(const typed_program* code, uint64_t signature);
/// Keeps the kernel, unless there is one with its signature or no place for it.
void keep_direct(std::unique_ptr<const direct_kernel> k);

}  // namespace sinter::plan
