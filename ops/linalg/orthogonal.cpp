// QR factors, and products of its reflectors.
#include "ops/linalg/checks.hpp"
#include "ops/linalg/gradients.hpp"
#include "ops/linalg/reflectors.hpp"

#include <sinter/functions/functions.hpp>

namespace sinter::inline v1 {

using ops::body;
using ops::cols;
using ops::rows;
using runtime::fail;
using runtime::text;

namespace {

void require_reflectors(const char* op, const TensorImpl& a, const TensorImpl& tau) {
    ops::require_same_dtype(op, a, tau);
    const bool fits = tau.shape->ndim == a.shape->ndim - 1 &&
                      ops::batch_of(tau, 1) == ops::batch_of(a) &&
                      tau.shape->sizes()[tau.shape->ndim - 1] <= std::min(rows(a), cols(a));
    if (!fits)
        fail(op, "tau does not match the reflectors", ops::shapes(a, tau),
             text("the same batch and up to ", std::min(rows(a), cols(a)), " elements in tau"),
             "the tau that geqrf() returned");
}

}  // namespace

namespace {

std::tuple<Tensor, Tensor> qr_of(const char* op, const tensor_base& A, std::string_view mode) {
    const TensorImpl& a = ops::matrices(op, A);
    const int64_t m = rows(a), k = std::min(m, cols(a));
    const ops::reflectors f = ops::reflectors_of(op, A);
    const int64_t height = mode == "complete" ? m : k;
    // The reflectors are stored below the diagonal, so triu gives R, and zeros in a taller R.
    Tensor R = f.a.narrow(-2, 0, height).triu();
    if (mode == "r") return {empty(0, a.dtype), std::move(R)};
    return {ops::columns_of_q(op, f, height), std::move(R)};
}

/// The gradient of R reads Q, so it is computed where the gradient is recorded.
std::tuple<Tensor, Tensor> recorded_qr(const char* op, const tensor_base& A,
                                       std::string_view mode) {
    const bool complete = mode == "complete";
    auto [Q, R] = autograd::with_rule(
        op, {&A}, {0, 3}, [&] { return qr_of(op, A, complete ? "complete" : "reduced"); },
        [op, complete](const autograd::rule_call& c) -> autograd::variable_list {
            const Tensor q = c.result(0), r = c.result(1);
            if (complete && r.size(-2) > r.size(-1))
                fail<NotImplementedError>(
                    op, "the columns of Q beside the span of A have no derivative",
                    text("mode \"complete\" for ", r.size(-2), " rows and ", r.size(-1),
                         " columns"),
                    "mode \"reduced\"", "linalg_qr(A)");
            return {ops::gradient_of_qr(c.grad(0), c.grad(1), q, r)};
        });
    if (mode == "r") return {empty(0, R.options().requires_grad(false)), std::move(R)};
    return {std::move(Q), std::move(R)};
}

}  // namespace

std::tuple<Tensor, Tensor> linalg_qr(const tensor_base& A, std::string_view mode) {
    const char* op = "linalg_qr";
    ops::matrices(op, A);
    if (mode != "reduced" && mode != "complete" && mode != "r")
        ops::refuse_option(op, "mode", mode, "\"reduced\", \"complete\" or \"r\"", "reduced");
    const tensor_base* operand = &A;
    return autograd::is_recorded({&operand, 1}) ? recorded_qr(op, A, mode) : qr_of(op, A, mode);
}

std::tuple<Tensor, Tensor> qr(const tensor_base& A, bool some) {
    return linalg_qr(A, some ? "reduced" : "complete");
}
std::tuple<Tensor, Tensor> tensor_base::qr(bool some) const { return sinter::qr(*this, some); }

std::tuple<Tensor, Tensor> geqrf(const tensor_base& A) {
    ops::reflectors f = ops::reflectors_of("geqrf", A);
    return {std::move(f.a), std::move(f.tau)};
}
std::tuple<Tensor, Tensor> tensor_base::geqrf() const { return sinter::geqrf(*this); }

Tensor linalg_householder_product(const tensor_base& A, const tensor_base& tau) {
    const char* op = "linalg_householder_product";
    const TensorImpl &a = ops::matrices(op, A), &t = body(op, tau);
    if (rows(a) < cols(a))
        fail(op, "the matrix has more columns than rows", ops::shape_of(a),
             "at least as many rows as columns", text("narrow(-1, 0, ", rows(a), ")"));
    require_reflectors(op, a, t);
    return ops::columns_of_q(op, {A.self(), tau.self()}, cols(a));
}

Tensor orgqr(const tensor_base& A, const tensor_base& tau) {
    return linalg_householder_product(A, tau);
}
Tensor tensor_base::orgqr(const tensor_base& tau) const {
    return linalg_householder_product(*this, tau);
}

Tensor ormqr(const tensor_base& A, const tensor_base& tau, const tensor_base& C, bool left,
             bool transpose) {
    const char* op = "ormqr";
    const TensorImpl &a = ops::matrices(op, A), &t = body(op, tau), &c = ops::matrices(op, C);
    ops::require_same_dtype(op, a, c);
    require_reflectors(op, a, t);
    if ((left ? rows(c) : cols(c)) != rows(a) || !(ops::batch_of(c) == ops::batch_of(a)))
        fail(op, "the matrix to multiply does not match the reflectors", ops::shapes(a, c),
             text("the same batch and ", rows(a), left ? " rows" : " columns", " in the second"),
             "transpose(-2, -1) on the second");
    return ops::times_q(op, {A.self(), tau.self()}, C.self(), left, transpose);
}
Tensor tensor_base::ormqr(const tensor_base& tau, const tensor_base& C, bool left,
                          bool transpose) const {
    return sinter::ormqr(*this, tau, C, left, transpose);
}

}  // namespace sinter::inline v1
