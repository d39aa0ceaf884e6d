// Tensors, and what describes them, as text. `<<` (tensor.hpp) and `print` write every element in
// the layout of libtorch 1.13; `repr` writes as Python's PyTorch does. Both compute pending values
// at once. Neither writes -nan, because a NaN's sign means nothing.
#pragma once

#include <sinter/tensor.hpp>

#include <iosfwd>
#include <string>
#include <vector>

namespace sinter::inline v1 {

/// Prints all values in libtorch's layout, as operator<< does, with lines of line_size characters;
/// without a stream to std::cout. Runs at once. libtorch: at::print.
///@{
SINTER_API std::ostream& print(std::ostream& out, const tensor_base& t, int64_t line_size = 80);
SINTER_API void print(const tensor_base& t, int64_t line_size = 80);
///@}

/// Options of repr(). PyTorch: torch.set_printoptions. What is not named keeps its value, except
/// `sci_mode`, which is chosen for each tensor unless it is named.
struct PrintOptions {
    const char* profile = nullptr;          ///< "default", "short" or "full"
    optional<int64_t> precision = nullopt;  ///< digits after the point
    optional<int64_t> threshold = nullopt;  ///< tensors of more elements are summarised
    optional<int64_t> edgeitems = nullopt;  ///< elements shown at both ends of a dimension then
    optional<int64_t> linewidth = nullopt;  ///< characters in a line
    optional<bool> sci_mode = nullopt;      ///< true for scientific notation
};
/// Sets or returns the options of repr(), for the whole process. Throws ValueError for an unknown
/// profile. PyTorch: torch.set_printoptions, torch.get_printoptions.
///@{
SINTER_API void set_printoptions(const PrintOptions& options);
SINTER_API PrintOptions get_printoptions();
///@}

/// Returns the tensor as Python's PyTorch prints it: "tensor([[1., 2.]])". dtype and device are
/// named if they are not the default ones. Runs at once. PyTorch: `repr(t)`.
SINTER_API std::string repr(const tensor_base& t);
/// Returns the tensors as a Python tuple, as split and the like return them. Runs at once. PyTorch:
/// `repr(tuple)`.
SINTER_API std::string repr(const std::vector<Tensor>& tensors);
/// Returns the number as Python prints it, with the fewest digits that identify it: "True", "3",
/// "0.1". PyTorch: `repr(number)`.
SINTER_API std::string repr(const Scalar& value);
/// Returns "torch.float32" and the like. PyTorch: `repr(t.dtype)`.
SINTER_API std::string repr(ScalarType dtype);
/// Returns "device(type='cuda', index=0)" and the like. PyTorch: `repr(t.device)`.
SINTER_API std::string repr(const Device& device);
/// Returns "torch.Size([2, 3])", as sizes are printed, or "(2, 3)", as strides are. PyTorch:
/// `repr(t.size())`, `repr(t.stride())`.
///@{
SINTER_API std::string repr_size(IntArrayRef sizes);
SINTER_API std::string repr_tuple(IntArrayRef numbers);
///@}

}  // namespace sinter::inline v1
