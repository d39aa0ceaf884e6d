// Element types of hand-written kernels, in addition to the types of generated kernels.
#pragma once

namespace sinter::gpu_kernels {

/// Kernel source. `value_of(x)` is the value to compute with, `computed<T>::type` is its type, and
/// `made<T>(value)` converts it back to an element. `bits16` can only be moved.
extern const char* const element_types_text;

}  // namespace sinter::gpu_kernels
