// Products of several matrices, and powers of one.
#include "kernels/linalg/product.hpp"
#include "ops/autograd/function.hpp"
#include "ops/common/out.hpp"
#include "ops/products/products.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/linalg.hpp>
#include <sinter/functions/products.hpp>

#include <limits>

namespace sinter::inline v1 {

using ops::body;
using ops::store;
using runtime::fail;
using runtime::text;

namespace {

Tensor times(const char* name, const Tensor& a, const Tensor& b) {
    return ops::product(name, blas::mm_op, a, b);
}

/// Returns where to cut the product of matrices i to j for the lowest cost: `cut[i * n + j]`.
/// Matrix i has sizes[i] rows and sizes[i + 1] columns. Costs are multiplications.
std::vector<std::size_t> cuts_of(const std::vector<int64_t>& sizes) {
    const std::size_t n = sizes.size() - 1;
    const auto size = [&sizes](std::size_t i) { return static_cast<double>(sizes[i]); };
    std::vector<double> cost(n * n, 0.0);
    std::vector<std::size_t> cut(n * n, 0);
    for (std::size_t length = 1; length < n; ++length)
        for (std::size_t i = 0; i + length < n; ++i) {
            const std::size_t j = i + length;
            cost[i * n + j] = std::numeric_limits<double>::infinity();
            for (std::size_t k = i; k < j; ++k) {
                const double c =
                    cost[i * n + k] + cost[(k + 1) * n + j] + size(i) * size(k + 1) * size(j + 1);
                // Ties as in PyTorch: the first cut, but the second of three matrices.
                if (c < cost[i * n + j] || (n == 3 && c == cost[i * n + j])) {
                    cost[i * n + j] = c;
                    cut[i * n + j] = k;
                }
            }
        }
    return cut;
}

/// Returns the product of matrices whose sizes fit.
Tensor product_of_all(const char* name, const std::vector<Tensor>& matrices) {
    const std::size_t n = matrices.size();
    std::vector<int64_t> sizes{matrices[0].sizes()[0]};
    for (const Tensor& m : matrices) sizes.push_back(m.sizes()[1]);
    const std::vector<std::size_t> cut = cuts_of(sizes);
    // The ranges to multiply, each before its parts.
    struct range {
        std::size_t from, to;
    };
    std::vector<range> order, open{{0, n - 1}};
    while (!open.empty()) {
        const range r = open.back();
        open.pop_back();
        order.push_back(r);
        if (r.from == r.to) continue;
        const std::size_t k = cut[r.from * n + r.to];
        open.push_back({k + 1, r.to});
        open.push_back({r.from, k});
    }
    // In reverse, a range finds its parts on the stack, the left one on top.
    std::vector<Tensor> done;
    for (std::size_t i = order.size(); i-- > 0;) {
        const range r = order[i];
        if (r.from == r.to) {
            done.push_back(matrices[r.from]);
            continue;
        }
        const Tensor left = std::move(done.back());
        done.pop_back();
        done.back() = times(name, left, done.back());
    }
    return done.back();
}

void require_fit(const char* name, TensorList given, const std::vector<Tensor>& matrices) {
    for (std::size_t i = 1; i < matrices.size(); ++i) {
        const TensorImpl &a = body(name, matrices[i - 1]), &b = body(name, matrices[i]);
        ops::product_dtype(name, body(name, matrices[0]), b);
        if (a.shape->sizes()[1] != b.shape->sizes()[0])
            fail(name,
                 text("the inner dimensions of matrices ", i - 1, " and ", i, " do not match"),
                 ops::shapes(body(name, given[i - 1]), body(name, given[i])),
                 text(a.shape->sizes()[1], " rows in the second"), "t() on one of them");
    }
}

Tensor chain_of(const char* name, TensorList matrices) {
    if (matrices.empty())
        fail(name, "the list of matrices is empty", "{}", "one matrix or more",
             "eye(n), the empty product");
    const std::vector<Tensor> all(matrices.begin(), matrices.end());
    for (std::size_t i = 0; i < all.size(); ++i)
        if (body(name, all[i]).shape->ndim != 2)
            fail(name, "a tensor is not a matrix",
                 text("shape ", all[i].sizes(), " at position ", i), "2 dimensions",
                 "linalg_multi_dot(), whose first and last tensors may be vectors");
    require_fit(name, matrices, all);
    return all.size() == 1 ? all[0].clone() : product_of_all(name, all);
}

Tensor multi_dot_of(const char* name, TensorList tensors) {
    if (tensors.size() < 2)
        fail(name, "the list has too few tensors", text(tensors.size(), " tensors"), "2 or more",
             "clone() for a copy of one tensor");
    std::vector<Tensor> all(tensors.begin(), tensors.end());
    const std::size_t last = all.size() - 1;
    const auto dims = [&](std::size_t i) { return body(name, all[i]).shape->ndim; };
    for (std::size_t i = 0; i <= last; ++i) {
        const bool end = i == 0 || i == last;
        if (dims(i) != 2 && !(end && dims(i) == 1))
            fail(name, "a tensor has the wrong number of dimensions",
                 text("shape ", all[i].sizes(), " at position ", i),
                 end ? "1 or 2 dimensions in the first and the last tensor"
                     : "2 dimensions in the tensors between the first and the last",
                 "matmul(), which takes any");
    }
    const bool row = dims(0) == 1, column = dims(last) == 1;
    if (row) all[0] = all[0].unsqueeze(0);
    if (column) all[last] = all[last].unsqueeze(1);
    require_fit(name, tensors, all);
    Tensor r = product_of_all(name, all);
    if (column) r = r.squeeze(1);
    return row ? r.squeeze(0) : r;
}

Tensor power_of(const char* name, const tensor_base& A, int64_t n, const source_line& line) {
    const TensorImpl& a = body(name, A);
    const IntArrayRef sizes = a.shape->sizes_ref();
    if (sizes.size() < 2 || sizes[sizes.size() - 2] != sizes.back())
        ops::refuse_not_square(name, a, "A.mT().matmul(A), which is square");
    if (n == 0)
        return autograd::with_rule(
            "matrix_power", {&A}, {},
            [&] { return eye(sizes.back(), ops::beside(a, a.dtype)).expand(sizes).clone(); },
            [](const autograd::rule_call& c) -> autograd::variable_list {
                return {zeros_like(c.grad())};
            });
    Tensor power = n < 0 ? linalg_inv(A, line) : A.self();
    if (n == 1) return power.clone();
    // The absolute value of the smallest int64 has no signed form.
    uint64_t rest = n < 0 ? ~static_cast<uint64_t>(n) + 1 : static_cast<uint64_t>(n);
    const auto product = [name](const Tensor& x, const Tensor& y) {
        return ops::product(name, blas::matmul_op, x, y);
    };
    if (rest == 3) return product(product(power, power), power);
    Tensor result;
    for (;; power = product(power, power)) {
        if (rest & 1) result = result.defined() ? product(result, power) : power;
        rest >>= 1;
        if (rest == 0) return result;
    }
}

}  // namespace

Tensor chain_matmul(TensorList matrices) { return chain_of("chain_matmul", matrices); }
Tensor& chain_matmul_out(Tensor& out, TensorList matrices) {
    return store("chain_matmul_out", out, chain_of("chain_matmul_out", matrices));
}
Tensor linalg_multi_dot(TensorList tensors) { return multi_dot_of("linalg_multi_dot", tensors); }
Tensor& linalg_multi_dot_out(Tensor& result, TensorList tensors) {
    return store("linalg_multi_dot_out", result, multi_dot_of("linalg_multi_dot_out", tensors));
}

Tensor tensor_base::matrix_power(int64_t n, const std::source_location& line) const {
    return power_of("matrix_power", *this, n, line);
}
Tensor matrix_power(const tensor_base& A, int64_t n, const source_line& line) {
    return power_of("matrix_power", A, n, line);
}
Tensor& matrix_power_out(Tensor& result, const Tensor& A, int64_t n, const source_line& line) {
    return store("matrix_power_out", result, power_of("matrix_power_out", A, n, line));
}
Tensor linalg_matrix_power(const tensor_base& A, int64_t n, const source_line& line) {
    return power_of("linalg_matrix_power", A, n, line);
}
Tensor& linalg_matrix_power_out(Tensor& result, const Tensor& A, int64_t n,
                                const source_line& line) {
    return store("linalg_matrix_power_out", result,
                 power_of("linalg_matrix_power_out", A, n, line));
}

}  // namespace sinter::inline v1
