// Division with a rounding mode. A mode is one table row; for integers, truncation divides what is
// left after subtracting the remainder.
#include "ops/common/op_checks.hpp"
#include "runtime/types/dtypes.hpp"

#include <sinter/expr/expr.hpp>
#include <sinter/functions/pointwise.hpp>

namespace sinter::inline v1 {

using ops::body;
using ops::read;
using ops::sequence;
using runtime::text;

namespace {

enum class rounding { none, trunc, floor };

rounding mode_of(const char* name, optional<std::string_view> mode) {
    if (!mode) return rounding::none;
    if (*mode == "trunc") return rounding::trunc;
    if (*mode == "floor") return rounding::floor;
    runtime::fail(name, "the rounding mode is unknown", text('"', *mode, '"'),
                  "\"trunc\", \"floor\" or none", "\"floor\", or leaving it out for true division");
}

/// A divisor: a tensor or a number.
struct divisor {
    const TensorImpl* tensor = nullptr;
    Scalar number;

    divisor(const TensorImpl& t) : tensor(&t) {}  // NOLINT: implicit
    divisor(const Scalar& s) : number(s) {}       // NOLINT

    detail::meta_view meta() const {
        if (tensor) return {tensor->shape.get(), tensor->dtype};
        return {nullptr, number.type()};
    }
    sequence& append_to(sequence& code) const {
        return tensor ? code.read(read(*tensor)) : code.number(number);
    }
};

struct quotient {
    sequence code;
    expr_meta result;
};

quotient divided(const char* name, const TensorImpl& a, const divisor& b,
                 optional<std::string_view> mode) {
    const rounding r = mode_of(name, mode);
    const detail::meta_view operands[] = {{a.shape.get(), a.dtype}, b.meta()};
    quotient q;
    q.result = detail::combine(r == rounding::none ? op::div : op::floor_divide, operands);
    const ScalarType dtype = q.result.dtype;
    const bool narrow = is_narrow_float(dtype);
    q.code.read(read(a));
    if (narrow) q.code.cast(kFloat);
    if (a.dtype == kBool) q.code.cast(dtype);  // bool has no subtraction
    if (r == rounding::trunc && !isFloatingType(dtype)) {
        // a - fmod(a, b) divides exactly.
        q.code.read(read(a));
        b.append_to(q.code).row(op::fmod).row(op::sub);
        b.append_to(q.code).row(op::floor_divide);
        return q;
    }
    b.append_to(q.code);
    if (narrow && b.tensor) q.code.cast(kFloat);
    q.code.row(r == rounding::floor ? op::floor_divide : op::div);
    if (r == rounding::trunc) q.code.row(op::trunc);
    if (narrow) q.code.cast(dtype);
    return q;
}

Tensor returned(const char* name, const tensor_base& self, const divisor& b,
                optional<std::string_view> mode) {
    quotient q = divided(name, body(name, self), b, mode);
    return q.code.pending(q.result.dtype, make_contiguous(q.result.shape->sizes_ref()));
}

Tensor& written(const char* name, const tensor_base& self, const divisor& b,
                optional<std::string_view> mode) {
    const TensorImpl& t = body(name, self);
    quotient q = divided(name, t, b, mode);
    ops::require_writable(name, t);
    ops::require_castable(name, q.result.dtype, t.dtype);
    ops::require_same_shape(name, t, q.result.shape->sizes_ref());
    if (b.tensor && b.tensor != &t) ops::require_no_partial_overlap(name, t, *b.tensor);
    if (q.result.dtype != t.dtype) q.code.cast(t.dtype);
    q.code.write(t);
    return self.self();
}

}  // namespace

#define SINTER_DIVIDE(name)                                                                        \
    Tensor tensor_base::name(const tensor_base& other, optional<std::string_view> mode) const {    \
        return returned(#name, *this, body(#name, other), mode);                                   \
    }                                                                                              \
    Tensor tensor_base::name(const Scalar& other, optional<std::string_view> mode) const {         \
        return returned(#name, *this, other, mode);                                                \
    }                                                                                              \
    Tensor& tensor_base::name##_(const tensor_base& other, optional<std::string_view> mode)        \
        const {                                                                                    \
        return written(#name "_", *this, body(#name "_", other), mode);                            \
    }                                                                                              \
    Tensor& tensor_base::name##_(const Scalar& other, optional<std::string_view> mode) const {     \
        return written(#name "_", *this, other, mode);                                             \
    }                                                                                              \
    Tensor name(const tensor_base& t, const tensor_base& other, optional<std::string_view> mode) { \
        return t.name(other, mode);                                                                \
    }                                                                                              \
    Tensor name(const tensor_base& t, const Scalar& other, optional<std::string_view> mode) {      \
        return t.name(other, mode);                                                                \
    }
SINTER_DIVIDE(div)
SINTER_DIVIDE(divide)
#undef SINTER_DIVIDE

}  // namespace sinter::inline v1
