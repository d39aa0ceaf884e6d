// Forms that write their result into a given tensor: `add_out(out, a, b)`. Plain functions with
// libtorch's signatures, so that their address can be taken.
//
// The result's dtype must be castable to out's. An `out` of other sizes gets the result's, with a
// warning (once in a process) if it had elements. It may be an operand, but not partly overlap one.
// Fused, as the methods with an underscore are.
#pragma once

#include <sinter/tensor.hpp>

#include <string_view>

namespace sinter::inline v1 {

// ---- one for each row and alias; rows with alpha are below
#define SINTER_OUT_HAS_ALPHA_add ~, SINTER_OUT_NONE
#define SINTER_OUT_HAS_ALPHA_sub ~, SINTER_OUT_NONE
#define SINTER_OUT_HAS_ALPHA_subtract ~, SINTER_OUT_NONE
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
    X(bitwise_left_shift) X(bitwise_right_shift)
// clang-format on
#define SINTER_NUMBER_OUT(name) \
    SINTER_API Tensor& name##_out(Tensor& out, const Tensor& self, const Scalar& other);
SINTER_FOR_EACH_NUMBER_OUT(SINTER_NUMBER_OUT)
#undef SINTER_NUMBER_OUT

// ---- with parameters
SINTER_API Tensor& add_out(Tensor& out, const Tensor& self, const Tensor& other,
                           const Scalar& alpha = 1);
SINTER_API Tensor& sub_out(Tensor& out, const Tensor& self, const Tensor& other,
                           const Scalar& alpha = 1);
SINTER_API Tensor& subtract_out(Tensor& out, const Tensor& self, const Tensor& other,
                                const Scalar& alpha = 1);
SINTER_API Tensor& div_out(Tensor& out, const Tensor& self, const Tensor& other,
                           optional<std::string_view> rounding_mode);
SINTER_API Tensor& divide_out(Tensor& out, const Tensor& self, const Tensor& other,
                              optional<std::string_view> rounding_mode);
SINTER_API Tensor& pow_out(Tensor& out, const Tensor& self, const Tensor& exponent);
SINTER_API Tensor& pow_out(Tensor& out, const Tensor& self, const Scalar& exponent);
SINTER_API Tensor& pow_out(Tensor& out, const Scalar& self, const Tensor& exponent);
SINTER_API Tensor& float_power_out(Tensor& out, const Tensor& self, const Tensor& exponent);
SINTER_API Tensor& float_power_out(Tensor& out, const Tensor& self, const Scalar& exponent);
SINTER_API Tensor& clamp_out(Tensor& out, const Tensor& self, const optional<Scalar>& min,
                             const optional<Scalar>& max = nullopt);
SINTER_API Tensor& clamp_out(Tensor& out, const Tensor& self, const optional<Tensor>& min,
                             const optional<Tensor>& max);
SINTER_API Tensor& clip_out(Tensor& out, const Tensor& self, const optional<Scalar>& min,
                            const optional<Scalar>& max = nullopt);
SINTER_API Tensor& where_out(Tensor& out, const Tensor& condition, const Tensor& self,
                             const Tensor& other);
SINTER_API Tensor& lerp_out(Tensor& out, const Tensor& self, const Tensor& end,
                            const Tensor& weight);
SINTER_API Tensor& lerp_out(Tensor& out, const Tensor& self, const Tensor& end,
                            const Scalar& weight);
SINTER_API Tensor& addcmul_out(Tensor& out, const Tensor& self, const Tensor& tensor1,
                               const Tensor& tensor2, const Scalar& value = 1);
SINTER_API Tensor& addcdiv_out(Tensor& out, const Tensor& self, const Tensor& tensor1,
                               const Tensor& tensor2, const Scalar& value = 1);
SINTER_API Tensor& ldexp_out(Tensor& out, const Tensor& self, const Tensor& other);
SINTER_API Tensor& nan_to_num_out(Tensor& out, const Tensor& self, optional<double> nan = nullopt,
                                  optional<double> posinf = nullopt,
                                  optional<double> neginf = nullopt);
SINTER_API Tensor& polygamma_out(Tensor& out, int64_t n, const Tensor& self);
SINTER_API Tensor& mvlgamma_out(Tensor& out, const Tensor& self, int64_t p);
SINTER_API Tensor& angle_out(Tensor& out, const Tensor& self);
SINTER_API Tensor& gelu_out(Tensor& out, const Tensor& self, std::string_view approximate = "none");
SINTER_API Tensor& elu_out(Tensor& out, const Tensor& self, const Scalar& alpha = 1,
                           const Scalar& scale = 1, const Scalar& input_scale = 1);
SINTER_API Tensor& leaky_relu_out(Tensor& out, const Tensor& self,
                                  const Scalar& negative_slope = 0.01);
SINTER_API Tensor& hardtanh_out(Tensor& out, const Tensor& self, const Scalar& min_val = -1,
                                const Scalar& max_val = 1);
SINTER_API Tensor& threshold_out(Tensor& out, const Tensor& self, const Scalar& threshold,
                                 const Scalar& value);
SINTER_API Tensor& softplus_out(Tensor& out, const Tensor& self, const Scalar& beta,
                                const Scalar& threshold = 20);
SINTER_API Tensor& hardshrink_out(Tensor& out, const Tensor& self, const Scalar& lambd = 0.5);
SINTER_API Tensor& softshrink_out(Tensor& out, const Tensor& self, const Scalar& lambd = 0.5);

}  // namespace sinter::inline v1
