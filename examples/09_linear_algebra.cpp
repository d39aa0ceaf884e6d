// Linear algebra inside expressions: a regression by least squares and with fifty ridge strengths
// at once, the error for a matrix that cannot be factored, and a low-rank photograph. Writes
// rank_30.png.
#include "png.hpp"
#include "support.hpp"

#include <iostream>

using namespace sinter;

namespace {

/// Ten standardised measurements of 442 patients, and the progression of their disease.
struct study {
    Tensor x = load_npy(example::data("diabetes_x.npy")).to(kFloat64);
    Tensor y = load_npy(example::data("diabetes_y.npy")).to(kFloat64).view({-1, 1});
    study() {
        x = (x - x.mean(0, true)) / x.std(0, false, true);
        y = y - y.mean();
    }
};

void regress(const study& s) {
    // Two ways to the same coefficients. The producer of an operand writes directly into the memory
    // in which LAPACK works.
    auto [solution, residuals, rank, values] = linalg::lstsq(s.x, s.y, nullopt, "gelsd");
    Tensor gram = matmul(s.x.t(), s.x), moment = matmul(s.x.t(), s.y);
    Tensor normal = linalg::solve(gram, moment);
    std::printf("least squares: rank %lld, condition %.2f, residual %.6g\n",
                static_cast<long long>(rank.item<int64_t>()),
                (values[0] / values[-1]).item<double>(), residuals.item<double>());
    example::check(allclose(solution, normal, 1e-8), "two ways to the coefficients");
    example::check(rank.item<int64_t>() == 10, "the rank");
    Tensor errors = s.y - matmul(s.x, solution);
    example::check(example::near(errors.square().sum().item<double>(), residuals.item<double>()),
                   "the residual is that of the solution");

    // One batch of systems, with broadcast strengths: (50, 10, 10) and (10, 1).
    Tensor strengths = logspace(-2, 4, 50, 10, kFloat64).view({50, 1, 1});
    Tensor paths = linalg::solve(gram + strengths * eye(10, kFloat64), moment).squeeze(-1);
    Tensor sizes = linalg::vector_norm(paths, 2, 1);
    std::printf("ridges: coefficients' norms from %.3f down to %.3f\n", sizes[0].item<double>(),
                sizes[-1].item<double>());
    example::check((sizes.slice(0, 1) < sizes.slice(0, 0, -1)).all().item<bool>(),
                   "stronger ridges shrink");

    try {
        linalg::cholesky(gram - 1000 * eye(10, kFloat64));
        example::check(false, "an indefinite matrix has no Cholesky factor");
    } catch (const LinAlgError& e) {
        std::printf("caught: %s\n\n", e.what());
    }
}

void compress(const Tensor& photo) {
    // One matrix per colour: a batch of three decompositions.
    Tensor colours = photo.to(kFloat32).permute({2, 0, 1}) / 255.0;
    auto [u, s, vh] = linalg::svd(colours, false);
    Tensor energy = s.square().cumsum(1) / s.square().sum({1}, true);
    std::printf("rank   energy     error   bytes of all\n");
    for (const int64_t rank : {3, 10, 30, 100}) {
        // The scaling of U, the product and the rounding to bytes are one product with a prologue
        // and an epilogue.
        Tensor rebuilt =
            matmul(u.slice(2, 0, rank) * s.slice(1, 0, rank).unsqueeze(1), vh.slice(1, 0, rank));
        const double error = linalg::norm(colours - rebuilt).item<double>();
        const double kept = energy.select(1, rank - 1).mean().item<double>();
        const double share = static_cast<double>(rank * (u.size(1) + vh.size(2) + 1)) /
                             static_cast<double>(u.size(1) * vh.size(2));
        std::printf("%4lld %8.4f  %8.3f %13.1f %%\n", static_cast<long long>(rank), kept, error,
                    100 * share);
        // No matrix of that rank is closer (Eckart and Young).
        const double least = s.slice(1, rank).square().sum().sqrt().item<double>();
        example::check(std::abs(error - least) < 1e-3 * least, "the error of the approximation");
        if (rank != 30) continue;
        Tensor picture = (255 * rebuilt).round().clamp(0, 255).to(kUInt8).permute({1, 2, 0});
        example::write_png("rank_30.png", picture);
    }
}

}  // namespace

int main() {
    regress(study());
    compress(load_npy(example::data("face.npy")));
}
