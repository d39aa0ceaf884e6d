// Messages on stderr: debug output of stages on request, and warnings once each.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

namespace sinter::runtime {

/// The stages that SINTER_DEBUG names, in the order of data flow.
enum class debug_stage { expr, graph, plan, kernel_ir, codegen, cache, launch, pool, linalg };

/// False once it is known that SINTER_DEBUG enables no stage.
extern constinit std::atomic<bool> may_debug;
bool debug_asked(debug_stage stage, int level);

/// Returns true if SINTER_DEBUG enables `stage` at `level` or higher: `plan:1,codegen:2`. A name
/// without a level means level 1, and `all` means every stage.
inline bool debug_enabled(debug_stage stage, int level) {
    return may_debug.load(std::memory_order_relaxed) && debug_asked(stage, level);
}

/// Writes `text` to stderr, each line marked with the stage. Lines of different calls do not
/// interleave.
void debug_print(debug_stage stage, std::string_view text);

/// Writes a warning to stderr, once per `key` and process.
void warn_once(const std::string& key, std::string_view text);

/// Replaces the setting of SINTER_DEBUG. For tests.
void set_debug(std::string_view setting);

}  // namespace sinter::runtime
