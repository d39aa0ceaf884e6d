// Rows on complex numbers, compared with the C++ library's functions of long double. The error is
// relative to the whole number, in units of the dtype's epsilon.
#include "tests/seed.hpp"

#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <limits>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "engine/graph/complex_rows.hpp"

using namespace sinter;

namespace {

using wide = std::complex<long double>;

struct reference {
    op::id row;
    std::function<Tensor(const Tensor&)> value;
    std::function<wide(wide)> exact;
    double bound;
    int reach = 30;  // the parts of arguments are below 2^reach
    // What an argument adds to the bound: see docs/accuracy.md.
    std::function<long double(wide)> more = nullptr;
};

const long double ln2 = std::log(2.0L), pi = std::acos(-1.0L);

wide logarithm_of_one_and(wide x) {
    const long double square = x.real() * (x.real() + 2) + x.imag() * x.imag();
    const long double size =
        std::abs(square) < 0.5L ? std::log1p(square) / 2 : std::log(std::abs(1.0L + x));
    return {size, std::atan2(x.imag(), x.real() + 1)};
}

wide exponential_less_one(wide x) {
    const long double half = std::sin(x.imag() / 2);
    return {std::expm1(x.real()) * std::cos(x.imag()) - 2 * half * half,
            std::exp(x.real()) * std::sin(x.imag())};
}

/// sin(pi x) and cos(pi x), exactly 0 where they are.
std::pair<long double, long double> sin_cos_pi(long double x) {
    const long double whole = std::rint(x), rest = x - whole, distance = std::abs(rest);
    const long double sign = std::fmod(whole, 2.0L) == 0 ? 1 : -1;
    return {sign * std::sin(pi * rest),
            sign * (distance > 0.25L ? std::sin(pi * (0.5L - distance)) : std::cos(pi * rest))};
}
wide sine_over_argument(wide z) {
    const auto [sine, cosine] = sin_cos_pi(z.real());
    const long double y = pi * z.imag();
    return wide(sine * std::cosh(y), cosine * std::sinh(y)) / (pi * z);
}

wide sigmoid_of(wide z) { return 1.0L / (1.0L + std::exp(-z)); }
/// The relative derivative of the sigmoid by exp(-z), in units of exp(-z), times the bound of exp.
long double sigmoid_growth(wide z) { return 2.5L * std::abs(1.0L - sigmoid_of(z)); }

const wide other{0.5L, 1};  // the second operand

/// The exponential whose logarithm `logaddexp` adds to the operand of larger real part.
wide smaller_share(wide z) { return std::exp(z.real() < other.real() ? z - other : other - z); }
wide log_add_exp(wide z) {
    // The imaginary part of the larger operand stays as it is.
    return (z.real() < other.real() ? other : z) + logarithm_of_one_and(smaller_share(z));
}
long double log_add_exp_growth(wide z) {
    const wide share = smaller_share(z);
    return (3 * std::abs(logarithm_of_one_and(share)) +
            std::abs(share / (1.0L + share)) * (2.5L + std::abs(z - other) / 2)) /
           std::abs(log_add_exp(z));
}

/// `power` is of the bound on the modulus, `turn` on the angle.
long double pow_growth(wide z, wide exponent) {
    const wide l = std::log(z);
    const long double p = std::abs(exponent.real()), q = std::abs(exponent.imag());
    const long double size = std::abs(l.real()), angle = std::abs(l.imag());
    const long double power = 2.5L + p + 1.5L * q * angle;
    const long double turn =
        1.5L * p * angle + q * (2 + 2.5L * size) + std::abs((exponent * l).imag()) / 2;
    return std::hypot(power, turn);
}
reference pow_reference(double re, double im) {
    return {op::pow,
            [=](const Tensor& z) { return Tensor(pow(z, sinter::complex<double>(re, im))); },
            [=](wide z) { return std::exp(std::log(z) * wide(re, im)); },
            1.5,
            true,
            [=](wide z) { return pow_growth(z, wide(re, im)); }};
}

std::vector<reference> references() {
    using T = const Tensor&;
    return {
        {op::neg, [](T z) { return Tensor(-z); }, [](wide z) { return -z; }, 0},
        {op::sign, [](T z) { return Tensor(sgn(z)); }, [](wide z) { return z / std::abs(z); }, 1},
        {op::square, [](T z) { return Tensor(square(z)); }, [](wide z) { return z * z; }, 1.5},
        {op::mul, [](T z) { return Tensor(z * z); }, [](wide z) { return z * z; }, 1.5},
        {op::div, [](T z) { return Tensor(1.0 / z); }, [](wide z) { return 1.0L / z; }, 2},
        {op::reciprocal, [](T z) { return Tensor(reciprocal(z)); }, [](wide z) { return 1.0L / z; },
         2},
        {op::abs, [](T z) { return Tensor(abs(z)); }, [](wide z) { return wide(std::abs(z)); }, 1},
        {op::sqrt, [](T z) { return Tensor(sqrt(z)); }, [](wide z) { return std::sqrt(z); }, 1.5},
        {op::rsqrt, [](T z) { return Tensor(rsqrt(z)); },
         [](wide z) { return 1.0L / std::sqrt(z); }, 2},
        {op::exp, [](T z) { return Tensor(exp(z)); }, [](wide z) { return std::exp(z); }, 2},
        {op::exp2, [](T z) { return Tensor(exp2(z)); }, [](wide z) { return std::exp(z * ln2); }, 3,
         12},
        {op::expm1, [](T z) { return Tensor(expm1(z)); }, exponential_less_one, 3},
        {op::log, [](T z) { return Tensor(log(z)); }, [](wide z) { return std::log(z); }, 3},
        {op::log1p, [](T z) { return Tensor(log1p(z)); }, logarithm_of_one_and, 3},
        {op::log2, [](T z) { return Tensor(log2(z)); }, [](wide z) { return std::log(z) / ln2; },
         4},
        {op::log10, [](T z) { return Tensor(log10(z)); },
         [](wide z) { return std::log(z) / std::log(10.0L); }, 4},
        {op::sin, [](T z) { return Tensor(sin(z)); }, [](wide z) { return std::sin(z); }, 2},
        {op::cos, [](T z) { return Tensor(cos(z)); }, [](wide z) { return std::cos(z); }, 2},
        {op::tan, [](T z) { return Tensor(tan(z)); }, [](wide z) { return std::tan(z); }, 4},
        {op::asin, [](T z) { return Tensor(asin(z)); }, [](wide z) { return std::asin(z); }, 3},
        {op::acos, [](T z) { return Tensor(acos(z)); }, [](wide z) { return std::acos(z); }, 3},
        {op::atan, [](T z) { return Tensor(atan(z)); }, [](wide z) { return std::atan(z); }, 3},
        {op::sinh, [](T z) { return Tensor(sinh(z)); }, [](wide z) { return std::sinh(z); }, 2},
        {op::cosh, [](T z) { return Tensor(cosh(z)); }, [](wide z) { return std::cosh(z); }, 2},
        {op::tanh, [](T z) { return Tensor(tanh(z)); }, [](wide z) { return std::tanh(z); }, 4},
        {op::asinh, [](T z) { return Tensor(asinh(z)); }, [](wide z) { return std::asinh(z); }, 3},
        {op::acosh, [](T z) { return Tensor(acosh(z)); }, [](wide z) { return std::acosh(z); }, 3},
        {op::atanh, [](T z) { return Tensor(atanh(z)); }, [](wide z) { return std::atanh(z); }, 3},
        {op::logaddexp,
         [](T z) {
             return Tensor(logaddexp(z, full({}, sinter::complex<double>(0.5, 1), z.dtype())));
         },
         log_add_exp, 0.5, 2, log_add_exp_growth},
        {op::sigmoid, [](T z) { return Tensor(sigmoid(z)); }, sigmoid_of, 4, 30, sigmoid_growth},
        {op::silu, [](T z) { return Tensor(silu(z)); }, [](wide z) { return z * sigmoid_of(z); },
         5.5, 30, sigmoid_growth},
        {op::softsign, [](T z) { return Tensor(softsign(z)); },
         [](wide z) { return z / (1.0L + std::abs(z)); }, 3},
        {op::sinc, [](T z) { return Tensor(sinc(z)); }, sine_over_argument, 6.5},
        pow_reference(0.5, 1),
        pow_reference(-1.5, 0),
        pow_reference(3, -2.25),
    };
}

/// Numbers of all sizes, near 1, near the unit circle, and near the real axis.
template <class T>
std::vector<std::complex<T>> arguments(int reach) {
    std::mt19937_64 random(test::seed());
    std::uniform_real_distribution<double> part(-4, 4), exponent(-30, 30), sign(-1, 1),
        size(-30, reach);
    std::vector<std::complex<T>> z;
    const int n = test::cases(2000);
    const auto power = [&](double shift) { return std::exp2(exponent(random) + shift); };
    for (int i = 0; i < n; ++i) {
        z.emplace_back(static_cast<T>(part(random)), static_cast<T>(part(random)));
        z.emplace_back(static_cast<T>(sign(random) * std::exp2(size(random))),
                       static_cast<T>(sign(random) * std::exp2(size(random))));
        z.emplace_back(static_cast<T>(1 + sign(random) * power(-31)),
                       static_cast<T>(sign(random) * power(-31)));
        const double angle = sign(random) * 3.14159, radius = 1 + sign(random) * 1e-4;
        z.emplace_back(static_cast<T>(radius * std::cos(angle)),
                       static_cast<T>(radius * std::sin(angle)));
        z.emplace_back(static_cast<T>(sign(random) * 1.5),
                       static_cast<T>(sign(random) * power(-31)));
    }
    return z;
}

struct worst {
    double error = 0, share = 0;  // in units of epsilon, and of the bound
};

template <class T>
worst largest_error(const reference& r) {
    const std::vector<std::complex<T>> z = arguments<T>(r.reach);
    const auto n = static_cast<int64_t>(z.size());
    const Tensor input = from_blob(static_cast<const void*>(z.data()), {n},
                                   sizeof(T) == 4 ? kComplexFloat : kComplexDouble);
    const Tensor result = r.value(input).to(input.scalar_type()).contiguous();
    const auto* got = static_cast<const std::complex<T>*>(result.const_data_ptr());
    worst w;
    for (std::size_t i = 0; i < z.size(); ++i) {
        const wide exact = r.exact(wide(z[i]));
        const long double size = std::abs(exact);
        // Skips results near the ends of the range of float, and 0.
        if (!(size < 1e30L) || size < 1e-30L) continue;
        const long double error =
            std::abs(wide(got[i]) - exact) / size / std::numeric_limits<T>::epsilon();
        const long double bound = r.bound + (r.more ? r.more(wide(z[i])) : 0);
        if (!(error <= w.error)) w.error = static_cast<double>(error);
        if (error > 0 && !(error / bound <= w.share)) w.share = static_cast<double>(error / bound);
    }
    return w;
}

}  // namespace

