// The instruction set level that kernels are compiled for.
#pragma once

#include "jit/codegen/protocol.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sinter::code_cache {

/// Returns the highest level of this processor, lowered by SINTER_ISA=v3; none if it is below
/// x86-64-v3.
std::optional<codegen::target> process_target();

/// Returns the mode that kernels are compiled in: exact, unless a test plants a fault.
uint32_t process_mode();

/// Returns the names of the targets whose code this process runs, the best first. Code with a
/// planted fault is another target.
const std::vector<std::string>& process_targets();

/// Returns the level's name ("x86-64-v4"), or "none".
const char* name_of(std::optional<codegen::target> level);

/// Returns true if this processor runs code of `level`.
bool can_run(codegen::target level);

}  // namespace sinter::code_cache
