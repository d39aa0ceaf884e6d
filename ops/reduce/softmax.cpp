// Softmax and its kin: exponentials, shifted by the largest element. Each fuses into one kernel.
#include "ops/autograd/function.hpp"
#include "ops/common/opmath.hpp"
#include "runtime/types/default_dtype.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/pointwise.hpp>
#include <sinter/functions/reductions.hpp>

#include <limits>

namespace sinter::inline v1 {

using ops::body;

namespace {

/// Returns the operand of softmax or log_softmax in the dtype of the result.
Tensor scores(const char* op, const tensor_base& t, int64_t dim, optional<ScalarType> dtype) {
    const TensorImpl& own = body(op, t);
    if (dtype) runtime::require_dtype(op, *dtype);
    const ScalarType type = dtype.value_or(own.dtype);
    ops::require_floating(op, type);
    ops::wrap_dim(op, dim, own.shape->ndim);
    return t.to(type);
}

/// Gradients of several at once have a leading dimension, so the rules count from behind.
int64_t from_behind(const Tensor& t, int64_t dim) {
    return dim < 0 || t.dim() == 0 ? dim : dim - t.dim();
}
autograd::saves saves_result(const Tensor& t) { return {.results = 1, .batched = t.dim() > 0}; }

bool no_elements(const Tensor& t) { return t.numel() == 0; }

/// Returns the logarithm of the sum of exponentials; `dim` keep size 1.
Tensor shifted_logsumexp(const Tensor& x, IntArrayRef dim) {
    return autograd::with_rule(
        "logsumexp", {&x}, {.operands = 1, .results = 1, .batched = true},
        [&] {
            const Tensor top = real(x).amax(dim, true);
            // Not shifted by an infinite maximum, which would give inf - inf.
            const Tensor shift = sinter::where(sinter::isinf(top), 0, top);
            return Tensor(sinter::log(sinter::exp(x - shift).sum(dim, true)) + shift);
        },
        [](const autograd::rule_call& c) -> autograd::variable_list {
            return {c.grad() * sinter::exp(c.operand(0) - c.result()).conj()};
        });
}

}  // namespace

Tensor tensor_base::softmax(int64_t dim, optional<ScalarType> dtype) const {
    const Tensor own = scores("softmax", *this, dim, dtype);
    if (no_elements(own)) return own.clone();
    return autograd::with_rule(
        "softmax", {&own}, saves_result(own),
        [&] {
            const Tensor x = ops::to_opmath(own);
            const Tensor e = sinter::exp(x - x.amax(dim, true));
            return (e / e.sum(dim, true)).to(own.scalar_type());
        },
        [dim = from_behind(own, dim)](const autograd::rule_call& c) -> autograd::variable_list {
            const Tensor y = ops::to_opmath(c.result()), g = ops::to_opmath(c.grad());
            return {y * (g - (g * y).sum(dim, true))};
        });
}

Tensor tensor_base::log_softmax(int64_t dim, optional<ScalarType> dtype) const {
    const Tensor own = scores("log_softmax", *this, dim, dtype);
    if (no_elements(own)) return own.clone();
    return autograd::with_rule(
        "log_softmax", {&own}, saves_result(own),
        [&] {
            const Tensor x = ops::to_opmath(own);
            const Tensor shifted = x - x.amax(dim, true);
            const Tensor total = sinter::log(sinter::exp(shifted).sum(dim, true));
            return (shifted - total).to(own.scalar_type());
        },
        [dim = from_behind(own, dim)](const autograd::rule_call& c) -> autograd::variable_list {
            const Tensor y = ops::to_opmath(c.result()), g = ops::to_opmath(c.grad());
            return {g - sinter::exp(y) * g.sum(dim, true)};
        });
}

Tensor tensor_base::logsumexp(IntArrayRef dim, bool keepdim) const {
    const TensorImpl& t = body("logsumexp", *this);
    ops::wrap_dims("logsumexp", dim, t.shape->ndim);
    const ScalarType type = ops::is_inexact(t.dtype) ? t.dtype : default_floating();
    const Tensor x = ops::to_opmath(to(type));
    if (no_elements(x)) return sinter::log(sinter::exp(x).sum(dim, keepdim)).to(type);
    const Tensor r = shifted_logsumexp(x, dim);
    if (keepdim) return r.to(type);
    std::vector<int64_t> sizes;
    const uint64_t gone =
        dim.empty() ? ~uint64_t{0} : ops::wrap_dims("logsumexp", dim, t.shape->ndim);
    for (int d = 0; d < t.shape->ndim; ++d)
        if (!(gone >> d & 1)) sizes.push_back(t.shape->sizes()[d]);
    return r.to(type).reshape(sizes);
}

// ---- function forms
Tensor softmax(const tensor_base& t, int64_t dim, optional<ScalarType> dtype) {
    return t.softmax(dim, dtype);
}
Tensor log_softmax(const tensor_base& t, int64_t dim, optional<ScalarType> dtype) {
    return t.log_softmax(dim, dtype);
}
Tensor logsumexp(const tensor_base& t, IntArrayRef dim, bool keepdim) {
    return t.logsumexp(dim, keepdim);
}

}  // namespace sinter::inline v1
