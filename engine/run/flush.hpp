// Computing pending values. `reason` is a flush_reason of runtime/report/stats.hpp.
#pragma once

#include "engine/graph/graph.hpp"

#include <span>

namespace sinter::inline v1 {

/// Computes these versions now. Rethrows the error of a failed one.
void flush(std::span<Version* const> wanted, int reason);
/// Computes the newest version of the tensor's storage.
void flush(const TensorImpl& t, int reason);
/// Returns the bytes of the newest version, computed first if it is pending.
Buffer& ready_buffer(const TensorImpl& t, int reason);
/// Runs all pending nodes that read or write the storage.
void settle(Storage& s, int reason);

}  // namespace sinter::inline v1
