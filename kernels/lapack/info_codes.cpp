// Error texts for LAPACK's `info`.
#include "kernels/lapack/routines.hpp"

#include <string>

namespace sinter::lapack {
namespace {

meaning not_converged(const std::string& got) {
    return {"the iterations did not converge", got, "all of them to converge",
            "scaling the matrix, or Double"};
}

}  // namespace

meaning meaning_of(const routine& r, int info) {
    const std::string n = std::to_string(info), at = std::to_string(info - 1);
    if (info == info_not_finite)
        return {"the matrix has elements that are not finite", "infinities or NaN", "finite ones",
                "nan_to_num, or isfinite to find them"};
    if (&r == &getrf || &r == &getri)
        return {"the matrix is singular", "a zero pivot at " + at, "a regular matrix",
                "linalg_lstsq or linalg_pinv"};
    if (&r == &potrf)
        return {"the matrix is not positive definite",
                "a leading minor of order " + n + " that is not positive",
                "a Hermitian positive definite matrix", "linalg_ldl_factor or linalg_eigh"};
    if (&r == &potri)
        return {"the factor is singular", "a zero on the diagonal at " + at, "a regular factor",
                "linalg_cholesky of a positive definite matrix"};
    if (&r == &sytrf)
        return {"the matrix is singular", "a zero block of D at " + at, "a regular matrix",
                "linalg_lstsq or linalg_pinv"};
    if (&r == &gesdd) return not_converged(n + " superdiagonal elements that are not 0");
    if (&r == &geev) return not_converged("no eigenvalues up to " + at);
    if (&r == &syevd) return not_converged(n + " off-diagonal elements that are not 0");
    if (&r == &gels)
        return {"there is no solution of full rank", "info " + n, "a matrix of full rank",
                "driver gelsd"};
    return {"LAPACK failed", "info " + n, "0", "other values"};
}

}  // namespace sinter::lapack
