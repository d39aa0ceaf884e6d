// Error texts for LAPACK's `info`.
#include "kernels/lapack/routines.hpp"

#include <string>

namespace sinter::lapack {
namespace {

meaning not_converged(const std::string& got) {
    return {"the algorithm did not converge", got, "convergence",
            "scaling the matrix, or .to(kDouble) first"};
}

meaning singular(const std::string& got) {
    return {"the matrix is singular", got, "an invertible matrix",
            "linalg_lstsq() or linalg_pinv()"};
}

}  // namespace

meaning meaning_of(const routine& r, int info) {
    const std::string n = std::to_string(info), at = std::to_string(info - 1);
    if (info == info_not_finite)
        return {"the matrix has elements that are not finite", "infinities or NaN",
                "finite elements", "nan_to_num(), or isfinite() to find them"};
    if (&r == &getrf || &r == &getri) return singular("a zero pivot at index " + at);
    if (&r == &potrf)
        return {"the matrix is not positive definite",
                "a leading minor of order " + n + " that is not positive",
                "a Hermitian positive definite matrix", "linalg_ldl_factor() or linalg_eigh()"};
    if (&r == &potri)
        return {"the factor is singular", "a zero on the diagonal at index " + at,
                "an invertible factor", "linalg_cholesky() of a positive definite matrix"};
    if (&r == &sytrf) return singular("a zero block of D at index " + at);
    if (&r == &gesdd) return not_converged(n + " superdiagonal elements that did not become 0");
    if (&r == &geev) return not_converged("no eigenvalues up to index " + at);
    if (&r == &syevd) return not_converged(n + " off-diagonal elements that did not become 0");
    if (&r == &gels)
        return {"the matrix does not have full rank",
                "a zero on the diagonal of the triangular factor at index " + at, "full rank",
                "the driver \"gelsd\""};
    return {"LAPACK failed", "info " + n, "info 0", "isfinite() to check the operands"};
}

}  // namespace sinter::lapack
