// Determinants, from the diagonal of LU and the parity of its pivots: one library call and a fused
// kernel.
#include "ops/linalg/checks.hpp"
#include "ops/linalg/lu.hpp"
#include "ops/linalg/tiny.hpp"

#include <sinter/complex_math.hpp>
#include <sinter/expr/expr.hpp>
#include <sinter/functions/functions.hpp>
#include <sinter/functions/pointwise.hpp>

#include <limits>

namespace sinter::inline v1 {

namespace {

struct diagonal_of_lu {
    Tensor values;  // the diagonal of U
    Tensor signs;   // -1 for each swap of rows, else 1; real

    diagonal_of_lu(const char* op, const tensor_base& A) {
        const TensorImpl& a = ops::square_matrices(op, A);
        const ops::lu_factors f = ops::factor_later(op, a);
        values = f.lu.diagonal(0, -2, -1);
        const Tensor in_place = arange(1, ops::rows(a) + 1, ops::beside(a, kInt));
        signs = 1 - 2 * (f.pivots != in_place).to(toRealValueType(a.dtype));
    }
};

}  // namespace

Tensor linalg_det(const tensor_base& A) {
    if (const TensorImpl& a = ops::square_matrices("linalg_det", A); ops::are_tiny(a, 0)) {
        const ops::tiny_elimination e(A.self(), {});
        Tensor product = e.sign;
        for (std::size_t i = 0; i < e.rows.size(); ++i) product = product * e.rows[i][i];
        return product;
    }
    const diagonal_of_lu d("linalg_det", A);
    return (d.values * d.signs).prod(-1);
}

std::tuple<Tensor, Tensor> linalg_slogdet(const tensor_base& A) {
    const diagonal_of_lu d("linalg_slogdet", A);
    const bool complex = d.values.is_complex();
    const Tensor directions = complex ? Tensor(sgn(d.values)) : Tensor(sign(d.values));
    return {(directions * d.signs).prod(-1), log(abs(d.values)).sum(-1)};
}

Tensor logdet(const tensor_base& A) {
    auto [direction, size] = linalg_slogdet(A);
    if (direction.is_complex()) return log(direction) + size;
    return size.where(direction != -1, std::numeric_limits<double>::quiet_NaN());
}

Tensor det(const tensor_base& A) { return linalg_det(A); }
std::tuple<Tensor, Tensor> slogdet(const tensor_base& A) { return linalg_slogdet(A); }
Tensor tensor_base::det() const { return linalg_det(*this); }
Tensor tensor_base::logdet() const { return sinter::logdet(*this); }
std::tuple<Tensor, Tensor> tensor_base::slogdet() const { return linalg_slogdet(*this); }

}  // namespace sinter::inline v1
