// Gradients of decompositions, as functions of their results. They are made of differentiable
// functions, so they have gradients themselves. Matrices may be real or complex; the gradient of a
// complex number is dL/dRe + i dL/dIm.
#pragma once

#include "ops/autograd/function.hpp"

namespace sinter::ops {

/// Returns the gradient of A, whose lower factor is L, or upper factor if `upper`.
Tensor gradient_of_cholesky(const Tensor& g, const Tensor& factor, bool upper);

/// Returns the gradient of A = Q R. The gradients of Q and R may be undefined. Q has as many
/// columns as R has rows.
Tensor gradient_of_qr(const Tensor& of_q, const Tensor& of_r, const Tensor& Q, const Tensor& R);

/// Returns the gradient of A = P L U, of any shape, for that of L and U in one matrix.
Tensor gradient_of_lu(const Tensor& g, const Tensor& P, const Tensor& L, const Tensor& U);

/// Returns the gradient of A = U diag(S) Vh with k = min(m, n) singular values. U and Vh may have
/// more columns and rows, whose gradients do not count. Gradients may be undefined. Assumes that
/// singular values differ where gradients of vectors are given. Throws Error, and reads values for
/// that, if these depend on the phases of complex vectors.
Tensor gradient_of_svd(Tensor of_u, const Tensor& of_s, Tensor of_vh, Tensor U, const Tensor& S,
                       Tensor Vh);

/// Returns the gradient of A = V diag(values) V^H. Gradients may be undefined. Assumes and throws
/// what gradient_of_svd does, of eigenvectors.
Tensor gradient_of_eigh(const Tensor& of_values, const Tensor& of_vectors, const Tensor& values,
                        const Tensor& V);

/// Returns the complex gradient of A = V diag(values) V^-1, whose eigenvectors have norm 1. Assumes
/// and throws what gradient_of_eigh does.
Tensor gradient_of_eig(const Tensor& of_values, const Tensor& of_vectors, const Tensor& values,
                       const Tensor& V);

/// Returns the gradient of A for that of its pseudo-inverse P, where the rank is constant.
Tensor gradient_of_pinv(const Tensor& g, const Tensor& P, const Tensor& A);

/// Returns the sum of two gradients, each of which may be undefined.
Tensor sum_of_gradients(const Tensor& a, const Tensor& b);

}  // namespace sinter::ops
