// Window functions: formulas of an index, computed in double and rounded once.
#include "ops/common/devices.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/windows.hpp>

#include <cmath>

namespace sinter::inline v1 {

using runtime::fail;
using runtime::text;

namespace {

enum class kind : uint8_t { any_float, wide };  // the dtypes that a window may have

/// Returns a window of `size` elements: formula(index, steps), both as doubles. `steps` is the
/// period.
template <class Error, class F>
Tensor window(const char* op, int64_t size, bool symmetric, kind floats,
              const TensorOptions& options, const F& formula) {
    if (size < 0)
        fail<Error>(op, "the window length is negative", text(size), "0 or more",
                    "0 for an empty window");
    const ops::creation dtype(op, options, get_default_dtype(), creation_device());
    if (!isFloatingType(dtype) || (floats == kind::wide && dtype != kFloat && dtype != kDouble))
        fail<Error>(op, "the dtype is not supported", toString(dtype),
                    floats == kind::wide ? "Float or Double" : "a floating-point dtype",
                    text("kFloat, then .to(k", dtype.dtype(), ") on the window"));
    if (size <= 1) return dtype.made(ones(size, dtype.dtype()));
    const int64_t steps = symmetric ? size - 1 : size;
    const Tensor y = formula(arange(size, kDouble), static_cast<double>(steps));
    return dtype.made(y.to(dtype));
}

Tensor bartlett_at(const Tensor& k, double steps) { return 1 - abs(k * (2 / steps) - 1); }

/// Returns the formula: the sum of (-1)^i a[i] cos(2 pi i k / steps).
auto cosines(ArrayRef<double> a) {
    return [a](const Tensor& k, double steps) {
        Tensor sum = full_like(k, a[0]);
        double sign = -1;
        for (std::size_t i = 1; i < a.size(); ++i, sign = -sign)
            sum = sum + cos(k * (2 * M_PI * static_cast<double>(i) / steps)) * (sign * a[i]);
        return sum;
    };
}

auto bessel(double beta) {
    return [beta](const Tensor& k, double steps) {
        const Tensor x = k * (2 / steps) - 1;
        return Tensor(i0(sqrt(1 - x * x) * beta) / i0(full({}, beta, kDouble)));
    };
}

}  // namespace

Tensor bartlett_window(int64_t n, const TensorOptions& options) {
    return bartlett_window(n, true, options);
}
Tensor bartlett_window(int64_t n, bool periodic, const TensorOptions& options) {
    return window<Error>("bartlett_window", n, !periodic, kind::any_float, options, bartlett_at);
}
Tensor blackman_window(int64_t n, const TensorOptions& options) {
    return blackman_window(n, true, options);
}
Tensor blackman_window(int64_t n, bool periodic, const TensorOptions& options) {
    const double a[] = {0.42, 0.5, 0.08};
    return window<Error>("blackman_window", n, !periodic, kind::any_float, options, cosines(a));
}
Tensor hamming_window(int64_t n, const TensorOptions& options) {
    return hamming_window(n, true, options);
}
Tensor hamming_window(int64_t n, bool periodic, const TensorOptions& options) {
    return hamming_window(n, periodic, 0.54, options);
}
Tensor hamming_window(int64_t n, bool periodic, double alpha, const TensorOptions& options) {
    return hamming_window(n, periodic, alpha, 0.46, options);
}
Tensor hamming_window(int64_t n, bool periodic, double alpha, double beta,
                      const TensorOptions& options) {
    const double a[] = {alpha, beta};
    return window<Error>("hamming_window", n, !periodic, kind::any_float, options, cosines(a));
}
Tensor hann_window(int64_t n, const TensorOptions& options) {
    return hann_window(n, true, options);
}
Tensor hann_window(int64_t n, bool periodic, const TensorOptions& options) {
    const double a[] = {0.5, 0.5};
    return window<Error>("hann_window", n, !periodic, kind::any_float, options, cosines(a));
}
Tensor kaiser_window(int64_t n, const TensorOptions& options) {
    return kaiser_window(n, true, options);
}
Tensor kaiser_window(int64_t n, bool periodic, const TensorOptions& options) {
    return kaiser_window(n, periodic, 12, options);
}
Tensor kaiser_window(int64_t n, bool periodic, double beta, const TensorOptions& options) {
    return window<Error>("kaiser_window", n, !periodic, kind::any_float, options, bessel(beta));
}

}  // namespace sinter::inline v1

