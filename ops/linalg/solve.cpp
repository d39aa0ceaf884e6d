// Linear systems and inverses.
#include "ops/autograd/function.hpp"
#include "ops/linalg/checks.hpp"
#include "ops/linalg/lu.hpp"
#include "ops/linalg/tiny.hpp"

#include <sinter/expr/expr.hpp>
#include <sinter/functions/functions.hpp>
#include <sinter/functions/products.hpp>

namespace sinter::inline v1 {

using ops::body;
using ops::cols;
using ops::rows;
using runtime::fail;

namespace {

/// A system whose right side is stored as matrices.
struct linear_system {
    const TensorImpl& a;
    Tensor B;
    bool vector;

    linear_system(const char* op, const tensor_base& A, const tensor_base& right, bool left)
        : a(ops::square_matrices(op, A)), B(right.self()), vector(false) {
        const TensorImpl& b = body(op, right);
        ops::require_same_dtype(op, a, b);
        const int32_t dims = a.shape->ndim;
        // As in PyTorch: one vector, or a vector for each matrix of exactly this batch.
        vector = b.shape->ndim == 1 ||
                 (b.shape->ndim == dims - 1 && b.shape->sizes_ref() == ops::batch_of(a, 1));
        if (vector) {
            if (!left)
                fail(op, "a vector as the right-hand side needs left = true", ops::shapes(a, b),
                     "a matrix", "unsqueeze(-2), which makes the vector a row");
            B = B.unsqueeze(-1);
        }
        if (b.shape->ndim == 0 || (B.dim() < 2))
            fail(op, "the right-hand side has too few dimensions", ops::shapes(a, b),
                 "a vector or a matrix", "unsqueeze(0), which makes it a vector");
        if (B.size(left ? -2 : -1) != rows(a)) ops::refuse_right_side(op, a, b, rows(a), left);
        broadcast_shapes(op, ops::batch_of(a), ops::batch_of(body(op, B)));
    }
    Tensor finished(const Tensor& x) const { return vector ? x.squeeze(-1) : x; }
    int64_t sides(bool left) const { return B.size(left ? -1 : -2); }
    /// Returns true if the right sides have the same batch as the matrices.
    bool one_batch() const { return ops::batch_of(a) == ops::batch_of(*B.unsafeGetTensorImpl()); }
};

/// A call of getri on A, or on its transpose if A is row-major.
struct inverse_call {
    const TensorImpl& a;
    bool transposed;
    ops::routine_call call;

    inverse_call(const char* op, const tensor_base& A)
        : a(ops::square_matrices(op, A)),
          transposed(ops::lies_by_rows(a)),
          call(op, lapack::getri, ops::batch_of(a)) {
        const int64_t n = rows(a);
        call.changes(transposed ? A.mT() : A.self(), {n, n}).makes(kInt, {});
    }
    Tensor finished(const Tensor& x) const { return transposed ? x.mT() : x; }
};

bool has_gradient(const tensor_base& t) {
    const tensor_base* one = &t;
    return autograd::is_recorded({&one, 1});
}

/// The gradient of X of A X = B is A^-H G for B, and minus that times X^H for A.
Tensor gradient_of_matrix(const Tensor& of_right, const Tensor& X, bool left) {
    return left ? -matmul(of_right, X.mH()) : -matmul(X.mH(), of_right);
}

/// The results are X and, with `factors`, LU and pivots of A, or of its transpose. They are not
/// used where gradients are recorded.
struct solve_rule {
    bool left, vector, factors, transposed;

    static autograd::saves saved(const tensor_base& A, bool factors) {
        return {1u, (has_gradient(A) ? 1u : 0u) | (factors ? 6u : 0u)};
    }

    Tensor of_right_side(const autograd::rule_call& c, const Tensor& g) const {
        if (factors && !GradMode::is_enabled())
            return ops::solve_adjoint_later("linalg_solve",
                                            {c.result(1), c.result(2), {}, transposed}, g, left);
        return std::get<0>(linalg_solve_ex(c.operand(0).mH(), g, left));
    }

