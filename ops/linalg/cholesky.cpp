// Cholesky and LDL factors, and systems solved with them.
#include "ops/linalg/checks.hpp"
#include "ops/linalg/gradients.hpp"
#include "ops/linalg/routine_call.hpp"

#include <sinter/expr/expr.hpp>
#include <sinter/functions/functions.hpp>
#include <sinter/functions/products.hpp>

namespace sinter::inline v1 {

using ops::body;
using ops::cols;
using ops::rows;

namespace {

/// Row-major matrices are factored as their transpose, with the other triangle: A = L L^H means A^T
/// = U^H U with U = L^T.
struct cholesky_call {
    const TensorImpl& a;
    bool by_rows;
    ops::routine_call call;

    cholesky_call(const char* op, const tensor_base& A, bool upper)
        : a(ops::square_matrices(op, A)),
          by_rows(ops::lies_by_rows(a)),
          call(op, lapack::potrf, ops::batch_of(a)) {
        const int64_t n = rows(a);
        call.changes(by_rows ? A.mT() : A.self(), {n, n}).makes(kInt, {});
        call.with(lapack::cholesky_attributes{upper != by_rows ? 'U' : 'L'});
    }
    Tensor finished(const Tensor& x) const { return by_rows ? x.mT() : x; }
};

auto cholesky_rule(bool upper) {
    return [upper](const autograd::rule_call& c) -> autograd::variable_list {
        return {ops::gradient_of_cholesky(c.grad(), c.result(), upper)};
    };
}

/// Returns the gradient of a factor for that of the inverse of L L^H, or of U^H U if `upper`:
/// `inside` is what multiplies the sum of L dL^H and dL L^H.
Tensor gradient_of_factor(const Tensor& inside, const Tensor& factor, bool upper) {
    const Tensor both = inside + inside.mH();
    // Only this triangle is read.
    return upper ? -matmul(factor.triu(), both).triu() : -matmul(both, factor.tril()).tril();
}

}  // namespace

Tensor linalg_cholesky(const tensor_base& A, bool upper, const source_line& line) {
    const char* op = "linalg_cholesky";
    return autograd::with_rule(
        "linalg_cholesky_ex", {&A}, {0, 1},
        [&] {
            const cholesky_call c(op, A, upper);
            const std::vector<Tensor> r = c.call.now();
            ops::check_info(op, lapack::potrf, r[1], line);
            return c.finished(r[0]);
        },
        cholesky_rule(upper));
}

std::tuple<Tensor, Tensor> linalg_cholesky_ex(const tensor_base& A, bool upper, bool check_errors,
                                              const source_line& line) {
    const char* op = "linalg_cholesky_ex";
    return autograd::with_rule(
        op, {&A}, {0, 1},
        [&]() -> std::tuple<Tensor, Tensor> {
            const cholesky_call c(op, A, upper);
            const std::vector<Tensor> r = c.call.later();
            if (check_errors) ops::check_info(op, lapack::potrf, r[1], line);
            return {c.finished(r[0]), r[1]};
        },
        cholesky_rule(upper));
}

Tensor cholesky(const tensor_base& A, bool upper, const source_line& line) {
    return linalg_cholesky(A, upper, line);
}
Tensor tensor_base::cholesky(bool upper, const source_line& line) const {
    return linalg_cholesky(*this, upper, line);
}

namespace {

/// Solves against the identity, because the GPU libraries have no batched inverse from factors.
Tensor inverse_by_solving(const tensor_base& L, bool upper, const source_line& line) {
    const TensorImpl& l = body("cholesky_inverse", L);
    const Tensor zero = L.diagonal(0, -2, -1) == 0;
    const Tensor first = zero.to(kInt).argmax(-1) + 1;
    ops::check_info("cholesky_inverse", lapack::potri,
                    where(zero.any(-1), first, zeros_like(first)).to(kInt), line);
    return cholesky_solve(eye(rows(l), ops::beside(l, l.dtype)).expand(L.sizes()), L, upper);
}

Tensor inverse_of(const char* op, const tensor_base& L, bool upper, const source_line& line) {
    const TensorImpl& l = ops::square_matrices(op, L);
    const int64_t n = rows(l);
    if (l.device != runtime::main_memory)
        return l.shape->numel > 0 ? inverse_by_solving(L, upper, line) : zeros_like(L);
    // The inverse of A^T is the transposed inverse of A.
    const bool by_rows = ops::lies_by_rows(l);
    ops::routine_call call(op, lapack::potri, ops::batch_of(l));
    call.changes(by_rows ? L.mT() : L.self(), {n, n}).makes(kInt, {});
    call.with(lapack::cholesky_attributes{upper != by_rows ? 'U' : 'L'});
    const std::vector<Tensor> r = call.now();
    ops::check_info(op, lapack::potri, r[1], line);
    return by_rows ? r[0].mT() : r[0];
}

}  // namespace

Tensor cholesky_inverse(const tensor_base& L, bool upper, const source_line& line) {
    const char* op = "cholesky_inverse";
    return autograd::with_rule(
        op, {&L}, {1, 1}, [&] { return inverse_of(op, L, upper, line); },
        [upper](const autograd::rule_call& c) -> autograd::variable_list {
            const Tensor X = c.result();
            const Tensor inside = matmul(X, matmul(c.grad(), X));
            return {gradient_of_factor(inside, c.operand(0), upper)};
        });
}
Tensor tensor_base::cholesky_inverse(bool upper, const source_line& line) const {
    return sinter::cholesky_inverse(*this, upper, line);
}

namespace {

Tensor solved_by_cholesky(const char* op, const tensor_base& B, const tensor_base& L, bool upper) {
    const TensorImpl &l = ops::square_matrices(op, L), &b = ops::matrices(op, B);
    ops::require_same_dtype(op, l, b);
    if (rows(b) != rows(l)) ops::refuse_right_side(op, l, b, rows(l));
    ops::routine_call call(op, lapack::potrs,
                           broadcast_shapes(op, ops::batch_of(b), ops::batch_of(l)));
    // For a real row-major factor the transpose is read: L L^T is U^T U with U = L^T.
    const bool turned = !isComplexType(l.dtype) && ops::lies_by_rows(l);
    call.changes(B, {rows(b), cols(b)}).reads(turned ? L.mT() : L.self(), 2);
    call.with(lapack::cholesky_attributes{upper != turned ? 'U' : 'L'});
    return call.later()[0];
}

}  // namespace

Tensor cholesky_solve(const tensor_base& B, const tensor_base& L, bool upper) {
    const char* op = "cholesky_solve";
    const tensor_base* factor = &L;
    return autograd::with_rule(
        op, {&B, &L}, {2, autograd::is_recorded({&factor, 1}) ? 1u : 0u},
        [&] { return solved_by_cholesky(op, B, L, upper); },
        [upper](const autograd::rule_call& c) -> autograd::variable_list {
            autograd::variable_list g(2);
            const Tensor l = c.operand(1), of_right = cholesky_solve(c.grad(), l, upper);
            if (c.needs(0)) g[0] = of_right;
            if (c.needs(1)) g[1] = gradient_of_factor(matmul(of_right, c.result().mH()), l, upper);
            return g;
        });
}
Tensor tensor_base::cholesky_solve(const tensor_base& L, bool upper) const {
    return sinter::cholesky_solve(*this, L, upper);
}

// ---- LDL
namespace {

struct ldl_call {
    const TensorImpl& a;
    ops::routine_call call;

