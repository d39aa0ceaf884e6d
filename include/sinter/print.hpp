// Texts of tensors and of what describes them. Two layouts: `<<` (tensor.hpp) and `print` write as
// libtorch 1.13 does, every element; `repr` writes as Python's PyTorch does. Both read the values
// and run what is pending. Neither writes -nan: a NaN's sign means nothing.
#pragma once

#include <sinter/tensor.hpp>

#include <iosfwd>
#include <string>
#include <vector>

namespace sinter::inline v1 {

/// libtorch's layout with lines of another length.
SINTER_API std::ostream& print(std::ostream& out, const tensor_base& t, int64_t line_size = 80);
SINTER_API void print(const tensor_base& t, int64_t line_size = 80);

/// As Python's torch.set_printoptions: what is not named stays, but `sci_mode`, which is chosen for
/// each tensor unless it is named. `profile` is "default", "short" or "full".
struct PrintOptions {
    const char* profile = nullptr;
    optional<int64_t> precision = nullopt;  // digits behind the point
    optional<int64_t> threshold = nullopt;  // more elements than this are summarised
    optional<int64_t> edgeitems = nullopt;  // shown at both ends of each dimension then
    optional<int64_t> linewidth = nullopt;
    optional<bool> sci_mode = nullopt;
};
/// For `repr`, in the whole process.
SINTER_API void set_printoptions(const PrintOptions& options);
SINTER_API PrintOptions get_printoptions();

/// tensor([[1., 2.]]); dtype and device are named where they are not the default ones.
SINTER_API std::string repr(const tensor_base& t);
/// A tuple of tensors: what `split` and its kin give.
SINTER_API std::string repr(const std::vector<Tensor>& tensors);
/// True, 3, 0.1: as few digits as name the number.
SINTER_API std::string repr(const Scalar& value);
/// torch.float32
SINTER_API std::string repr(ScalarType dtype);
/// device(type='cuda', index=0)
SINTER_API std::string repr(const Device& device);
/// torch.Size([2, 3]) and (2, 3): sizes are printed in the one way, strides in the other.
SINTER_API std::string repr_size(IntArrayRef sizes);
SINTER_API std::string repr_tuple(IntArrayRef numbers);

}  // namespace sinter::inline v1
