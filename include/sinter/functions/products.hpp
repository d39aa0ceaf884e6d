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
/// matrices in the last two dimensions, whose batches broadcast. Like all products here it is a
/// pending library call of operands of one dtype but Bool, unless it says otherwise; operands
/// before and epilogues after it may run with it. Throws Error if sizes or dtypes do not fit and
/// NotImplementedError for Bool.
inline Tensor matmul(const tensor_base& a, const tensor_base& b) { return a.matmul(b); }
/// Returns the product of two matrices (mm), two batches of matrices (bmm), matrix and vector (mv),
/// or two vectors (dot). Throws Error for other numbers of dimensions.
///@{
inline Tensor mm(const tensor_base& a, const tensor_base& b) { return a.mm(b); }
inline Tensor bmm(const tensor_base& a, const tensor_base& b) { return a.bmm(b); }
inline Tensor mv(const tensor_base& a, const tensor_base& b) { return a.mv(b); }
inline Tensor dot(const tensor_base& a, const tensor_base& b) { return a.dot(b); }
///@}
/// Returns dot() of the first vector's conjugate and the second.
inline Tensor vdot(const tensor_base& a, const tensor_base& b) { return a.vdot(b); }
/// Returns the sums of products over the last dimension of both: sizes (..., n) and (---, n) give
/// (..., ---). A number scales: fused.
inline Tensor inner(const tensor_base& a, const tensor_base& b) { return a.inner(b); }
/// Returns the products of all pairs of elements: sizes (n) and (m) give (n, m). Of promoted dtype,
/// Bool included; fused.
///@{
inline Tensor outer(const tensor_base& a, const tensor_base& b) { return a.outer(b); }
inline Tensor ger(const tensor_base& a, const tensor_base& b) { return a.outer(b); }
///@}
/// Writes the product into `out`, which gets the product's sizes, and returns it. Throws Error if
/// the dtype cannot be cast to out's.
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
/// a.bmm(b), or the sum of a.bmm(b) over the batch (addbmm). `self` broadcasts and is not read if
/// beta is 0. A form with _out writes `out` and returns it. Throws Error if `self` does not expand
/// to the product's sizes or the dtypes differ.
///@{
SINTER_ADDED(addmm, a, b)
SINTER_ADDED(addmv, a, b)
SINTER_ADDED(addr, a, b)
SINTER_ADDED(baddbmm, a, b)
SINTER_ADDED(addbmm, a, b)
///@}
#undef SINTER_ADDED

// ---- products of several, and of tensors
/// Returns the product of matrices in the cheapest order. Throws Error for an empty list and if
/// sizes do not fit.
///@{
SINTER_API Tensor chain_matmul(TensorList matrices);
SINTER_API Tensor& chain_matmul_out(Tensor& out, TensorList matrices);
///@}
/// Returns every element of `a` times all of `b`; sizes multiply. Of promoted dtype, Bool included;
/// fused.
///@{
inline Tensor kron(const tensor_base& a, const tensor_base& b) { return a.kron(b); }
SINTER_API Tensor& kron_out(Tensor& out, const Tensor& a, const Tensor& b);
///@}
/// Returns the cross products of vectors of three elements in `dim`, or in the first dimension that
/// has three. Fused; sizes broadcast. Throws Error if there is no such dimension.
///@{
inline Tensor cross(const tensor_base& a, const tensor_base& b, optional<int64_t> dim = nullopt) {
    return a.cross(b, dim);
}
SINTER_API Tensor& cross_out(Tensor& out, const Tensor& a, const Tensor& b,
                             optional<int64_t> dim = nullopt);
///@}
/// Returns the sums of products over pairs of dimensions dims_a[i] and dims_b[i], or over the last
/// `dims` of `a` and the first of `b`. The result has the other dimensions, a's first. Throws Error
/// if the lists differ in length or paired sizes differ.
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
/// equation or a path that does not fit the operands.
SINTER_API Tensor einsum(std::string_view equation, TensorList operands,
                         OptionalIntArrayRef path = nullopt);

}  // namespace sinter::inline v1
