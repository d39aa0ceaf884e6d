// QR factors, and products of its reflectors.
#include "ops/linalg/checks.hpp"
#include "ops/linalg/routine_call.hpp"

#include <sinter/functions/functions.hpp>

namespace sinter::inline v1 {

using ops::body;
using ops::cols;
using ops::rows;
using runtime::fail;
using runtime::text;

namespace {

/// Returns the reflectors and R in one matrix, and tau. Both are pending.
std::vector<Tensor> reflectors(const char* op, const tensor_base& A) {
    const TensorImpl& a = ops::matrices(op, A);
    const int64_t m = rows(a), n = cols(a);
    ops::routine_call call(op, lapack::geqrf, ops::batch_of(a));
    call.changes(A, {m, n}).makes(a.dtype, std::min(m, n));
    return call.later();
}

/// Returns the first `count` columns of Q from the reflectors in `a`.
Tensor columns_of_q(const char* op, const Tensor& a, const Tensor& tau, int64_t count) {
    const TensorImpl& f = body(op, a);
    const int64_t m = rows(f), n = cols(f);
    ops::routine_call call(op, lapack::orgqr, ops::batch_of(f));
    if (count <= n) {
        call.changes(a.narrow(-1, 0, count), {m, count});
    } else {
        std::vector<int64_t> sizes = ops::batch_of(f).vec();
        sizes.insert(sizes.end(), {m, count});
        Tensor wide = zeros(sizes, ops::beside(f, f.dtype));
        wide.narrow(-1, 0, n).copy_(a);
        call.changes(wide, {m, count});
    }
    call.reads(tau, 1);
    return call.later()[0];
}

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

std::tuple<Tensor, Tensor> linalg_qr(const tensor_base& A, std::string_view mode) {
    const char* op = "linalg_qr";
    const TensorImpl& a = ops::matrices(op, A);
    if (mode != "reduced" && mode != "complete" && mode != "r")
        ops::refuse_option(op, "mode", mode, "\"reduced\", \"complete\" or \"r\"", "reduced");
    const int64_t m = rows(a), k = std::min(m, cols(a));
    const std::vector<Tensor> f = reflectors(op, A);
    const int64_t height = mode == "complete" ? m : k;
    // The reflectors are stored below the diagonal, so triu gives R, and zeros in a taller R.
    Tensor R = f[0].narrow(-2, 0, height).triu();
    if (mode == "r") return {empty(0, a.dtype), std::move(R)};
    return {columns_of_q(op, f[0], f[1], height), std::move(R)};
}

std::tuple<Tensor, Tensor> qr(const tensor_base& A, bool some) {
    return linalg_qr(A, some ? "reduced" : "complete");
}
std::tuple<Tensor, Tensor> tensor_base::qr(bool some) const { return sinter::qr(*this, some); }

std::tuple<Tensor, Tensor> geqrf(const tensor_base& A) {
    const std::vector<Tensor> f = reflectors("geqrf", A);
    return {f[0], f[1]};
}
std::tuple<Tensor, Tensor> tensor_base::geqrf() const { return sinter::geqrf(*this); }

Tensor linalg_householder_product(const tensor_base& A, const tensor_base& tau) {
    const char* op = "linalg_householder_product";
    const TensorImpl &a = ops::matrices(op, A), &t = body(op, tau);
    if (rows(a) < cols(a))
        fail(op, "the matrix has more columns than rows", ops::shape_of(a),
             "at least as many rows as columns", text("narrow(-1, 0, ", rows(a), ")"));
    require_reflectors(op, a, t);
    return columns_of_q(op, A.self(), tau.self(), cols(a));
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
    ops::routine_call call(op, lapack::ormqr, ops::batch_of(c));
    call.changes(C, {rows(c), cols(c)}).reads(A, 2).reads(tau, 1);
    call.with(lapack::ormqr_attributes{left ? 'L' : 'R', transpose ? 'C' : 'N'});
    return call.later()[0];
}
Tensor tensor_base::ormqr(const tensor_base& tau, const tensor_base& C, bool left,
                          bool transpose) const {
    return sinter::ormqr(*this, tau, C, left, transpose);
}

}  // namespace sinter::inline v1
