// The heat equation on a plate, by finite differences over slices. A program for libtorch.
#include <torch/torch.h>

#include <iostream>

using torch::indexing::None;
using torch::indexing::Slice;

namespace {

/// Five points around each inner one.
torch::Tensor laplacian(const torch::Tensor& u) {
    const Slice inner(1, -1), before(None, -2), after(2, None);
    return u.index({before, inner}) + u.index({after, inner}) + u.index({inner, before}) +
           u.index({inner, after}) - 4 * u.index({inner, inner});
}

}  // namespace

int main() {
    torch::NoGradGuard no_grad;
    const int64_t n = 10;
    auto options = torch::TensorOptions().dtype(torch::kFloat64);
    torch::Tensor u = torch::zeros({n, n}, options);
    u[0] = 100;
    u.index_put_({Slice(4, 7), Slice(4, 7)}, 25.0);
    const torch::Tensor start = u.clone();

    for (int64_t step = 1; step <= 300; ++step) {
        u.index({Slice(1, -1), Slice(1, -1)}) += 0.2 * laplacian(u);
        if (step % 100 == 0)
            std::cout << "step " << step << ": mean " << u.mean().item<double>()
                      << ", largest change " << (u - start).abs().max().item<double>() << '\n';
    }
    std::cout << u << '\n';

    torch::Tensor hot = u > 50;
    std::cout << "hot: " << hot.sum().item<int64_t>() << " of " << hot.numel() << " points, rows "
              << hot.any(1).sum().item<int64_t>() << '\n'
              << u.masked_select(hot).mean().item<double>() << '\n'
              << torch::nonzero(hot).slice(0, -3) << '\n'
              << torch::where(hot, u, torch::zeros_like(u)).sum(0) << '\n';
    TORCH_CHECK(torch::allclose(u, u.flip({1}), 1e-5, 1.0), "the plate is symmetric");
    return 0;
}
