// A non-owning list of tensors, libtorch's TensorList, which `cat` and similar functions take.
#pragma once

#include <sinter/core/array_ref.hpp>
#include <sinter/tensor.hpp>

namespace sinter::inline v1 {

/// A list of tensors that live elsewhere, at least until the end of the call. Made from one tensor,
/// braces (expressions in them become tensors), a std::vector or a std::array.
using TensorList = ArrayRef<Tensor>;

}  // namespace sinter::inline v1