namespace sinter::inline v1::windows {

namespace {

void require_positive(const char* op, const char* what, double value) {
    if (!(value > 0))
        fail<ValueError>(op, text(what, " is not positive"), text(value), "a positive number",
                         "1, the default");
}

template <class F>
Tensor named(const char* op, int64_t size, bool symmetric, const TensorOptions& options,
             const F& formula) {
    return window<ValueError>(op, size, symmetric, kind::wide, options, formula);
}

}  // namespace

Tensor bartlett(int64_t M, bool sym, const TensorOptions& options) {
    return named("bartlett", M, sym, options, bartlett_at);
}
Tensor blackman(int64_t M, bool sym, const TensorOptions& options) {
    const double a[] = {0.42, 0.5, 0.08};
    return named("blackman", M, sym, options, cosines(a));
}
Tensor cosine(int64_t M, bool sym, const TensorOptions& options) {
    return named("cosine", M, sym, options, [](const Tensor& k, double steps) {
        return Tensor(sin((k + 0.5) * (M_PI / (steps + 1))));
    });
}
Tensor exponential(int64_t M, optional<double> center, double tau, bool sym,
                   const TensorOptions& options) {
    require_positive("exponential", "tau", tau);
    if (center && sym)
        fail<ValueError>("exponential", "center is given for a symmetric window", text(*center),
                         "nullopt", "sym = false, or leaving center out");
    Tensor w = named("exponential", M, sym, options, [&](const Tensor& k, double steps) {
        return Tensor(exp(abs(k - center.value_or(steps / 2)) * (-1 / tau)));
    });
    // A window of one element skips the formula, and with a given center it is not 1.
    return M == 1 && center ? w * exp(full({}, -std::fabs(*center) / tau, kDouble)) : w;
}
Tensor gaussian(int64_t M, double std, bool sym, const TensorOptions& options) {
    require_positive("gaussian", "the standard deviation", std);
    return named("gaussian", M, sym, options, [&](const Tensor& k, double steps) {
        return Tensor(exp(square(k - steps / 2) * (-0.5 / (std * std))));
    });
}
Tensor general_cosine(int64_t M, ArrayRef<double> a, bool sym, const TensorOptions& options) {
    if (a.empty())
        fail<ValueError>("general_cosine", "the list of coefficients is empty", "{}",
                         "one coefficient or more", "{0.5, 0.5}, which gives a Hann window");
    return named("general_cosine", M, sym, options, cosines(a));
}
Tensor general_hamming(int64_t M, double alpha, bool sym, const TensorOptions& options) {
    const double a[] = {alpha, 1 - alpha};
    return named("general_hamming", M, sym, options, cosines(a));
}
Tensor hamming(int64_t M, bool sym, const TensorOptions& options) {
    return general_hamming(M, 0.54, sym, options);
}
Tensor hann(int64_t M, bool sym, const TensorOptions& options) {
    return general_hamming(M, 0.5, sym, options);
}
Tensor kaiser(int64_t M, double beta, bool sym, const TensorOptions& options) {
    if (!(beta >= 0))
        fail<ValueError>("kaiser", "beta is negative or NaN", text(beta), "0 or more",
                         "12, the default");
    return named("kaiser", M, sym, options, bessel(beta));
}
Tensor nuttall(int64_t M, bool sym, const TensorOptions& options) {
    const double a[] = {0.3635819, 0.4891775, 0.1365995, 0.0106411};
    return named("nuttall", M, sym, options, cosines(a));
}

}  // namespace sinter::inline v1::windows
