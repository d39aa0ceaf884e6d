#include "ops/linalg/tiny.hpp"

#include "engine/run/flush.hpp"
#include "ops/linalg/checks.hpp"

#include <sinter/expr/expr.hpp>
#include <sinter/functions/functions.hpp>
#include <sinter/functions/pointwise.hpp>
#include <sinter/functions/shape.hpp>

#include <algorithm>

namespace sinter::ops {
namespace {

using row = std::vector<Tensor>;

/// Returns how many rows below row `c` the largest element of its column is, as a number of the
/// dtype. Of equal ones it is the first, as in LAPACK.
Tensor largest_below(const std::vector<row>& rows, std::size_t c) {
    Tensor largest = abs(rows[c][c]), at = zeros_like(rows[c][c]);
    for (std::size_t r = c + 1; r < rows.size(); ++r) {
        const Tensor size = abs(rows[r][c]), larger = size > largest;
        at = where(larger, full_like(at, static_cast<double>(r - c)), at);
        largest = where(larger, size, largest);
    }
    return at;
}

void eliminate_column(std::vector<row>& rows, std::size_t c, Tensor& sign) {
    const std::size_t width = rows[c].size();
    const Tensor at = largest_below(rows, c);
    row pivot(width);
    for (std::size_t j = c; j < width; ++j) {
        pivot[j] = rows[c][j];
        for (std::size_t r = c + 1; r < rows.size(); ++r)
            pivot[j] = where(at == static_cast<double>(r - c), rows[r][j], pivot[j]);
    }
    for (std::size_t r = c + 1; r < rows.size(); ++r) {
        const Tensor swapped = at == static_cast<double>(r - c);
        // LAPACK skips a column of zeros.
        const Tensor factor =
            where(pivot[c] == 0, 0.0, where(swapped, rows[c][c], rows[r][c]) / pivot[c]);
        for (std::size_t j = c + 1; j < width; ++j)
            rows[r][j] = where(swapped, rows[c][j], rows[r][j]) - factor * pivot[j];
    }
    rows[c] = std::move(pivot);
    const Tensor moved = (at != 0).to(at.scalar_type());
    sign = sign * (1 - 2 * moved);
}

}  // namespace

bool are_tiny(const TensorImpl& A, int64_t k) {
    constexpr int64_t largest = 6, most_operations = 150, fewest_matrices = 64;
    const int64_t n = cols(A);
    if (isComplexType(A.dtype) || n < 1 || n > largest || k > largest) return false;
    const int64_t count = A.shape->numel / (n * n);
    return n * n * (n + 2 * k) <= 2 * most_operations && count >= fewest_matrices * (n + k);
}

tiny_elimination::tiny_elimination(const Tensor& A, const Tensor& B) {
    const int64_t n = A.size(-1), k = B.defined() ? B.size(-1) : 0;
    for (int64_t i = 0; i < n; ++i) {
        row& r = rows.emplace_back();
        for (int64_t j = 0; j < n; ++j) r.push_back(A.select(-2, i).select(-1, j));
        for (int64_t j = 0; j < k; ++j) r.push_back(B.select(-2, i).select(-1, j));
    }
    sign = ones_like(rows[0][0]);
    for (std::size_t c = 0; c + 1 < rows.size(); ++c) eliminate_column(rows, c, sign);
    info = zeros_like(rows[0][0], kInt);
    for (std::size_t c = rows.size(); c-- > 0;)
        info = where(rows[c][c] == 0, full_like(info, static_cast<int64_t>(c) + 1), info);
}

Tensor tiny_elimination::solution_now() const {
    const std::size_t n = rows.size(), k = rows[0].size() - n;
    std::vector<Tensor> x(n * k);
    for (std::size_t j = 0; j < k; ++j)
        for (std::size_t i = n; i-- > 0;) {
            Tensor rest = rows[i][n + j];
            for (std::size_t p = i + 1; p < n; ++p) rest = rest - rows[i][p] * x[p * k + j];
            x[i * k + j] = rest / rows[i][i];
        }
    // One kernel computes all elements. Fused with `stack`, each element would repeat the whole
    // elimination.
    std::vector<Version*> wanted{info.unsafeGetTensorImpl()->storage->current.get()};
    for (const Tensor& t : x) wanted.push_back(t.unsafeGetTensorImpl()->storage->current.get());
    flush(wanted, static_cast<int>(flush_reason::library));
    Tensor joined = stack(x, -1);
    std::vector<int64_t> sizes = joined.sizes().vec();
    sizes.back() = static_cast<int64_t>(n);
    sizes.push_back(static_cast<int64_t>(k));
    return joined.view(sizes);
}

}  // namespace sinter::ops
