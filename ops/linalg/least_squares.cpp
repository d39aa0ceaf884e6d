// Least squares.
#include "ops/linalg/checks.hpp"
#include "ops/linalg/routine_call.hpp"

#include <sinter/expr/expr.hpp>
#include <sinter/functions/functions.hpp>
#include <sinter/functions/pointwise.hpp>
#include <sinter/limits.hpp>

#include <array>
#include <limits>

namespace sinter::inline v1 {

using ops::body;
using ops::cols;
using ops::rows;
using runtime::fail;
using runtime::text;

namespace {

constexpr const char* lstsq = "linalg_lstsq";

using driver = lapack::least_squares_driver;

driver driver_of(const optional<std::string_view>& name) {
    constexpr std::array<std::string_view, 4> names{"gels", "gelsy", "gelsd", "gelss"};
    if (!name) return driver::gelsy;
    for (std::size_t i = 0; i < names.size(); ++i)
        if (*name == names[i]) return static_cast<driver>(i);
    ops::refuse_option(lstsq, "driver", *name, "\"gels\", \"gelsy\", \"gelsd\" or \"gelss\"",
                       "gelsy");
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor, Tensor> linalg_lstsq(const tensor_base& A, const tensor_base& B,
                                                        optional<double> rcond,
                                                        optional<std::string_view> by,
                                                        const source_line& line) {
    const TensorImpl &a = ops::matrices(lstsq, A), &b = body(lstsq, B);
    ops::require_same_dtype(lstsq, a, b);
    const int32_t fewer = a.shape->ndim - b.shape->ndim;
    if (b.shape->ndim == 0 || fewer < 0 || fewer > 1)
        fail(
            lstsq, "the right-hand side has the wrong number of dimensions", ops::shapes(a, b),
            text(a.shape->ndim, " dimensions for matrices, or ", a.shape->ndim - 1, " for vectors"),
            "unsqueeze() on the right-hand side");
    const bool vector = fewer == 1;
    const Tensor right = vector ? B.unsqueeze(-1) : B.self();
    const int64_t m = rows(a), n = cols(a), k = right.size(-1);
    if (right.size(-2) != m) ops::refuse_right_side(lstsq, a, b, m);
    const driver d = driver_of(by);
    const std::vector<int64_t> batch =
        broadcast_shapes(lstsq, ops::batch_of(a), ops::batch_of(body(lstsq, right)));

    // The solution has n rows and overwrites the right side, which is padded to n rows.
    std::vector<int64_t> sizes = batch;
    sizes.insert(sizes.end(), {std::max(m, n), k});
    Tensor wide = right;
    if (n > m) {
        wide = zeros(sizes, ops::beside(a, a.dtype));
        wide.narrow(-2, 0, m).copy_(right);
    }
    const ScalarType real = toRealValueType(a.dtype);
    ops::routine_call call(lstsq, lapack::gels, batch);
    call.changes(A, {m, n}).changes(wide, {std::max(m, n), k});
    call.makes(kLong, {}).makes(real,
                                d == driver::gelsd || d == driver::gelss ? std::min(m, n) : 0);
    call.makes(kInt, {});
    call.with(lapack::least_squares_attributes{
        d, rcond.value_or(finfo(real).eps * static_cast<double>(std::max(m, n)))});
    std::vector<Tensor> r = call.now();
    ops::check_info(lstsq, lapack::gels, r[4], line);

    Tensor x = r[1].narrow(-2, 0, n), rank = r[2], values = r[3];
    Tensor residuals = empty(0, ops::beside(a, real));
    const bool full = d == driver::gels || (d != driver::gelsy && rank.eq(n).all().item<bool>());
    if (m > n && full) residuals = abs(r[1].narrow(-2, n, m - n)).square().sum({-2});
    if (vector) x = x.squeeze(-1);
    if (d == driver::gels) rank = empty(0, ops::beside(a, kLong));
    if (d == driver::gels || d == driver::gelsy) values = empty(0, ops::beside(a, real));
    return {std::move(x), std::move(residuals), std::move(rank), std::move(values)};
}

}  // namespace sinter::inline v1
