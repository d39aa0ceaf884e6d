// tensorinv and tensorsolve: a tensor treated as a square matrix between two groups of dimensions.
#include "ops/common/op_checks.hpp"
#include "ops/common/out.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/linalg.hpp>

#include <functional>
#include <numeric>

namespace sinter::inline v1 {
namespace {

using ops::body;
using ops::store;
using runtime::fail;
using runtime::text;

int64_t product_of(IntArrayRef sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

/// Returns the sizes from position `at` on.
IntArrayRef from(IntArrayRef sizes, std::size_t at) { return sizes.slice(at, sizes.size() - at); }

}  // namespace

Tensor linalg_tensorinv(const tensor_base& A, int64_t ind, const source_line& line) {
    const char* op = "linalg_tensorinv";
    const IntArrayRef sizes = body(op, A).shape->sizes_ref();
    if (ind <= 0) fail(op, "ind is not positive", text(ind), "1 or more", "2, the default");
    const auto first = std::min(static_cast<std::size_t>(ind), sizes.size());
    const IntArrayRef left = sizes.slice(0, first), right = from(sizes, first);
    const int64_t n = product_of(left);
    if (n != product_of(right) || first != static_cast<std::size_t>(ind))
        fail(op,
             text("the first ", ind,
                  " dimensions and the others have different numbers of elements"),
             text("shape ", sizes), "equal products of sizes",
             "another ind, which says where to divide the shape");
    std::vector<int64_t> result = right.vec();
    result.insert(result.end(), left.begin(), left.end());
    return linalg_inv(A.reshape({n, n}), line).reshape(result);
}

Tensor linalg_tensorsolve(const tensor_base& A, const tensor_base& B, OptionalIntArrayRef dims,
                          const source_line& line) {
    const char* op = "linalg_tensorsolve";
    const TensorImpl &a = body(op, A), &b = body(op, B);
    Tensor moved = A.self();
    if (dims) {
        std::vector<int64_t> end((*dims).size());
        std::iota(end.begin(), end.end(), a.shape->ndim - static_cast<int64_t>(end.size()));
        moved = A.movedim(*dims, end);
    }
    const IntArrayRef sizes = moved.sizes();
    const auto known = std::min(static_cast<std::size_t>(b.shape->ndim), sizes.size());
    const IntArrayRef result = from(sizes, known);
    const int64_t n = b.shape->numel;
    if (product_of(result) != n || product_of(sizes.slice(0, known)) != n)
        fail(op, "the first tensor does not reshape to a square matrix",
             text("shapes ", sizes, " and ", b.shape->sizes_ref()),
             text("the sizes of the second, then sizes whose product is ", n),
             "dims, which moves dimensions to the end");
    return linalg_solve(moved.reshape({n, n}), B.reshape({n}), true, line).reshape(result);
}

Tensor& linalg_tensorinv_out(Tensor& result, const Tensor& A, int64_t ind,
                             const source_line& line) {
    return store("linalg_tensorinv_out", result, linalg_tensorinv(A, ind, line));
}
Tensor& linalg_tensorsolve_out(Tensor& result, const Tensor& A, const Tensor& B,
                               OptionalIntArrayRef dims, const source_line& line) {
    return store("linalg_tensorsolve_out", result, linalg_tensorsolve(A, B, dims, line));
}

}  // namespace sinter::inline v1
