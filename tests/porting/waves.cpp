// A discrete Fourier transform by its sum, a filter in the frequency domain, and the Mandelbrot
// set: complex tensors. A program for libtorch.
#include <torch/torch.h>

#include <c10/util/complex.h>

#include <cmath>
#include <iomanip>
#include <iostream>

namespace {

/// Returns the matrix of the transform of n points; the inverse has the other sign.
torch::Tensor transform(int64_t n, double sign) {
    const torch::Tensor k = torch::arange(n, torch::kDouble);
    const torch::Tensor turns = k.unsqueeze(1) * k.unsqueeze(0) / static_cast<double>(n);
    return torch::polar(torch::ones_like(turns), turns * (sign * 2 * M_PI));
}

void filter() {
    const int64_t n = 16;
    const torch::Tensor t = torch::arange(n, torch::kDouble) / static_cast<double>(n);
    torch::Tensor signal = torch::sin(t * (2 * M_PI)) + 0.5 * torch::cos(t * (10 * M_PI));
    torch::Tensor spectrum =
        torch::mv(transform(n, -1), torch::complex(signal, torch::zeros_like(signal)));
    std::cout << "strongest "
              << torch::argmax(torch::abs(spectrum).narrow(0, 0, n / 2)).item<int64_t>() << "\n";
    // Removes the fast wave; both of its lines are views of one storage.
    spectrum.index_put_({torch::tensor({5, 11})}, c10::complex<double>(0, 0));
    const torch::Tensor back = torch::mv(transform(n, 1), spectrum) / static_cast<double>(n);
    const torch::Tensor slow = torch::sin(t * (2 * M_PI));
    const double off = (torch::real(back) - slow).abs().max().item<double>();
    std::cout << "filtered " << (off < 1e-12 ? "as expected" : "wrongly") << ", imaginary parts "
              << (torch::imag(back).abs().max().item<double>() < 1e-12 ? "gone" : "left") << "\n";
}

void mandelbrot() {
    const torch::Tensor re = torch::linspace(-2, 0.5, 41, torch::kDouble),
                        im = torch::linspace(-1.125, 1.125, 13, torch::kDouble);
    const torch::Tensor c = torch::complex(re.unsqueeze(0).expand({13, 41}).contiguous(),
                                           im.unsqueeze(1).expand({13, 41}).contiguous());
    torch::Tensor z = torch::zeros_like(c), steps = torch::zeros({13, 41}, torch::kLong);
    for (int i = 0; i < 30; ++i) {
        const torch::Tensor inside = torch::abs(z) <= 2;
        z = torch::where(inside, z * z + c, z);
        steps += inside.to(torch::kLong);
    }
    for (int64_t y = 0; y < 13; ++y) {
        for (int64_t x = 0; x < 41; ++x) {
            const auto n = steps[y][x].item<int64_t>();
            std::cout << (n == 30 ? '#' : n > 6 ? '+' : n > 3 ? '.' : ' ');
        }
        std::cout << "|\n";
    }
}

void numbers() {
    const c10::complex<double> a(3, -4);
    std::cout << a << ' ' << a * c10::complex<double>(0, 1) << ' ' << std::abs(a) << ' '
              << std::conj(a) << ' ' << c10::Scalar(a).toComplexDouble().imag() << "\n";
    torch::Tensor z = torch::tensor({c10::complex<float>(1, 2), c10::complex<float>(-1, 0.5)});
    torch::Tensor pairs = torch::view_as_real(z);
    pairs.mul_(2);
    std::cout << z.dtype() << ' ' << z.is_complex() << ' ' << z.element_size() << "\n"
              << torch::view_as_real(z * z.conj() + 1) << "\n"
              << torch::angle(z) << "\n"
              << z.sum().item<c10::complex<float>>() << "\n";
    double total = 0;
    AT_DISPATCH_COMPLEX_TYPES(z.scalar_type(), "total", [&] {
        for (const auto i : c10::irange(z.numel())) total += z.data_ptr<scalar_t>()[i].imag();
    });
    std::cout << total << "\n";
    try {
        std::cout << (z < z).numel();
    } catch (const c10::Error&) {
        std::cout << "no order\n";
    }
}

}  // namespace

int main() {
    filter();
    mandelbrot();
    numbers();
}
