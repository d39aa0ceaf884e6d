#include "kernels/special/polygamma.hpp"

#include "kernels/special/hurwitz_zeta.hpp"

#include <array>
#include <cmath>
#include <limits>

namespace sinter::zeta {
namespace {

/// Returns x^-s, by repeated squaring.
double inverse_power(double x, int64_t s) {
    double result = 1, square = x;
    for (int64_t n = s; n > 0; n >>= 1) {
        if (n & 1) result *= square;
        square *= square;
    }
    return 1 / result;
}

double zeta_right(int64_t s, double q) {
    return special_pairs::functions::zeta_right(static_cast<double>(s), q,
                                                [s](double a) { return inverse_power(a, s); });
}

double polygamma_of(int64_t n, double x) {
    if (std::isnan(x)) return x;
    const double size = std::tgamma(static_cast<double>(n) + 1) * hurwitz_zeta(n + 1, x);
    return n % 2 ? size : -size;
}

template <class T>
void run(const op_call& call) {
    const op_input& in = call.inputs[0];
    const geometry& g = *in.shape;
    const int64_t n = call.attributes->as<polygamma_attributes>().order;
    const auto* from = reinterpret_cast<const T*>(in.data) + g.offset;
    auto* to = reinterpret_cast<T*>(call.output) + call.shape.offset;
    // Both shapes have the same sizes. The output is dense.
    std::array<int64_t, 64> at{};
    for (int64_t left = g.numel; left > 0; --left) {
        int64_t source = 0, target = 0;
        for (int d = 0; d < g.ndim; ++d) {
            source += at[static_cast<std::size_t>(d)] * g.strides()[d];
            target += at[static_cast<std::size_t>(d)] * call.shape.strides()[d];
        }
        to[target] = static_cast<T>(polygamma_of(n, static_cast<double>(from[source])));
        for (int d = g.ndim - 1; d >= 0; --d) {
            if (++at[static_cast<std::size_t>(d)] < g.sizes()[d]) break;
            at[static_cast<std::size_t>(d)] = 0;
        }
    }
}

void run_any(const op_call& call) { call.dtype == kDouble ? run<double>(call) : run<float>(call); }

}  // namespace

double hurwitz_zeta(int64_t s, double q) {
    if (q > 0) return q == std::numeric_limits<double>::infinity() ? 0 : zeta_right(s, q);
    const double whole = std::floor(q), rest = q - whole;
    if (!(rest > 0)) return std::numeric_limits<double>::infinity();
    // The terms of the sum over all integers, minus those before q.
    const double sign = s % 2 ? -1 : 1;
    return zeta_right(s, rest) + sign * (zeta_right(s, 1 - rest) - zeta_right(s, 1 - q));
}

const kernel_op polygamma = {.name = "polygamma", .run = run_any, .on_gpu = polygamma_on_gpu};

}  // namespace sinter::zeta
