// k-means clustering of points in the plane. A program for libtorch.
#include <torch/torch.h>

#include <iostream>
#include <utility>

namespace {

/// Returns three rings of points, without random numbers so that every library gets the same ones.
torch::Tensor points(int64_t each) {
    const torch::Tensor angle = torch::arange(each, torch::kFloat32) * (6.2831853 / each);
    // No two points of a ring are equally far from any point.
    const torch::Tensor radius = 1 + torch::arange(each, torch::kFloat32).unsqueeze(1) / 64;
    const torch::Tensor ring = torch::stack({angle.cos(), angle.sin()}, 1) * radius;
    const torch::Tensor centers = torch::tensor({{0., 0.}, {5., 1.}, {-2., 6.}}, torch::kFloat32);
    std::vector<torch::Tensor> clouds;
    for (int64_t i = 0; i < centers.size(0); ++i)
        clouds.push_back(ring * (1 + 0.5 * i) + centers[i]);
    return torch::cat(clouds);
}

torch::Tensor distances(const torch::Tensor& x, const torch::Tensor& c) {
    return (x.unsqueeze(1) - c.unsqueeze(0)).pow(2).sum(-1);
}

std::pair<torch::Tensor, torch::Tensor> k_means(const torch::Tensor& x, torch::Tensor centers) {
    torch::Tensor label;
    for (int step = 0; step < 50; ++step) {
        label = distances(x, centers).argmin(1);
        torch::Tensor sum = torch::zeros_like(centers).index_add_(0, label, x);
        torch::Tensor count = torch::zeros({centers.size(0)}, x.options())
                                  .scatter_add_(0, label, torch::ones({x.size(0)}, x.options()));
        torch::Tensor next = sum / count.clamp_min(1).unsqueeze(1);
        const float moved = (next - centers).abs().max().item<float>();
        centers = next;
        if (moved < 1e-6) {
            std::cout << "settled after " << step + 1 << " steps\n";
            break;
        }
    }
    return {centers, label};
}

}  // namespace

int main() {
    const torch::Tensor x = points(12);
    TORCH_CHECK(x.sizes() == torch::IntArrayRef({36, 2}));
    torch::Tensor centers, label;
    std::tie(centers, label) = k_means(x, x.index_select(0, torch::tensor({0, 13, 35})));
    std::cout << centers << '\n' << label.view({3, -1}) << '\n';

    for (int64_t k = 0; k < centers.size(0); ++k) {
        const torch::Tensor mine = x.index({label == k});
        std::cout << "cluster " << k << ": " << mine.size(0) << " points, spread "
                  << (mine - centers[k]).pow(2).sum(1).mean().item<float>() << '\n';
    }
    const torch::Tensor nearest = distances(x, centers).argmin(0);
    std::cout << nearest << '\n' << x.index({nearest}) << '\n';
    const torch::Tensor far = distances(x, centers).gather(1, label.unsqueeze(1)).squeeze(1);
    std::cout << (far > 2).nonzero().squeeze(1).sizes() << ' ' << far.max().item<float>() << '\n';
    return 0;
}
