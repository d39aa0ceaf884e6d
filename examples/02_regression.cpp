// A linear regression on real data by the normal equations: ten measurements of 442 patients
// against the progression of a disease.
#include "support.hpp"

#include <charconv>
#include <iostream>

using namespace sinter;

namespace {

/// Returns columns with mean 0 and deviation 1, after a column of ones.
Tensor design(const Tensor& x) {
    Tensor a = ones({x.size(0), x.size(1) + 1}, x.scalar_type());
    a.slice(1, 1) = (x - x.mean({0}, true)) / x.std({0}, false, true);
    return a;
}

struct fit {
    Tensor coefficients;  // the intercept first
    Tensor r_squared;
};

fit regress(const Tensor& x, const Tensor& y) {
    Tensor a = design(x);
    Tensor w = linalg_solve(a.t().mm(a), a.t().mv(y));
    Tensor missed = y - a.mv(w), spread = y - y.mean();
    return {w, 1 - square(missed).sum() / square(spread).sum()};
}

/// Returns the shortest text that identifies `v` exactly.
std::string exact(double v) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, v).ptr};
}

}  // namespace

int main() {
    Tensor x = load_npy(example::data("diabetes_x.npy"));
    Tensor y = load_npy(example::data("diabetes_y.npy"));

    example::print_times([&] { regress(x, y).r_squared.eval(); });

    Tensor a = design(x);
    std::cout << "\nnormal equations\n" << explain(a.t().mm(a));
    fit f = regress(x, y);
    std::cout << "quality of the fit\n" << explain(f.r_squared);

    double r_squared = f.r_squared.item<double>();
    double intercept = f.coefficients[0].item<double>();
    std::cout << "\nR2           " << exact(r_squared) << "\nintercept    " << exact(intercept)
              << std::endl;
    std::printf("coefficients");
    for (int64_t i = 1; i < f.coefficients.size(0); ++i)
        std::printf(" %.8f", f.coefficients[i].item<double>());
    std::printf("\n");

    example::check(example::near(r_squared, 0.5177484222203499), "R2 is 0.5177484222203499");
    example::check(example::near(intercept, 152.13348416289594), "the intercept is 152.13348416");
}
