// Combinations of vectors: grids, products, combinations and powers.
#include "ops/common/devices.hpp"
#include "ops/common/op_checks.hpp"
#include "ops/common/opmath.hpp"

#include <sinter/functions/functions.hpp>

#include <algorithm>

namespace sinter::inline v1 {

using ops::body;
using runtime::fail;
using runtime::text;

namespace {

const TensorImpl& vector_of(const char* op, const tensor_base& self) {
    const TensorImpl& t = body(op, self);
    ops::require_vector(op, t);
    return t;
}

std::vector<Tensor> grids(const char* op, TensorList tensors) {
    if (tensors.empty())
        fail(op, "the list of tensors is empty", "{}", "one tensor or more", "a vector");
    std::vector<int64_t> sizes;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const TensorImpl& t = body(op, tensors[i]);
        if (t.shape->ndim > 1)
            fail(op, "a tensor has too many dimensions",
                 text("shape ", t.shape->sizes_ref(), " at position ", i), "at most 1 dimension",
                 "flatten() on it");
        if (t.dtype != tensors[0].scalar_type())
            runtime::refuse_dtypes(op, tensors[0].scalar_type(), t.dtype);
        sizes.push_back(t.shape->numel);
    }
    std::vector<Tensor> result;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        std::vector<int64_t> own(tensors.size(), 1);
        own[i] = sizes[i];
        result.push_back(tensors[i].view(own).expand(sizes));
    }
    return result;
}

/// Advances to the next combination of rising numbers below n, with equal neighbours if
/// `with_replacement`. Returns false after the last one.
bool advance(std::vector<int64_t>& at, int64_t n, bool with_replacement) {
    const auto r = static_cast<int64_t>(at.size());
    for (int64_t i = r - 1; i >= 0; --i) {
        const auto k = static_cast<std::size_t>(i);
        const int64_t limit = with_replacement ? n - 1 : n - r + i;
        if (at[k] == limit) continue;
        ++at[k];
        for (std::size_t j = k + 1; j < at.size(); ++j) at[j] = at[j - 1] + !with_replacement;
        return true;
    }
    return false;
}

}  // namespace

std::vector<Tensor> meshgrid(TensorList tensors, const std::string& indexing) {
    if (indexing != "ij" && indexing != "xy")
        ops::refuse_option("meshgrid", "indexing", indexing, "\"ij\" or \"xy\"", "ij");
    const bool swap = indexing == "xy" && tensors.size() >= 2;
    if (!swap) return grids("meshgrid", tensors);
    std::vector<Tensor> swapped = tensors.vec();
    std::swap(swapped[0], swapped[1]);
    std::vector<Tensor> result = grids("meshgrid", swapped);
    std::swap(result[0], result[1]);
    return result;
}

Tensor cartesian_prod(TensorList tensors) {
    for (const Tensor& t : tensors) vector_of("cartesian_prod", t);
    if (tensors.size() == 1) return tensors[0];
    std::vector<Tensor> columns = grids("cartesian_prod", tensors);
    for (Tensor& c : columns) c = c.flatten();
    return stack(columns, 1);
}

namespace {

/// Throws ValueError, before the first is made, if memory could not hold the combinations.
void require_countable(int64_t n, int64_t r, bool with_replacement) {
    const double from = static_cast<double>(n) + static_cast<double>(with_replacement ? r - 1 : 0);
    const int64_t steps = std::min(r, with_replacement ? n - 1 : n - r);  // or the number left out,
                                                                          // if that is less
    double count = 1;
    for (int64_t i = 1; i <= steps && count < 0x1p60; ++i)
        count = count * (from - static_cast<double>(i) + 1) / static_cast<double>(i);
    if (count * static_cast<double>(r) >= 0x1p60)
        fail<ValueError>("combinations", "the result is too large",
                         text("r = ", r, " of ", runtime::count_of(n, "element")),
                         "fewer than 2^60 elements in the result", "a smaller r");
}

}  // namespace

Tensor combinations(const tensor_base& self, int64_t r, bool with_replacement) {
    const TensorImpl& t = vector_of("combinations", self);
    if (r < 0) fail("combinations", "r is negative", text(r), "0 or more", "2, the default");
    if (r == 0) return empty(0, ops::beside(t, t.dtype));
    const int64_t n = t.shape->numel;
    std::vector<int64_t> chosen;
    int64_t rows = 0;
    if (n > 0 && (with_replacement || r <= n)) {
        require_countable(n, r, with_replacement);
        std::vector<int64_t> at(static_cast<std::size_t>(r));
        for (int64_t i = 0; i < r && !with_replacement; ++i) at[static_cast<std::size_t>(i)] = i;
        do {
            chosen.insert(chosen.end(), at.begin(), at.end());
            ++rows;
        } while (advance(at, n, with_replacement));
    }
    return self.index_select(0, tensor(chosen, ops::beside(t, kLong))).view({rows, r});
}

Tensor vander(const tensor_base& x, optional<int64_t> N, bool increasing) {
    const TensorImpl& t = vector_of("vander", x);
    const int64_t columns = N.value_or(t.shape->numel);
    if (columns < 0)
        fail("vander", "N is negative", text(columns), "0 or more",
             "leaving N out for a square matrix");
    const ScalarType dtype = promote_types(t.dtype, kLong);
    // A running product. Float computes in double, and each column is rounded once.
    const ScalarType in = dtype == kFloat ? kDouble : ops::opmath_type(dtype);
    if (columns == 0) return empty({t.shape->numel, 0}, ops::beside(t, dtype));
    std::vector<Tensor> powers(static_cast<std::size_t>(columns));
    const Tensor base = x.to(in);
    Tensor power = ones(t.shape->sizes_ref(), ops::beside(t, in));
    for (int64_t i = 0; i < columns; ++i) {
        if (i > 0) power = power * base;
        powers[static_cast<std::size_t>(increasing ? i : columns - 1 - i)] = power.to(dtype);
    }
    return stack(powers, 1);
}

}  // namespace sinter::inline v1
