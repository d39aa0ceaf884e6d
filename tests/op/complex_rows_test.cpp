// Rows on complex numbers, compared with the C++ library's functions of long double. The error is
// relative to the whole number, in units of the dtype's epsilon.
#include "tests/seed.hpp"

#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "engine/graph/complex_rows.hpp"

using namespace sinter;

namespace {

using wide = std::complex<long double>;

struct reference {
    op::id row;
    std::function<Tensor(const Tensor&)> value;
    std::function<wide(wide)> exact;
    double bound;  // for numbers of any size
    // True if the bound also holds where an angle is a product with an irrational number.
    bool angles_large;
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

std::vector<reference> references() {
    using T = const Tensor&;
    return {
        {op::neg, [](T z) { return Tensor(-z); }, [](wide z) { return -z; }, 0, true},
        {op::sign, [](T z) { return Tensor(sgn(z)); }, [](wide z) { return z / std::abs(z); }, 1,
         true},
        {op::square, [](T z) { return Tensor(square(z)); }, [](wide z) { return z * z; }, 1.5,
         true},
        {op::mul, [](T z) { return Tensor(z * z); }, [](wide z) { return z * z; }, 1.5, true},
        {op::div, [](T z) { return Tensor(1.0 / z); }, [](wide z) { return 1.0L / z; }, 2, true},
        {op::reciprocal, [](T z) { return Tensor(reciprocal(z)); }, [](wide z) { return 1.0L / z; },
         2, true},
        {op::abs, [](T z) { return Tensor(abs(z)); }, [](wide z) { return wide(std::abs(z)); }, 1,
         true},
        {op::sqrt, [](T z) { return Tensor(sqrt(z)); }, [](wide z) { return std::sqrt(z); }, 1.5,
         true},
        {op::rsqrt, [](T z) { return Tensor(rsqrt(z)); },
         [](wide z) { return 1.0L / std::sqrt(z); }, 2, true},
        {op::exp, [](T z) { return Tensor(exp(z)); }, [](wide z) { return std::exp(z); }, 2, true},
        {op::exp2, [](T z) { return Tensor(exp2(z)); }, [](wide z) { return std::exp(z * ln2); }, 4,
         false},
        {op::expm1, [](T z) { return Tensor(expm1(z)); }, exponential_less_one, 3, true},
        {op::log, [](T z) { return Tensor(log(z)); }, [](wide z) { return std::log(z); }, 3, true},
        {op::log1p, [](T z) { return Tensor(log1p(z)); }, logarithm_of_one_and, 3, true},
        {op::log2, [](T z) { return Tensor(log2(z)); }, [](wide z) { return std::log(z) / ln2; }, 4,
         true},
        {op::log10, [](T z) { return Tensor(log10(z)); },
         [](wide z) { return std::log(z) / std::log(10.0L); }, 4, true},
        {op::sin, [](T z) { return Tensor(sin(z)); }, [](wide z) { return std::sin(z); }, 2, true},
        {op::cos, [](T z) { return Tensor(cos(z)); }, [](wide z) { return std::cos(z); }, 2, true},
        {op::tan, [](T z) { return Tensor(tan(z)); }, [](wide z) { return std::tan(z); }, 4, true},
        {op::asin, [](T z) { return Tensor(asin(z)); }, [](wide z) { return std::asin(z); }, 3,
         true},
        {op::acos, [](T z) { return Tensor(acos(z)); }, [](wide z) { return std::acos(z); }, 3,
         true},
        {op::atan, [](T z) { return Tensor(atan(z)); }, [](wide z) { return std::atan(z); }, 3,
         true},
        {op::sinh, [](T z) { return Tensor(sinh(z)); }, [](wide z) { return std::sinh(z); }, 2,
         true},
        {op::cosh, [](T z) { return Tensor(cosh(z)); }, [](wide z) { return std::cosh(z); }, 2,
         true},
        {op::tanh, [](T z) { return Tensor(tanh(z)); }, [](wide z) { return std::tanh(z); }, 4,
         true},
        {op::asinh, [](T z) { return Tensor(asinh(z)); }, [](wide z) { return std::asinh(z); }, 3,
         true},
        {op::acosh, [](T z) { return Tensor(acosh(z)); }, [](wide z) { return std::acosh(z); }, 3,
         true},
        {op::atanh, [](T z) { return Tensor(atanh(z)); }, [](wide z) { return std::atanh(z); }, 3,
         true},
        {op::logaddexp,
         [](T z) {
             return Tensor(logaddexp(z, full({}, sinter::complex<double>(0.5, 1), z.dtype())));
         },
         [](wide z) {
             const wide w(0.5L, 1);  // whose imaginary part, or z's, stays as it is
             const bool larger = z.real() < w.real();
             return (larger ? w : z) + std::log(1.0L + std::exp(larger ? z - w : w - z));
         },
         16, false},
        {op::sigmoid, [](T z) { return Tensor(sigmoid(z)); },
         [](wide z) { return 1.0L / (1.0L + std::exp(-z)); }, 4, false},
        {op::silu, [](T z) { return Tensor(silu(z)); },
         [](wide z) { return z / (1.0L + std::exp(-z)); }, 5, false},
        {op::softsign, [](T z) { return Tensor(softsign(z)); },
         [](wide z) { return z / (1.0L + std::abs(z)); }, 3, true},
        {op::sinc, [](T z) { return Tensor(sinc(z)); },
         [](wide z) { return std::sin(pi * z) / (pi * z); }, 20, false},
        {op::pow, [](T z) { return Tensor(pow(z, sinter::complex<double>(0.5, 1))); },
         [](wide z) { return std::exp(std::log(z) * wide(0.5L, 1)); }, 16, false},
    };
}

/// Numbers of all sizes, near 1, near the unit circle, and near the real axis.
template <class T>
std::vector<std::complex<T>> arguments(bool angles_large) {
    std::mt19937_64 random(test::seed());
    std::uniform_real_distribution<double> part(-4, 4), exponent(-30, 30), sign(-1, 1);
    std::vector<std::complex<T>> z;
    const int n = test::cases(2000);
    const auto power = [&](double shift) { return std::exp2(exponent(random) + shift); };
    for (int i = 0; i < n; ++i) {
        z.emplace_back(static_cast<T>(part(random)), static_cast<T>(part(random)));
        if (angles_large)
            z.emplace_back(static_cast<T>(sign(random) * power(0)),
                           static_cast<T>(sign(random) * power(0)));
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

template <class T>
double largest_error(const reference& r) {
    const std::vector<std::complex<T>> z = arguments<T>(r.angles_large);
    const auto n = static_cast<int64_t>(z.size());
    const Tensor input = from_blob(static_cast<const void*>(z.data()), {n},
                                   sizeof(T) == 4 ? kComplexFloat : kComplexDouble);
    const Tensor result = r.value(input).to(input.scalar_type()).contiguous();
    const auto* got = static_cast<const std::complex<T>*>(result.const_data_ptr());
    double worst = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
        const wide exact = r.exact(wide(z[i]));
        const long double size = std::abs(exact);
        // Skips points whose pole or zero is as near as the rounding of the argument.
        if (!(size < 1e30L) || size < 1e-30L) continue;
        if (r.row == op::logaddexp && size < 0.25L) continue;
        if ((r.row == op::sigmoid || r.row == op::silu || r.row == op::sinc) &&
            (size > 4 || size < 0.05L))
            continue;
        const long double error =
            std::abs(wide(got[i]) - exact) / size / std::numeric_limits<T>::epsilon();
        if (!(error <= worst)) worst = static_cast<double>(error);
    }
    return worst;
}

}  // namespace

TEST_CASE("rows of complex numbers against long double") {
    INFO("SINTER_TEST_SEED=", test::seed());
    const bool table = std::getenv("SINTER_ULP_TABLE");
    for (const reference& r : references()) {
        const std::string name = op::rows[r.row].name;
        CAPTURE(name);
        const double single = largest_error<float>(r), twice = largest_error<double>(r);
        CHECK(single <= r.bound);
        CHECK(twice <= r.bound);
        if (table)
            std::cout << "| " << name << " | " << single << " | " << twice << " | " << r.bound
                      << " |\n";
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