    ldl_call(const char* op, const tensor_base& A, bool hermitian)
        : a(ops::square_matrices(op, A)), call(op, lapack::sytrf, ops::batch_of(a)) {
        const int64_t n = rows(a);
        call.changes(A.tril(), {n, n}).makes(kInt, n).makes(kInt, {});
        call.with(lapack::ldl_attributes{hermitian});
    }
};

}  // namespace

std::tuple<Tensor, Tensor> linalg_ldl_factor(const tensor_base& A, bool hermitian,
                                             const source_line& line) {
    const char* op = "linalg_ldl_factor";
    const std::vector<Tensor> r = ldl_call(op, A, hermitian).call.now();
    ops::check_info(op, lapack::sytrf, r[2], line);
    return {r[0], r[1]};
}

std::tuple<Tensor, Tensor, Tensor> linalg_ldl_factor_ex(const tensor_base& A, bool hermitian,
                                                        bool check_errors,
                                                        const source_line& line) {
    const char* op = "linalg_ldl_factor_ex";
    const std::vector<Tensor> r = ldl_call(op, A, hermitian).call.later();
    if (check_errors) ops::check_info(op, lapack::sytrf, r[2], line);
    return {r[0], r[1], r[2]};
}

Tensor linalg_ldl_solve(const tensor_base& LD, const tensor_base& pivots, const tensor_base& B,
                        bool hermitian) {
    const char* op = "linalg_ldl_solve";
    const TensorImpl &a = ops::square_matrices(op, LD), &b = ops::matrices(op, B);
    const TensorImpl& p = body(op, pivots);
    ops::require_same_dtype(op, a, b);
    std::vector<int64_t> sizes = ops::batch_of(a).vec();
    sizes.push_back(rows(a));
    ops::require_pivots(op, a, p, sizes, "linalg_ldl_factor()");
    if (rows(b) != rows(a)) ops::refuse_right_side(op, a, b, rows(a));
    ops::routine_call call(op, lapack::sytrs,
                           broadcast_shapes(op, ops::batch_of(a), ops::batch_of(b)));
    call.changes(B, {rows(b), cols(b)}).reads(LD, 2).reads(pivots, 1);
    call.with(lapack::ldl_attributes{hermitian});
    return call.now()[0];
}

}  // namespace sinter::inline v1
