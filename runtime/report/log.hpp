// What the library says on stderr: stages on request, and warnings once each.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

namespace sinter::runtime {

/// The stages that SINTER_DEBUG names, in the order of the data.
enum class debug_stage { expr, graph, plan, kernel_ir, codegen, cache, launch, pool, linalg };

/// False once it is known that SINTER_DEBUG asks for nothing.
extern constinit std::atomic<bool> may_debug;
bool debug_asked(debug_stage stage, int level);

/// Whether SINTER_DEBUG asks for `stage` at `level` or higher: `plan:1,codegen:2`; a name without
/// a level means 1, `all` means every stage.
inline bool debug_enabled(debug_stage stage, int level) {
    return may_debug.load(std::memory_order_relaxed) && debug_asked(stage, level);
}

/// Writes `text` to stderr, each line marked with the stage. Whole calls do not mix.
void debug_print(debug_stage stage, std::string_view text);

/// Writes a warning to stderr, for each `key` once in a process.
void warn_once(const std::string& key, std::string_view text);

/// Replaces what SINTER_DEBUG said. For tests.
void set_debug(std::string_view setting);

}  // namespace sinter::runtime
