// Products of vectors, matrices and tensors of any dtype but Bool, both operands of one dtype.
//
// Those of matrices are pending library calls; what makes their first operand, and what follows
// them, runs piece by piece with them. Transposes, and conjugates, of operands cost nothing. Those
// without sums are fused. Sizes are PyTorch's; `_out` forms resize an output that has other sizes.
#pragma once

#include <sinter/tensor.hpp>
#include <sinter/tensor_list.hpp>

#include <string_view>

namespace sinter::inline v1 {

// ---- products
/// Of two vectors a number, of a matrix and a vector a vector, else of the matrices in the last two
/// dimensions, whose batches broadcast.
inline Tensor matmul(const tensor_base& a, const tensor_base& b) { return a.matmul(b); }
inline Tensor mm(const tensor_base& a, const tensor_base& b) { return a.mm(b); }
inline Tensor bmm(const tensor_base& a, const tensor_base& b) { return a.bmm(b); }
inline Tensor mv(const tensor_base& a, const tensor_base& b) { return a.mv(b); }
inline Tensor dot(const tensor_base& a, const tensor_base& b) { return a.dot(b); }
/// dot of the first one conjugated.
inline Tensor vdot(const tensor_base& a, const tensor_base& b) { return a.vdot(b); }
/// Sums over the last dimension of both: (..., n) and (---, n) give (..., ---). A number scales.
inline Tensor inner(const tensor_base& a, const tensor_base& b) { return a.inner(b); }
/// (n) and (m) give (n, m), of promoted dtype, Bool included. Fused.
inline Tensor outer(const tensor_base& a, const tensor_base& b) { return a.outer(b); }
inline Tensor ger(const tensor_base& a, const tensor_base& b) { return a.outer(b); }
SINTER_API Tensor& matmul_out(Tensor& out, const Tensor& a, const Tensor& b);
SINTER_API Tensor& mm_out(Tensor& out, const Tensor& a, const Tensor& b);
SINTER_API Tensor& bmm_out(Tensor& out, const Tensor& a, const Tensor& b);
SINTER_API Tensor& mv_out(Tensor& out, const Tensor& a, const Tensor& b);
SINTER_API Tensor& dot_out(Tensor& out, const Tensor& a, const Tensor& b);
SINTER_API Tensor& vdot_out(Tensor& out, const Tensor& a, const Tensor& b);
SINTER_API Tensor& inner_out(Tensor& out, const Tensor& a, const Tensor& b);
SINTER_API Tensor& outer_out(Tensor& out, const Tensor& a, const Tensor& b);
SINTER_API Tensor& ger_out(Tensor& out, const Tensor& a, const Tensor& b);

// ---- products that are added: beta * self + alpha * product. `self` broadcasts; where beta is 0
// it is not read.
#define SINTER_ADDED(name, A, B)                                                            \
    inline Tensor name(const tensor_base& self, const tensor_base& A, const tensor_base& B, \
                       const Scalar& beta = 1, const Scalar& alpha = 1) {                   \
        return self.name(A, B, beta, alpha);                                                \
    }                                                                                       \
    SINTER_API Tensor& name##_out(Tensor& out, const Tensor& self, const Tensor& A,         \
                                  const Tensor& B, const Scalar& beta = 1,                  \
                                  const Scalar& alpha = 1);
/// a.mm(b), a.mv(b), a.outer(b), a.bmm(b), and the sum of the last over the batch.
SINTER_ADDED(addmm, a, b)
SINTER_ADDED(addmv, a, b)
SINTER_ADDED(addr, a, b)
SINTER_ADDED(baddbmm, a, b)
SINTER_ADDED(addbmm, a, b)
#undef SINTER_ADDED

// ---- products of several, and of tensors
/// The product of matrices in the order that costs least.
SINTER_API Tensor chain_matmul(TensorList matrices);
SINTER_API Tensor& chain_matmul_out(Tensor& out, TensorList matrices);
/// Every element of `a` times all of `b`: sizes multiply. Of promoted dtype, Bool included. Fused.
inline Tensor kron(const tensor_base& a, const tensor_base& b) { return a.kron(b); }
SINTER_API Tensor& kron_out(Tensor& out, const Tensor& a, const Tensor& b);
/// Vectors of three elements in `dim`, or in the first dimension that has three. Fused.
inline Tensor cross(const tensor_base& a, const tensor_base& b, optional<int64_t> dim = nullopt) {
    return a.cross(b, dim);
}
SINTER_API Tensor& cross_out(Tensor& out, const Tensor& a, const Tensor& b,
                             optional<int64_t> dim = nullopt);
/// Sums over pairs of dimensions, which are moved to the end of `a` and the front of `b`; or over
/// the last `dims` of `a` and the first of `b`. One product.
SINTER_API Tensor tensordot(const tensor_base& a, const tensor_base& b, IntArrayRef dims_a,
                            IntArrayRef dims_b);
SINTER_API Tensor tensordot(const tensor_base& a, const tensor_base& b, int64_t dims = 2);
SINTER_API Tensor& tensordot_out(Tensor& out, const Tensor& a, const Tensor& b, IntArrayRef dims_a,
                                 IntArrayRef dims_b);
/// Einstein's sums: a letter for each dimension, operands apart by commas; what stands behind ->
/// remains, or without it the letters that occur once, in alphabetical order. `...` are dimensions
/// that broadcast; a letter twice in an operand takes its diagonal. Two operands at a time are
/// contracted, in the order of `path` (numpy's: positions in the list of what is left, results at
/// its end) or the one that costs least. Pending: products, and fused kernels.
SINTER_API Tensor einsum(std::string_view equation, TensorList operands,
                         OptionalIntArrayRef path = nullopt);

}  // namespace sinter::inline v1
