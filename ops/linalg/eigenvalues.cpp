// Eigenvalues and eigenvectors.
#include "ops/linalg/checks.hpp"
#include "ops/linalg/routine_call.hpp"

#include <sinter/expr/expr.hpp>
#include <sinter/functions/functions.hpp>
#include <sinter/functions/pointwise.hpp>

namespace sinter::inline v1 {

using ops::rows;

namespace {

/// Returns complex vectors. Of a conjugate pair the first column of `pairs` is the real part of
/// both vectors, and the second one the imaginary part of the first vector.
Tensor complex_columns(const Tensor& values, const Tensor& pairs) {
    const Tensor part = imag(values).unsqueeze(-2);
    const Tensor first = part > 0, second = part < 0;
    const Tensor before = roll(pairs, 1, -1), behind = roll(pairs, -1, -1);
    const Tensor zero = zeros({}, pairs.options());
    return complex(where(second, before, pairs), where(first, behind, where(second, -pairs, zero)));
}

/// Returns the eigenvalues and vectors of general matrices; the vectors are empty unless `vectors`.
std::vector<Tensor> of_any(const char* op, const tensor_base& A, bool vectors,
                           const source_line& line) {
    const TensorImpl& a = ops::square_matrices(op, A);
    const int64_t n = rows(a), of_vectors = vectors ? n : 0;
    const ScalarType complex = toComplexType(a.dtype);
    ops::routine_call call(op, lapack::geev, ops::batch_of(a));
    // A transpose has the same eigenvalues.
    const bool turned = !vectors && ops::lies_by_rows(a);
    call.changes(turned ? A.mT() : A.self(), {n, n});
    // A GPU's library makes pairs of real vectors, which a kernel then separates.
    const bool in_pairs = vectors && a.device != runtime::main_memory && a.dtype != complex;
    call.makes(complex, n);
    call.makes(in_pairs ? a.dtype : complex, {of_vectors, of_vectors}).makes(kInt, {});
    call.with(lapack::geev_attributes{vectors});
    const std::vector<Tensor> r = call.now();
    ops::check_info(op, lapack::geev, r[3], line);
    return {r[1], in_pairs ? complex_columns(r[1], r[2]) : r[2]};
}

/// The same for Hermitian matrices. A real row-major matrix is column-major with the triangles
/// swapped. A complex one is transposed only if vectors are not wanted: the eigenvalues are the
/// same.
std::vector<Tensor> of_hermitian(const char* op, const tensor_base& A, std::string_view UPLO,
                                 bool vectors, const source_line& line) {
    const TensorImpl& a = ops::square_matrices(op, A);
    if (UPLO != "L" && UPLO != "U" && UPLO != "l" && UPLO != "u")
        ops::refuse_option(op, "triangle", UPLO, "\"L\" or \"U\"", "L");
    const int64_t n = rows(a);
    const bool turned = ops::lies_by_rows(a) && (!vectors || !isComplexType(a.dtype));
    const bool upper = UPLO == "U" || UPLO == "u";
    ops::routine_call call(op, lapack::syevd, ops::batch_of(a));
    call.changes(turned ? A.mT() : A.self(), {n, n});
    call.makes(toRealValueType(a.dtype), n).makes(kInt, {});
    call.with(lapack::syevd_attributes{upper != turned ? 'U' : 'L', vectors});
    const std::vector<Tensor> r = call.now();
    ops::check_info(op, lapack::syevd, r[2], line);
    return {r[1], r[0]};
}

}  // namespace

std::tuple<Tensor, Tensor> linalg_eig(const tensor_base& A, const source_line& line) {
    std::vector<Tensor> r = of_any("linalg_eig", A, true, line);
    return {std::move(r[0]), std::move(r[1])};
}

Tensor linalg_eigvals(const tensor_base& A, const source_line& line) {
    return std::move(of_any("linalg_eigvals", A, false, line)[0]);
}

std::tuple<Tensor, Tensor> linalg_eigh(const tensor_base& A, std::string_view UPLO,
                                       const source_line& line) {
    std::vector<Tensor> r = of_hermitian("linalg_eigh", A, UPLO, true, line);
    return {std::move(r[0]), std::move(r[1])};
}

Tensor linalg_eigvalsh(const tensor_base& A, std::string_view UPLO, const source_line& line) {
    return std::move(of_hermitian("linalg_eigvalsh", A, UPLO, false, line)[0]);
}

}  // namespace sinter::inline v1
