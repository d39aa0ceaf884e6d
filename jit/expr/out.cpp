// Functions that write their result into a given tensor. All checks come before it is changed.
#include "jit/expr/out.hpp"

#include <sinter/functions.hpp>
#include <sinter/out.hpp>
#include <sinter/pointwise.hpp>
#include <sinter/warning.hpp>

namespace sinter::inline v1 {

using front::body;
using front::read;
using front::sequence;
using front::store;

namespace {

/// Gives `out` these sizes. Its storage stays where it is large enough.
void resize(Tensor& out, IntArrayRef sizes) {
    if (out.sizes() == sizes) return;
    if (out.numel() != 0)
        warn_once(
            Warning("an output was resized: it had elements, but not the sizes of the result; "
                    "an empty tensor as the output would be resized silently"));
    out.resize_(sizes);
}

/// What an output must be to take a result of that dtype and sizes, of these operands.
void prepare(const char* name, Tensor& out, ScalarType dtype, IntArrayRef sizes,
             std::initializer_list<const TensorImpl*> operands) {
    const TensorImpl& o = body(name, out);
    front::require_castable(name, dtype, o.dtype);
    front::require_writable(name, o);
    if (o.shape->sizes_ref() == sizes) {
        for (const TensorImpl* t : operands)
            if (t != &o) front::require_no_partial_overlap(name, o, *t);
    }
    resize(out, sizes);
}

Tensor& write_row(const char* name, Tensor& out, sequence& code, const expr_meta& result,
                  std::initializer_list<const TensorImpl*> operands) {
    prepare(name, out, result.dtype, result.shape->sizes_ref(), operands);
    const TensorImpl& o = body(name, out);
    if (result.dtype != o.dtype) code.cast(o.dtype);
    code.write(o);
    return out;
}

Tensor& unary(op::id row, const char* name, Tensor& out, const Tensor& self) {
    const TensorImpl& a = body(name, self);
    const detail::meta_view operands[] = {{a.shape.get(), a.dtype}};
    const expr_meta result = detail::combine(row, operands);
    sequence code;
    code.read(read(a)).row(row);
    return write_row(name, out, code, result, {&a});
}

Tensor& binary(op::id row, const char* name, Tensor& out, const Tensor& self, const Tensor& other) {
    const TensorImpl &a = body(name, self), &b = body(name, other);
    const detail::meta_view operands[] = {{a.shape.get(), a.dtype}, {b.shape.get(), b.dtype}};
    const expr_meta result = detail::combine(row, operands);
    sequence code;
    code.read(read(a)).read(read(b)).row(row);
    return write_row(name, out, code, result, {&a, &b});
}

Tensor& with_number(op::id row, const char* name, Tensor& out, const Tensor& self,
                    const Scalar& other) {
    const TensorImpl& a = body(name, self);
    const detail::meta_view operands[] = {{a.shape.get(), a.dtype}, {nullptr, other.type()}};
    const expr_meta result = detail::combine(row, operands);
    sequence code;
    code.read(read(a)).number(front::number_in(name, row, result.dtype, other)).row(row);
    return write_row(name, out, code, result, {&a});
}

}  // namespace

#define SINTER_UNARY(name, row)                           \
    Tensor& name##_out(Tensor& out, const Tensor& self) { \
        return unary(op::row, #name "_out", out, self);   \
    }
#define SINTER_OUT_DEFINED(name, row)                                          \
    Tensor& name##_out(Tensor& out, const Tensor& self, const Tensor& other) { \
        return binary(op::row, #name "_out", out, self, other);                \
    }
#define SINTER_OUT_NOTHING(name, row)
#undef SINTER_OUT_HAS_ALPHA_add
#undef SINTER_OUT_HAS_ALPHA_sub
#undef SINTER_OUT_HAS_ALPHA_subtract
#define SINTER_OUT_HAS_ALPHA_add ~, SINTER_OUT_NOTHING
#define SINTER_OUT_HAS_ALPHA_sub ~, SINTER_OUT_NOTHING
#define SINTER_OUT_HAS_ALPHA_subtract ~, SINTER_OUT_NOTHING
#define SINTER_BINARY(name, row) \
    SINTER_OUT_PICK(SINTER_OUT_HAS_ALPHA_##name, SINTER_OUT_DEFINED, ~)(name, row)
#include <sinter/expr/each_row.inc>
#undef SINTER_UNARY
#undef SINTER_BINARY

namespace {

// The row that each name with a number stands for.
#define SINTER_UNARY(name, row)
#define SINTER_BINARY(name, row) [[maybe_unused]] constexpr op::id row_of_##name = op::row;
#include <sinter/expr/each_row.inc>
#undef SINTER_UNARY
#undef SINTER_BINARY

}  // namespace

#define SINTER_NUMBER_OUT(name)                                                \
    Tensor& name##_out(Tensor& out, const Tensor& self, const Scalar& other) { \
        return with_number(row_of_##name, #name "_out", out, self, other);     \
    }
SINTER_FOR_EACH_NUMBER_OUT(SINTER_NUMBER_OUT)
#undef SINTER_NUMBER_OUT

Tensor& add_out(Tensor& out, const Tensor& self, const Tensor& other, const Scalar& alpha) {
    if (alpha.equal(1)) return binary(op::add, "add_out", out, self, other);
    return store("add_out", out, self.add(other, alpha), {&self, &other});
}
Tensor& sub_out(Tensor& out, const Tensor& self, const Tensor& other, const Scalar& alpha) {
    if (alpha.equal(1)) return binary(op::sub, "sub_out", out, self, other);
    return store("sub_out", out, self.sub(other, alpha), {&self, &other});
}
Tensor& subtract_out(Tensor& out, const Tensor& self, const Tensor& other, const Scalar& alpha) {
    return sub_out(out, self, other, alpha);
}
Tensor& div_out(Tensor& out, const Tensor& self, const Tensor& other,
                optional<std::string_view> rounding_mode) {
    return store("div_out", out, self.div(other, rounding_mode), {&self, &other});
}
Tensor& divide_out(Tensor& out, const Tensor& self, const Tensor& other,
                   optional<std::string_view> rounding_mode) {
    return store("divide_out", out, self.divide(other, rounding_mode), {&self, &other});
}
Tensor& pow_out(Tensor& out, const Tensor& self, const Tensor& exponent) {
    return store("pow_out", out, self.pow(exponent), {&self, &exponent});
}
Tensor& pow_out(Tensor& out, const Tensor& self, const Scalar& exponent) {
    return store("pow_out", out, self.pow(exponent), {&self});
}
Tensor& pow_out(Tensor& out, const Scalar& self, const Tensor& exponent) {
    return store("pow_out", out, pow(self, exponent), {&exponent});
}
Tensor& float_power_out(Tensor& out, const Tensor& self, const Tensor& exponent) {
    return store("float_power_out", out, self.float_power(exponent), {&self, &exponent});
}
Tensor& float_power_out(Tensor& out, const Tensor& self, const Scalar& exponent) {
    return store("float_power_out", out, self.float_power(exponent), {&self});
}
Tensor& clamp_out(Tensor& out, const Tensor& self, const optional<Scalar>& min,
                  const optional<Scalar>& max) {
    return store("clamp_out", out, self.clamp(min, max), {&self});
}
Tensor& clamp_out(Tensor& out, const Tensor& self, const optional<Tensor>& min,
                  const optional<Tensor>& max) {
    return store("clamp_out", out, self.clamp(min, max),
                 {&self, min ? &*min : &self, max ? &*max : &self});
}
Tensor& clip_out(Tensor& out, const Tensor& self, const optional<Scalar>& min,
                 const optional<Scalar>& max) {
    return store("clip_out", out, self.clamp(min, max), {&self});
}
Tensor& where_out(Tensor& out, const Tensor& condition, const Tensor& self, const Tensor& other) {
    return store("where_out", out, self.where(condition, other), {&condition, &self, &other});
}
Tensor& lerp_out(Tensor& out, const Tensor& self, const Tensor& end, const Tensor& weight) {
    return store("lerp_out", out, self.lerp(end, weight), {&self, &end, &weight});
}
Tensor& lerp_out(Tensor& out, const Tensor& self, const Tensor& end, const Scalar& weight) {
    return store("lerp_out", out, self.lerp(end, weight), {&self, &end});
}
Tensor& addcmul_out(Tensor& out, const Tensor& self, const Tensor& tensor1, const Tensor& tensor2,
                    const Scalar& value) {
    return store("addcmul_out", out, self.addcmul(tensor1, tensor2, value),
                 {&self, &tensor1, &tensor2});
}
Tensor& addcdiv_out(Tensor& out, const Tensor& self, const Tensor& tensor1, const Tensor& tensor2,
                    const Scalar& value) {
    return store("addcdiv_out", out, self.addcdiv(tensor1, tensor2, value),
                 {&self, &tensor1, &tensor2});
}
Tensor& ldexp_out(Tensor& out, const Tensor& self, const Tensor& other) {
    return store("ldexp_out", out, self.ldexp(other), {&self, &other});
}
Tensor& nan_to_num_out(Tensor& out, const Tensor& self, optional<double> nan,
                       optional<double> posinf, optional<double> neginf) {
    return store("nan_to_num_out", out, self.nan_to_num(nan, posinf, neginf), {&self});
}
Tensor& polygamma_out(Tensor& out, int64_t n, const Tensor& self) {
    return store("polygamma_out", out, self.polygamma(n), {&self});
}
Tensor& mvlgamma_out(Tensor& out, const Tensor& self, int64_t p) {
    return store("mvlgamma_out", out, self.mvlgamma(p), {&self});
}
Tensor& angle_out(Tensor& out, const Tensor& self) {
    return store("angle_out", out, self.angle(), {&self});
}
Tensor& gelu_out(Tensor& out, const Tensor& self, std::string_view approximate) {
    return store("gelu_out", out, gelu(self, approximate), {&self});
}
Tensor& elu_out(Tensor& out, const Tensor& self, const Scalar& alpha, const Scalar& scale,
                const Scalar& input_scale) {
    return store("elu_out", out, elu(self, alpha, scale, input_scale), {&self});
}
Tensor& leaky_relu_out(Tensor& out, const Tensor& self, const Scalar& negative_slope) {
    return store("leaky_relu_out", out, leaky_relu(self, negative_slope), {&self});
}
Tensor& hardtanh_out(Tensor& out, const Tensor& self, const Scalar& min_val,
                     const Scalar& max_val) {
    return store("hardtanh_out", out, hardtanh(self, min_val, max_val), {&self});
}
Tensor& threshold_out(Tensor& out, const Tensor& self, const Scalar& threshold,
                      const Scalar& value) {
    return store("threshold_out", out, sinter::threshold(self, threshold, value), {&self});
}
Tensor& softplus_out(Tensor& out, const Tensor& self, const Scalar& beta, const Scalar& threshold) {
    return store("softplus_out", out, softplus(self, beta, threshold), {&self});
}
Tensor& hardshrink_out(Tensor& out, const Tensor& self, const Scalar& lambd) {
    return store("hardshrink_out", out, hardshrink(self, lambd), {&self});
}
Tensor& softshrink_out(Tensor& out, const Tensor& self, const Scalar& lambd) {
    return store("softshrink_out", out, softshrink(self, lambd), {&self});
}

}  // namespace sinter::inline v1

namespace sinter::front {

Tensor& store(const char* name, Tensor& out, const Tensor& value,
              std::initializer_list<const Tensor*> operands) {
    const TensorImpl &o = body(name, out), &v = body(name, value);
    for (const Tensor* t : operands) {
        const TensorImpl& operand = body(name, *t);
        if (o.shape->sizes_ref() == v.shape->sizes_ref() && &operand != &o)
            require_no_partial_overlap(name, o, operand);
    }
    prepare(name, out, v.dtype, v.shape->sizes_ref(), {});
    return out.copy_(value);
}

}  // namespace sinter::front
