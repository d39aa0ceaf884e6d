#include "engine/measure/undecided.hpp"

#include <atomic>

namespace sinter::plan {
namespace {

// Process-wide, as plans are: any thread may take the turns of another one's plan.
std::atomic<uint64_t> runs{0};

}  // namespace

void note_undecided() { runs.fetch_add(1, std::memory_order_relaxed); }
uint64_t undecided_runs() { return runs.load(std::memory_order_relaxed); }

}  // namespace sinter::plan
