// The types that written kernels know beside those of generated text.
#pragma once

namespace sinter::gpu_kernels {

/// `value_of(x)` is what an element is computed with, `computed<T>::type` its type, and
/// `made<T>(value)` the element. `bits16` is moved only.
extern const char* const element_types_text;

}  // namespace sinter::gpu_kernels
