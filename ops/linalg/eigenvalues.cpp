// Eigenvalues and eigenvectors.
#include "ops/linalg/checks.hpp"
#include "ops/linalg/gradients.hpp"
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
std::vector<Tensor> computed_of_any(const char* op, const tensor_base& A, bool vectors,
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
std::vector<Tensor> computed_of_hermitian(const char* op, const tensor_base& A,
                                          std::string_view UPLO, bool vectors,
                                          const source_line& line) {
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

/// The gradient of values reads the vectors, so they are computed where it is recorded.
template <class F>
std::vector<Tensor> recorded(const char* name, const tensor_base& A, bool vectors, const F& compute,
                             autograd::rule gradient) {
    const tensor_base* operand = &A;
    if (!autograd::is_recorded({&operand, 1})) return compute(vectors);
    return autograd::with_rule(
        name, {&A}, {0, 3}, [&] { return compute(true); }, std::move(gradient));
}

std::vector<Tensor> of_any(const char* op, const tensor_base& A, bool vectors,
                           const source_line& line) {
    const bool is_real = A.defined() && !A.is_complex();
    return recorded(
        "linalg_eig", A, vectors,
        [&](bool with_vectors) { return computed_of_any(op, A, with_vectors, line); },
        [is_real](const autograd::rule_call& c) -> autograd::variable_list {
            const Tensor g = ops::gradient_of_eig(c.grad(0), c.grad(1), c.result(0), c.result(1));
            return {is_real ? Tensor(real(g)) : g};
        });
}

std::vector<Tensor> of_hermitian(const char* op, const tensor_base& A, std::string_view UPLO,
                                 bool vectors, const source_line& line) {
    return recorded(
        "linalg_eigh", A, vectors,
        [&](bool with_vectors) { return computed_of_hermitian(op, A, UPLO, with_vectors, line); },
        [](const autograd::rule_call& c) -> autograd::variable_list {
            return {ops::gradient_of_eigh(c.grad(0), c.grad(1), c.result(0), c.result(1))};
        });
}

}  // namespace

std::tuple<Tensor, Tensor> linalg_eig(const tensor_base& A, const source_line& line) {
    std::vector<Tensor> r = of_any("linalg_eig", A, true, line);
    return {std::move(r[0]), std::move(r[1])};
}

Tensor linalg_eigvals(const tensor_base& A, const source_line& line) {
    const char* op = "linalg_eigvals";
    const tensor_base* operand = &A;
    if (!autograd::is_recorded({&operand, 1})) return std::move(of_any(op, A, false, line)[0]);
    // Of the transpose where that is decomposed otherwise: then the values have the same order.
    const bool turned = ops::lies_by_rows(ops::square_matrices(op, A));
    return std::move(of_any(op, turned ? A.mT() : A.self(), true, line)[0]);
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