    autograd::variable_list operator()(const autograd::rule_call& c) const {
        const auto column = [this](const Tensor& t) { return vector ? t.unsqueeze(-1) : t; };
        const Tensor of_right = of_right_side(c, column(c.grad()));
        autograd::variable_list g(2);
        if (c.needs(0)) g[0] = gradient_of_matrix(of_right, column(c.result()), left);
        if (c.needs(1)) g[1] = vector ? of_right.squeeze(-1) : of_right;
        return g;
    }
};

autograd::variable_list inverse_rule(const autograd::rule_call& c) {
    const Tensor adjoint = c.result().mH();
    return {-matmul(adjoint, matmul(c.grad(), adjoint))};
}

struct triangular_rule {
    bool upper, left, unit;

    autograd::variable_list operator()(const autograd::rule_call& c) const {
        const Tensor of_right =
            linalg_solve_triangular(c.operand(0).mH(), c.grad(), !upper, left, unit);
        autograd::variable_list g(2);
        if (c.needs(0)) {
            // Only this triangle is read.
            const Tensor all = gradient_of_matrix(of_right, c.result(), left);
            g[0] = upper ? all.triu(unit ? 1 : 0) : all.tril(unit ? -1 : 0);
        }
        if (c.needs(1)) g[1] = of_right;
        return g;
    }
};

/// Solves by elimination, which has no factors to keep.
Tensor solved_tiny(const char* op, const linear_system& s, const tensor_base& A, bool left,
                   const source_line& line) {
    const ops::tiny_elimination e(left ? A.self() : A.mT(), left ? s.B : s.B.mT());
    const Tensor x = e.solution_now();
    ops::check_info(op, lapack::getrf, e.info, line);
    return s.finished(left ? x : x.mT());
}

Tensor inverted_now(const char* op, const tensor_base& A, const source_line& line) {
    const inverse_call i(op, A);
    if (ops::are_tiny(i.a, rows(i.a))) {
        const ops::tiny_elimination e(A.self(),
                                      eye(rows(i.a), ops::beside(i.a, i.a.dtype)).expand_as(A));
        Tensor x = e.solution_now();
        ops::check_info(op, lapack::getri, e.info, line);
        return x;
    }
    const std::vector<Tensor> r = i.call.now();
    ops::check_info(op, lapack::getri, r[1], line);
    return i.finished(r[0]);
}

}  // namespace

Tensor linalg_solve(const tensor_base& A, const tensor_base& B, bool left,
                    const source_line& line) {
    const char* op = "linalg_solve";
    const linear_system s(op, A, B, left);
    if (ops::are_tiny(s.a, s.sides(left)) && s.one_batch())
        return autograd::with_rule(
            "linalg_solve_ex", {&A, &B}, solve_rule::saved(A, false),
            [&] { return solved_tiny(op, s, A, left, line); },
            solve_rule{left, s.vector, false, false});
    auto [x, lu, pivots] = autograd::with_rule(
        "linalg_solve_ex", {&A, &B}, solve_rule::saved(A, true),
        [&]() -> std::tuple<Tensor, Tensor, Tensor> {
            const ops::lu_factors f = ops::factor_now(op, s.a);
            ops::check_info(op, lapack::getrf, f.info, line);
            return {s.finished(ops::solve_now(op, f, s.B, left)), f.lu, f.pivots};
        },
        solve_rule{left, s.vector, true, ops::factors_transpose(s.a)});
    return std::move(x);
}

std::tuple<Tensor, Tensor> linalg_solve_ex(const tensor_base& A, const tensor_base& B, bool left,
                                           bool check_errors, const source_line& line) {
    const char* op = "linalg_solve_ex";
    const linear_system s(op, A, B, left);
    auto [x, lu, pivots, info] = autograd::with_rule(
        op, {&A, &B}, solve_rule::saved(A, true),
        [&]() -> std::tuple<Tensor, Tensor, Tensor, Tensor> {
            const ops::lu_factors f = ops::factor_later(op, s.a);
            if (check_errors) ops::check_info(op, lapack::getrf, f.info, line);
            return {s.finished(ops::solve_later(op, f, s.B, left)), f.lu, f.pivots, f.info};
        },
        solve_rule{left, s.vector, true, ops::factors_transpose(s.a)});
    return {std::move(x), std::move(info)};
}

Tensor linalg_inv(const tensor_base& A, const source_line& line) {
    return autograd::with_rule(
        "linalg_inv_ex", {&A}, {0, 1, true}, [&] { return inverted_now("linalg_inv", A, line); },
        inverse_rule);
}

std::tuple<Tensor, Tensor> linalg_inv_ex(const tensor_base& A, bool check_errors,
                                         const source_line& line) {
    const char* op = "linalg_inv_ex";
    return autograd::with_rule(
        op, {&A}, {0, 1, true},
        [&]() -> std::tuple<Tensor, Tensor> {
            const inverse_call i(op, A);
            const std::vector<Tensor> r = i.call.later();
            if (check_errors) ops::check_info(op, lapack::getri, r[1], line);
            return {i.finished(r[0]), r[1]};
        },
        inverse_rule);
}

Tensor inverse(const tensor_base& A, const source_line& line) { return linalg_inv(A, line); }
Tensor tensor_base::inverse(const source_line& line) const { return linalg_inv(*this, line); }

// ---- triangular systems
namespace {

Tensor solved_triangular(const char* op, const tensor_base& A, const tensor_base& B, bool upper,
                         bool left, bool unitriangular) {
    const TensorImpl &a = ops::square_matrices(op, A), &b = ops::matrices(op, B);
    ops::require_same_dtype(op, a, b);
    if ((left ? rows(b) : cols(b)) != rows(a)) ops::refuse_right_side(op, a, b, rows(a), left);
    // A row-major operand is used as its transpose, in the transposed system, so that it need not
    // be copied.
    const bool a_rows = ops::lies_by_rows(a), b_rows = ops::lies_by_rows(b);
    ops::routine_call call(op, lapack::trsm,
                           broadcast_shapes(op, ops::batch_of(a), ops::batch_of(b)));
    if (b_rows) {
        call.changes(B.mT(), {cols(b), rows(b)});
    } else {
        call.changes(B, {rows(b), cols(b)});
    }
    call.reads(a_rows ? A.mT() : A.self(), 2);
    call.with(lapack::trsm_attributes{.side = left != b_rows ? 'L' : 'R',
                                      .uplo = upper != a_rows ? 'U' : 'L',
                                      .trans = a_rows != b_rows ? 'T' : 'N',
                                      .diag = unitriangular ? 'U' : 'N'});
    const Tensor x = call.later()[0];
    return b_rows ? x.mT() : x;
}

}  // namespace

Tensor linalg_solve_triangular(const tensor_base& A, const tensor_base& B, bool upper, bool left,
                               bool unitriangular) {
    const char* op = "linalg_solve_triangular";
    return autograd::with_rule(
        op, {&A, &B}, {1u, has_gradient(A) ? 1u : 0u},
        [&] { return solved_triangular(op, A, B, upper, left, unitriangular); },
        triangular_rule{upper, left, unitriangular});
}

std::tuple<Tensor, Tensor> triangular_solve(const tensor_base& B, const tensor_base& A, bool upper,
                                            bool transpose, bool unitriangular) {
    const Tensor a = transpose ? A.mT() : A.self();
    return {linalg_solve_triangular(a, B, upper != transpose, true, unitriangular), A.clone()};
}
std::tuple<Tensor, Tensor> tensor_base::triangular_solve(const tensor_base& A, bool upper,
                                                         bool transpose, bool unitriangular) const {
    return sinter::triangular_solve(*this, A, upper, transpose, unitriangular);
}

}  // namespace sinter::inline v1
