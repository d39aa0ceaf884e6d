// Singular values and vectors.
#include "ops/linalg/checks.hpp"
#include "ops/linalg/routine_call.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/pointwise.hpp>

namespace sinter::inline v1 {

using ops::cols;
using ops::rows;

namespace {

bool by_gesvd(const char* op, const optional<std::string_view>& driver) {
    if (!driver || *driver == "gesdd") return false;
    if (*driver == "gesvd") return true;
    ops::refuse_option(op, "driver", *driver, "\"gesdd\" or \"gesvd\"", "gesdd");
}

/// A matrix times a power of two that keeps the squares of its elements in range, and the inverse
/// power for its singular values. LAPACK does this by itself; the GPUs' libraries do not, and
/// return wrong factors for Float matrices of norm 1e-33.
struct in_range {
    Tensor matrix, back;

    explicit in_range(const tensor_base& A) : matrix(A.self()) {
        if (!matrix.is_cuda() || matrix.numel() == 0) return;
        const Tensor largest = matrix.abs().amax({-2, -1}, true);
        const bool single = largest.scalar_type() == kFloat;
        const int usual = single ? 30 : 240, most = single ? 126 : 1022;
        // Numbers that are not finite, and 0, have an exponent of 0.
        const Tensor exponent = std::get<1>(frexp(largest.nan_to_num(0, 0, 0)));
        const Tensor shift = where(exponent.abs() > usual, exponent.clamp(-most, most), 0);
        const Tensor one = ones({}, largest.options());
        matrix = matrix * ldexp(one, -shift);
        back = ldexp(one, shift).squeeze(-1);
    }
    Tensor values(const Tensor& s) const { return back.defined() ? Tensor(s * back) : s; }
};

/// Returns U, S and Vh, or S alone for job 'N'. A row-major matrix is decomposed as its transpose,
/// with U and Vh exchanged.
std::vector<Tensor> decompose(const char* op, const tensor_base& A, char job, bool gesvd,
                              const source_line& line) {
    ops::matrices(op, A);
    const in_range scaled(A);
    const TensorImpl& a = ops::matrices(op, scaled.matrix);
    const bool by_rows = ops::lies_by_rows(a);
    const int64_t m = by_rows ? cols(a) : rows(a), n = by_rows ? rows(a) : cols(a);
    const int64_t k = std::min(m, n);
    ops::routine_call call(op, lapack::gesdd, ops::batch_of(a));
    call.changes(by_rows ? scaled.matrix.mT() : scaled.matrix, {m, n});
    if (job == 'N') {
        call.makes(a.dtype, {0, 0}).makes(toRealValueType(a.dtype), k).makes(a.dtype, {0, 0});
    } else {
        call.makes(a.dtype, {m, job == 'A' ? m : k}).makes(toRealValueType(a.dtype), k);
        call.makes(a.dtype, {job == 'A' ? n : k, n});
    }
    call.makes(kInt, {}).with(lapack::svd_attributes{job, gesvd});
    std::vector<Tensor> r = call.now();
    ops::check_info(op, lapack::gesdd, r[4], line);
    const Tensor values = scaled.values(r[2]);
    if (job == 'N') return {values};
    if (by_rows) return {r[3].mT(), values, r[1].mT()};
    return {r[1], values, r[3]};
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> linalg_svd(const tensor_base& A, bool full_matrices,
                                              optional<std::string_view> driver,
                                              const source_line& line) {
    const char* op = "linalg_svd";
    const bool gesvd = by_gesvd(op, driver);
    std::vector<Tensor> r = decompose(op, A, full_matrices ? 'A' : 'S', gesvd, line);
    return {std::move(r[0]), std::move(r[1]), std::move(r[2])};
}

Tensor linalg_svdvals(const tensor_base& A, optional<std::string_view> driver,
                      const source_line& line) {
    const char* op = "linalg_svdvals";
    return std::move(decompose(op, A, 'N', by_gesvd(op, driver), line)[0]);
}

std::tuple<Tensor, Tensor, Tensor> svd(const tensor_base& A, bool some, bool compute_uv,
                                       const source_line& line) {
    const char* op = "svd";
    if (compute_uv) {
        std::vector<Tensor> r = decompose(op, A, some ? 'S' : 'A', false, line);
        return {std::move(r[0]), std::move(r[1]), r[2].mH()};
    }
    const TensorImpl& a = ops::matrices(op, A);
    const auto square = [&](int64_t n) {
        std::vector<int64_t> sizes = ops::batch_of(a).vec();
        sizes.insert(sizes.end(), {n, n});
        return zeros(sizes, ops::beside(a, a.dtype));
    };
    return {square(rows(a)), std::move(decompose(op, A, 'N', false, line)[0]), square(cols(a))};
}
std::tuple<Tensor, Tensor, Tensor> tensor_base::svd(bool some, bool compute_uv,
                                                    const source_line& line) const {
    return sinter::svd(*this, some, compute_uv, line);
}

}  // namespace sinter::inline v1
