// The base form of a kernel for CPUs: the same computation on inputs of any strides.
#pragma once

#include "jit/kernel_ir/kernel_ir.hpp"

#include <optional>
#include <vector>

namespace sinter::kernel_ir {

/// Returns the serialised kernel that gives the same bits, and takes inputs of any strides where
/// `k` asks for dense or constant ones. It is slower, so only programs without a compiler look for
/// it. Returns nothing if `k` is its own base form.
std::optional<std::vector<uint8_t>> base_key(const kernel& k);

}  // namespace sinter::kernel_ir
