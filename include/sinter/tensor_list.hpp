// A non-owning list of tensors, as libtorch's TensorList: what `cat` and its kin take.
#pragma once

#include <sinter/array_ref.hpp>
#include <sinter/tensor.hpp>

namespace sinter::inline v1 {

/// Points to tensors that live elsewhere, to the end of the call at least. From one tensor, braces
/// (expressions in them become tensors), a std::vector or a std::array.
using TensorList = ArrayRef<Tensor>;

}  // namespace sinter::inline v1
