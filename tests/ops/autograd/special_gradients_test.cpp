// Gradients where functions have kinks, zeros or infinities.
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

using namespace sinter;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

template <class F>
std::vector<double> gradient_at(const std::vector<double>& at, const F& f) {
    const Tensor x = tensor(at).to(kDouble).requires_grad_();
    const Tensor y = f(x);
    const Tensor g = autograd::grad({y}, {x}, {ones_like(y.detach())})[0].cpu().contiguous();
    const double* first = g.const_data_ptr<double>();
    return {first, first + g.numel()};
}
using list = std::vector<double>;

}  // namespace

TEST_CASE("norms of zero have the gradient 0") {
    for (const double p : {0.5, 1.0, 1.5, 2.0, 3.0, inf}) {
        CAPTURE(p);
        CHECK(gradient_at({0, 0}, [&](const Tensor& x) { return x.norm(p); }) == list{0, 0});
        CHECK(gradient_at({0, 0}, [&](const Tensor& x) { return x.dist(x.detach(), p); }) ==
              list{0, 0});
        CHECK(gradient_at({0, 0}, [&](const Tensor& x) {
                  return cdist(x.reshape({1, 2}), x.detach().reshape({1, 2}), p);
              }) == list{0, 0});
    }
    const Tensor z = zeros({2}, kComplexDouble).requires_grad_();
    CHECK(autograd::grad({z.norm()}, {z})[0].eq(0).all().item<bool>());
    CHECK(autograd::grad({abs(z).sum()}, {z})[0].eq(0).all().item<bool>());
    CHECK(autograd::grad({real(sgn(z)).sum()}, {z})[0].eq(0).all().item<bool>());
}

TEST_CASE("bounds that are numbers pass no gradient, those that are tensors share it") {
    const list at{-1, 0, 0.5, 1, 2};
    CHECK(gradient_at(at, [](const Tensor& x) { return x.clamp(0, 1); }) == list{0, 0, 1, 0, 0});
    CHECK(gradient_at(at, [](const Tensor& x) { return Tensor(x.clamp_min(0)); }) ==
          list{0, 0, 1, 1, 1});
    CHECK(gradient_at(at, [](const Tensor& x) { return Tensor(x.clamp_max(1)); }) ==
          list{1, 1, 1, 0, 0});
    const Tensor low = zeros({5}, kDouble), high = ones({5}, kDouble);
    CHECK(gradient_at(at, [&](const Tensor& x) {
              return x.clamp(optional<Tensor>(low), optional<Tensor>(high));
          }) == list{0, 0.5, 1, 0.5, 0});
}

TEST_CASE("what is not chosen does not overflow") {
    CHECK(gradient_at({1000, 0.5}, [](const Tensor& x) { return elu(x); }) == list{1, 1});
    CHECK(gradient_at({1000}, [](const Tensor& x) { return celu(x, 2.0); }) == list{1});
    CHECK(std::isfinite(gradient_at({1000}, [](const Tensor& x) { return selu(x); })[0]));
    CHECK(gradient_at({0}, [](const Tensor& x) { return elu(x, 0.5); }) == list{0.5});
}

TEST_CASE("complex functions have their derivatives where a part is 0") {
    const auto at = [](double re, double im, const auto& f) {
        const Tensor z =
            sinter::complex(tensor({re}, kDouble), tensor({im}, kDouble)).detach().requires_grad_();
        const autograd::checked_function checked = [f](const autograd::variable_list& v) {
            return autograd::variable_list{Tensor(f(v[0]))};
        };
        return autograd::gradcheck(checked, {z}) && autograd::gradgradcheck(checked, {z});
    };
    for (const auto& [re, im] : std::vector<std::pair<double, double>>{
             {1.25, 0.0}, {0.0, 0.75}, {0.0, -0.75}, {0.5, 0.5}, {-0.5, 0.5}}) {
        CAPTURE(re);
        CAPTURE(im);
        CHECK(at(re, im, [](const Tensor& z) { return exp(z); }));
        CHECK(at(re, im, [](const Tensor& z) { return exp2(z); }));
        CHECK(at(re, im, [](const Tensor& z) { return expm1(z); }));
        CHECK(at(re, im, [](const Tensor& z) { return sqrt(z); }));
        CHECK(at(re, im, [](const Tensor& z) { return rsqrt(z); }));
        CHECK(at(re, im, [](const Tensor& z) { return log(z); }));
        CHECK(at(re, im, [](const Tensor& z) { return log1p(z); }));
        CHECK(at(re, im, [](const Tensor& z) { return sin(z) * cos(z); }));
        CHECK(at(re, im, [](const Tensor& z) { return tan(z) + tanh(z); }));
        CHECK(at(re, im, [](const Tensor& z) { return sigmoid(z); }));
        CHECK(at(re, im, [](const Tensor& z) { return sinc(z); }));
        CHECK(at(re, im, [](const Tensor& z) { return 1.5 / z + z / 2.0; }));
        CHECK(at(re, im, [](const Tensor& z) { return pow(z, 2.5); }));
        CHECK(at(re, im, [](const Tensor& z) { return pow(z, z); }));
        CHECK(at(re, im, [](const Tensor& z) { return pow(z, complex<double>(0.5, 1)); }));
        CHECK(at(re, im, [](const Tensor& z) { return abs(z) * sgn(z); }));
        CHECK(at(re, im, [](const Tensor& z) { return angle(z) + real(z) * imag(z); }));
    }
}

TEST_CASE("complex functions have the derivative of the side of a cut that the value is of") {
    const auto gradient = [](double re, double im, const auto& f) {
        const Tensor z =
            sinter::complex(tensor({re}, kDouble), tensor({im}, kDouble)).detach().requires_grad_();
        const Tensor y = f(z);
        return autograd::grad({y}, {z}, {ones_like(y.detach())})[0].item().toComplexDouble();
    };
    // The real part changes with the real part: the gradient is the conjugate derivative.
    const double slope = 1 / std::sqrt(3.0);
    for (const double side : {0.0, -0.0}) {
        const double sign = std::signbit(side) ? -1 : 1;
        const auto near = [](complex<double> a, double re, double im) {
            return std::abs(a.real() - re) < 1e-12 && std::abs(a.imag() - im) < 1e-12;
        };
        CAPTURE(sign);
        CHECK(near(gradient(2, side, [](const Tensor& z) { return asin(z); }), 0, -sign * slope));
        CHECK(near(gradient(2, side, [](const Tensor& z) { return acos(z); }), 0, sign * slope));
        CHECK(near(gradient(-2, side, [](const Tensor& z) { return asin(z); }), 0, sign * slope));
        CHECK(near(gradient(-2, side, [](const Tensor& z) { return acosh(z); }), -slope, 0));
        CHECK(near(gradient(-4, side, [](const Tensor& z) { return sqrt(z); }), 0, sign * 0.25));
    }
}

TEST_CASE("the binary cross entropy of a certain input is bounded backwards") {
    const Tensor y = tensor({1.0, 0.0});
    const list g = gradient_at({0, 1}, [&](const Tensor& x) {
        return nn::functional::binary_cross_entropy(
            x, y.to(kDouble), nn::functional::BinaryCrossEntropyFuncOptions(kSum));
    });
    CHECK(g == list{-1e12, 1e12});
}
