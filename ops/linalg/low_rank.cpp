// svd_lowrank: singular values from the image of a few random vectors.
#include "ops/common/op_checks.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/linalg.hpp>
#include <sinter/functions/products.hpp>

namespace sinter::inline v1 {

using ops::body;
using runtime::fail;
using runtime::text;

std::tuple<Tensor, Tensor, Tensor> svd_lowrank(const tensor_base& A, int64_t q, int64_t niter,
                                               const optional<Tensor>& M) {
    const char* op = "svd_lowrank";
    const TensorImpl& b = body(op, A);
    ops::require_dims_from(op, b, 2, "unsqueeze(-1), which makes a vector a column");
    if (q < 0) fail(op, "the rank q is negative", text(q), "0 or more", "6, the default");
    if (niter < 0)
        fail(op, "the number of iterations is negative", text(niter), "0 or more",
             "2, the default");
    Tensor a = A.self();
    if (M) a = a - M->broadcast_to(A.sizes());
    // Works on a matrix with at least as many rows as columns.
    const bool wide = A.size(-2) < A.size(-1);
    if (wide) a = a.mH();
    const Tensor turned = a.mH();
    Tensor Q = std::get<0>(linalg_qr(a.matmul(randn({a.size(-1), q}, a.options()))));
    for (int64_t i = 0; i < niter; ++i) {
        Q = std::get<0>(linalg_qr(turned.matmul(Q)));
        Q = std::get<0>(linalg_qr(a.matmul(Q)));
    }
    auto [u, S, Vh] = linalg_svd(Q.mH().matmul(a), false);
    Tensor U = Q.matmul(u), V = Vh.mH();
    if (wide) std::swap(U, V);
    return {U, S, V};
}

}  // namespace sinter::inline v1
