// Products of vectors, matrices and tensors of any dtype but Bool, both operands of one dtype.
//
// Matrix products are pending library calls. The prologue of their first operand and their epilogue
// run with them, piece by piece. Transposes and conjugates of operands cost nothing. Products
// without sums are fused. Sizes are PyTorch's; _out forms resize an output that has other sizes.
#pragma once

#include <sinter/core/tensor_list.hpp>
#include <sinter/tensor.hpp>

#include <string_view>

namespace sinter::inline v1 {

// ---- products
/// Returns the product: of two vectors a number, of a matrix and a vector a vector, else of the
/// matrices in the last two dimensions, whose batches broadcast: (..., n, k) and (..., k, m) give
/// (..., n, m). Operations before and after it may run with it. Throws Error if sizes do not fit,
/// dtypes differ or an operand is 0-d, and NotImplementedError for Bool.
inline Tensor matmul(const tensor_base& a, const tensor_base& b) { return a.matmul(b); }
/// Returns the product of two matrices (mm), two batches (b, n, k) and (b, k, m) of matrices (bmm),
/// matrix and vector (mv), or two vectors (dot, 0-d). Throws Error for other numbers of dimensions,
/// if sizes do not fit or dtypes differ, and NotImplementedError for Bool.
///@{
inline Tensor mm(const tensor_base& a, const tensor_base& b) { return a.mm(b); }
inline Tensor bmm(const tensor_base& a, const tensor_base& b) { return a.bmm(b); }
inline Tensor mv(const tensor_base& a, const tensor_base& b) { return a.mv(b); }
inline Tensor dot(const tensor_base& a, const tensor_base& b) { return a.dot(b); }
///@}
/// Returns dot() of the first vector's conjugate and the second, 0-d. Throws what dot() throws.
inline Tensor vdot(const tensor_base& a, const tensor_base& b) { return a.vdot(b); }
/// Returns the sums of products over the last dimension of both: sizes (..., n) and (---, n) give
/// (..., ---). A number scales: fused. Throws Error if the last sizes or the dtypes differ, and
/// NotImplementedError for Bool.
inline Tensor inner(const tensor_base& a, const tensor_base& b) { return a.inner(b); }
/// Returns the products of all pairs of elements: sizes (n) and (m) give (n, m). Of promoted dtype,
/// Bool included. Throws Error unless both are vectors.
///@{
inline Tensor outer(const tensor_base& a, const tensor_base& b) { return a.outer(b); }
inline Tensor ger(const tensor_base& a, const tensor_base& b) { return a.outer(b); }
///@}
/// Writes the product into `out`, and returns it.
///@{
SINTER_API Tensor& matmul_out(Tensor& out, const Tensor& a, const Tensor& b);
SINTER_API Tensor& mm_out(Tensor& out, const Tensor& a, const Tensor& b);
SINTER_API Tensor& bmm_out(Tensor& out, const Tensor& a, const Tensor& b);
SINTER_API Tensor& mv_out(Tensor& out, const Tensor& a, const Tensor& b);
SINTER_API Tensor& dot_out(Tensor& out, const Tensor& a, const Tensor& b);
SINTER_API Tensor& vdot_out(Tensor& out, const Tensor& a, const Tensor& b);
SINTER_API Tensor& inner_out(Tensor& out, const Tensor& a, const Tensor& b);
SINTER_API Tensor& outer_out(Tensor& out, const Tensor& a, const Tensor& b);
SINTER_API Tensor& ger_out(Tensor& out, const Tensor& a, const Tensor& b);
///@}

// ---- products that are added
#define SINTER_ADDED(name, A, B)                                                            \
    inline Tensor name(const tensor_base& self, const tensor_base& A, const tensor_base& B, \
                       const Scalar& beta = 1, const Scalar& alpha = 1) {                   \
        return self.name(A, B, beta, alpha);                                                \
    }                                                                                       \
    SINTER_API Tensor& name##_out(Tensor& out, const Tensor& self, const Tensor& A,         \
                                  const Tensor& B, const Scalar& beta = 1,                  \
                                  const Scalar& alpha = 1);
