// Functions that write their result into a given tensor. All checks come before the tensor changes.
#include "ops/common/out.hpp"

#include "engine/graph/gradient.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/out.hpp>
#include <sinter/functions/pointwise.hpp>
#include <sinter/grad_mode.hpp>
#include <sinter/warning.hpp>

namespace sinter::inline v1 {

using ops::body;
using ops::read;
using ops::sequence;
using ops::store;

namespace {

/// Resizes `out`. Keeps its storage if that is large enough.
void resize(Tensor& out, IntArrayRef sizes) {
    if (out.sizes() == sizes) return;
    if (out.numel() != 0)
        warn_once(
            Warning("[out] an output with one or more elements was resized; its shape was not the "
                    "result's; try an empty tensor as the output, which is resized silently"));
    out.resize_(sizes);
}

/// Throws Error if the tensors that a function writes into `out`, or `out`, require a gradient.
void require_unrecorded(const char* name, ScalarType result,
                        std::initializer_list<const TensorImpl*> tensors) {
    if (!GradMode::is_enabled() || !is_differentiable(result)) return;
    for (const TensorImpl* t : tensors)
        if (t->storage->differentiated && gradient_edge(*t).is_valid()) {
            const std::string full(name), plain = full.substr(0, full.rfind("_out"));
            runtime::fail(plain.c_str(),
                          plain +
                              "(): functions with out=... arguments don't support automatic "
                              "differentiation, but one of the arguments requires grad.",
                          "a tensor that requires a gradient", "tensors without a gradient",
                          plain + "() without an output, or NoGradGuard");
        }
}

/// Checks that `out` can take a result of that dtype and sizes from these operands, and resizes it.
void prepare(const char* name, Tensor& out, ScalarType dtype, IntArrayRef sizes,
             std::initializer_list<const TensorImpl*> operands) {
    const TensorImpl& o = body(name, out);
    require_unrecorded(name, dtype, {&o});
    for (const TensorImpl* t : operands) require_unrecorded(name, dtype, {t});
    ops::require_castable(name, dtype, o.dtype);
    ops::require_writable(name, o);
    if (o.shape->sizes_ref() == sizes) {
        for (const TensorImpl* t : operands)
            if (t != &o) ops::require_no_partial_overlap(name, o, *t);
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

/// Returns true if the result may have another dtype than `out`. As in PyTorch, that holds only for
/// operations that promote their operands.
bool converts(op::id row, ScalarType operand) {
    switch (op::rows[row].rule) {
        case dtype_rule::floating:
        case dtype_rule::logical: return true;
        case dtype_rule::test:
            return row != op::signbit && row != op::isposinf && row != op::isneginf;
        default: return row == op::square || (row == op::abs && isComplexType(operand));
    }
}

Tensor& unary(op::id row, const char* name, Tensor& out, const Tensor& self) {
    const TensorImpl& a = body(name, self);
    const detail::meta_view operands[] = {{a.shape.get(), a.dtype}};
    const expr_meta result = detail::combine(row, operands);
    if (!converts(row, a.dtype)) ops::require_out_dtype(name, out, result.dtype);
    sequence code;
    code.read(read(a)).row(row);
    return write_row(name, out, code, result, {&a});
}

Tensor& binary(op::id row, const char* name, Tensor& out, const Tensor& self, const Tensor& other) {
    const TensorImpl &a = body(name, self), &b = body(name, other);
    const detail::meta_view operands[] = {{a.shape.get(), a.dtype}, {b.shape.get(), b.dtype}};
    const expr_meta result = detail::combine(row, operands);
    if (op::rows[row].rule == dtype_rule::matched) ops::require_out_dtype(name, out, result.dtype);
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
    code.read(read(a)).number(ops::number_in(name, row, result.dtype, other)).row(row);
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
#undef SINTER_OUT_HAS_ALPHA_rsub
#define SINTER_OUT_HAS_ALPHA_add ~, SINTER_OUT_NOTHING
#define SINTER_OUT_HAS_ALPHA_sub ~, SINTER_OUT_NOTHING
#define SINTER_OUT_HAS_ALPHA_subtract ~, SINTER_OUT_NOTHING
#define SINTER_OUT_HAS_ALPHA_rsub ~, SINTER_OUT_NOTHING
#define SINTER_BINARY(name, row) \
    SINTER_OUT_PICK(SINTER_OUT_HAS_ALPHA_##name, SINTER_OUT_DEFINED, ~)(name, row)
#include <sinter/expr/each_row.inc>
#undef SINTER_UNARY
#undef SINTER_BINARY

namespace {

// The table row of each name that takes a number.
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
    if (runtime::same_value(alpha, 1)) return binary(op::add, "add_out", out, self, other);
    return store("add_out", out, self.add(other, alpha), {&self, &other});
}
Tensor& sub_out(Tensor& out, const Tensor& self, const Tensor& other, const Scalar& alpha) {
    if (runtime::same_value(alpha, 1)) return binary(op::sub, "sub_out", out, self, other);
    return store("sub_out", out, self.sub(other, alpha), {&self, &other});
}
Tensor& subtract_out(Tensor& out, const Tensor& self, const Tensor& other, const Scalar& alpha) {
    return sub_out(out, self, other, alpha);
}
Tensor& rsub_out(Tensor& out, const Tensor& self, const Tensor& other, const Scalar& alpha) {
    const Tensor value = rsub(self, other, alpha);
    ops::require_out_dtype("rsub_out", out, value.scalar_type());
    return store("rsub_out", out, value, {&self, &other});
}
Tensor& add_out(Tensor& out, const Tensor& self, const Scalar& other, const Scalar& alpha) {
    return store("add_out", out, self.add(other, alpha), {&self});
}
Tensor& sub_out(Tensor& out, const Tensor& self, const Scalar& other, const Scalar& alpha) {
    return store("sub_out", out, self.sub(other, alpha), {&self});
}
Tensor& rsub_out(Tensor& out, const Tensor& self, const Scalar& other, const Scalar& alpha) {
    const Tensor value = rsub(self, other, alpha);
    ops::require_out_dtype("rsub_out", out, value.scalar_type());
    return store("rsub_out", out, value, {&self});
}

}  // namespace sinter::inline v1

namespace sinter::ops {

void require_out_dtype(const char* name, const Tensor& out, ScalarType dtype) {
    const ScalarType given = body(name, out).dtype;
    if (given != dtype)
        runtime::fail(name, "the output has the wrong dtype", runtime::text(given),
                      runtime::text(dtype, ", the result's dtype"),
                      runtime::text("empty({0}, k", dtype, ") as the output"));
}

Tensor& store(const char* name, Tensor& out, const Tensor& value,
              std::initializer_list<const Tensor*> operands) {
    const TensorImpl &o = body(name, out), &v = body(name, value);
    for (const Tensor* t : operands) {
        const TensorImpl& operand = body(name, *t);
        if (o.shape->sizes_ref() == v.shape->sizes_ref() && &operand != &o)
            require_no_partial_overlap(name, o, operand);
    }
    require_unrecorded(name, v.dtype, {&v});
    prepare(name, out, v.dtype, v.shape->sizes_ref(), {});
    return out.copy_(value);
}

}  // namespace sinter::ops
