// LU factors, unpacking them, and systems solved with them.
#include "ops/linalg/lu.hpp"

#include "ops/common/devices.hpp"
#include "ops/linalg/checks.hpp"
#include "ops/linalg/gradients.hpp"

#include <sinter/expr/expr.hpp>
#include <sinter/functions/functions.hpp>
#include <sinter/functions/pointwise.hpp>
#include <sinter/functions/products.hpp>

#include <algorithm>
#include <numeric>

namespace sinter::ops {
namespace {

Tensor tensor_of(const TensorImpl& t) {
    return Tensor(intrusive_ptr<TensorImpl>(const_cast<TensorImpl*>(&t)));
}

/// Returns true if the transpose is factored, which avoids reordering a row-major matrix. Small
/// matrices are not transposed: their copy costs nothing, and row pivoting, which other libraries
/// use, gives whole-number solutions where column pivoting does not.
bool turned(const TensorImpl& A, bool as_it_is) {
    constexpr int64_t small = 32;
    return !as_it_is && lies_by_rows(A) && std::max(rows(A), cols(A)) > small;
}

routine_call factor_call(const char* op, const TensorImpl& A, bool transposed) {
    const int64_t m = rows(A), n = cols(A);
    routine_call call(op, lapack::getrf, batch_of(A));
    if (transposed) {
        call.changes(tensor_of(A).mT(), {n, m});
    } else {
        call.changes(tensor_of(A), {m, n});
    }
    call.makes(kInt, std::min(m, n)).makes(kInt, {});
    return call;
}

lu_factors factors_of(std::vector<Tensor> r, bool transposed) {
    return {std::move(r[0]), std::move(r[1]), std::move(r[2]), transposed};
}

/// The call changes the right side, or its transpose, into X or its transpose.
routine_call solve_call(const char* op, const lu_factors& a, const Tensor& B, bool left,
                        bool adjoint = false) {
    const TensorImpl &lu = body(op, a.lu), &b = body(op, B);
    const std::vector<int64_t> batch = broadcast_shapes(op, batch_of(lu), batch_of(b));
    routine_call call(op, lapack::getrs, batch);
    if (left) {
        call.changes(B, {rows(b), cols(b)});
    } else {
        call.changes(B.mT(), {cols(b), rows(b)});
    }
    call.reads(a.lu, 2).reads(a.pivots, 1);
    call.with(lapack::getrs_attributes{adjoint ? 'C' : a.transposed == left ? 'T' : 'N'});
    return call;
}

}  // namespace

bool factors_transpose(const TensorImpl& A) { return turned(A, false); }

lu_factors factor_now(const char* op, const TensorImpl& A, bool as_it_is) {
    const bool transposed = turned(A, as_it_is);
    return factors_of(factor_call(op, A, transposed).now(), transposed);
}

lu_factors factor_later(const char* op, const TensorImpl& A, bool as_it_is) {
    const bool transposed = turned(A, as_it_is);
    return factors_of(factor_call(op, A, transposed).later(), transposed);
}

Tensor solve_now(const char* op, const lu_factors& a, const Tensor& B, bool left, bool adjoint) {
    Tensor x = std::move(solve_call(op, a, B, left, adjoint).now()[0]);
    return left ? x : x.mT();
}

Tensor solve_later(const char* op, const lu_factors& a, const Tensor& B, bool left, bool adjoint) {
    Tensor x = std::move(solve_call(op, a, B, left, adjoint).later()[0]);
    return left ? x : x.mT();
}

Tensor solve_adjoint_later(const char* op, const lu_factors& a, const Tensor& B, bool left) {
    if (!left) return solve_later(op, a, B.mH(), true).mH();
    if (!a.transposed) return solve_later(op, a, B, true, true);
    // Of the transpose, whose conjugate is the adjoint.
    return conj(solve_later(op, {a.lu, a.pivots, a.info, false}, conj(B), true));
}

}  // namespace sinter::ops

