// Singular values and vectors.
#include "ops/linalg/checks.hpp"
#include "ops/linalg/gradients.hpp"
#include "ops/linalg/reflectors.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/pointwise.hpp>
#include <sinter/functions/products.hpp>

#include <algorithm>

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

/// Returns true if R of a QR factorisation is decomposed instead of a matrix with many more rows
/// than columns, or the other way round: NVIDIA's library has batches of matrices of up to 32 rows
/// and columns.
bool by_qr(const TensorImpl& a, char job) {
    constexpr int64_t largest = 32;
    const int64_t m = rows(a), n = cols(a);
    return a.device != runtime::main_memory && job != 'A' && a.shape->numel > m * n &&
           std::min(m, n) > 0 && std::min(m, n) <= largest && std::max(m, n) > largest;
}

/// Returns U, S and Vh, or S alone for job 'N'. A row-major matrix is decomposed as its transpose,
/// with U and Vh exchanged.
std::vector<Tensor> decompose_in_range(const char* op, const Tensor& A, char job, bool gesvd,
                                       const source_line& line) {
    const TensorImpl& a = ops::matrices(op, A);
    if (by_qr(a, job)) {
        const bool tall = rows(a) >= cols(a);
        const ops::reflectors f = ops::reflectors_of(op, tall ? A : A.mH());
        const int64_t k = std::min(rows(a), cols(a));
        const Tensor R = f.a.narrow(-2, 0, k).triu();
        std::vector<Tensor> r = decompose_in_range(op, tall ? R : R.mH(), job, gesvd, line);
        if (job == 'N') return r;
        const Tensor Q = ops::columns_of_q(op, f, k);
        if (tall) return {matmul(Q, r[0]), r[1], r[2]};
        return {r[0], r[1], matmul(r[2], Q.mH())};
    }
    const bool by_rows = ops::lies_by_rows(a);
    const int64_t m = by_rows ? cols(a) : rows(a), n = by_rows ? rows(a) : cols(a);
    const int64_t k = std::min(m, n);
    ops::routine_call call(op, lapack::gesdd, ops::batch_of(a));
    call.changes(by_rows ? A.mT() : A, {m, n});
    if (job == 'N') {
        call.makes(a.dtype, {0, 0}).makes(toRealValueType(a.dtype), k).makes(a.dtype, {0, 0});
    } else {
        call.makes(a.dtype, {m, job == 'A' ? m : k}).makes(toRealValueType(a.dtype), k);
        call.makes(a.dtype, {job == 'A' ? n : k, n});
    }
    call.makes(kInt, {}).with(lapack::svd_attributes{job, gesvd});
    std::vector<Tensor> r = call.now();
    ops::check_info(op, lapack::gesdd, r[4], line);
    if (job == 'N') return {r[2]};
    if (by_rows) return {r[3].mT(), r[2], r[1].mT()};
    return {r[1], r[2], r[3]};
}

std::vector<Tensor> computed(const char* op, const tensor_base& A, char job, bool gesvd,
                             const source_line& line) {
    ops::matrices(op, A);
    const in_range scaled(A);
    std::vector<Tensor> r = decompose_in_range(op, scaled.matrix, job, gesvd, line);
    Tensor& values = r[job == 'N' ? 0 : 1];
    values = scaled.values(values);
    return r;
}

/// The gradient of values reads the vectors, so they are computed where it is recorded.
std::vector<Tensor> decompose(const char* op, const tensor_base& A, char job, bool gesvd,
                              const source_line& line) {
    const tensor_base* operand = &A;
    if (!autograd::is_recorded({&operand, 1})) return computed(op, A, job, gesvd, line);
    std::vector<Tensor> r = autograd::with_rule(
        "linalg_svd", {&A}, {0, 7},
        [&] { return computed(op, A, job == 'N' ? 'S' : job, gesvd, line); },
        [](const autograd::rule_call& c) -> autograd::variable_list {
            return {ops::gradient_of_svd(c.grad(0), c.grad(1), c.grad(2), c.result(0), c.result(1),
                                         c.result(2))};
        });
    if (job == 'N') return {r[1]};
    return r;
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
