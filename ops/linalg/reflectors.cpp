#include "ops/linalg/reflectors.hpp"

#include "ops/autograd/function.hpp"
#include "ops/linalg/checks.hpp"

#include <sinter/expr/expr.hpp>
#include <sinter/functions/functions.hpp>
#include <sinter/functions/products.hpp>

#include <algorithm>

namespace sinter::ops {
namespace {

/// Returns true if Q is computed by products of matrices for this batch: GPU libraries apply
/// reflectors to one matrix at a time, which takes many launches for each. Of 64 matrices of 512
/// rows Q takes 1.9 ms on an H200, and 21 one by one. A matrix with more reflectors fills the
/// device by itself.
bool by_products(const TensorImpl& a, IntArrayRef batch) {
    constexpr int64_t largest = 512;
    int64_t count = 1;
    for (const int64_t size : batch) count *= size;
    return a.device != runtime::main_memory && std::min(rows(a), cols(a)) <= largest && count > 1;
}

/// Returns true if a gradient is recorded: the products have one.
bool has_gradient(const reflectors& of) {
    const tensor_base* operands[] = {&of.a, &of.tau};
    return autograd::is_recorded(operands);
}

/// Q = I - V W. The columns of V are the reflectors v. The product of I - tau v v^H is
/// I - V T V^H with the inverse of T = (1 / tau on the diagonal) + (V^H V above it), so that
/// W = T V^H solves a unit triangular system even where tau is 0.
struct one_reflector {
    Tensor v, w;

    /// W has only the first `columns`.
    one_reflector(const reflectors& of, int64_t columns) {
        const TensorImpl& a = *of.a.unsafeGetTensorImpl();
        const int64_t k = of.tau.size(-1);
        v = of.a.narrow(-1, 0, k).tril(-1) + eye(rows(a), k, beside(a, a.dtype));
        const Tensor factors = of.tau.unsqueeze(-1);
        w = linalg_solve_triangular(factors * matmul(v.mH(), v),
                                    factors * v.narrow(-2, 0, columns).mH(), true, true, true);
    }
};

}  // namespace

reflectors reflectors_of(const char* op, const tensor_base& A) {
    const TensorImpl& a = matrices(op, A);
    const int64_t m = rows(a), n = cols(a);
    routine_call call(op, lapack::geqrf, batch_of(a));
    call.changes(A, {m, n}).makes(a.dtype, std::min(m, n));
    std::vector<Tensor> r = call.later();
    return {std::move(r[0]), std::move(r[1])};
}

Tensor columns_of_q(const char* op, const reflectors& of, int64_t count) {
    const TensorImpl& f = body(op, of.a);
    const int64_t m = rows(f), n = cols(f);
    if (by_products(f, batch_of(f)) || has_gradient(of)) {
        const one_reflector q(of, count);
        return eye(m, count, beside(f, f.dtype)) - matmul(q.v, q.w);
    }
    routine_call call(op, lapack::orgqr, batch_of(f));
    if (count <= n) {
        call.changes(of.a.narrow(-1, 0, count), {m, count});
    } else {
        std::vector<int64_t> sizes = batch_of(f).vec();
        sizes.insert(sizes.end(), {m, count});
        Tensor wide = zeros(sizes, beside(f, f.dtype));
        wide.narrow(-1, 0, n).copy_(of.a);
        call.changes(wide, {m, count});
    }
    call.reads(of.tau, 1);
    return call.later()[0];
}

Tensor times_q(const char* op, const reflectors& of, const Tensor& C, bool left, bool adjoint) {
    const TensorImpl& c = body(op, C);
    const tensor_base* operand = &C;
    if (by_products(body(op, of.a), batch_of(c)) || has_gradient(of) ||
        autograd::is_recorded({&operand, 1})) {
        const one_reflector q(of, rows(body(op, of.a)));
        const Tensor v = adjoint ? q.w.mH() : q.v, w = adjoint ? q.v.mH() : q.w;
        return C - (left ? matmul(v, matmul(w, C)) : matmul(matmul(C, v), w));
    }
    routine_call call(op, lapack::ormqr, batch_of(c));
    call.changes(C, {rows(c), cols(c)}).reads(of.a, 2).reads(of.tau, 1);
    call.with(lapack::ormqr_attributes{left ? 'L' : 'R', adjoint ? 'C' : 'N'});
    return call.later()[0];
}

}  // namespace sinter::ops
