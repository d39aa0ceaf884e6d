// Waiting for every GPU that the process has used, and for no other: a wait would make a context.
#pragma once

namespace sinter::runtime {

/// Notes that a GPU was used. device_scope calls it.
void note_used(int index);

/// Waits for all work on the GPUs that were used. Costs next to nothing where there is none. Throws
/// as finish_device.
void finish_used_devices();

}  // namespace sinter::runtime