/// Returns beta * self + alpha * product: a.mm(b) (addmm), a.mv(b), a.outer(b) (addr, fused),
/// a.bmm(b), or the sum of a.bmm(b) over the batch (addbmm), in the product's sizes. `self`
/// broadcasts to them and is not read if beta is 0. A form with _out writes `out` and returns it.
/// Throws Error if `self` does not expand to the product's sizes, if the operands' sizes do not fit
/// or, but for addr, their dtypes differ; ValueError if the dtype does not hold a factor;
/// NotImplementedError for Bool but in addr, where factors of integers must be whole numbers
/// (Error).
///@{
SINTER_ADDED(addmm, a, b)
SINTER_ADDED(addmv, a, b)
SINTER_ADDED(addr, a, b)
SINTER_ADDED(baddbmm, a, b)
SINTER_ADDED(addbmm, a, b)
///@}
#undef SINTER_ADDED

// ---- products of several, and of tensors
/// Returns the product of matrices in the cheapest order, a matrix; of one matrix a copy. Throws
/// Error for an empty list, unless all are matrices, if sizes do not fit and if dtypes differ;
/// NotImplementedError for Bool.
///@{
SINTER_API Tensor chain_matmul(TensorList matrices);
SINTER_API Tensor& chain_matmul_out(Tensor& out, TensorList matrices);
///@}
/// Returns every element of `a` times all of `b`; sizes multiply, missing ones count as 1. Of
/// promoted dtype, Bool included. Takes any tensors.
///@{
inline Tensor kron(const tensor_base& a, const tensor_base& b) { return a.kron(b); }
SINTER_API Tensor& kron_out(Tensor& out, const Tensor& a, const Tensor& b);
///@}
/// Returns the cross products of vectors of three elements in `dim`, or in the first dimension that
/// has three; sizes broadcast. Throws Error if the numbers of dimensions or the dtypes differ, the
/// sizes do not broadcast, or the dimension has not three elements; NotImplementedError for Bool.
///@{
inline Tensor cross(const tensor_base& a, const tensor_base& b, optional<int64_t> dim = nullopt) {
    return a.cross(b, dim);
}
SINTER_API Tensor& cross_out(Tensor& out, const Tensor& a, const Tensor& b,
                             optional<int64_t> dim = nullopt);
///@}
/// Returns the sums of products over pairs of dimensions dims_a[i] and dims_b[i], or over the last
/// `dims` of `a` and the first of `b`. The result has the other dimensions, a's first. Throws Error
/// if the lists differ in length or name a dimension twice, if paired sizes differ and none is 1,
/// if dtypes differ, and if there are not so many dimensions; NotImplementedError for Bool.
///@{
SINTER_API Tensor tensordot(const tensor_base& a, const tensor_base& b, IntArrayRef dims_a,
                            IntArrayRef dims_b);
SINTER_API Tensor tensordot(const tensor_base& a, const tensor_base& b, int64_t dims = 2);
SINTER_API Tensor& tensordot_out(Tensor& out, const Tensor& a, const Tensor& b, IntArrayRef dims_a,
                                 IntArrayRef dims_b);
///@}
/// Returns Einstein's sums: one letter for each dimension, operands separated by commas. The
/// letters after -> remain; without it, the letters that occur once, in alphabetical order. `...`
/// stands for dimensions that broadcast; a letter twice in an operand takes its diagonal. Operands
/// are contracted in pairs, in the order of `path` (NumPy's: positions in the list of what is left,
/// results at its end) or else in the cheapest one: products and fused kernels. Throws Error for an
/// equation or a path that does not fit the operands, for an empty list, if sizes of a letter
/// differ and none is 1, and if the dtypes of a product differ; NotImplementedError for sums of
/// Bool.
SINTER_API Tensor einsum(std::string_view equation, TensorList operands,
                         OptionalIntArrayRef path = nullopt);

}  // namespace sinter::inline v1