namespace sinter::inline v1 {

using ops::batch_of;
using ops::body;
using ops::cols;
using ops::rows;

namespace {

void require_pivot(const char* op, bool pivot) {
    if (!pivot)
        runtime::fail(op, "LU without pivoting is not supported on the CPU", "pivot = false",
                      "pivot = true", "a tensor on a GPU, or leaving pivot out");
}

/// Returns the source of each row of L U: its row j is row [j] of A.
Tensor rows_of(const Tensor& pivots, int64_t m) {
    const Tensor p = ops::on_host(pivots).contiguous();
    const int64_t k = p.size(-1), count = k == 0 ? 0 : p.numel() / k;
    std::vector<int64_t> sizes = p.sizes().vec();
    sizes.back() = m;
    Tensor result(make_empty(kLong, make_contiguous(sizes), runtime::main_memory));
    auto* to = static_cast<int64_t*>(const_cast<void*>(result.const_data_ptr()));
    if (k == 0)
        for (int64_t i = 0; i < result.numel(); ++i) to[i] = i % m;
    const int32_t* from = p.const_data_ptr<int32_t>();
    for (int64_t b = 0; b < count; ++b, to += m, from += k) {
        std::iota(to, to + m, int64_t{0});
        for (int64_t i = 0; i < k; ++i) {
            if (from[i] < 1 || from[i] > m)
                runtime::fail("lu_unpack", "a pivot is out of range", runtime::text(from[i]),
                              runtime::text("1 to ", m),
                              "the pivots that linalg_lu_factor() returned");
            std::swap(to[i], to[from[i] - 1]);
        }
    }
    return ops::moved(result, ops::body("lu", pivots).device);
}

std::tuple<Tensor, Tensor> lower_and_upper(const Tensor& LU) {
    const int64_t m = LU.size(-2), n = LU.size(-1), k = std::min(m, n);
    return {LU.narrow(-1, 0, k).tril(-1) + eye(m, k, LU.options()), LU.narrow(-2, 0, k).triu()};
}

Tensor permutation(const Tensor& pivots, int64_t m, ScalarType dtype) {
    const Tensor from = rows_of(pivots, m);
    return (from.unsqueeze(-2) == arange(m, pivots.options().dtype(kLong)).unsqueeze(-1)).to(dtype);
}

}  // namespace

// ---- factors
namespace {

/// Returns LU, pivots and info of A itself.
template <class F>
std::tuple<Tensor, Tensor, Tensor> factored(const tensor_base& A, const F& factor) {
    return autograd::with_rule(
        "linalg_lu_factor_ex", {&A}, {0, 3},
        [&]() -> std::tuple<Tensor, Tensor, Tensor> {
            ops::lu_factors f = factor();
            return {std::move(f.lu), std::move(f.pivots), std::move(f.info)};
        },
        [](const autograd::rule_call& c) -> autograd::variable_list {
            const Tensor LU = c.result(0);
            const auto [l, u] = lower_and_upper(LU);
            const Tensor P = permutation(c.result(1), LU.size(-2), LU.scalar_type());
            return {ops::gradient_of_lu(c.grad(), P, l, u)};
        });
}

}  // namespace

std::tuple<Tensor, Tensor> linalg_lu_factor(const tensor_base& A, bool pivot,
                                            const source_line& line) {
    const char* op = "linalg_lu_factor";
    const TensorImpl& a = ops::matrices(op, A);
    require_pivot(op, pivot);
    auto [lu, pivots, info] = factored(A, [&] {
        ops::lu_factors f = ops::factor_now(op, a, true);
        ops::check_info(op, lapack::getrf, f.info, line);
        return f;
    });
    return {std::move(lu), std::move(pivots)};
}

std::tuple<Tensor, Tensor, Tensor> linalg_lu_factor_ex(const tensor_base& A, bool pivot,
                                                       bool check_errors, const source_line& line) {
    const char* op = "linalg_lu_factor_ex";
    const TensorImpl& a = ops::matrices(op, A);
    require_pivot(op, pivot);
    return factored(A, [&] {
        ops::lu_factors f = ops::factor_later(op, a, true);
        if (check_errors) ops::check_info(op, lapack::getrf, f.info, line);
        return f;
    });
}

std::tuple<Tensor, Tensor, Tensor> linalg_lu(const tensor_base& A, bool pivot) {
    const char* op = "linalg_lu";
    const TensorImpl& a = ops::matrices(op, A);
    require_pivot(op, pivot);
    const auto [lu, pivots, info] = factored(A, [&] { return ops::factor_now(op, a, true); });
    auto [l, u] = lower_and_upper(lu);
    return {permutation(pivots, rows(a), a.dtype), std::move(l), std::move(u)};
}

std::tuple<Tensor, Tensor, Tensor> lu_unpack(const tensor_base& LU, const tensor_base& pivots,
                                             bool unpack_data, bool unpack_pivots) {
    const char* op = "lu_unpack";
    const TensorImpl& lu = ops::matrices(op, LU);
    const TensorImpl& p = body(op, pivots);
    std::vector<int64_t> sizes = batch_of(lu).vec();
    sizes.push_back(std::min(rows(lu), cols(lu)));
    ops::require_pivots(op, lu, p, unpack_pivots ? IntArrayRef(sizes) : p.shape->sizes_ref(),
                        "linalg_lu_factor()");
    const Tensor none = empty(0, ops::beside(lu, lu.dtype));
    Tensor P = unpack_pivots ? permutation(pivots.self(), rows(lu), lu.dtype) : none;
    if (!unpack_data) return {std::move(P), none, none};
    auto [l, u] = lower_and_upper(LU.self());
    return {std::move(P), std::move(l), std::move(u)};
}

// ---- systems with given factors
namespace {

/// Solves with functions that have gradients. A = P L U.
Tensor solved_by_factors(const Tensor& LU, const Tensor& P, const Tensor& B, bool left,
                         bool adjoint) {
    if (!left) return solved_by_factors(LU, P, B.mH(), true, !adjoint).mH();
    const auto solve = [&LU](const Tensor& right, bool upper, bool turned) {
        return linalg_solve_triangular(turned ? LU.mH() : LU, right, upper != turned, true, !upper);
    };
    if (adjoint) return matmul(P, solve(solve(B, true, true), false, true));
    return solve(solve(matmul(P.mT(), B), false, false), true, false);
}

}  // namespace

Tensor linalg_lu_solve(const tensor_base& LU, const tensor_base& pivots, const tensor_base& B,
                       bool left, bool adjoint) {
    const char* op = "linalg_lu_solve";
    const TensorImpl& lu = ops::square_matrices(op, LU);
    const TensorImpl &p = body(op, pivots), &b = ops::matrices(op, B);
    ops::require_same_dtype(op, lu, b);
    std::vector<int64_t> sizes = batch_of(lu).vec();
    sizes.push_back(cols(lu));
    ops::require_pivots(op, lu, p, sizes, "linalg_lu_factor()");
    if ((left ? rows(b) : cols(b)) != rows(lu)) ops::refuse_right_side(op, lu, b, rows(lu), left);
    if (const tensor_base* factors = &LU; autograd::is_recorded({&factors, 1}))
        return solved_by_factors(LU.self(), permutation(pivots.self(), rows(lu), lu.dtype),
                                 B.self(), left, adjoint);
    return autograd::with_rule(
        op, {&B, &LU, &pivots}, {6, 0},
        [&] {
            const ops::lu_factors f{LU.self(), pivots.self(), {}, false};
            // X A^H = B is equivalent to A X^H = B^H.
            if (adjoint && !left) return ops::solve_now(op, f, B.mH(), true).mH();
            return ops::solve_now(op, f, B.self(), left, adjoint);
        },
        [left, adjoint](const autograd::rule_call& c) -> autograd::variable_list {
            return {linalg_lu_solve(c.operand(1), c.operand(2), c.grad(), left, !adjoint)};
        });
}

Tensor lu_solve(const tensor_base& B, const tensor_base& LU, const tensor_base& pivots) {
    return linalg_lu_solve(LU, pivots, B);
}
Tensor tensor_base::lu_solve(const tensor_base& LU, const tensor_base& pivots) const {
    return linalg_lu_solve(LU, pivots, *this);
}

}  // namespace sinter::inline v1
