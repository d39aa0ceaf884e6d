// Conjugate gradients for a symmetric positive definite system. A program for libtorch.
#include <torch/torch.h>

#include <cmath>
#include <iostream>
#include <tuple>

namespace {

struct solution {
    torch::Tensor x;
    int64_t iterations;
    double residual;
};

solution solve(const torch::Tensor& a, const torch::Tensor& b, double tolerance) {
    TORCH_CHECK(a.dim() == 2 && a.size(0) == a.size(1), "expected a square matrix, got ",
                a.sizes());
    TORCH_CHECK(b.dim() == 1 && b.size(0) == a.size(0), "sizes differ: ", a.sizes(), b.sizes());
    torch::Tensor x = torch::zeros_like(b), r = b - a.mv(x), p = r.clone();
    double rho = r.dot(r).item<double>();
    int64_t i = 0;
    for (; i < 10 * b.numel() && std::sqrt(rho) > tolerance; ++i) {
        const auto q = torch::mv(a, p);
        const double alpha = rho / p.dot(q).item<double>();
        x.add_(p, alpha);
        r.sub_(q, alpha);
        const double next = torch::dot(r, r).item<double>();
        p.mul_(next / rho).add_(r);
        rho = next;
    }
    return {x, i, std::sqrt(rho)};
}

/// Returns second differences with a weight on the diagonal.
torch::Tensor matrix(int64_t n) {
    const auto options = torch::dtype(torch::kDouble);
    torch::Tensor a = torch::eye(n, options) * 2.5;
    a.diagonal(1).fill_(-1);
    a.diagonal(-1).fill_(-1);
    return a;
}

}  // namespace

int main() {
    const int64_t n = 8;
    const torch::Tensor a = matrix(n);
    const torch::Tensor b = torch::arange(1, n + 1, torch::kDouble) / n;
    auto [x, iterations, residual] = solve(a, b, 1e-10);
    std::cout << iterations << " iterations, " << (residual < 1e-10 ? "converged" : "diverged")
              << '\n'
              << x << '\n';
    std::cout << std::boolalpha << torch::allclose(a.matmul(x), b) << ' ' << torch::equal(a, a.t())
              << '\n';

    // A batch of right sides, one after the other.
    std::vector<torch::Tensor> columns;
    for (const auto k : c10::irange(3)) columns.push_back(solve(a, b * (k + 1), 1e-12).x);
    const torch::Tensor all = torch::stack(columns, /*dim=*/1);
    std::cout << all.sizes() << ' ' << all.dtype() << '\n' << all << '\n';
    const auto relative = (all / x.unsqueeze(1)).round();
    std::cout << relative[0] << '\n' << std::get<0>(all.max(0)) << '\n';
    try {
        solve(a.slice(0, 1), b, 1e-10);
    } catch (const c10::Error& e) {
        const std::string what = e.what();
        std::cout << "refused: " << what.substr(0, what.find('\n')).substr(0, 38) << '\n';
    }
    return 0;
}
