// Each judge runs functions on a batch of matrices and returns the worst of its ratios: residuals
// scaled by sizes, extents and the unit roundoff, which LAPACK's own tests require to be below 30.
#pragma once

#include "tests/linalg/dense.hpp"

#include <span>

namespace sinter::test {

/// The matrices that a judge requires. `dominant`: small off-diagonal elements.
enum class kind_of_matrix { any, square, dominant, hermitian, positive };

struct judge {
    const char* name;
    double (*worst)(const Tensor& a, gallery& random);
    kind_of_matrix wants;
    int cost;  // for large matrices, relative to a solution
};

std::span<const judge> judges();

// ---- judges that tests of special matrices call by name
double judge_solve(const Tensor& a, gallery& random);
double judge_inverse(const Tensor& a, gallery& random);
double judge_lu(const Tensor& a, gallery& random);
double judge_cholesky(const Tensor& a, gallery& random);
double judge_ldl(const Tensor& a, gallery& random);
double judge_qr(const Tensor& a, gallery& random);
double judge_svd(const Tensor& a, gallery& random);
double judge_eigh(const Tensor& a, gallery& random);
double judge_eig(const Tensor& a, gallery& random);
double judge_lstsq(const Tensor& a, gallery& random);
double judge_pinv(const Tensor& a, gallery& random);

}  // namespace sinter::test
