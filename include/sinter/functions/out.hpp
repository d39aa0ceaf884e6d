// Functions that write their result into a given tensor and return it: `add_out(out, a, b)`. They
// are plain functions with libtorch's signatures, so that their address can be taken, and run as
// the functions without _out do; most are fused.
//
// An `out` of other sizes gets the result's, with a warning (once in a process) if it had elements.
// The result's dtype must be castable to out's, or be the same; what has no operand to take a dtype
// from, sums and products compute in out's dtype. An operand of an element-wise function may be
// `out`, but must not partly overlap it. Violations throw Error.
#pragma once

#include <sinter/core/tensor_list.hpp>
#include <sinter/functions/indexing.hpp>
#include <sinter/generator.hpp>
#include <sinter/tensor.hpp>

#include <string>
#include <string_view>
#include <tuple>

namespace sinter::inline v1 {

// ---- one for each row and alias; rows with alpha are below
#define SINTER_OUT_HAS_ALPHA_add ~, SINTER_OUT_NONE
#define SINTER_OUT_HAS_ALPHA_sub ~, SINTER_OUT_NONE
#define SINTER_OUT_HAS_ALPHA_subtract ~, SINTER_OUT_NONE
#define SINTER_OUT_HAS_ALPHA_rsub ~, SINTER_OUT_NONE
#define SINTER_OUT_NONE(name)
#define SINTER_OUT_PLAIN(name) \
    SINTER_API Tensor& name##_out(Tensor& out, const Tensor& self, const Tensor& other);
#define SINTER_OUT_SECOND(first, second, ...) second
#define SINTER_OUT_PICK(...) SINTER_OUT_SECOND(__VA_ARGS__)
#define SINTER_UNARY(name, row) SINTER_API Tensor& name##_out(Tensor& out, const Tensor& self);
#define SINTER_BINARY(name, row) \
    SINTER_OUT_PICK(SINTER_OUT_HAS_ALPHA_##name, SINTER_OUT_PLAIN, ~)(name)
#include <sinter/expr/each_row.inc>
#undef SINTER_UNARY
#undef SINTER_BINARY

// ---- numbers on the right, where libtorch has them
// clang-format off: it has two opinions, by turns
#define SINTER_FOR_EACH_NUMBER_OUT(X)                                               \
    X(eq) X(ne) X(lt) X(le) X(gt) X(ge)                                             \
    X(not_equal) X(less) X(less_equal) X(greater) X(greater_equal)                  \
    X(remainder) X(fmod) X(clamp_min) X(clamp_max) X(xlogy) X(xlog1py)              \
    X(bitwise_and) X(bitwise_or) X(bitwise_xor)                                     \
    X(bitwise_left_shift) X(bitwise_right_shift)                                    \
    X(mul) X(div) X(floor_divide) X(copysign)
// clang-format on
#define SINTER_NUMBER_OUT(name) \
    SINTER_API Tensor& name##_out(Tensor& out, const Tensor& self, const Scalar& other);
/// Writes the function of this name of `self` and a number to `out` and returns it.
///@{
SINTER_FOR_EACH_NUMBER_OUT(SINTER_NUMBER_OUT)
///@}
#undef SINTER_NUMBER_OUT

// ---- with parameters
/// Writes self + alpha * other, self - alpha * other, or other - alpha * self (rsub_out) to `out`
/// and returns it. Throws Error if alpha is a fraction for an integer result.
///@{
SINTER_API Tensor& add_out(Tensor& out, const Tensor& self, const Tensor& other,
                           const Scalar& alpha = 1);
SINTER_API Tensor& sub_out(Tensor& out, const Tensor& self, const Tensor& other,
                           const Scalar& alpha = 1);
SINTER_API Tensor& subtract_out(Tensor& out, const Tensor& self, const Tensor& other,
                                const Scalar& alpha = 1);
SINTER_API Tensor& rsub_out(Tensor& out, const Tensor& self, const Tensor& other,
                            const Scalar& alpha = 1);
SINTER_API Tensor& add_out(Tensor& out, const Tensor& self, const Scalar& other,
                           const Scalar& alpha = 1);
SINTER_API Tensor& sub_out(Tensor& out, const Tensor& self, const Scalar& other,
                           const Scalar& alpha = 1);
SINTER_API Tensor& rsub_out(Tensor& out, const Tensor& self, const Scalar& other,
                            const Scalar& alpha = 1);
///@}

// ---- all others, from their table
#define SINTER_OR(...) = __VA_ARGS__
#define SINTER_OUT_LIST(...) __VA_ARGS__
#define SINTER_OUTS_2 std::tuple<Tensor&, Tensor&>
#define SINTER_OUTS_3 std::tuple<Tensor&, Tensor&, Tensor&>
#define SINTER_INTO(dtypes, overlap, name, parameters, arguments) \
    SINTER_API Tensor& name##_out(Tensor& out, SINTER_OUT_LIST parameters);
#define SINTER_INTO_ALL(dtypes, count, name, outs, out_names, parameters, arguments) \
    SINTER_API SINTER_OUTS_##count name##_out(SINTER_OUT_LIST outs, SINTER_OUT_LIST parameters);
#include <sinter/expr/outs.def>
#undef SINTER_INTO
#undef SINTER_INTO_ALL
#undef SINTER_OR
#undef SINTER_OUT_LIST
#undef SINTER_OUTS_2
#undef SINTER_OUTS_3
/// Writes diff() of `self` to `out`, which has self's dtype if n is 0, and returns it.
SINTER_API Tensor& diff_out(Tensor& out, const Tensor& self, int64_t n = 1, int64_t dim = -1,
                            const optional<Tensor>& prepend = nullopt,
                            const optional<Tensor>& append = nullopt);
/// Gives `out` these sizes, with undefined elements, and returns it. memory_format is ignored.
SINTER_API Tensor& empty_out(Tensor& out, IntArrayRef size,
                             optional<MemoryFormat> memory_format = nullopt);
/// Writes `self.index(indices)` to `out`, which has self's dtype and shares no memory with an
/// operand, and returns it.
SINTER_API Tensor& index_out(Tensor& out, const Tensor& self, ArrayRef<TensorIndex> indices);
/// Writes `self.index_put(indices, values, accumulate)` to `out` and returns it.
SINTER_API Tensor& index_put_out(Tensor& out, const Tensor& self, ArrayRef<TensorIndex> indices,
                                 const Tensor& values, bool accumulate = false);

}  // namespace sinter::inline v1