TEST_CASE("rows of complex numbers against long double") {
    INFO("SINTER_TEST_SEED=", test::seed());
    const bool table = std::getenv("SINTER_ULP_TABLE");
    for (const reference& r : references()) {
        const std::string name = op::rows[r.row].name;
        CAPTURE(name);
        const worst single = largest_error<float>(r), twice = largest_error<double>(r);
        CHECK(single.share <= 1);
        CHECK(twice.share <= 1);
        if (table)
            std::cout << "| " << name << " | " << single.error << " | " << twice.error << " | "
                      << r.bound << (r.more ? " + more" : "") << " | share "
                      << std::max(single.share, twice.share) << "\n";
    }
}

TEST_CASE("every row of complex numbers has a reference") {
    std::set<op::id> known{op::add, op::sub, op::rsub, op::where};  // their parts are exact rows
    for (const reference& r : references()) known.insert(r.row);
    for (uint16_t row = 0; row < op::count; ++row) {
        const auto id = static_cast<op::id>(row);
        const complex_result kind = complex_result_of(id);
        if (kind == complex_result::refused || kind == complex_result::truth) continue;
        const std::string name = op::rows[id].name;
        CAPTURE(name);
        CHECK(known.count(id) == 1);
    }
}

TEST_CASE("branch cuts are continuous with the side of the imaginary part's sign") {
    using c = sinter::complex<double>;
    const auto one = [](const Tensor& t) { return t.item<c>(); };
    for (double sign : {0.0, -0.0}) {
        const auto near = [&](auto f, double x) {
            const Tensor on = tensor({c(x, sign)}, kComplexDouble),
                         beside = tensor({c(x, std::copysign(1e-300, sign))}, kComplexDouble);
            const c a = one(f(on)), b = one(f(beside));
            CAPTURE(x);
            CAPTURE(sign);
            CHECK(std::abs(a.real() - b.real()) < 1e-12);
            CHECK(std::abs(a.imag() - b.imag()) < 1e-12);
        };
        near([](const Tensor& z) { return Tensor(sqrt(z)); }, -4);
        near([](const Tensor& z) { return Tensor(log(z)); }, -4);
        near([](const Tensor& z) { return Tensor(asin(z)); }, 3);
        near([](const Tensor& z) { return Tensor(asin(z)); }, -3);
        near([](const Tensor& z) { return Tensor(acos(z)); }, 3);
        near([](const Tensor& z) { return Tensor(acosh(z)); }, -3);
        near([](const Tensor& z) { return Tensor(atanh(z)); }, 3);
        near([](const Tensor& z) { return Tensor(atanh(z)); }, -3);
    }
}
